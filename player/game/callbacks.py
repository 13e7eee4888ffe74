"""Callbacks: the four callbacks of a league around a Player, in plain dicts; see docs/guides/callbacks.md."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.console.terminal import notice
from player.deadlines import Turns
from player.game.fallback import DeadlinePlayer, Planned
from player.game.game import N_AT_ONCE, Timeouts
from player.player import Player
from player.protocol import messages as protocol
from player.protocol.messages import Json, Message, RoundStart, WarmupCall, read_payload

Context = Mapping[str, Any]
"""{"dynamic": {...}, "service": {...}}: the fields of the message, and those that the league adds."""
MOST_GAMES = 1_000
"""The most games in memory; the oldest is dropped first."""


@dataclass(slots=True)
class _Round:
    """The plan and the guess of a game, which the answers do not repeat."""

    planned: Planned | None = None
    guess: Json = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)


class Callbacks:
    """The callbacks of a player. Each returns something valid in time and raises nothing; safe for many threads.

    The questions and the guess of a game are the same however often they are asked for.

    Args:
        player: the player.
        timeouts: timeouts of replies; the default ones unless given.
        say: is called with a line about each part that was too late or failed; prints to standard error unless given.
    """

    def __init__(
        self,
        player: Player,
        timeouts: Timeouts | None = None,
        say: Callable[[str], None] = notice,
    ) -> None:
        self._timeouts = timeouts or Timeouts()
        self._player = DeadlinePlayer(player, say)
        self._turns = Turns(N_AT_ONCE)
        self._rounds: OrderedDict[str, _Round] = OrderedDict()
        self._lock = threading.Lock()

    def get_warmup_answer(self, ctx: Context) -> Json:
        """Return {"answer"} to the warm-up question."""
        message = _message(ctx)
        question = read_payload(WarmupCall, message.payload).question
        with self._turn(message) as budget_s:
            return {"answer": self._player.warmup(question, budget_s)}

    def get_questions(self, ctx: Context) -> Json:
        """Return {"questions"}: 20, with the keys of all versions."""
        message = _message(ctx)
        round_ = self._round(message)
        with round_.lock, self._turn(message) as budget_s:
            if round_.planned is None:
                round_.planned = self._player.plan(_start(message), budget_s)
            plan = round_.planned.plan
        payload = protocol.questions_payload(plan.start, plan.questions)
        return {"questions": payload["questions"]}

    def get_guess(self, ctx: Context) -> Json:
        """Return the guess: {"opening_sentence", "sentence_justification", "associative_word", ..., "confidence"}."""
        message = _message(ctx)
        round_ = self._round(message)
        with round_.lock, self._turn(message) as budget_s:
            if round_.planned is None:
                # an unannounced round: its fields may come with the answers
                round_.planned = self._player.plan(_start(message), 0.5 * budget_s)
            if not round_.guess:
                n_questions = len(round_.planned.plan.questions)
                answers = protocol.read_answers(message, n_questions)
                decision = self._player.decide(round_.planned, answers, budget_s)
                round_.guess = protocol.guess_json(decision.guess)
            return dict(round_.guess)

    def on_score_received(self, ctx: Context) -> None:
        """Ignore the score: no later game depends on it."""

    def _round(self, message: Message) -> _Round:
        """Return the round of a game by its id or its match; a new round for an unknown game."""
        key = message.game_id.lstrip("0") or message.match_id
        with self._lock:
            round_ = self._rounds.setdefault(key, _Round())
            self._rounds.move_to_end(key)
            while len(self._rounds) > MOST_GAMES:
                self._rounds.popitem(last=False)
            return round_

    @contextlib.contextmanager
    def _turn(self, message: Message) -> Iterator[float]:
        """Wait for the turn of a reply, and yield the seconds for it."""
        arrived = time.monotonic()
        with self._turns.turn(self._timeouts.due(message, arrived)):
            yield self._timeouts.budget_s(message, arrived)


def _message(ctx: object) -> Message:
    """Read a context as a message, with the fields of an envelope or a payload in it."""
    fields: Json = {}
    for name in ("service", "dynamic"):
        part = _mapping(ctx, name)
        fields |= part
        for inner in ("payload", "envelope", "message", "round_start", "start"):
            for key, value in _mapping(part, inner).items():
                if fields.get(key) in (None, ""):
                    fields[key] = value
    fields.pop("payload", None)
    return protocol.read_message({"message_type": "CALLBACK", "payload": fields})


def _start(message: Message) -> RoundStart:
    """Read the start of a round; what a message says about its sender's editions is ignored."""
    return replace(read_payload(RoundStart, message.payload), editions=())


def _mapping(parent: object, name: str) -> Json:
    """Return a mapping within a mapping, {} if there is none."""
    value = parent.get(name) if isinstance(parent, Mapping) else None
    if not isinstance(value, Mapping):
        return {}
    return {str(key): item for key, item in value.items()}
