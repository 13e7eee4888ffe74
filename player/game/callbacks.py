"""Callbacks: the four callbacks of a league around a Player, in plain dicts; see docs/guides/callbacks.md."""

import threading
from collections.abc import Mapping
from typing import Any

from cachetools import LRUCache

from player.deadlines import Runner
from player.game.fallback import DeadlinePlayer
from player.game.game import Timeouts
from player.player import Plan, Player
from player.protocol import messages as protocol
from player.protocol.messages import Json, Message

Context = Mapping[str, Any]
"""{"dynamic": {...}, "service": {...}}: the fields of the message, and those that the league adds."""
MOST_GAMES = 1_000
"""The most games in memory; the one that was not asked about for the longest time is dropped first."""


class _Round:
    """A game with its guess, which does not change."""

    def __init__(self, player: DeadlinePlayer) -> None:
        self.player = player
        self.guess: Json = {}
        self.lock = threading.Lock()


class Callbacks:
    """The callbacks of a player. Each returns something valid in time and raises nothing; safe for many threads.

    The questions and the guess of a game are the same however often they are asked for. Parts that are too late or
    fail are logged.

    Args:
        player: the player.
        timeouts: timeouts of replies; the default ones unless given.
    """

    def __init__(self, player: Player, timeouts: Timeouts | None = None) -> None:
        self._player = player
        self._timeouts = timeouts or Timeouts()
        self._runner = Runner()
        self._rounds: LRUCache[str, _Round] = LRUCache(MOST_GAMES)
        self._lock = threading.Lock()

    def get_warmup_answer(self, ctx: Context) -> Json:
        """Return {"answer"} to the warm-up question."""
        message = _message(ctx)
        question = protocol.read_question(message.payload)
        budget_s = self._timeouts.budget_s(message)
        return {"answer": self._round(message).player.warmup(question, budget_s)}

    def get_questions(self, ctx: Context) -> Json:
        """Return {"questions"}: 20, with the keys of all versions."""
        message = _message(ctx)
        plan = self._plan(message, self._timeouts.budget_s(message))
        payload = protocol.questions_payload(plan.start, plan.questions)
        return {"questions": payload["questions"]}

    def get_guess(self, ctx: Context) -> Json:
        """Return the guess: {"opening_sentence", "sentence_justification", "associative_word", ..., "confidence"}."""
        message = _message(ctx)
        # half for the plan of an unannounced round, whose fields may come with the answers
        budget_s = 0.5 * self._timeouts.budget_s(message)
        plan = self._plan(message, budget_s)
        round_ = self._round(message)
        with round_.lock:
            if not round_.guess:
                answers = protocol.read_answers(message.payload, len(plan.questions))
                decision = round_.player.decide(answers, budget_s)
                round_.guess = protocol.guess_json(decision.guess)
        return dict(round_.guess)

    def on_score_received(self, ctx: Context) -> None:
        """Ignore the score: no later game depends on it."""

    def _plan(self, message: Message, budget_s: float) -> Plan:
        """Return the plan of a game, which its first message sets."""
        round_ = self._round(message)
        with round_.lock:
            start = protocol.read_start(message.payload)
            return round_.player.plan or round_.player.ask(start, budget_s)

    def _round(self, message: Message) -> _Round:
        """Return the round of a game by its id or its match; a new round for an unknown game."""
        match_id = protocol.read_start(message.payload).match_id
        key = message.game_id.lstrip("0") or match_id
        with self._lock:
            round_ = self._rounds.get(key)
            if round_ is None:
                round_ = _Round(DeadlinePlayer(self._player, key, self._runner))
                self._rounds[key] = round_
            return round_


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


def _mapping(parent: object, name: str) -> Json:
    """Return a mapping within a mapping, {} if there is none."""
    value = parent.get(name) if isinstance(parent, Mapping) else None
    if not isinstance(value, Mapping):
        return {}
    return {str(key): item for key, item in value.items()}
