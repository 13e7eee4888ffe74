"""Calls that answer, fail, are slow, or hang."""

import threading
import time

from player.deadlines import MAX_HANGING, Runner


def test_one_that_keeps_hanging_is_not_called_for_ever() -> None:
    release = threading.Event()
    runner = Runner()
    due = time.monotonic() + 0.01
    for _ in range(MAX_HANGING):
        assert runner.start("hanging", release.wait, due).value() is None
    refused = runner.start("hanging", release.wait, due)
    assert refused.value() is None
    assert f"{MAX_HANGING} earlier calls" in refused.failure
    assert runner.start("another", lambda: 1).value() == 1
    release.set()
    time.sleep(0.1)
    assert runner.start("hanging", lambda: 1).value() == 1
