"""Exported runs say what the run says, in files that other tools read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest

from configs.settings import Settings
from evaluate.runs.export import export, trec_id
from evaluate.runs.measures import MEASURES
from evaluate.runs.run import make_run
from ingest.store import Course
from tests.contracts.records import game_record
from tests.evaluate.fakes import (
    Evaluate,
    course_games,
    labelled_game,
    record_of,
    write_games,
)
from tests.player.fakes import course


@pytest.fixture
def run(evaluate: Evaluate, store: Course, tmp_path: Path) -> Any:
    """A played run over games of which one has white space in its id, one is lost and one unanswerable; exported."""
    games = [record_of(game) for game in course_games(course())[:5]]
    games[0]["game_id"] = "a game"
    games[1]["hint"] = "harbour cranes, fishing nets"
    lost = labelled_game(game_id="lost", paragraph_id="gamma:1:1", hint="lanterns")
    no = record_of(labelled_game(game_id="no", hint="oars"))
    games += [record_of(lost), {**no, "paragraph_id": None}]
    path, out = write_games(tmp_path / "games.jsonl", games), tmp_path / "mine.json"

    about = ("--store", store.location, "--games", path, "--referee", "oracle")
    quick = ("--set", "game.questions_pool=60")
    assert evaluate("replay", *about, *quick, "--out", out).code == 0
    assert evaluate("export", out, "--out", tmp_path / "out").code == 0
    return json.loads(out.read_text(encoding="utf-8"))


def test_ir_measures_reads_the_same_measures_from_the_trec_files(
    run: Any, tmp_path: Path
) -> None:
    tools: Any = ir_measures
    qrels = list(tools.read_trec_qrels(str(tmp_path / "out" / "mine.qrels")))
    found = list(tools.read_trec_run(str(tmp_path / "out" / "mine.run")))
    game_ids = {qrel.query_id for qrel in qrels}
    assert game_ids == {"a%20game", "g2", "g3", "g4", "g5", "lost"}
    metrics = tools.calc_aggregate(list(MEASURES.values()), qrels, found)
    measures = {name: metrics[measure] for name, measure in MEASURES.items()}
    assert measures == pytest.approx(run["measures"], abs=1e-6)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_frames_hold_the_games_hits_and_measures(
    run: Any, tmp_path: Path, kind: str
) -> None:
    read: Any = getattr(pd, f"read_{kind}")
    runs, games, hits = (
        read(tmp_path / "out" / f"{name}.{kind}") for name in ("runs", "games", "hits")
    )
    games = games.set_index("game_id")
    assert list(games.index) == [game["game_id"] for game in run["per_game"]]
    assert games.loc["lost", "lost_at"] == "ingest"
    assert games["won"].sum() == sum(game["won"] for game in run["per_game"])

    measures = runs.set_index("measure")["value"]
    assert measures["RR"] == run["measures"]["RR"]
    assert measures["win_rate"] == run["win_rate"]
    right = hits[hits["right"]].set_index("game_id")["place"]
    ranks = {}
    for game in run["per_game"]:
        if game["rank"]:
            ranks[game["game_id"]] = game["rank"]
    assert right.to_dict() == ranks


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
    record = game_record(book_name="=HYPERLINK(1)")
    export([make_run([record], "f", settings, "none", 0, 1, "mine")], tmp_path)
    games = pd.read_csv(tmp_path / "games.csv")
    assert games["book_name"].tolist() == ["'=HYPERLINK(1)"]
    frame = pd.read_parquet(tmp_path / "games.parquet")
    assert frame["book_name"].tolist() == ["=HYPERLINK(1)"]
    scores = pd.read_csv(tmp_path / "hits.csv")["score"]
    assert scores.dtype.kind == "f", "numbers stay numbers"
