"""Running strategies that answer, fail, are slow, hang or find nothing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

from player.errors import LateStrategyError
from player.search.running import MOST_HANGING, Runner
from player.search.types import Hit, Query
from tests.player.fakes import FailingStrategy, ListStrategy


class Waiting(ListStrategy):
    """Waits before it answers, as a remote store would."""

    def __init__(self, name: str, wait: Callable[[], object], relevance: dict[str, float] | None = None) -> None:
        super().__init__(name, relevance or {"a:1:1": 0.5})
        self._wait = wait
        self.deadlines: list[float | None] = []
        self.threads: list[str] = []

    @property
    def waits(self) -> bool:
        return True

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        self.deadlines.append(deadline)
        self.threads.append(threading.current_thread().name)
        self._wait()
        return super().search(query, k, doc_id)


def test_answers_come_in_declared_order_whoever_is_first() -> None:
    slow, quick = Waiting("slow", lambda: time.sleep(0.05)), ListStrategy("quick", {"b:1:1": 0.5})
    answers = Runner(10.0).ask([slow, quick], Query("hint"), [(3, "")])
    assert [answer.strategy for answer in answers] == ["slow", "quick"]
    assert [answer.hits[0][0].paragraph.paragraph_id for answer in answers] == ["a:1:1", "b:1:1"]


def test_every_scope_is_answered_in_its_order() -> None:
    strategy = ListStrategy("one", {"a:1:1": 0.9, "b:1:1": 0.8})
    (answer,) = Runner(10.0).ask([strategy], Query("hint"), [(1, "b"), (2, "")])
    assert [[hit.paragraph.paragraph_id for hit in hits] for hits in answer.hits] == [["b:1:1"], ["a:1:1", "b:1:1"]]


def test_strategies_that_wait_run_at_once_and_in_threads() -> None:
    both_there = threading.Barrier(2, timeout=10.0)
    first, second = Waiting("first", both_there.wait), Waiting("second", both_there.wait)
    answers = Runner(10.0).ask([first, second], Query("hint"), [(1, "")])
    assert [answer.failure for answer in answers] == [None, None]
    assert first.threads == ["strategy first"]


def test_strategies_in_memory_run_inline() -> None:
    threads = []

    class Inline(ListStrategy):
        def prepare(self, query: Query) -> None:
            threads.append(threading.current_thread())

    Runner(10.0).ask([Inline("one", {})], Query("hint"), [(1, "")])
    assert threads == [threading.current_thread()]


def test_a_deadline_is_handed_over() -> None:
    strategy = Waiting("one", lambda: None)
    before = time.monotonic()
    Runner(10.0).ask([strategy], Query("hint"), [(1, "")])
    (deadline,) = strategy.deadlines
    assert deadline is not None
    assert before + 9.9 < deadline < time.monotonic() + 10.0


def test_one_that_hangs_is_late_and_the_others_answer() -> None:
    release = threading.Event()
    hanging = Waiting("hanging", release.wait)
    late, quick = Runner(0.05).ask([hanging, ListStrategy("quick", {"b:1:1": 0.5})], Query("hint"), [(1, "")])
    release.set()
    assert isinstance(late.failure, LateStrategyError)
    assert str(late.failure) == "strategy hanging failed: no answer within search.deadline_s"
    assert late.hits == ()
    assert quick.failure is None


def test_one_that_failed_is_told_from_one_that_found_nothing() -> None:
    failed, empty = Runner(1.0).ask(
        [FailingStrategy("failing", OSError("no\n route")), ListStrategy("empty", {})], Query("hint"), [(1, "")]
    )
    assert str(failed.failure) == "strategy failing failed: OSError: no route"
    assert failed.hits == ()
    assert empty.failure is None
    assert empty.hits == ([],)


def test_a_strategy_that_keeps_hanging_is_not_asked_for_ever() -> None:
    release = threading.Event()
    hanging = Waiting("hanging", release.wait)
    runner = Runner(0.02)
    for _ in range(MOST_HANGING):
        runner.ask([hanging], Query("hint"), [(1, "")])
    (refused,) = runner.ask([hanging], Query("hint"), [(1, "")])
    assert str(refused.failure) == f"strategy hanging failed: {MOST_HANGING} earlier calls of it have not returned"
    assert len(hanging.threads) == MOST_HANGING
    release.set()
    for thread in threading.enumerate():
        if thread.name == "strategy hanging":
            thread.join(10.0)
    (answered,) = Runner.ask(runner, [hanging], Query("hint"), [(1, "")])
    assert answered.failure is None
