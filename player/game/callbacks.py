"""Callbacks: a Player behind the four callbacks of a league, as plain dicts; see docs/guides/callbacks.md."""

import contextlib
import json
import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple

from pydantic_core import to_json

from player.deadlines import Runner
from player.errors import JournalError
from player.game import messages as protocol
from player.game.deadline_player import DeadlinePlayer
from player.game.game import Game, Timeouts
from player.game.journal import Journal, open_journal
from player.game.messages import Message
from player.game.record import SavedGame
from player.player import Contestant, Player
from player.round import Json, RoundStart
from quarry.terminal import describe_error

_log = logging.getLogger(__name__)
Context = Mapping[str, Any]
"""{"dynamic": {...}, "service": {...}}: the fields of the message, and those that the league adds."""
TIMEOUTS = Timeouts(phase_s=16.0)
"""Default timeouts. A reply takes at most half of 16 s: a league that waits for 40 s and polls every 30 s leaves at
least 10 s."""
MAX_ROUNDS = 200
"""Maximum number of rounds in memory; the round whose questions were sent first is dropped first."""
MAX_WITH_FITS = 8
"""Maximum number of latest rounds that keep the fits of their questions in memory; others compute them again."""
MAX_ROUND_S = 86_400.0
"""Maximum age of an unfinished round of the journal in seconds; older ones are given up."""


class RoundFields(NamedTuple):
    """Fields that identify a round; "" if a message does not have the field."""

    game_id: str
    match_id: str
    book_name: str
    hint: str
    association_domain: str


@dataclass(eq=False)
class _Round:
    """A round with its game, which begins with the first reply, so that a round takes no time before.

    Attributes:
        origin: the message that begins the game, or the game that an earlier process saved; None once it has begun.
        is_asked: whether its questions were sent.
        is_blind: whether other questions than ours were sent, so that the answers are no evidence.
    """

    round_fields: RoundFields
    game: Game
    origin: Message | SavedGame | None
    is_asked: bool = False
    is_blind: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, message: Message) -> Json:
        """Return the payload of the reply to a message, the same one each time; {} if there is no reply."""
        with self.lock:
            origin = self.origin
            if isinstance(origin, SavedGame):
                self.game.restore(origin)
            elif origin is not None:
                self.game.receive(replace(origin, arrived=message.arrived))
            self.origin = None
            is_score = message.message_type == protocol.SCORE_FEEDBACK
            if self.is_blind and not is_score:  # answers to other questions
                message = replace(message, payload={})
            reply = self.game.receive(message)
        payload: Json = reply["payload"] if reply else {}
        return payload

    @property
    def is_guessed(self) -> bool:
        """Whether a guess was made and has no score yet."""
        if isinstance(self.origin, SavedGame):
            return self.origin.guess is not None
        return self.game.is_guessed

    def n_common_fields(self, round_fields: RoundFields) -> int:
        """Return the number of fields that a message and the round have in common; -1 if the message contradicts it.

        An id of the message that the round does not have is no contradiction.
        """
        n_common = 0
        for name, text in round_fields._asdict().items():
            round_text = getattr(self.round_fields, name)
            # a league may add an id later, but no hint
            is_added_id = not round_text and name.endswith("_id")
            if text and text != round_text and not is_added_id:
                return -1
            n_common += bool(text) and text == round_text
        return n_common


class Callbacks:
    """The callbacks of a player. Each returns a valid value in time and raises nothing; they are safe for many threads.

    A round is identified by the fields of get_questions: ids, book, hint and domain together. The same fields get the
    same questions and the same guess, however often they are sent; other fields are another round, even with the same
    id. A guess belongs to the round with the same fields; without fields, it belongs to the last round whose questions
    were sent. Everything is loaded when the object is made. Steps that fail or are late are logged.

    Args:
        player: the player.
        timeouts: timeouts of replies; None takes `TIMEOUTS`.
        journal: stores the rounds, so that a restart continues them, and the editions that each opponent held; None
            takes the journal of live games (`configs.directories.default_journal`). `Journal(None)` stores nothing.
    """

    def __init__(
        self,
        player: Contestant,
        timeouts: Timeouts | None = None,
        journal: Journal | None = None,
    ) -> None:
        self._player = player
        self._timeouts = timeouts or TIMEOUTS
        self._journal = journal or open_journal()
        self._runner = Runner()
        self._rounds: dict[RoundFields, _Round] = {}  # the latest questions last
        self._lock = threading.Lock()
        if isinstance(player, Player):
            player.preload()
        self._continue_rounds()

    def get_warmup_answer(self, ctx: Context) -> Json:
        """Return {"answer"} to the warm-up question; it belongs to no round."""
        message, _ = _read(ctx, protocol.WARMUP_CALL)
        question = protocol.read_question(message.payload)
        budget_s = self._timeouts.budget_s(message)
        player = DeadlinePlayer(self._player, message.game_id, self._runner)
        return {"answer": player.warmup(question, budget_s)}

    def get_questions(self, ctx: Context) -> Json:
        """Return {"questions"}: 20 questions with the keys of all versions of the protocol."""
        message, round_fields = _read(ctx, protocol.ROUND_START)
        with self._lock:
            round_ = self._rounds.get(round_fields) or self._begin(
                round_fields, message
            )
        questions = round_.reply(message)["questions"]
        with self._lock:  # from now on it is the last round, also after a restart
            self._rounds.pop(round_fields, None)
            self._rounds[round_fields] = round_
            if round_.is_asked:  # a new game of the journal has its time already
                self._journal.update(round_.game.journal_key, began=time.time())
            round_.is_asked = True
        return {"questions": questions}

    def get_guess(self, ctx: Context) -> Json:
        """Return the guess: {"opening_sentence", "sentence_justification", "associative_word", ..., "confidence"}."""
        message, round_fields = _read(ctx, protocol.ANSWERS_BATCH)
        with self._lock:
            round_ = self._find(round_fields)
            if round_ is None:
                start = replace(message, message_type=protocol.ROUND_START)
                round_ = self._begin(round_fields, start)
                round_.game.log(
                    "the answers fit no round whose questions were sent; the guess follows from what they say"
                )
        guess: Json = round_.reply(message)["guess"]
        return dict(guess)

    def on_score_received(self, ctx: Context) -> None:
        """Store the score, and learn from it which edition the opponent held."""
        message, round_fields = _read(ctx, protocol.SCORE_FEEDBACK)
        with self._lock:
            round_ = self._find(round_fields, awaits_score=True)
        if round_ is None:
            return
        game = round_.game
        try:
            round_.reply(message)
        except Exception as error:
            game.log(f"the score is ignored: {describe_error(error)}")
            return
        if game.score is not None:
            game.player.plan = None  # no longer needed
            self._journal.update(game.journal_key, ending="over")

    def continue_rounds(self, rounds: Iterable[tuple[Context, bool]]) -> None:
        """Continue rounds of an earlier process, which may have had no journal.

        Args:
            rounds: contexts of get_questions, the latest last; and whether other questions than ours were sent, whose
                answers are no evidence.
        """
        for ctx, is_blind in rounds:
            message, round_fields = _read(ctx, protocol.ROUND_START)
            with self._lock:
                round_ = self._rounds.pop(round_fields, None) or self._begin(
                    round_fields, message
                )
                self._rounds[round_fields] = round_
                round_.is_asked = True
                round_.is_blind |= is_blind

    def _find(
        self, round_fields: RoundFields, *, awaits_score: bool = False
    ) -> _Round | None:
        """Return the round that fits a message best, the latest of equal ones; None if the message contradicts all.

        Args:
            round_fields: fields of the message.
            awaits_score: take only rounds with a guess that has no score yet.
        """
        best, best_round = (0, False), None
        for round_ in self._rounds.values():
            fit = round_.n_common_fields(round_fields), round_.is_asked
            if fit >= best and (round_.is_guessed or not awaits_score):
                best, best_round = fit, round_
        return best_round

    def _begin(self, round_fields: RoundFields, start: Message) -> _Round:
        """Begin a round, in memory and in the journal."""
        key = self._journal.add_game(start.game_id)
        return self._add(round_fields, start, key)

    def _add(
        self, round_fields: RoundFields, origin: Message | SavedGame, key: int
    ) -> _Round:
        """Add a round with a new game, and drop the oldest rounds if there are too many."""
        name = origin.game_id or round_fields.match_id or round_fields.hint
        game = Game(
            game_id=name,
            journal_key=key,
            player=DeadlinePlayer(self._player, name, self._runner),
            name="quarry",
            timeouts=self._timeouts,
            journal=self._journal,
        )
        self._rounds.pop(round_fields, None)  # so that the new one is the last
        self._rounds[round_fields] = round_ = _Round(round_fields, game, origin)

        rounds = list(self._rounds.values())
        for old in rounds[:-MAX_WITH_FITS]:
            old.game.player.drop_fits()
        for old in rounds[:-MAX_ROUNDS]:
            del self._rounds[old.round_fields]
        return round_

    def _continue_rounds(self) -> None:
        """Add the unfinished rounds of the journal, the latest last."""
        try:
            games = sorted(self._journal.running(), key=attrgetter("began"))
        except JournalError as error:
            _log.warning("%s", error)
            return
        for saved in games:
            if time.time() - saved.began > MAX_ROUND_S:
                self._journal.update(saved.key, ending="given up")
            elif saved.start is not None:
                round_fields = _round_fields(saved.game_id, saved.start)
                self._add(round_fields, saved, saved.key).is_asked = True


def _round_fields(game_id: str, start: RoundStart) -> RoundFields:
    """Return the fields that identify a round."""
    return RoundFields(
        protocol.normalise_id(game_id),
        protocol.normalise_id(start.match_id),
        start.book_name,
        start.hint,
        start.association_domain,
    )


def _read(ctx: object, message_type: str) -> tuple[Message, RoundFields]:
    """Read a context as a message; return it with the fields that identify its round.

    Fields may also be in an envelope or a payload inside the context. The league's own fields fill in those that the
    message lacks. The league's `description` describes the callback and is no hint.
    """
    dynamic, service = _mapping(ctx, "dynamic"), _mapping(ctx, "service")
    service.pop("description", None)
    fields: Json = {}
    for part in (dynamic, service):
        inner = ("payload", "envelope", "message", "round_start", "start")
        for level in (part, *(_mapping(part, name) for name in inner)):
            for key, value in _plain_items(level):
                if fields.get(key) in (None, ""):
                    fields[key] = value
    fields.pop("payload", None)
    message = protocol.read_message({"message_type": message_type, "payload": fields})
    return message, _round_fields(message.game_id, protocol.read_start(fields))


def _mapping(parent: object, name: str) -> Json:
    """Return the mapping under a name of another mapping; {} if there is none."""
    with contextlib.suppress(Exception):  # a league's own object
        value = parent.get(name) if isinstance(parent, Mapping) else None
        if isinstance(value, Mapping):
            return {str(key): item for key, item in value.items()}
    return {}


def _plain_items(fields: Json) -> Iterator[tuple[str, Any]]:
    """Yield the fields as plain JSON values, without None; skip those that JSON cannot hold."""
    for key, value in fields.items():
        with contextlib.suppress(Exception):  # a league's own object, a circle
            text = json.dumps(value, default=_plain, skipkeys=True, ensure_ascii=False)
            encoded = text.encode("utf-8", "replace")
            plain = json.loads(encoded, object_hook=_without_none)
            to_json([[[plain]]])  # fails for nesting that the journal cannot store
            yield protocol.as_utf8(key), plain


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _without_none(fields: Json) -> Json:
    return {key: value for key, value in fields.items() if value is not None}
