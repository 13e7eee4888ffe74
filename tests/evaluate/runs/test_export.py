"""Exported runs say what the run says, in files that other tools read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest

from quarry.configs.settings import Settings
from quarry.evaluate.__main__ import main
from quarry.evaluate.runs.export import export, trec_id
from quarry.evaluate.runs.measures import MEASURES
from quarry.evaluate.runs.run import make_run
from tests.contracts.records import game_record
from tests.evaluate.fakes import course_games, labelled_game, make_store, record_of, run_main, write_games
from tests.player.fakes import course

OWN = {name: measure for name, measure in MEASURES.items() if isinstance(measure, ir_measures.measures.Measure)}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("store"), course()).location


@pytest.fixture
def run_json(store: str, tmp_path: Path, fast_models: None) -> Path:
    """A played run over games of which one has white space in its id, one is lost and one unanswerable."""
    games = [record_of(game) for game in course_games(course())[:5]]
    games[0]["game_id"] = "a game"
    games[1]["hint"] = "harbour cranes, fishing nets"
    games.append(record_of(labelled_game(game_id="lost", paragraph_id="gamma:1:1", hint="lanterns")))
    games.append({**record_of(labelled_game(game_id="no", hint="oars")), "paragraph_id": None})
    path = write_games(tmp_path / "games.jsonl", games)
    config = tmp_path / "quick.yaml"
    config.write_text("game: {questions_pool: 60}\n", encoding="utf-8")
    out = tmp_path / "mine.json"
    arguments = ("--store", store, "--games", str(path), "--referee", "oracle", "--config", str(config))
    assert run_main(main, "replay", *arguments, "--out", str(out)) == 0
    return out


def test_ir_measures_reads_the_same_measures_from_the_trec_files(run_json: Path, tmp_path: Path) -> None:
    assert run_main(main, "export", str(run_json), "--out", str(tmp_path / "out")) == 0
    tools: Any = ir_measures
    qrels = list(tools.read_trec_qrels(str(tmp_path / "out" / "mine.qrels")))
    found = list(tools.read_trec_run(str(tmp_path / "out" / "mine.run")))
    assert {qrel.query_id for qrel in qrels} == {"a%20game", "g2", "g3", "g4", "g5", "lost"}
    metrics = ir_measures.calc_aggregate(list(OWN.values()), qrels, found)
    run = json.loads(run_json.read_text(encoding="utf-8"))
    assert {name: metrics[measure] for name, measure in OWN.items()} == pytest.approx(run["measures"], abs=1e-6)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_frames_hold_the_games_hits_and_measures(run_json: Path, tmp_path: Path, kind: str) -> None:
    assert run_main(main, "export", str(run_json), "--out", str(tmp_path / "out")) == 0
    read = pd.read_parquet if kind == "parquet" else pd.read_csv
    frames = {name: read(tmp_path / "out" / f"{name}.{kind}") for name in ("runs", "games", "hits")}
    run = json.loads(run_json.read_text(encoding="utf-8"))
    games = frames["games"].set_index("game_id")
    assert list(games.index) == [game["game_id"] for game in run["per_game"]]
    assert games.loc["lost", "lost_at"] == "ingest"
    assert games["won"].sum() == sum(game["won"] for game in run["per_game"])
    measures = frames["runs"].set_index("measure")["value"]
    assert measures["RR"] == run["measures"]["RR"]
    assert measures["win_rate"] == run["win_rate"]
    right = frames["hits"][frames["hits"]["right"]].set_index("game_id")["place"]
    assert right.to_dict() == {game["game_id"]: game["rank"] for game in run["per_game"] if game["rank"]}


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("en01-001", "en01-001"),
        ("a game", "a%20game"),
        ("100%", "100%25"),
        ("a\u2003b", "a%E2%80%83b"),
        ("שלום", "שלום"),
    ],
)
def test_ids_lose_what_columns_are_parted_by(name: str, written: str) -> None:
    assert trec_id(name) == written


def test_no_cell_of_a_csv_begins_a_formula(tmp_path: Path, settings: Settings) -> None:
    export([make_run([game_record(book_name="=HYPERLINK(1)")], "f", settings, "none", 0, 1, "mine")], tmp_path)
    assert pd.read_csv(tmp_path / "games.csv")["book_name"].tolist() == ["'=HYPERLINK(1)"]
    assert pd.read_parquet(tmp_path / "games.parquet")["book_name"].tolist() == ["=HYPERLINK(1)"]
    assert pd.read_csv(tmp_path / "hits.csv")["score"].dtype.kind == "f", "numbers stay numbers"
