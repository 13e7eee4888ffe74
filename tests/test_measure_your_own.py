"""The commands of docs/guides/measure-your-own.md work in their order, from PDFs to a report."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.test_readme import ROOT, run

PAGE = (ROOT / "docs" / "guides" / "measure-your-own.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^\.venv/bin/python (.*)$", PAGE, flags=re.MULTILINE)
TYPED = [
    line
    for hint in (
        "zebra xylophone",
        "quokka marzipan",
        "walrus tangerine",
        "narwhal rhubarb",
        "okapi persimmon",
    )
    for line in (hint, "", "", "")
]
"""Hints whose words occur in no lecture; the lecture's name and sentence as they are, and no associative word."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Path:
    """A working folder with one lecture."""
    working = tmp_path_factory.mktemp("mine")
    (working / "my" / "lectures").mkdir(parents=True)
    lecture = ROOT / "data" / "lectures" / "english" / "06-evaluation.pdf"
    (working / "my" / "lectures" / lecture.name).symlink_to(lecture)
    return working


@pytest.mark.timeout(900)
def test_each_command_works_after_those_before(folder: Path) -> None:
    for command in COMMANDS:
        typed = (
            "".join(f"{line}\n" for line in TYPED)
            if " label " in f" {command} "
            else None
        )
        done = run(command, folder, typed)
        assert done.returncode == 0, (
            f"{shlex.split(command)}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
        )
    games = (folder / "my" / "games.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(games) == 5
    run_json = json.loads((folder / "my" / "played.json").read_text(encoding="utf-8"))
    assert (run_json["games"], run_json["repeats"]) == (5, 3)
    assert run_json["win_rate"] is not None
    assert (
        (folder / "my" / "report.html")
        .read_text(encoding="utf-8")
        .startswith("<!doctype html>")
    )
    assert (folder / "my" / "exported" / "default.qrels").is_file()
    assert json.loads(
        (folder / "my" / "compared" / "compare.json").read_text(encoding="utf-8")
    )["tests"]
