"""The commands of docs/guides/measure.md on lectures of your own work in their order, from PDFs to a report."""

import json
import re
from pathlib import Path

import pytest

from tests.fakes import ROOT
from tests.test_readme import MEASURE, run

pytestmark = pytest.mark.long

COMMANDS = re.findall(r"(?m)^(quarry .*\bmy/.*)$", MEASURE)
HINTS = ("zebra xylophone", "quokka marzipan", "walrus tangerine", "okapi persimmon")
TYPED = "".join(f"{hint}\n\n\n\n" for hint in HINTS)
"""Hints whose words occur in no lecture; the lecture's name and sentence as they are, and no associative word."""


@pytest.mark.timeout(900)
@pytest.mark.usefixtures("models_dir")
def test_each_command_works_after_those_before(tmp_path: Path) -> None:
    my = tmp_path / "my"
    lecture = ROOT / "data/lectures/english/06-evaluation.pdf"
    (my / "lectures").mkdir(parents=True)
    (my / "lectures" / lecture.name).symlink_to(lecture)
    for command in COMMANDS:
        done = run(f"-m {command}", tmp_path, TYPED if " label " in command else None)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"

    games = (my / "games.jsonl").read_text("utf-8")
    assert len(games.splitlines()) == len(HINTS)
    played = json.loads((my / "played.json").read_bytes())
    assert played["games"] == len(HINTS)
    assert played["repeats"] == 3
    assert played["win_rate"] is not None
    assert (my / "report.html").read_bytes().startswith(b"<!doctype html>")
    assert (my / "exported/default.qrels").is_file()
    compared = (my / "compared/compare.json").read_bytes()
    assert json.loads(compared)["tests"]
