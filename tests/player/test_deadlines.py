"""Calls that answer, fail, are slow, or hang."""

from __future__ import annotations

import threading
import time

from quarry.player.deadlines import MOST_HANGING, Runner
from quarry.player.errors import LateStrategyError


def soon(seconds: float) -> float:
    return time.monotonic() + seconds


def test_one_that_hangs_is_late_and_named() -> None:
    release = threading.Event()
    call = Runner().start("hanging", release.wait, soon(0.05))
    assert call.value() is None
    assert isinstance(call.failure, LateStrategyError)
    assert str(call.failure) == "strategy hanging failed: no answer within search.deadline_s"
    release.set()


def test_any_exception_is_the_failure_in_one_line() -> None:
    def work() -> str:
        raise OSError("no\n route")

    call = Runner().start("failing", work, soon(10.0))
    assert call.value() is None
    assert str(call.failure) == "strategy failing failed: OSError: no route"


def test_one_that_keeps_hanging_is_not_called_for_ever() -> None:
    release = threading.Event()
    runner = Runner()
    calls = [runner.start("hanging", release.wait, soon(0.01)) for _ in range(MOST_HANGING)]
    assert [call.value() for call in calls] == [None] * MOST_HANGING
    refused = runner.start("hanging", release.wait, soon(10.0))
    assert refused.value() is None
    assert str(refused.failure) == f"strategy hanging failed: {MOST_HANGING} earlier calls of it have not returned"
    assert runner.start("another", lambda: 1, soon(10.0)).value() == 1
    release.set()
    time.sleep(0.1)
    assert runner.start("hanging", lambda: 1, soon(10.0)).value() == 1


def test_many_that_are_not_late_run_at_once() -> None:
    all_there = threading.Barrier(4 * MOST_HANGING, timeout=120.0)
    runner = Runner()
    calls = [runner.start("busy", lambda: all_there.wait() >= 0, soon(10.0)) for _ in range(4 * MOST_HANGING)]
    assert all(call.value() for call in calls)
