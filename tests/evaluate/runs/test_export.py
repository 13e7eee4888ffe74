"""Exported runs say what the run says, in files that other tools read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest

from configs.settings import Settings
from evaluate.command import main
from evaluate.runs.export import export
from evaluate.runs.measures import MEASURES
from evaluate.runs.run import make_run
from ingest.store import Course
from tests.contracts.records import game_record
from tests.evaluate.fakes import (
    course_games,
    record_of,
    run_main,
    use_hashing_embedder,
    write_games,
)
from tests.fakes import each
from tests.player.fakes import course


@pytest.fixture(scope="module")
def folder(store: Course, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A played run over games of which one has white space in its id, one is lost and one unanswerable; exported."""
    games = [record_of(game) for game in course_games(course())[:7]]
    games[0]["game_id"] = "a game"
    games[1]["hint"] = "harbour cranes, fishing nets"
    games[5] |= {"game_id": "lost", "paragraph_id": "gamma:1:1"}
    games[6] |= {"game_id": "no", "paragraph_id": None}
    folder = tmp_path_factory.mktemp("exported")
    path, run = write_games(folder / "games.jsonl", games), str(folder / "mine.json")

    about = ("--store", store.location, "--games", str(path), "--referee", "oracle")
    quick = ("--set", "game.questions_pool=60", "--out", run)
    with pytest.MonkeyPatch.context() as patch:
        use_hashing_embedder(patch)
        assert run_main(main, "replay", *about, *quick) == 0
    assert run_main(main, "export", run, "--out", str(folder / "out")) == 0
    return folder


@pytest.fixture(scope="module")
def run(folder: Path) -> Any:
    return json.loads((folder / "mine.json").read_text(encoding="utf-8"))


def test_ir_measures_reads_the_same_measures_from_the_trec_files(
    run: Any, folder: Path
) -> None:
    tools: Any = ir_measures
    qrels = list(tools.read_trec_qrels(str(folder / "out" / "mine.qrels")))
    ranking = list(tools.read_trec_run(str(folder / "out" / "mine.run")))
    game_ids = {*each(qrels, "query_id")}
    assert game_ids == {"a%20game", "g2", "g3", "g4", "g5", "lost"}
    metrics = tools.calc_aggregate(list(MEASURES.values()), qrels, ranking)
    for name, measure in MEASURES.items():
        assert metrics[measure] == pytest.approx(run["measures"][name], abs=1e-6)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_frames_hold_the_games_hits_and_measures(
    run: Any, folder: Path, kind: str
) -> None:
    read: Any = getattr(pd, f"read_{kind}")
    games = read(folder / "out" / f"games.{kind}").set_index("game_id")
    assert list(games.index) == each(run["per_game"], "game_id")
    assert games.loc["lost", "lost_at"] == "ingest"
    assert games["won"].sum() == sum(each(run["per_game"], "won"))

    runs = read(folder / "out" / f"runs.{kind}")
    measures = runs.set_index("measure")["value"]
    assert measures["RR"] == run["measures"]["RR"]
    assert measures["win_rate"] == run["win_rate"]
    hits = read(folder / "out" / f"hits.{kind}")
    right = hits[hits["right"]].set_index("game_id")["place"]
    ranks = {game["game_id"]: game["rank"] for game in run["per_game"] if game["rank"]}
    assert right.to_dict() == ranks


def test_no_cell_of_a_csv_begins_a_formula(tmp_path: Path, settings: Settings) -> None:
    record = game_record(book_name="=HYPERLINK(1)")
    export([make_run([record], "f", settings, "none", 0, 1, "mine")], tmp_path)
    games = pd.read_csv(tmp_path / "games.csv")
    assert games["book_name"].tolist() == ["'=HYPERLINK(1)"]
    frame = pd.read_parquet(tmp_path / "games.parquet")
    assert frame["book_name"].tolist() == ["=HYPERLINK(1)"]
    scores = pd.read_csv(tmp_path / "hits.csv")["score"]
    assert scores.dtype.kind == "f", "numbers stay numbers"
