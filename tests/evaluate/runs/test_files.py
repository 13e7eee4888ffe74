"""Runs on disk: what was written is read again, what is no run is refused, and other tools read what is exported."""

import json
import os
from pathlib import Path
from typing import Any

import ir_measures
import pandas as pd
import pytest

from evaluate.errors import RunError
from evaluate.runs.export import export
from evaluate.runs.files import read_run, read_runs, write_run
from evaluate.runs.measures import MEASURES
from evaluate.runs.run import Run
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import Evaluate, run_of
from tests.fakes import each


def written(name: str) -> Run:
    records = [game_record(), game_record(game_id="no", answerable=False, truth=None)]
    write_run(Path(name), run_of(records))
    return read_run(Path(name))


def test_a_run_of_the_last_version_is_read() -> None:
    older = {**play_record(), "win_faultless": 0.95}
    path = Path("older.json")
    write_run(path, run_of([game_record(plays=[older])], referee="oracle"))
    head = json.loads(path.read_text("utf-8")) | {"losses": {"ingest": 0.0}}
    path.write_text(json.dumps(head))
    assert read_run(path).as_json()["win_ideal"] == 0.9


def test_the_oldest_run_of_a_folder_is_the_baseline() -> None:
    for age, name in enumerate(("b", "c", "a")):
        written(f"{name}.json")
        os.utime(f"{name}.json", ns=(0, 1_000 + age))
    assert each(read_runs([Path()]), "name") == ["b", "c", "a"]


OTHER = json.dumps(game_record(game_id="g9"))
UNRANKED = f"{OTHER}\n{json.dumps(game_record(rank='first'))}\n"


@pytest.mark.parametrize(
    ("file", "text", "says"),
    [
        ("run.json", "", "run.json is not as replay writes it: "),
        ("run.json", '{"hint_alone": {}}', "run.json is a table of several referees"),
        ("run.json", '{"measures": {}}', "is not as replay writes it: referee: "),
        ("run.games.jsonl", OTHER, "and run.games.jsonl hold different games"),
        ("run.games.jsonl", UNRANKED, "line 2 is not .*: search.rank: .* integer"),
    ],
)
def test_a_run_with_a_broken_file_is_refused(file: str, text: str, says: str) -> None:
    written("run.json")
    Path(file).write_text(text)
    with pytest.raises(RunError, match=says):
        read_run(Path("run.json"))
    Path(file).unlink()
    with pytest.raises(RunError, match=f"{file} cannot be read"):
        read_run(Path("run.json"))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("repeats", 99_999_999_999),
        ("repeats", 0),
        ("seed", -1),
        ("referee", "x" * 2_000),
        ("commit", "x" * 2_000),
        ("settings", {}),
        ("settings", {"preset": 3}),
    ],
)
def test_the_head_of_a_run_has_bounds(key: str, value: object) -> None:
    path = Path("run.json")
    written("run.json")
    head = json.loads(path.read_text("utf-8"))

    path.write_text(json.dumps({**head, key: value}))
    with pytest.raises(RunError, match=f"is not as replay writes it: {key}: "):
        read_run(path)


def test_a_run_shows_its_figures() -> None:
    run = written("<mine>.json")
    shown = "Run('<mine>', 2 games, 'none': Success@1=0.000, Success@5=1.000, "
    assert repr(run).startswith(shown)
    shown = run._repr_html_()
    assert "&lt;mine&gt;: 2 games, none" in shown
    assert "<td>0.500 [0.500, 0.500]</td>" in shown


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


def test_other_tools_read_the_games_hits_and_measures_that_are_exported(
    evaluate: Evaluate,
) -> None:
    write_run(Path("mine.json"), RUN)
    listed = evaluate("export mine.json --out .")
    assert len(listed.out.splitlines()) == 8

    tools: Any = ir_measures
    qrels = [*tools.read_trec_qrels("mine.qrels")]
    ranking = tools.read_trec_run("mine.run")
    assert {*each(qrels, "query_id")} == {"a%20game", "g2", "lost"}
    metrics = tools.calc_aggregate(list(MEASURES.values()), qrels, ranking)
    for name, measure in MEASURES.items():
        assert metrics[measure] == pytest.approx(RUN.means[name], abs=1e-6)

    for kind in ("parquet", "csv"):
        read: Any = getattr(pd, f"read_{kind}")
        games = read(f"games.{kind}").set_index("game_id")
        assert list(games.index) == each(RUN.per_game, "game_id")
        assert games.loc["lost", "lost_at"] == "ingest"
        assert games["won"].sum() == sum(each(RUN.per_game, "won"))
        runs = read(f"runs.{kind}").set_index("measure")
        assert runs["value"]["RR"] == RUN.means["RR"]
        assert runs["value"]["win_rate"] == RUN.figures["win_rate"][0]
        hits = read(f"hits.{kind}")
        places = hits[hits["right"]]["overall_rank"].tolist()
        assert places == [*filter(None, each(RUN.per_game, "rank"))]


def test_names_of_runs_cannot_control_the_terminal(evaluate: Evaluate) -> None:
    for name in ("mi\x1b[31mne", "other"):
        write_run(Path(f"{name}.json"), RUN)
    for line in ("export", "compare"):
        shown = evaluate(f"{line} mi\x1b[31mne.json other.json --out {line}ed").out
        assert "mi\\x1b[31mne" in shown
        assert "\x1b" not in shown


def test_no_cell_of_a_csv_begins_a_formula() -> None:
    export([run_of([game_record(book_name="=HYPERLINK(1)")])], Path())
    games = pd.read_csv("games.csv")
    assert games["book_name"].tolist() == ["'=HYPERLINK(1)"]
    frame = pd.read_parquet("games.parquet")
    assert frame["book_name"].tolist() == ["=HYPERLINK(1)"]
    scores = pd.read_csv("hits.csv")["score"]
    assert scores.dtype.kind == "f", "numbers stay numbers"
