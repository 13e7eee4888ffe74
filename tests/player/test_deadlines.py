"""Calls that answer, fail, are slow, or hang."""

from __future__ import annotations

import functools
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from player import deadlines
from player.deadlines import MOST_HANGING, Call, Pool, Runner, Turns
from player.errors import LateStrategyError


def soon(seconds: float) -> float:
    return time.monotonic() + seconds


def hanging_in(pool: Pool, release: threading.Event) -> Call[bool]:
    """A call that runs until it is released."""
    call = pool.start(release.wait)
    while not call.running():
        time.sleep(0.001)
    return call


def test_one_that_hangs_is_late_and_named() -> None:
    release = threading.Event()
    call = Runner().start("hanging", release.wait, soon(0.05))
    assert call.value() is None
    assert isinstance(call.failure, LateStrategyError)
    assert (
        str(call.failure)
        == "strategy hanging failed: no answer within search.deadline_s"
    )
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
    calls = [
        runner.start("hanging", release.wait, soon(0.01)) for _ in range(MOST_HANGING)
    ]
    assert [call.value() for call in calls] == [None] * MOST_HANGING
    refused = runner.start("hanging", release.wait, soon(10.0))
    assert refused.value() is None
    assert (
        str(refused.failure)
        == f"strategy hanging failed: {MOST_HANGING} earlier calls of it have not returned"
    )
    assert runner.start("another", lambda: 1, soon(10.0)).value() == 1
    release.set()
    time.sleep(0.1)
    assert runner.start("hanging", lambda: 1, soon(10.0)).value() == 1


def test_many_that_are_not_late_run_at_once() -> None:
    all_there = threading.Barrier(4 * MOST_HANGING, timeout=120.0)
    runner = Runner()
    calls = [
        runner.start("busy", lambda: all_there.wait() >= 0, soon(10.0))
        for _ in range(4 * MOST_HANGING)
    ]
    assert all(call.value() for call in calls)


def test_a_thread_is_used_again() -> None:
    pool, threads = Pool(), set()
    for _ in range(20):
        threads.add(pool.start(threading.get_ident).result(60.0))
        time.sleep(0.01)
    assert len(threads) < 20


def test_a_pool_runs_the_earliest_deadline_first_and_so_many_calls_at_once() -> None:
    pool, release, order = Pool(1), threading.Event(), list[float]()
    first = hanging_in(pool, release)
    calls = [
        pool.start(functools.partial(order.append, due), deadline=due)
        for due in (3.0, 1.0, 2.0)
    ]
    cancelled = pool.start(lambda: order.append(0.0), deadline=0.0)
    assert cancelled.cancel()
    time.sleep(0.02)
    assert not any(call.done() for call in calls)
    release.set()
    assert first.result(60.0)
    for call in calls:
        call.result(60.0)
    assert order == [1.0, 2.0, 3.0]


def test_turns_go_to_the_earliest_deadline_and_so_many_at_once() -> None:
    turns, release, order = Turns(2), threading.Event(), list[float]()

    def take(deadline: float) -> None:
        with turns.turn(deadline):
            order.append(deadline)
            assert release.wait(60.0)

    with ThreadPoolExecutor(5) as pool:
        calls = [pool.submit(take, 0.0) for _ in range(2)]
        while len(order) < 2:
            time.sleep(0.001)
        calls += [pool.submit(take, due) for due in (3.0, 1.0, 2.0)]
        while len(turns._waiting) < 3:
            time.sleep(0.001)
        assert order == [0.0, 0.0]
        release.set()
        for call in calls:
            call.result(60.0)
    assert sorted(order[2:4]) == [1.0, 2.0]
    assert order[4] == 3.0


def test_a_turn_ends_with_an_error() -> None:
    turns = Turns(1)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError), turns.turn(0.0):
            raise ZeroDivisionError
        assert turns._n_free == 1


def test_a_thread_without_a_call_ends_and_another_takes_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(deadlines, "IDLE_S", 0.01)
    pool = Pool(1)
    for _ in range(3):
        thread = pool.start(threading.current_thread).result(60.0)
        assert thread.daemon, "a call that hangs keeps no process alive"
        thread.join(60.0)
        assert not thread.is_alive()
