"""The player against a referee that repeats, delays and loses messages, in every order and with kills of the player.

Hypothesis chooses what happens; a model of ten lines says what the player must have sent.
"""

import functools
import json
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as some
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from evaluate.practice.server import RegisteredPlayer
from player.errors import RefusedError, ServerError
from player.game import inbox, loop
from player.game.game import Timeouts
from player.game.journal import Journal
from player.game.loop import Loop
from player.game.record import PlayedGame
from player.round import Json
from tests.evaluate.fakes import practice_server
from tests.player.fakes import Remembering, dense_player
from tests.player.game.test_loop import REPLIES, reports_of

N_ORDERED = 3
N_HINTS = 12
LOSSES = ("refuse", "drop", "vanish", "take", "kill")
"""Fates of a reply: it is refused, not received, accepted and forgotten, taken, or the last of its process."""
TIMEOUTS = Timeouts(resend_s=1.0, outage_s=1e6)
IN_MEMORY = "/dev/shm" if Path("/dev/shm").is_dir() else None
"""A folder in which a journal is written at once."""


class Killed(BaseException):
    """The player's process is killed."""


class LossyServer(RegisteredPlayer):
    """A practice server whose network loses what it is told to lose.

    Attributes:
        taken: the replies that arrived, by game and type, as JSON.
        losses: what happens to the next replies; see `LOSSES`.
        is_away: whether the inbox cannot be read.
    """

    def __init__(self) -> None:
        super().__init__(practice_server())
        self.taken = defaultdict[tuple[str, str], set[str]](set)
        self.losses: list[str] = []
        self.is_away = False

    def inbox(self, cursor: str, wait_s: float) -> tuple[Sequence[Json], str]:
        if self.is_away:
            raise ServerError("away")
        return super().inbox(cursor, wait_s)

    def send(self, envelope: Mapping[str, Any]) -> None:
        loss = self.losses.pop(0) if self.losses else "take"
        if loss == "refuse":
            raise RefusedError("422")
        if loss == "drop":
            raise ServerError("dropped")
        if loss == "vanish":
            return

        kind = envelope["game_id"], envelope["message_type"]
        self.taken[kind].add(json.dumps(envelope))
        super().send(envelope)
        if loss == "kill":
            raise Killed


@functools.cache
def prepared() -> Remembering:
    """A contestant that has planned and decided the one round, so that a test plays thousands of games."""
    return Remembering(dense_player())


class EveryOrder(RuleBasedStateMachine):
    """Three games of one player; each rule is one thing that may happen."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(dir=IN_MEMORY)
        self._server = LossyServer()
        self._over: list[str] = []

    @initialize()
    def begin(self) -> None:
        """A player process starts."""
        self._journal = Journal(Path(self._folder.name) / "games.sqlite")
        self._loop = Loop(
            self._server,
            prepared(),
            name="me",
            timeout_s=1e6,
            timeouts=TIMEOUTS,
            journal=self._journal,
        )
        self._loop._resume()
        while len(self._server.games) < N_ORDERED:
            self._loop._request_game()

    @rule(losses=some.lists(some.sampled_from(LOSSES), max_size=4))
    def poll(self, losses: Sequence[str] = ()) -> None:
        """The player reads its inbox and answers, and the network loses some of its replies."""
        self._server.losses = [*losses]
        try:
            self._loop._poll(0.0)
        except Killed:
            self.kill()
        for outcome in self._loop._end_games():
            assert isinstance(outcome, PlayedGame), outcome
            game = self._server.games[outcome.game_id]
            assert outcome.answers == tuple(game.answers)
            self._over.append(outcome.game_id)

    @rule(data=some.data())
    def repeat(self, data: some.DataObject) -> None:
        """The referee sends an earlier message once more."""
        messages = list(self._server._inbox.values())
        self._server._deliver([data.draw(some.sampled_from(messages))])

    @rule(is_away=some.booleans())
    def leave(self, is_away: bool) -> None:
        """The inbox cannot be read, or can be read again."""
        self._server.is_away = is_away

    @rule()
    def wait(self) -> None:
        """Time passes until replies are sent again."""
        for delivery in self._loop._deliveries:
            delivery.resend_at -= 100.0

    @rule()
    def kill(self) -> None:
        """The player is killed; another process goes on."""
        self._journal.close()
        self.begin()

    @invariant()
    def a_reply_is_the_same_however_often_it_is_sent(self) -> None:
        assert set(map(len, self._server.taken.values())) <= {1}

    def teardown(self) -> None:
        """Without further faults, every game comes to its score, once."""
        self._server.is_away = False
        for _ in range(30):
            self.wait()
            self.poll()
        games = sorted(self._server.games)
        assert set(self._server.taken) == set(product(games, REPLIES))
        assert sorted(self._over) == games
        assert self._journal.running() == []
        self._journal.close()
        self._folder.cleanup()


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PAUSE_S", "STUCK_PAUSE_S"):
        monkeypatch.setattr(loop, name, 0.0)
        monkeypatch.setattr(inbox, name, 0.0)
    monkeypatch.setattr(loop, "MAX_POLL_S", 0.0)


@pytest.mark.timeout(300)
def test_whatever_happens_every_game_sends_each_reply_and_comes_to_its_score() -> None:
    run_state_machine_as_test(
        EveryOrder,
        settings=settings(max_examples=40, stateful_step_count=25),
    )


def test_fifty_games_at_once_are_right_like_one(
    caplog: pytest.LogCaptureFixture,
) -> None:
    alone = {}
    for report in reports_of(LossyServer(), N_HINTS):
        alone[report.plan.start.hint] = report
    reports = reports_of(LossyServer(), 50, at_once=50)
    assert (len(alone), len(reports)) == (N_HINTS, 50)
    for report in reports:
        expected = alone[report.plan.start.hint]
        assert report.decision.guess == expected.decision.guess
        assert report.plan.fits.shape == expected.plan.fits.shape
    assert caplog.messages == []
