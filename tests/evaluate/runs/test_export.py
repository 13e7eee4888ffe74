"""Exported runs say what the run says, in files that other tools read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest

from evaluate.runs.export import export
from evaluate.runs.files import write_run
from evaluate.runs.measures import MEASURES
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import Evaluate, run_of
from tests.fakes import each

RUN = run_of(
    [
        game_record(game_id="a game", plays=[play_record()]),
        game_record(game_id="g2", rank=None, hits=[], plays=[play_record(won=False)]),
        game_record(game_id="lost", rank=None, truth=None),
        game_record(game_id="no", answerable=False, truth=None),
    ],
    referee="oracle",
)
"""A game has white space in its id, one is lost at ingest, one is unanswerable."""


@pytest.fixture
def folder(evaluate: Evaluate, tmp_path: Path) -> Path:
    """The files of the run."""
    write_run(tmp_path / "mine.json", RUN)
    exported = evaluate("export", tmp_path / "mine.json", "--out", tmp_path)
    assert len(exported.out.splitlines()) == 8
    return tmp_path


def test_ir_measures_reads_the_same_measures_from_the_trec_files(
    folder: Path,
) -> None:
    tools: Any = ir_measures
    qrels = [*tools.read_trec_qrels(str(folder / "mine.qrels"))]
    ranking = tools.read_trec_run(str(folder / "mine.run"))
    game_ids = {*each(qrels, "query_id")}
    assert game_ids == {"a%20game", "g2", "lost"}
    metrics = tools.calc_aggregate(list(MEASURES.values()), qrels, ranking)
    for name, measure in MEASURES.items():
        assert metrics[measure] == pytest.approx(RUN.measures[name], abs=1e-6)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_frames_hold_the_games_hits_and_measures(folder: Path, kind: str) -> None:
    read: Any = getattr(pd, f"read_{kind}")
    games = read(folder / f"games.{kind}").set_index("game_id")
    assert list(games.index) == each(RUN.per_game, "game_id")
    assert games.loc["lost", "lost_at"] == "ingest"
    assert games["won"].sum() == sum(each(RUN.per_game, "won"))

    runs = read(folder / f"runs.{kind}").set_index("measure")
    assert runs["value"]["RR"] == RUN.measures["RR"]
    assert runs["value"]["win_rate"] == RUN.figures["win_rate"][0]
    hits = read(folder / f"hits.{kind}")
    places = hits[hits["right"]]["place"].tolist()
    assert places == [*filter(None, each(RUN.per_game, "rank"))]


def test_no_cell_of_a_csv_begins_a_formula(tmp_path: Path) -> None:
    export([run_of([game_record(book_name="=HYPERLINK(1)")])], tmp_path)
    games = pd.read_csv(tmp_path / "games.csv")
    assert games["book_name"].tolist() == ["'=HYPERLINK(1)"]
    frame = pd.read_parquet(tmp_path / "games.parquet")
    assert frame["book_name"].tolist() == ["=HYPERLINK(1)"]
    scores = pd.read_csv(tmp_path / "hits.csv")["score"]
    assert scores.dtype.kind == "f", "numbers stay numbers"
