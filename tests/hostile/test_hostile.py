"""A game against every fault: each comes to its score, or to an orderly end where no score is possible."""

from __future__ import annotations

import contextlib
import resource
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest

from evaluate.practice.http import create_app, serving
from evaluate.practice.server import PracticeServer, Repertoire
from player.errors import PlayerError
from player.game.game import GameReport, Timeouts
from player.game.loop import play_games
from player.player import Player
from player.protocol.client import HttpGameServer
from tests.evaluate.fakes import small_repertoire
from tests.hostile.faults import Fault, all_faults
from tests.hostile.server import HostileApp
from tests.player.fakes import course, dense_player

N_AT_ONCE = 4
TIMEOUTS = Timeouts(resend_s=1.0, outage_s=30.0)
MOST_MB = 600.0
"""Memory that all games may add: four responses of 32 MB at once, each a few times as text, list and parts."""

_BUILDING = threading.Lock()
"""FastAPI silences a warning while it builds an app, which holds in one thread at a time: here warnings are errors."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of a game.

    Attributes:
        ended: "scored", "ended" (in order, with a reason), or "lost" (neither, or the token leaked).
        detail: the score, or the reason.
        refused: number of replies that the server refused as invalid.
    """

    ended: str
    detail: str
    seconds: float
    refused: int


def try_fault(
    player: Player, repertoire: Repertoire, fault: Fault, timeout_s: float = 40.0
) -> Outcome:
    """Play one game against a server with this fault."""
    practice = PracticeServer(repertoire, seed=0)
    token = practice.register()
    with _BUILDING:
        app = HostileApp(create_app(practice), fault)
    told: list[str] = []
    started = time.monotonic()
    with (
        serving(app, log_level="critical") as url,
        contextlib.closing(HttpGameServer(url, token, 3.0)) as server,
    ):
        try:
            games = play_games(
                server,
                player,
                1,
                name="quarry",
                timeout_s=timeout_s,
                timeouts=TIMEOUTS,
                say=told.append,
            )
            (outcome,) = list(games)
        except PlayerError as error:
            outcome = error
        except Exception as error:  # a crash is what is looked for
            outcome = PlayerError(f"crashed: {type(error).__name__}: {error}")
            fault = replace(fault, scored=True)
    if isinstance(outcome, GameReport):
        ended, detail = "scored", f"{outcome.score.private_score:.0f}"
    else:
        ended, detail = ("lost" if fault.scored else "ended"), str(outcome)
    if token in "".join([*told, detail]) or any(
        token.encode() in body for body in app.bodies
    ):
        ended, detail = "lost", "the token leaked"
    refused = sum("was refused with 422" in line for line in told)
    return Outcome(ended, detail, time.monotonic() - started, refused)


def peak_memory_mb() -> float:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    before_mb = peak_memory_mb()
    player, repertoire, faults = (
        dense_player(course(), questions_pool=60),
        small_repertoire(),
        all_faults(),
    )
    with ThreadPoolExecutor(N_AT_ONCE) as pool:
        found = list(
            pool.map(lambda fault: try_fault(player, repertoire, fault), faults)
        )
    assert peak_memory_mb() - before_mb < MOST_MB
    return {fault.name: outcome for fault, outcome in zip(faults, found, strict=True)}


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", all_faults(), ids=lambda fault: fault.name)
def test_no_game_is_lost(fault: Fault, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[fault.name]
    assert outcome.ended == ("scored" if fault.scored else "ended"), outcome
    assert outcome.refused == ("refused once" in fault.name), outcome
    assert outcome.seconds < 45.0


def test_every_fault_has_a_name_of_its_own() -> None:
    assert len({fault.name for fault in all_faults()}) == len(all_faults()) == 120


def test_a_fault_that_cannot_be_survived_is_told_as_lost() -> None:
    player, fault = (
        dense_player(course(), questions_pool=60),
        Fault("no message", lambda *_: []),
    )
    assert try_fault(player, small_repertoire(), fault, timeout_s=1.0).ended == "lost"
