"""Callbacks: the four callbacks of a league around a Player, in plain dicts; see docs/guides/callbacks.md."""

import contextlib
import json
import logging
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any

from pydantic_core import to_json

from player.deadlines import Runner
from player.errors import JournalError
from player.game import messages as protocol
from player.game.fallback import DeadlinePlayer
from player.game.game import Game, Timeouts
from player.game.journal import Journal, open_journal
from player.game.messages import Message
from player.game.record import SavedGame
from player.player import Contestant, Player
from player.round import Json, RoundStart
from quarry.terminal import described

_log = logging.getLogger(__name__)
Context = Mapping[str, Any]
"""{"dynamic": {...}, "service": {...}}: the fields of the message, and those that the league adds."""
Says = tuple[str, ...]
"""Ids of a game and a match, book, hint and domain; "" where a message does not say."""

N_IDS = 2
"""The first of these are ids."""
TIMEOUTS = Timeouts(phase_s=16.0)
"""A reply takes 8 s at most: a league that waits for 40 s and looks for messages every 30 s leaves 10."""
MAX_ROUNDS = 200
"""Maximum number of rounds in memory; the round whose questions were sent first is dropped first."""
MAX_WITH_FITS = 8
"""Maximum number of rounds, the latest ones, that keep the fits of their questions; others compute them again."""
MAX_ROUND_S = 86_400.0
"""Maximum age of an unfinished round of the journal; older ones are given up."""


@dataclass(eq=False)
class _Round:
    """A round with its game.

    Attributes:
        start: the message that began it, None if an earlier process did.
        saved: the game as an earlier process left it, until it is continued.
        is_asked: its questions were sent.
        is_blind: they were not ours, so that the answers are no evidence.
    """

    says: Says
    game: Game
    start: Message | None = None
    saved: SavedGame | None = None
    is_asked: bool = False
    is_blind: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)

    def reply(self, message: Message) -> Json:
        """Return the payload of the reply to a message, which is the same each time; {} without a reply."""
        with self.lock:
            if self.saved is not None:
                self.game.restore(self.saved)
                self.saved = None
            if self.start is not None and self.game.player.plan is None:
                self.game.receive(replace(self.start, arrived=message.arrived))
            if self.is_blind:
                message = replace(message, payload={})
            reply = self.game.receive(message)
        payload: Json = reply["payload"] if reply else {}
        return payload

    @property
    def is_guessed(self) -> bool:
        """Whether a guess was made that has no score yet."""
        if self.saved is not None:
            return self.saved.guess is not None
        return self.game.is_guessed

    def fit(self, says: Says) -> int:
        """Return the number of fields that a message repeats, -1 if it contradicts the round.

        An id that the round does not have is no contradiction.
        """
        n_repeated = 0
        for number, (text, own) in enumerate(zip(says, self.says, strict=True)):
            if text and text != own and (own or number >= N_IDS):
                return -1
            n_repeated += bool(text) and text == own
        return n_repeated


class Callbacks:
    """The callbacks of a player. Each returns something valid in time and raises nothing; safe for many threads.

    A round is what get_questions says: ids, book, hint and domain together. The same content gets the same questions
    and guess, however often it is asked for; another content is another round, whatever its id. A guess belongs to the
    round whose ids and fields it repeats, and without any to the last round whose questions were sent. Everything is
    loaded when the object is made. Parts that are too late or fail are logged.

    Args:
        player: the player.
        timeouts: timeouts of replies; those of a league that polls every 30 s unless given.
        journal: keeps the rounds, so that a restart continues them, and what each opponent held; unless given, that of
            live games (`configs.directories.default_journal`). `Journal(None)` keeps nothing.
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
        self._rounds: dict[Says, _Round] = {}  # the latest questions last
        self._lock = threading.Lock()
        if isinstance(player, Player):
            player.warm()
        self._continue_rounds()

    def get_warmup_answer(self, ctx: Context) -> Json:
        """Return {"answer"} to the warm-up question, which belongs to no round."""
        message, _ = _read(ctx, protocol.WARMUP_CALL)
        question = protocol.read_question(message.payload)
        budget_s = self._timeouts.budget_s(message)
        player = DeadlinePlayer(self._player, message.game_id, self._runner)
        return {"answer": player.warmup(question, budget_s)}

    def get_questions(self, ctx: Context) -> Json:
        """Return {"questions"}: 20, with the keys of all versions."""
        message, says = _read(ctx, protocol.ROUND_START)
        with self._lock:
            round_ = self._rounds.get(says) or self._begin(says, message)
        questions = round_.reply(message)["questions"]
        with self._lock:  # from now on it is the last round, also after a restart
            self._rounds.pop(says, None)
            self._rounds[says] = round_
            if round_.is_asked:
                self._journal.update(round_.game.key, began=time.time())
            round_.is_asked = True
        return {"questions": questions}

    def get_guess(self, ctx: Context) -> Json:
        """Return the guess: {"opening_sentence", "sentence_justification", "associative_word", ..., "confidence"}."""
        message, says = _read(ctx, protocol.ANSWERS_BATCH)
        with self._lock:
            round_ = self._find(says)
            if round_ is None:
                start = replace(message, message_type=protocol.ROUND_START)
                round_ = self._begin(says, start)
                round_.game.log(
                    "the answers fit no round whose questions were sent; the guess follows from what they say"
                )
        guess: Json = round_.reply(message)["guess"]
        return dict(guess)

    def on_score_received(self, ctx: Context) -> None:
        """Learn from the score which edition the opponent held."""
        message, says = _read(ctx, protocol.SCORE_FEEDBACK)
        with self._lock:
            round_ = self._find(says, is_scored=True)
        if round_ is None:
            return
        game = round_.game
        try:
            round_.reply(message)
        except Exception as error:
            game.log(f"the score is ignored: {described(error)}")
            return
        if game.score is not None:
            game.player.plan = None  # no longer needed
            self._journal.update(game.key, ending="over")

    def continue_rounds(self, rounds: Iterable[tuple[Context, bool]]) -> None:
        """Continue rounds of an earlier process that kept nothing, the last sent last.

        Args:
            rounds: contexts of get_questions, and whether other questions than ours were sent, to which the answers
                are no evidence.
        """
        for ctx, is_blind in rounds:
            message, says = _read(ctx, protocol.ROUND_START)
            with self._lock:
                round_ = self._rounds.pop(says, None) or self._begin(says, message)
                self._rounds[says] = round_
                round_.is_asked = True
                round_.is_blind |= is_blind

    def _find(self, says: Says, *, is_scored: bool = False) -> _Round | None:
        """Return the round that a message fits best, the last of equals; None if it contradicts all.

        Args:
            is_scored: only rounds with a guess that has no score.
        """
        best, found = (0, False), None
        for round_ in self._rounds.values():
            fit = round_.fit(says), round_.is_asked
            if fit >= best and (round_.is_guessed or not is_scored):
                best, found = fit, round_
        return found

    def _begin(self, says: Says, start: Message) -> _Round:
        """Begin a round, also in the journal."""
        key = self._journal.ask()
        self._journal.update(key, game_id=start.game_id)
        round_ = self._add(says, start.game_id, key)
        round_.start = start
        return round_

    def _add(self, says: Says, game_id: str, key: int) -> _Round:
        name = game_id or says[1] or says[3]
        game = Game(
            game_id=name,
            key=key,
            player=DeadlinePlayer(self._player, name, self._runner),
            name="quarry",
            timeouts=self._timeouts,
            journal=self._journal,
        )
        self._rounds.pop(says, None)  # so that the new one is the last
        self._rounds[says] = round_ = _Round(says, game)
        rounds = list(self._rounds.values())
        for old in rounds[:-MAX_WITH_FITS]:
            old.game.player.drop_fits()
        for old in rounds[:-MAX_ROUNDS]:
            del self._rounds[old.says]
        return round_

    def _continue_rounds(self) -> None:
        """Add the unfinished rounds of the journal, the last sent last."""
        try:
            games = sorted(self._journal.running(), key=attrgetter("began"))
        except JournalError as error:
            _log.warning("%s", error)
            return
        for saved in games:
            if time.time() - saved.began > MAX_ROUND_S:
                self._journal.update(saved.key, ending="given up")
            elif saved.start is not None:
                says = _says(saved.game_id, saved.start)
                round_ = self._add(says, saved.game_id, saved.key)
                round_.saved, round_.is_asked = saved, True


def _says(game_id: str, start: RoundStart) -> Says:
    """Return what a message says of its round; leading zeros of ids do not count."""
    ids = [text.lstrip("0") or text for text in (game_id, start.match_id)]
    return (*ids, start.book_name, start.hint, start.association_domain)


def _read(ctx: object, message_type: str) -> tuple[Message, Says]:
    """Read a context as a message, with the fields of an envelope or a payload in it, and what it says of its round.

    The league's own fields count where the message has none. Its `description` is that of a callback, and no hint.
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
    return message, _says(message.game_id, protocol.read_start(fields))


def _mapping(parent: object, name: str) -> Json:
    """Return a mapping within a mapping, {} if there is none."""
    value = parent.get(name) if isinstance(parent, Mapping) else None
    if not isinstance(value, Mapping):
        return {}
    return {str(key): item for key, item in value.items()}


def _plain_items(fields: Json) -> Iterator[tuple[str, Any]]:
    """Yield the fields as JSON can write them, without missing values; skip those that it cannot."""
    for key, value in fields.items():
        with contextlib.suppress(Exception):  # a league's own object, a circle
            text = json.dumps(value, default=_plain, skipkeys=True, ensure_ascii=False)
            written = text.encode("utf-8", "replace")
            plain = json.loads(written, object_hook=_without_none)
            to_json([[[plain]]])  # of which the journal refuses too many levels
            yield protocol.printed(key), plain


def _plain(value: object) -> object:
    return dict(value) if isinstance(value, Mapping) else str(value)


def _without_none(fields: Json) -> Json:
    return {key: value for key, value in fields.items() if value is not None}
