"""Calls that answer, fail, are slow, hang, or come part of the way."""

from __future__ import annotations

import threading
import time

from quarry.player.deadlines import MOST_HANGING, Call, Runner
from quarry.player.errors import LateStrategyError


def soon(seconds: float) -> float:
    return time.monotonic() + seconds


def test_calls_run_side_by_side() -> None:
    both_there = threading.Barrier(2, timeout=120.0)
    runner = Runner()
    calls = [runner.start(name, lambda _: both_there.wait() >= 0, soon(10.0)) for name in ("one", "other")]
    assert [call.value() for call in calls] == [True, True]


def test_one_that_hangs_is_late_and_named() -> None:
    release = threading.Event()
    call = Runner().start("hanging", lambda _: release.wait(), soon(0.05))
    assert call.value() is None
    assert isinstance(call.failure, LateStrategyError)
    assert str(call.failure) == "strategy hanging failed: no answer within search.deadline_s"
    release.set()


def test_what_a_late_one_has_left_is_its_value() -> None:
    release = threading.Event()

    def work(call: Call[str]) -> str:
        call.partial = "the first part"
        release.wait()
        return "all of it"

    call = Runner().start("slow", work, soon(0.2))
    assert call.value() == "the first part"
    assert isinstance(call.failure, LateStrategyError)
    release.set()


def test_whatever_is_raised_is_the_failure_on_one_line() -> None:
    def work(call: Call[str]) -> str:
        call.partial = "a part"
        raise OSError("no\n route")

    call = Runner().start("failing", work, soon(10.0))
    assert call.value() == "a part"
    assert str(call.failure) == "strategy failing failed: OSError: no route"


def test_threads_are_kept_for_the_next_call() -> None:
    runner = Runner()
    names = set()
    for _ in range(5):
        names.add(runner.start("one", lambda _: threading.get_ident(), soon(10.0)).value())
        time.sleep(0.02)
    assert len(names) == 1


def test_one_that_keeps_hanging_is_not_called_for_ever() -> None:
    release = threading.Event()
    runner = Runner()
    calls = [runner.start("hanging", lambda _: release.wait(), soon(0.01)) for _ in range(MOST_HANGING)]
    assert [call.value() for call in calls] == [None] * MOST_HANGING
    refused = runner.start("hanging", lambda _: release.wait(), soon(10.0))
    assert refused.value() is None
    assert str(refused.failure) == f"strategy hanging failed: {MOST_HANGING} earlier calls of it have not returned"
    assert runner.start("another", lambda _: 1, soon(10.0)).value() == 1
    release.set()
    time.sleep(0.1)
    assert runner.start("hanging", lambda _: 1, soon(10.0)).value() == 1


def test_many_that_are_not_late_run_at_once() -> None:
    all_there = threading.Barrier(4 * MOST_HANGING, timeout=120.0)
    runner = Runner()
    calls = [runner.start("busy", lambda _: all_there.wait() >= 0, soon(10.0)) for _ in range(4 * MOST_HANGING)]
    assert all(call.value() for call in calls)
