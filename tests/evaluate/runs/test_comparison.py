"""Comparisons: tests worked by hand, corrected for their number, and the command around them."""

import json
from pathlib import Path

import numpy as np
import pytest

from evaluate.errors import RunError
from evaluate.runs.comparison import (
    UNDECIDED,
    PairedTest,
    compare,
    games_to_decide,
)
from evaluate.runs.run import Run
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import ABOUT, Evaluate, make_store, run_of
from tests.fakes import each
from tests.player.fakes import course


def uniform(name: str, rank: int | None, n: int = 12, won: bool | None = None) -> Run:
    """A run of n games whose paragraphs have this rank among the hits, played against the oracle or only searched."""
    plays = [] if won is None else [play_record(won=won)]
    records = [
        game_record(game_id=f"g{number}", rank=rank, plays=plays) for number in range(n)
    ]
    return run_of(records, name, "oracle" if plays else "none")


TESTED = ["RR", "Success@1", "Success@5", "Success@20"]
SMALLEST_P = 2 / 2**12
"""Of the exchanges of 12 games, two are as large."""
FIRST = uniform("first", 1)
MISSED = uniform("missed", None)


def test_every_other_run_is_judged_by_the_first() -> None:
    tests = compare([MISSED, FIRST, uniform("same", None)])
    assert each(tests, "preset") == ["first"] * 4 + ["same"] * 4
    assert each(tests, "measure") == TESTED * 2
    assert each(tests, "verdict") == ["better"] * 4 + [UNDECIDED] * 4

    assert tests[0] == PairedTest(
        preset="first",
        against="missed",
        measure="RR",
        difference=1.0,
        low=1.0,
        high=1.0,
        n_games=12,
        n_differ=12,
        p=round(SMALLEST_P, 6),
        p_holm=round(SMALLEST_P, 6),
        n_to_decide=None,
        verdict="better",
    )


def test_p_is_corrected_over_what_differs_only() -> None:
    """From rank 2 to 1: RR and Success@1 differ, Success@5 and 20 do not."""
    tests = compare([uniform("second", 2), FIRST])
    p, p_of_two = round(SMALLEST_P, 6), round(2 * SMALLEST_P, 6)
    assert each(tests, "p") == [p, p, 1.0, 1.0]
    assert each(tests, "p_holm") == [p_of_two, p_of_two, 1.0, 1.0]
    # all measures differ alike, so that there is one test
    assert each(compare([MISSED, FIRST]), "p_holm") == [p] * 4


def test_it_says_how_many_games_would_decide() -> None:
    mixed = [*uniform("", 1, 2).records, *[*MISSED.records][2:4]]
    few = compare([uniform("none", None, 4), run_of(mixed)])
    assert {*each(few, "verdict")} == {UNDECIDED}
    # of the 2⁴ exchanges, those of the two games that differ count: ++ and -- are as large
    assert {*each(few, "p")} == {0.5}
    # one test, mean .5 and deviation .5: (1.960 + 0.842)² = 7.85 games, of which half differ, but
    # 2 of 2⁶ exchanges are the first share below .05: 5.32 games that differ, twice as many in all
    assert {*each(few, "n_to_decide")} == {11}
    assert games_to_decide(np.array([0.05, 0.0, -0.03]), 2) == 233


def test_win_rates_are_tested_where_the_same_referee_played() -> None:
    won, lost = uniform("won", 1, won=True), uniform("lost", 1, won=False)
    tests = compare([lost, won])
    assert each(tests, "measure") == [*TESTED, "win_rate"]
    assert each(tests, "verdict") == [UNDECIDED] * 4 + ["better"]

    assert each(compare([FIRST, won]), "measure") == TESTED


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ([FIRST], "A comparison needs two runs, got 1"),
        ([FIRST, uniform("few", 1, 3)], "first and few are of different games"),
    ],
)
def test_runs_that_cannot_be_compared_are_refused(runs: list[Run], says: str) -> None:
    with pytest.raises(RunError, match=says):
        compare(runs)


def test_runs_that_were_written_compare_as_the_presets_did(evaluate: Evaluate) -> None:
    # runs may be compared where a project names games
    Path("quarry.toml").write_text('games = "games.jsonl"\nstore = "store"\n')
    presets = "compare --presets dual,unfiltered --out runs --json"
    printed = evaluate(presets).json
    assert json.loads(Path("runs/compare.json").read_bytes()) == printed
    for name, run in printed["presets"].items():
        assert run["settings"]["preset"] == name
    test = printed["tests"][0]
    assert (test["preset"], test["against"]) == ("unfiltered", "dual")
    assert test.keys() > {"measure", "difference", "low", "high", "p", "p_holm"}

    for files in ("runs", "runs runs/dual.json", "runs/dual.json runs/unfiltered.json"):
        assert evaluate(f"compare {files} --json").json == printed

    for again in ("runs --out D", "D", "D --out D"):
        assert evaluate(f"compare {again} --json").json == printed


@pytest.mark.parametrize(
    ("options", "candidates"),
    {
        "": [10_000_000] * 2,
        "--belief hits": [0, 0],
        "--belief preset": [0, 10_000_000],
        "--set game.candidates=7": [7, 7],
        "--config own.yaml --belief hits": [8, 8],
    }.items(),
)
def test_beliefs_of_presets_run_over_the_same_unless_asked_and_differences_are_named(
    options: str, candidates: list[int], evaluate: Evaluate
) -> None:
    Path("own.yaml").write_text("game: {candidates: 8}")
    presets = f"compare {ABOUT} --presets dual,distance-merge"
    printed = evaluate(f"{presets} {options} --out runs").out
    written = json.loads(Path("runs/compare.json").read_bytes())
    runs = written["presets"].values()

    assert [run["settings"]["game"]["candidates"] for run in runs] == candidates
    plain = " ".join(printed.split())
    assert "what differs in distance-merge from dual: search.strategies" in plain
    assert "search.merge relevance (slots)" in plain
    own = "game.candidates 10000000 (0)"
    assert (own in plain) == (options == "--belief preset")


def test_runs_over_two_stores_are_compared_on_the_same_games(
    evaluate: Evaluate,
) -> None:
    # one game is lost at ingest in the smaller store
    make_store("smaller", course()[:11])
    replay = "replay --games games.jsonl --store"
    for name in ("store", "smaller"):
        assert evaluate(f"{replay} {name} --out {name}.json").code == 0

    (line,) = evaluate(f"{replay} smaller --lost-in smaller.json").err.splitlines()
    assert "none of 1 games is about" in line

    compared = evaluate("compare store.json smaller.json --strict")
    assert compared.code == 1
    assert compared.out.startswith("12 answerable games, over 2 stores, 95%")
    assert "1 game is about a paragraph that the store does not hold" in compared.err

    again = evaluate(f"{replay} store --lost-in smaller.json --json")
    assert again.json["games"] == 1
    none_lost = evaluate(f"{replay} store --lost-in store.json").refusal
    assert "store.json lost no game" in none_lost


def test_a_table_of_80_columns_and_verdicts_are_printed(evaluate: Evaluate) -> None:
    presets = f"compare {ABOUT} --presets unfiltered,keyword,dual,filtered"
    lines = evaluate(presets).out.splitlines()
    assert lines[0] == "12 answerable games, 95% intervals in brackets"
    assert max(map(len, lines)) <= 80
    assert "keyword against unfiltered" in lines
    assert lines[lines.index("dual against unfiltered") + 2].startswith("  RR  ")
