"""Runs on disk: what was written is read again, and what is no run is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from configs.settings import Settings
from evaluate.errors import RunError
from evaluate.runs.files import RunFile, read_run, require_same_games, write_run
from evaluate.runs.run import make_run
from tests.evaluate.fakes import game_record


def written(path: Path, settings: Settings, *, hint: str = "what climbs", fingerprint: str = "f") -> RunFile:
    records = [game_record(hint=hint), game_record(game_id="no", answerable=False, truth=None)]
    write_run(path, make_run(records, fingerprint, settings, "none", 0, 1), records)
    return read_run(path)


def test_a_run_is_read_as_it_was_written(tmp_path: Path, settings: Settings) -> None:
    run = written(tmp_path / "mine.json", settings)
    assert run.name == "mine"
    assert run.run["measures"]["RR"] == 0.5
    assert [record["game_id"] for record in run.records] == ["g1", "no"]


def test_records_with_a_line_separator_inside_are_whole(tmp_path: Path, settings: Settings) -> None:
    assert written(tmp_path / "mine.json", settings, hint="a\u2028b").records[0]["hint"] == "a\u2028b"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "must be a run as replay --out writes it"),
        ("[]", "has no measures; run the replay again"),
        ('{"measures": {}}', "has no intervals; run the replay again"),
    ],
)
def test_a_file_that_is_no_run_is_refused(tmp_path: Path, text: str, says: str) -> None:
    (tmp_path / "run.json").write_text(text, encoding="utf-8")
    with pytest.raises(RunError, match=says):
        read_run(tmp_path / "run.json")


def test_a_run_that_is_not_there_is_refused_with_the_command_that_makes_it(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="No such file or directory; run the replay that writes it: python -m evaluate"):
        read_run(tmp_path / "run.json")


def test_a_run_without_its_games_is_refused(tmp_path: Path, settings: Settings) -> None:
    written(tmp_path / "run.json", settings)
    (tmp_path / "run.games.jsonl").unlink()
    with pytest.raises(RunError, match=r"run\.games\.jsonl: must be a readable file.*copy it along with the run"):
        read_run(tmp_path / "run.json")


def test_the_games_of_another_run_are_refused(tmp_path: Path, settings: Settings) -> None:
    written(tmp_path / "run.json", settings)
    (tmp_path / "run.games.jsonl").write_text(json.dumps(game_record(game_id="g9")), encoding="utf-8")
    with pytest.raises(RunError, match=r"must hold the games of run\.json, got others"):
        read_run(tmp_path / "run.json")


def test_runs_side_by_side_must_be_of_the_same_games_and_store(tmp_path: Path, settings: Settings) -> None:
    one = written(tmp_path / "one.json", settings)
    require_same_games([one, written(tmp_path / "same.json", settings)])
    with pytest.raises(RunError, match="other: must be of the same games as one, got"):
        require_same_games([one, written(tmp_path / "other.json", settings, hint="another")])
    with pytest.raises(RunError, match="other: must be of the same store as one, got g for f"):
        require_same_games([one, written(tmp_path / "other.json", settings, fingerprint="g")])
