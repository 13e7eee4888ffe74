"""The league's four callbacks around a Player, in plain dicts; needs nobody's SDK.

A league player hands its callbacks to an instance of `Callbacks`; docs/guides/callbacks.md shows how. What ROUNDSTART
said is remembered for the guess, since the answers come without it.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from quarry.configs.terminal import visible
from quarry.player.game.fallback import DeadlinePlayer, Planned
from quarry.player.game.feedback import read_revealed, recognise, use_revealed
from quarry.player.game.game import REPLY_SHARE, Timeouts
from quarry.player.game.ledger import Ledger
from quarry.player.player import Player
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.messages import MAX_ID_CHARS
from quarry.player.protocol.payloads import Guess, Json, Message, RoundStart

Context = Mapping[str, Any]
"""{"dynamic": {...}, "service": {...}}: the fields of the message, and what the league adds."""
MOST_GAMES = 1_000
"""Games that are remembered; the oldest is forgotten first."""


@dataclass(slots=True)
class _Round:
    """What is remembered of a game."""

    planned: Planned | None = None
    questions: list[Json] = field(default_factory=list)
    guess: Guess | None = None
    guessed: Json = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Callbacks:
    """The player as the league calls it. Every callback returns something valid in time and raises nothing.

    The same game's questions and guess are the same however often they are asked for. Safe for many threads.

    Args:
        player: plays.
        pace: how soon replies are due.
        ledger: where what referees revealed is kept; None keeps nothing.
        say: is told in a line what was too late or failed; standard error unless given.
    """

    def __init__(
        self,
        player: Player,
        pace: Timeouts | None = None,
        ledger: Ledger | None = None,
        say: Callable[[str], None] | None = None,
    ) -> None:
        self._pace = pace or Timeouts()
        self._ledger = ledger or Ledger(None)
        self._player = DeadlinePlayer(player, say or (lambda line: print(visible(line), file=sys.stderr)))
        self._rounds: OrderedDict[str, _Round] = OrderedDict()
        self._lock = threading.Lock()

    def get_warmup_answer(self, ctx: Context) -> Json:
        """{"answer"} to the warm-up's sum."""
        message = _message(ctx)
        question = protocol.read_warmup_call(message).question
        return {"answer": self._player.warmup(question, self._budget_s(message))}

    def get_questions(self, ctx: Context) -> Json:
        """{"questions"}: 20, with the keys that any version looks for."""
        message = _message(ctx)
        start = protocol.read_round_start(message)
        round_ = self._round(message)
        with round_.lock:
            if not round_.questions:
                self._plan(round_, start, self._budget_s(message))
            return {"questions": round_.questions}

    def get_guess(self, ctx: Context) -> Json:
        """The guess: {"opening_sentence", "sentence_justification", "associative_word", ..., "confidence"}."""
        message = _message(ctx)
        round_ = self._round(message)
        budget_s = self._budget_s(message)
        with round_.lock:
            if round_.guess is None:
                if round_.planned is None:  # the round was never announced: what is told now must do
                    self._plan(round_, protocol.read_round_start(message), 0.5 * budget_s)
                assert round_.planned is not None
                answers = protocol.read_answers(message, len(round_.planned.plan.questions))
                decision = self._player.decide(round_.planned, answers, budget_s)
                plan = round_.planned.plan
                round_.guess = use_revealed(decision, plan, self._ledger.recall(plan.start)).guess
                round_.guessed = protocol.guess_json(round_.guess)
            return dict(round_.guessed)

    def on_score_received(self, ctx: Context) -> None:
        """Remember what the feedback reveals."""
        message = _message(ctx)
        round_ = self._round(message)
        with round_.lock:
            if round_.planned is not None and round_.guess is not None:
                plan = round_.planned.plan
                revealed = read_revealed(protocol.read_score(message), round_.guess, plan)
                self._ledger.reveal(plan.start, revealed)

    def _plan(self, round_: _Round, start: RoundStart, budget_s: float) -> None:
        planned = self._player.plan(start, budget_s)
        planned.plan = recognise(planned.plan, self._ledger.recall(start))
        round_.planned = planned
        round_.questions = protocol.questions_payload(start, planned.plan.questions)["questions"]

    def _round(self, message: Message) -> _Round:
        """The game's memory, by its id or its match; a new one for a game that is not known."""
        key = message.game_id.lstrip("0") or str(message.payload.get("match_id", ""))[:MAX_ID_CHARS]
        with self._lock:
            found = self._rounds.setdefault(key, _Round())
            self._rounds.move_to_end(key)
            while len(self._rounds) > MOST_GAMES:
                self._rounds.popitem(last=False)
            return found

    def _budget_s(self, message: Message) -> float:
        return REPLY_SHARE * min(self._pace.phase_s, message.deadline_s or self._pace.phase_s)


def _message(ctx: object) -> Message:
    """The context as a message: what is dynamic, with the fields of an envelope or a payload within it laid open."""
    context = ctx if isinstance(ctx, Mapping) else {}
    fields: Json = {}
    for name in ("service", "dynamic"):
        part = context.get(name)
        part = part if isinstance(part, Mapping) else {}
        fields |= {str(key): value for key, value in part.items()}
        for inner in ("payload", "envelope", "message", "round_start", "start"):
            inside = part.get(inner)
            if isinstance(inside, Mapping):
                fields |= {str(key): value for key, value in inside.items() if fields.get(str(key)) in (None, "")}
    fields.pop("payload", None)
    return protocol.read_message({"message_type": "CALLBACK", "payload": fields})
