"""Calls that answer, fail, are slow, or hang."""

import threading
import time
from collections.abc import Callable
from typing import Any

from player.deadlines import MAX_HANGING, Call, Runner


def started(
    runner: Runner,
    name: str,
    work: Callable[[], Any],
    seconds: float = 10.0,
) -> Call[Any]:
    """A call that is due in so many seconds."""
    return runner.start(name, work, time.monotonic() + seconds)


def test_one_that_keeps_hanging_is_not_called_for_ever() -> None:
    release = threading.Event()
    runner = Runner()
    for _ in range(MAX_HANGING):
        assert started(runner, "hanging", release.wait, 0.01).value() is None
    refused = started(runner, "hanging", release.wait)
    assert refused.value() is None
    assert f"{MAX_HANGING} earlier calls" in refused.failure
    assert started(runner, "another", lambda: 1).value() == 1
    release.set()
    time.sleep(0.1)
    assert started(runner, "hanging", lambda: 1).value() == 1
