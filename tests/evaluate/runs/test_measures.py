"""Measures and intervals against numbers worked by hand, and against ir-measures called another way."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from configs.errors import SettingsError
from evaluate.runs.measures import compute_figure, compute_values, find_measures
from tests.contracts.records import game_record


def test_each_measure_is_what_its_definition_says() -> None:
    # a column for each game
    ranks = np.array([1, 3, 6, 17, 0, 0])
    n_hits = np.array([3, 3, 6, 20, 2, 0])
    expected = {
        "Success@1": [1, 0, 0, 0, 0, 0],
        "Success@20": [1, 1, 1, 1, 0, 0],
        "RR": [1, 1 / 3, 1 / 6, 1 / 17, 0, 0],
        "nDCG@10": [1, 1 / 2, 1 / np.log2(7), 0, 0, 0],
        "P@5": [1 / 5, 1 / 5, 0, 0, 0, 0],
        "SetP": [1 / 3, 1 / 3, 1 / 6, 1 / 20, 0, 0],
    }
    measured = compute_values(find_measures(expected), ranks, n_hits, [])
    for name, values in expected.items():
        assert measured[name] == pytest.approx(values), name


def test_a_measure_for_which_the_paragraph_counts_nothing_is_refused() -> None:
    for name in ("AP(rel=2)", "nDCG(gains={1:0})@10"):
        with pytest.raises(SettingsError, match="has relevance 1, and counts nothing"):
            find_measures([name])
    assert find_measures(["AP(rel=1)", "Accuracy", "Judged@2", "NumRet", "ERR@5"])


def test_a_measure_of_ones_own_reads_the_records_of_answerable_games(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("own_measures.py").write_text(
        "def hits(record): return len(record['search']['hits'])\n", "utf-8"
    )
    monkeypatch.syspath_prepend(Path.cwd())
    records = [game_record(), game_record(game_id="no", answerable=False)]
    measures = find_measures(["own_measures.hits"])
    values = compute_values(measures, np.array([2]), np.array([2]), records)
    assert values["own_measures.hits"].tolist() == [2.0]
    records[0].pop("search")  # type: ignore[misc]
    with pytest.raises(SettingsError, match=r"measures.hits failed: KeyE"):
        compute_values(measures, np.array([2]), np.array([2]), records)


def test_a_share_has_wilsons_interval() -> None:
    # z = 1.959964, z^2 = 3.841459: centre (0.3 + z^2 / 20) / (1 + z^2 / 10) = 0.492073 / 1.384146 = 0.355507
    # half width z sqrt(0.3 * 0.7 / 10 + z^2 / 400) / 1.384146 = 1.959964 * 0.174939 / 1.384146 = 0.247715
    values = np.array([1.0] * 3 + [0.0] * 7)
    mean, ends = compute_figure(values, 0, is_share=True)
    assert mean == 0.3
    assert ends == pytest.approx([0.107792, 0.603222], abs=2e-6)


def test_the_method_of_an_interval_does_not_depend_on_the_values() -> None:
    nothing, little = np.zeros(12), np.append(np.zeros(11), 0.001)
    assert compute_figure(nothing, 0) == (0.0, [0.0, 0.0])
    assert 0.0 < compute_figure(little, 0)[1][1] < 0.001

    # shares of repeats: never won, and one of three plays won in one game
    rarely = np.append(np.zeros(11), 1 / 3)
    _, never = compute_figure(nothing, 0, is_share=True)
    assert never == pytest.approx([0.0, 0.2425], abs=1e-4)
    _, once = compute_figure(rarely, 0, is_share=True)
    assert 0.2425 < once[1] < 0.3


def test_a_mean_of_anything_else_has_a_bootstrap_interval_around_it() -> None:
    values = np.random.default_rng(1).uniform(size=60)
    mean, (low, high) = compute_figure(values, 0)
    assert low < mean < high
    # 1.96 standard errors to each side, give or take the resampling
    width = 2 * 1.96 * values.std(ddof=1) / np.sqrt(60)
    assert high - low == pytest.approx(width, abs=0.03)
    assert high + low == pytest.approx(2 * mean, abs=0.03)


def test_the_interval_of_many_games_takes_little_memory() -> None:
    values = np.random.default_rng(0).random(40_000)
    tracemalloc.start()
    compute_figure(values, seed=1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300e6, "all resamples at once would take 1.3 GB"
