"""Comparisons: tests worked by hand, corrected for their number, and the command around them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from ir_measures import nDCG

from quarry.configs.settings import load
from quarry.evaluate.__main__ import main
from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.comparison import compare, holm, randomisation_p
from quarry.evaluate.runs.measures import Measure
from quarry.evaluate.runs.record import GameRecord
from quarry.evaluate.runs.run import Run, make_run
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import course_games, make_store, record_of, run_main, write_games
from tests.player.fakes import course


def ranked(game_id: str, rank: int | None, *, won: bool | None = None) -> GameRecord:
    """A game whose paragraph is the rank-th of three hits; None: it is none of them."""
    record = game_record(game_id=game_id)
    hit = record["search"]["hits"][0]
    ids = [f"other:1:{place}" for place in range(1, 4)]
    if rank is not None:
        ids[rank - 1] = "alpha:1:2"
    hits = [{**hit, "paragraph_id": paragraph_id} for paragraph_id in ids]
    plays = [] if won is None else [play_record(won=won, guess_rank=1 if won else 2)]
    return game_record(game_id=game_id, search={**record["search"], "hits": hits, "rank": rank}, plays=plays)


def run_of(name: str, records: list[GameRecord], *, fingerprint: str = "f", referee: str = "none") -> Run:
    return make_run(records, fingerprint, load(), referee, 0, 1, name)


FIRST = [ranked(f"g{number}", 1) for number in range(12)]
MISSED = [ranked(f"g{number}", None) for number in range(12)]


class TestRandomisation:
    @pytest.mark.parametrize(
        ("differences", "p"),
        [
            ([0.0, 0.0], 1.0),
            ([1.0, 1.0, 1.0], 0.25),  # of 8 ways of exchanging, +++ and --- are as large
            ([1.0, 1.0, 1.0, 0.0, 0.0], 0.25),  # equal games change nothing
            ([1.0, -1.0], 1.0),
            ([1.0], 1.0),
            ([2.0, 1.0, 1.0], 0.25),
        ],
    )
    def test_p_is_the_share_of_exchanges_with_as_large_a_mean(self, differences: list[float], p: float) -> None:
        assert randomisation_p(np.array(differences), 0) == pytest.approx(p)


class TestHolm:
    def test_the_smallest_is_multiplied_by_all_the_next_by_one_less(self) -> None:
        assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


class TestVerdicts:
    def test_every_other_run_is_judged_by_the_first(self) -> None:
        tests = compare([run_of("none", MISSED), run_of("all", FIRST), run_of("same", MISSED)])
        verdicts = {(test.preset, test.against, test.measure): test.verdict for test in tests}
        assert verdicts["all", "none", "RR"] == "better"
        assert verdicts["same", "none", "RR"] == "no difference that these games can show"
        assert [test.measure for test in tests] == ["RR", "Success@1", "Success@5", "Success@20"] * 2

    def test_the_difference_has_its_interval_and_corrected_p(self) -> None:
        test = compare([run_of("all", FIRST), run_of("none", MISSED)])[0]
        assert (test.verdict, test.difference, test.low, test.high) == ("worse", -1.0, -1.0, -1.0)
        assert (test.n_games, test.n_differ) == (12, 12)
        # two of the 4,096 exchanges of 12 games, and four tests
        assert (test.p, test.p_holm) == (round(2 / 4096, 6), round(8 / 4096, 6))
        few = compare([run_of("none", MISSED[:4]), run_of("all", FIRST[:4])])
        assert {test.verdict for test in few} == {"no difference that these games can show"}

    def test_measures_of_ones_own_are_tested_with_the_others(self) -> None:
        own: dict[str, Measure] = {
            "nDCG@10": nDCG @ 10,
            "found": lambda record: float(record["search"]["rank"] is not None),
        }
        runs = [replace(run_of(name, records), own_measures=own) for name, records in (("a", MISSED), ("b", FIRST))]
        tests = {test.measure: test.verdict for test in compare(runs)}
        assert list(tests) == ["RR", "Success@1", "Success@5", "Success@20", "nDCG@10", "found"]
        assert tests["nDCG@10"] == tests["found"] == "better"

    def test_win_rates_are_tested_where_games_were_played(self) -> None:
        won = [ranked(f"g{number}", 1, won=True) for number in range(12)]
        lost = [ranked(f"g{number}", 1, won=False) for number in range(12)]
        tests = compare([run_of("lost", lost, referee="oracle"), run_of("won", won, referee="oracle")])
        assert [test.verdict for test in tests if test.measure == "win_rate"] == ["better"]
        assert {test.verdict for test in tests if test.measure != "win_rate"} == {
            "no difference that these games can show"
        }


@pytest.mark.parametrize(
    ("runs", "says"),
    [
        ([run_of("a", FIRST)], "at least two runs must be compared, got 1"),
        ([run_of("a", FIRST), run_of("a", FIRST)], "a name of its own, got a twice"),
        ([run_of("a", FIRST), run_of("b", FIRST[:3])], "b: must be of the same games as a"),
        ([run_of("a", FIRST), run_of("b", FIRST, referee="oracle")], "b: must have the same --referee as a"),
    ],
)
def test_what_cannot_stand_side_by_side_is_refused(runs: list[Run], says: str) -> None:
    with pytest.raises(RunError, match=says):
        compare(runs)


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("store"), course()).location


@pytest.fixture
def games(tmp_path: Path) -> str:
    return str(write_games(tmp_path / "games.jsonl", map(record_of, course_games(course()))))


@pytest.mark.usefixtures("fast_models")
class TestCommand:
    def test_runs_that_were_written_compare_as_the_presets_did(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        out = tmp_path / "runs"
        arguments = ("--store", store, "--games", games, "--presets", "unfiltered,dual", "--out", str(out), "--json")
        assert run_main(main, "compare", *arguments) == 0
        printed = json.loads(capsys.readouterr().out)
        assert json.loads((out / "compare.json").read_text(encoding="utf-8")) == printed
        assert {name: run["settings"]["preset"] for name, run in printed["presets"].items()} == {
            "unfiltered": "unfiltered",
            "dual": "dual",
        }
        assert {(test["preset"], test["against"]) for test in printed["tests"]} == {("dual", "unfiltered")}
        assert {"measure", "difference", "low", "high", "p", "p_holm", "verdict"} <= set(printed["tests"][0])
        files = [str(out / name) for name in ("unfiltered.json", "dual.json")]
        assert run_main(main, "compare", *files, "--json") == 0
        assert json.loads(capsys.readouterr().out) == printed

    def test_a_file_stands_beside_a_preset_and_a_setting_changes_both(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        mine = tmp_path / "mine.yaml"
        mine.write_text("search: {k: 7, pdf_k: 7}\n", encoding="utf-8")
        arguments = ("--presets", f"default,{mine}", "--set", "search.rule_weight=0", "--json")
        assert run_main(main, "compare", "--store", store, "--games", games, *arguments) == 0
        found = json.loads(capsys.readouterr().out)["presets"]
        assert list(found) == ["default", "mine"]
        settings = [run["settings"]["search"] for run in found.values()]
        assert [(one["k"], one["rule_weight"]) for one in settings] == [(0, 0.0), (7, 0.0)]

    def test_runs_over_two_stores_are_compared_on_the_same_games(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        smaller = make_store(tmp_path / "smaller", course()[:11]).location  # one game is lost at ingest there
        files = [str(tmp_path / name) for name in ("whole.json", "smaller.json")]
        for location, file in zip((store, smaller), files, strict=True):
            assert run_main(main, "replay", "--store", location, "--games", games, "--out", file) == 0
        capsys.readouterr()
        assert run_main(main, "compare", *files, "--strict") == 1
        printed = capsys.readouterr()
        assert printed.out.startswith("12 answerable games, over 2 stores, 95% intervals")
        assert "1 game is about a paragraph that the store does not hold" in printed.err

    def test_the_trec_run_of_another_system_is_compared_with_ours(
        self, store: str, games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        ours, theirs = tmp_path / "ours.json", tmp_path / "theirs.trec"
        assert run_main(main, "replay", "--store", store, "--games", games, "--out", str(ours)) == 0
        ids = [item.paragraph_id for item in course()]
        # the right paragraph second for eleven games, by its score and not by its line; no line for the last game
        lines = [
            f"g{row + 1} Q0 {found} {rank} {score} them"
            for row in range(11)
            for found, rank, score in ((ids[row], 1, 0.5), (ids[row - 1], 2, 0.75))
        ]
        theirs.write_text("\n".join(lines) + "\n", encoding="utf-8")
        capsys.readouterr()
        arguments = ("compare", str(ours), str(theirs), "--measure", "nDCG@10", "--json")
        assert run_main(main, *arguments) == 0
        found = json.loads(capsys.readouterr().out)
        assert found["presets"]["theirs"]["measures"]["RR"] == pytest.approx(11 / 24, abs=1e-6)
        assert found["presets"]["theirs"]["measures"]["nDCG@10"] == pytest.approx(11 / 12 / np.log2(3), abs=1e-6)
        assert "nDCG@10" in {test["measure"] for test in found["tests"]}
        assert run_main(main, "report", str(ours), str(theirs), "--out", str(tmp_path / "report.html")) == 0

    def test_a_table_and_verdicts_in_words_are_printed(
        self, store: str, games: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run_main(main, "compare", "--store", store, "--games", games, "--presets", "unfiltered,keyword") == 0
        printed = capsys.readouterr().out
        assert printed.startswith("12 answerable games, 95% intervals in brackets\n")
        assert "paired randomisation tests, p corrected by Holm for all 4:" in printed
        assert "no difference that these games can show from unfiltered" in printed
