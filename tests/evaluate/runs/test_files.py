"""Runs on disk: what was written is read again, and what is no run is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quarry.configs.settings import Settings
from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.files import read_run, require_same_games, write_run
from quarry.evaluate.runs.run import Run, make_run
from tests.contracts.records import game_record


def written(path: Path, settings: Settings, *, hint: str = "what climbs", fingerprint: str = "f") -> Run:
    records = [game_record(hint=hint), game_record(game_id="no", answerable=False, truth=None)]
    write_run(path, make_run(records, fingerprint, settings, "none", 0, 1))
    return read_run(path)


def test_a_run_is_read_as_it_was_written(tmp_path: Path, settings: Settings) -> None:
    run = written(tmp_path / "mine.json", settings)
    assert run.name == "mine"
    assert run.measures["RR"] == 0.5
    assert [record["game_id"] for record in run.records] == ["g1", "no"]


def test_records_with_a_line_separator_inside_are_whole(tmp_path: Path, settings: Settings) -> None:
    assert written(tmp_path / "mine.json", settings, hint="a\u2028b").records[0]["hint"] == "a\u2028b"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "must be a run as replay --out writes it"),
        ("[]", "got list; run the replay"),
        ('{"measures": {}}', "has no games_digest; run the replay"),
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
    with pytest.raises(RunError, match=r"must say what the games of run\.games\.jsonl give, but games_digest is"):
        read_run(tmp_path / "run.json")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda run: run["measures"].update(RR=0.9), r"measures\.RR is 0\.9 for 0\.5; one of the two was altered"),
        (lambda run: run["per_game"].pop(), r"per_game is a list of 0 for a list of 1"),
        (lambda run: run["per_game"][0].update(rank=1), r"per_game\.0\.rank is 1 for 2"),
        (lambda run: run["per_game"][0].pop("slot"), r"per_game\.0 has no slot"),
        (lambda run: run.update(games=True), r"games is True for 2"),
        (lambda run: run.update(repeats=0), r"repeats must be at least 1, got 0"),
        (lambda run: run.update(repeats="two"), r"repeats must be of type int, got 'two'"),
        (lambda run: run.update(seed=True), r"seed must be of type int, got True"),
    ],
)
def test_an_altered_run_is_refused_with_what_it_must_say(
    tmp_path: Path, settings: Settings, change: Callable[[dict[str, Any]], object], says: str
) -> None:
    path = tmp_path / "run.json"
    written(path, settings)
    run = json.loads(path.read_text(encoding="utf-8"))
    change(run)
    path.write_text(json.dumps(run), encoding="utf-8")
    with pytest.raises(RunError, match=says):
        read_run(path)


def test_an_altered_record_is_refused_with_its_line(tmp_path: Path, settings: Settings) -> None:
    written(tmp_path / "run.json", settings)
    beside = tmp_path / "run.games.jsonl"
    lines = beside.read_text(encoding="utf-8").splitlines()
    record = json.loads(lines[1])
    record["search"]["rank"] = "first"
    beside.write_text("\n".join([lines[0], json.dumps(record)]), encoding="utf-8")
    with pytest.raises(
        RunError, match=r"run\.games\.jsonl line 2: search\.rank must be as replay writes it: .* integer"
    ):
        read_run(tmp_path / "run.json")


def test_what_another_version_says_in_words_is_no_alteration(tmp_path: Path, settings: Settings) -> None:
    path = tmp_path / "run.json"
    written(path, settings)
    run = json.loads(path.read_text(encoding="utf-8"))
    run["per_game"][0]["fate"] = "was found"
    run["intervals"]["RR"] = [0.0, 1.0]
    path.write_text(json.dumps(run), encoding="utf-8")
    assert read_run(path).measures["RR"] == 0.5


def test_a_run_is_a_frame_with_a_row_a_game(tmp_path: Path, settings: Settings) -> None:
    frame = written(tmp_path / "mine.json", settings).to_dataframe()
    assert frame[["run", "game_id", "rank", "won"]].to_dict("records") == [
        {"run": "mine", "game_id": "g1", "rank": 2, "won": None}
    ]


def test_runs_side_by_side_must_be_of_the_same_games(tmp_path: Path, settings: Settings) -> None:
    one = written(tmp_path / "one.json", settings)
    require_same_games([one, written(tmp_path / "same.json", settings)])
    with pytest.raises(RunError, match="other: must be of the same games as one, got"):
        require_same_games([one, written(tmp_path / "other.json", settings, hint="another")])
    with pytest.raises(RunError, match="other: must be of the same games as one, got"):
        require_same_games([one, written(tmp_path / "other.json", settings, fingerprint="g", hint="another")])
    require_same_games([one, written(tmp_path / "other.json", settings, fingerprint="g")])
