"""The studio's state, which many threads use."""

import threading
from pathlib import Path
from typing import Any

from configs.settings import load
from evaluate.studio.state import Studio, StudioFiles
from quarry.threads import start_in_thread


def test_a_page_waits_for_no_other_page_and_a_view_is_made_once(tmp_path: Path) -> None:
    files = StudioFiles(tmp_path / "games", tmp_path / "runs", tmp_path)
    no_course: Any = None
    view: Any = Studio(no_course, load(), files).view
    begun, go_on = threading.Event(), threading.Event()
    made: list[Any] = []

    def make_slowly() -> Any:
        made.append("view")
        begun.set()
        go_on.wait(60.0)
        return "slow"

    slow = [start_in_thread(lambda: view("a", make_slowly)) for _ in range(2)]
    assert begun.wait(60.0)
    other = start_in_thread(lambda: view("b", lambda: made[0]))
    assert other.result(60.0) == "view"
    assert not any(call.done() for call in slow)
    go_on.set()
    assert [call.result(60.0) for call in slow] == ["slow", "slow"]
    assert len(made) == 1
