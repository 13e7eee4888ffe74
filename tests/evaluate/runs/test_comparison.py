"""Comparisons: tests worked by hand, corrected for their number, and the command around them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from configs.settings import load
from evaluate.errors import RunError
from evaluate.runs.comparison import (
    UNDECIDED,
    compare,
    games_to_decide,
    randomisation_p,
)
from evaluate.runs.record import ReplayRecord
from evaluate.runs.run import Run, make_run
from ingest.store import Course
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import Evaluate, Options, make_store
from tests.fakes import each
from tests.player.fakes import course


def ranked(game_id: str, rank: int | None, *, won: bool | None = None) -> ReplayRecord:
    """A game whose paragraph has this rank among the hits; None: it is none of them."""
    plays = [] if won is None else [play_record(won=won, guess_rank=1 if won else 2)]
    search = {**game_record()["search"], "rank": rank}
    return game_record(game_id=game_id, search=search, plays=plays)


def run_of(name: str, records: list[ReplayRecord], referee: str = "none") -> Run:
    return make_run(records, "f", load(), referee, 0, 1, name)


TESTED = ["RR", "Success@1", "Success@5", "Success@20"]
FIRST = [ranked(f"g{number}", 1) for number in range(12)]
MISSED = [ranked(f"g{number}", None) for number in range(12)]


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        ([0.0, 0.0], 1.0),
        (
            [1.0, 1.0, 1.0],
            0.25,
        ),  # of 8 ways of exchanging, +++ and --- are as large
        ([1.0, 1.0, 1.0, 0.0, 0.0], 0.25),  # equal games change nothing
        ([1.0, -1.0], 1.0),
        ([1.0], 1.0),
        ([2.0, 1.0, 1.0], 0.25),
    ],
)
def test_p_is_the_share_of_exchanges_with_as_large_a_mean(
    differences: list[float], p: float
) -> None:
    assert randomisation_p(np.array(differences), 0) == pytest.approx(p)


def test_every_other_run_is_judged_by_the_first() -> None:
    tests = compare(
        [run_of("none", MISSED), run_of("all", FIRST), run_of("same", MISSED)]
    )
    assert [(test.preset, test.measure, test.verdict) for test in tests] == [
        (name, measure, verdict)
        for name, verdict in (("all", "better"), ("same", UNDECIDED))
        for measure in TESTED
    ]
    test = tests[0]
    assert (test.against, test.difference, test.low, test.high) == ("none", 1, 1, 1)
    assert (test.n_games, test.n_differ, test.n_to_decide) == (12, 12, None)
    # two of the 4,096 exchanges of 12 games
    assert test.p == round(2 / 4096, 6)


def test_p_is_corrected_over_what_differs_only() -> None:
    """From rank 2 to 1: RR and Success@1 differ, Success@5 and 20 do not."""
    second = [ranked(f"g{number}", 2) for number in range(12)]
    tests = compare([run_of("second", second), run_of("first", FIRST)])
    by_measure = {test.measure: test for test in tests}
    p = round(2 / 4096, 6)
    assert by_measure["RR"].p == by_measure["Success@1"].p == p
    assert by_measure["RR"].p_holm == round(4 / 4096, 6)
    assert by_measure["Success@5"].p_holm == by_measure["Success@20"].p_holm == 1.0
    # all measures differ alike, so that there is one test
    same = compare([run_of("none", MISSED), run_of("first", FIRST)])
    assert each(same, "p_holm") == [p] * 4


def test_it_says_how_many_games_would_decide() -> None:
    few = compare(
        [run_of("none", MISSED[:4]), run_of("mixed", [*FIRST[:2], *MISSED[2:4]])]
    )
    assert {*each(few, "verdict")} == {UNDECIDED}
    # one test, mean .5 and deviation .5: (1.960 + 0.842)² = 7.85 games, of which half differ, but
    # 2 of 2⁶ exchanges are the first share below .05: 5.32 games that differ, twice as many in all
    assert {*each(few, "n_to_decide")} == {11}
    assert games_to_decide(np.array([0.05, 0.0, -0.03]), 2) == 233


def test_win_rates_are_tested_where_the_same_referee_played() -> None:
    won = [ranked(f"g{number}", 1, won=True) for number in range(12)]
    lost = [ranked(f"g{number}", 1, won=False) for number in range(12)]
    runs = [run_of("lost", lost, "oracle"), run_of("won", won, "oracle")]
    verdicts = {test.measure: test.verdict for test in compare(runs)}
    assert verdicts == {**dict.fromkeys(TESTED, UNDECIDED), "win_rate": "better"}
    searched = run_of("searched", FIRST)
    assert each(compare([searched, runs[1]]), "measure") == TESTED


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ([run_of("a", FIRST)], "A comparison needs two runs, got 1"),
        ([run_of("a", FIRST), run_of("a", FIRST)], "Two runs are called a"),
        (
            [run_of("a", FIRST), run_of("b", FIRST[:3])],
            "a and b are of different games",
        ),
    ],
)
def test_runs_that_cannot_be_compared_are_refused(runs: list[Run], says: str) -> None:
    with pytest.raises(RunError, match=says):
        compare(runs)


def test_runs_that_were_written_compare_as_the_presets_did(
    evaluate: Evaluate, about: Options, tmp_path: Path
) -> None:
    out = tmp_path / "runs"
    presets = ("--presets", "unfiltered,dual", "--out", out, "--json")
    printed = evaluate("compare", *about, *presets).json
    assert json.loads((out / "compare.json").read_text(encoding="utf-8")) == printed
    for name, run in printed["presets"].items():
        assert run["settings"]["preset"] == name
    keys = {"measure", "difference", "low", "high", "p", "p_holm", "n_to_decide"}
    for test in printed["tests"]:
        assert (test["preset"], test["against"]) == ("dual", "unfiltered")
        assert keys < test.keys()

    # the folder, or all its files, in the order of the comparison
    for files in ([out], sorted(out.glob("*.json"))):
        assert evaluate("compare", *files, "--json").json == printed


def test_runs_over_two_stores_are_compared_on_the_same_games(
    evaluate: Evaluate, store: Course, games: Path, tmp_path: Path
) -> None:
    # one game is lost at ingest in the smaller store
    smaller = make_store(tmp_path / "smaller", course()[:11])
    files = [tmp_path / "whole.json", tmp_path / "smaller.json"]
    for one, file in zip((store, smaller), files, strict=True):
        replay = ("replay", "--store", one.location, "--games", games)
        assert evaluate(*replay, "--out", file).code == 0
    compared = evaluate("compare", *files, "--strict")
    assert compared.code == 1
    assert compared.out.startswith("12 answerable games, over 2 stores, 95%")
    assert "1 game is about a paragraph that the store does not hold" in compared.err

    again = (*replay[:2], store.location, *replay[3:], "--lost-in")
    assert evaluate(*again, files[1], "--json").json["games"] == 1
    refused = evaluate(*again, files[0])
    assert refused.code == 2
    assert "whole.json lost no game" in refused.err


def test_the_trec_run_of_another_system_is_compared_with_ours(
    evaluate: Evaluate, about: Options, tmp_path: Path
) -> None:
    ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.trec"
    assert evaluate("replay", *about, "--out", ours).code == 0
    ids = each(course(), "paragraph_id")
    # the right paragraph second for eleven games, by its score and not by its line; no line for the last game
    lines = []
    for row in range(11):
        lines.append(f"g{row + 1} Q0 {ids[row]} 1 0.5 them\n")
        lines.append(f"g{row + 1} Q0 {ids[row - 1]} 2 0.75 them\n")
    theirs.write_text("".join(lines), encoding="utf-8")

    measured = ("--measure", "nDCG@10", "--json")
    printed = evaluate("compare", ours, theirs, *measured).json
    measures = printed["presets"]["theirs"]["measures"]
    assert measures["RR"] == pytest.approx(11 / 24, abs=1e-6)
    assert measures["nDCG@10"] == pytest.approx(11 / 12 / np.log2(3), abs=1e-6)
    assert "nDCG@10" in {*each(printed["tests"], "measure")}
    assert evaluate("report", ours, theirs, "--out", tmp_path / "r.html").code == 0


def test_a_table_of_80_columns_and_verdicts_are_printed(
    evaluate: Evaluate, about: Options
) -> None:
    presets = ("--presets", "unfiltered,keyword,dual,filtered")
    lines = evaluate("compare", *about, *presets).out.splitlines()
    assert lines[0] == "12 answerable games, 95% intervals in brackets"
    assert max(map(len, lines)) <= 80
    assert "keyword against unfiltered" in lines
    assert lines[lines.index("dual against unfiltered") + 2].startswith("  RR  ")
