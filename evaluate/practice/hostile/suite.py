"""Games against every fault, and what became of them."""

from __future__ import annotations

import contextlib
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from quarry.configs.terminal import visible
from quarry.evaluate.practice.hostile.fault import Fault
from quarry.evaluate.practice.hostile.server import HostileApp
from quarry.evaluate.practice.server import PracticeServer, Repertoire, create_app, serving
from quarry.player.errors import PlayerError
from quarry.player.game.play import GameReport, Pace, play_games
from quarry.player.player import Player
from quarry.player.protocol.client import HttpGameServer

REQUEST_TIMEOUT_S = 3.0
GAME_TIMEOUT_S = 40.0
PACE = Pace(grace_s=0.5, resend_s=1.0, outage_s=30.0)
N_AT_ONCE = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a game.

    Attributes:
        ended: "scored", "ended" (in order, with a reason), or "lost" (neither, or something leaked or was invalid).
        detail: the score, or the reason.
        seconds: that the game took.
        refused: replies that the server would not take as valid.
    """

    fault: str
    kind: str
    ended: str
    detail: str
    seconds: float
    refused: int

    @property
    def survived(self) -> bool:
        """Whether the game came to its score, or to an end where no score was possible."""
        return self.ended != "lost"


def try_faults(
    player: Player, repertoire: Repertoire, faults: Sequence[Fault], timeout_s: float = GAME_TIMEOUT_S
) -> Iterator[Outcome]:
    """The outcome of a game against each fault, in order; several are played at once, each for at most `timeout_s`."""
    with ThreadPoolExecutor(N_AT_ONCE) as pool:
        yield from pool.map(lambda fault: try_fault(player, repertoire, fault, timeout_s), faults)


def try_fault(player: Player, repertoire: Repertoire, fault: Fault, timeout_s: float = GAME_TIMEOUT_S) -> Outcome:
    """One game against a server with this fault."""
    practice = PracticeServer(repertoire, seed=0)
    _, token = practice.register("hostile")
    app = HostileApp(create_app(practice), fault)
    told: list[str] = []
    started = time.monotonic()
    ended, detail = "lost", ""
    with (
        serving(app, log_level="critical") as url,
        contextlib.closing(HttpGameServer(url, token, REQUEST_TIMEOUT_S)) as server,
    ):
        try:
            games = play_games(server, player, 1, name="quarry", timeout_s=timeout_s, pace=PACE, say=told.append)
            (outcome,) = list(games)
        except PlayerError as error:
            outcome = error
        except Exception as error:  # a crash is what is looked for
            outcome = PlayerError(f"crashed: {type(error).__name__}: {error}")
            fault = Fault(fault.name, fault.kind, scored=True)
        if isinstance(outcome, GameReport):
            ended, detail = "scored", f"{outcome.score.private_score:.0f}"
        else:
            ended, detail = ("lost" if fault.scored else "ended"), visible(outcome)
    seconds = time.monotonic() - started
    said = "".join([*told, detail])
    if token in said or any(token.encode() in body for body in app.bodies):
        ended, detail = "lost", "the token leaked"
    refused = sum("was refused with 422" in line for line in told)
    return Outcome(fault.name, fault.kind, ended, detail, seconds, refused)


def peak_memory_mb() -> float:
    """The most memory that this process has held so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e6 if sys.platform == "darwin" else 1e3)
