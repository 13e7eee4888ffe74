"""A game against every fault: each comes to its score, or to an orderly end where no score is possible."""

import contextlib
import logging
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from evaluate.practice.routes import create_server_app, serving
from player.errors import PlayerError
from player.game.client import HttpGameServer
from player.game.game import Timeouts
from player.game.loop import Loop
from player.game.record import PlayedGame
from tests.evaluate.fakes import practice_server
from tests.fakes import each
from tests.hostile.faults import FAULTS, Fault
from tests.hostile.server import HostileApp
from tests.player.fakes import course, dense_player

pytestmark = pytest.mark.long

_BUILDING = threading.Lock()
"""FastAPI silences a warning while it builds an app, which holds in one thread at a time: here warnings are errors."""


@dataclass
class Outcome:
    """Result of a game: its report, or the reason for which there is none.

    Attributes:
        token: the player's.
        bodies: of the player's requests.
    """

    result: PlayedGame | PlayerError
    token: str
    bodies: list[bytes]
    seconds: float


LOG: list[str] = []
"""Lines that the games have logged."""


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    """The games against each fault, by its name."""
    player = dense_player(course())

    def played_against(fault: Fault) -> Outcome:
        practice = practice_server()
        token = practice.register()
        with _BUILDING:
            app = HostileApp(create_server_app(practice), fault)

        began = time.monotonic()
        with (
            serving(app) as url,
            contextlib.closing(HttpGameServer(url, token, 3.0)) as server,
        ):
            try:
                loop = Loop(
                    server,
                    player,
                    name="quarry",
                    timeout_s=40.0,
                    timeouts=Timeouts(resend_s=1.0, outage_s=30.0),
                )
                result: PlayedGame | PlayerError = loop.play_one()
            except PlayerError as error:
                result = error
        return Outcome(result, token, app.bodies, time.monotonic() - began)

    handler = logging.Handler()
    handler.emit = lambda record: LOG.append(record.getMessage())  # type: ignore[method-assign]
    logging.getLogger("player").addHandler(handler)
    with ThreadPoolExecutor(4) as pool:
        played = list(pool.map(played_against, FAULTS))
    logging.getLogger("player").removeHandler(handler)
    return dict(zip(each(FAULTS, "name"), played, strict=True))


@pytest.mark.timeout(300)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_no_game_is_lost(fault: Fault, outcomes: dict[str, Outcome]) -> None:
    outcome = outcomes[fault.name]
    is_scored = isinstance(outcome.result, PlayedGame)
    assert is_scored == fault.scored, outcome.result
    assert outcome.seconds < 45.0
    assert not any(outcome.token.encode() in body for body in outcome.bodies)


def test_no_token_leaks_and_no_reply_of_ours_is_invalid(
    outcomes: dict[str, Outcome],
) -> None:
    lines = "\n".join(LOG)
    for outcome in outcomes.values():
        assert outcome.token not in lines
        if not isinstance(outcome.result, PlayedGame):
            assert outcome.token not in str(outcome.result)
    assert lines.count("was refused with 422") == 1, "a reply that is refused once"
    assert "was refused with 409" not in lines, "a reply that was taken"
