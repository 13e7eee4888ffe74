"""Measures and intervals against numbers worked by hand, and against ir-measures called another way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from quarry.configs.settings import SettingsError
from quarry.evaluate.runs.measures import MEASURES, find_measures, interval, per_game, values_of
from tests.contracts.records import game_record

RANKINGS = {
    "first": ["p1", "p2", "p3"],
    "third": ["p1", "p2", "p3"],
    "sixth": ["p1", "p2", "p3", "p4", "p5", "p6"],
    "seventeenth": [f"p{place}" for place in range(1, 21)],
    "not found": ["p1", "p2"],
    "lost": ["p1"],
    "no hits": [],
}
BUILT_IN: dict[str, Any] = dict(MEASURES)
RELEVANT = {
    "first": "p1",
    "third": "p3",
    "sixth": "p6",
    "seventeenth": "p17",
    "not found": "p9",
    "lost": None,
    "no hits": "p1",
}


class TestPerGame:
    @pytest.mark.parametrize(
        ("name", "values"),
        [
            ("Success@1", [1, 0, 0, 0, 0, 0, 0]),
            ("Success@5", [1, 1, 0, 0, 0, 0, 0]),
            ("Success@10", [1, 1, 1, 0, 0, 0, 0]),
            ("Success@15", [1, 1, 1, 0, 0, 0, 0]),
            ("Success@20", [1, 1, 1, 1, 0, 0, 0]),
            ("RR", [1, 1 / 3, 1 / 6, 1 / 17, 0, 0, 0]),
        ],
    )
    def test_each_measure_is_what_its_definition_says(self, name: str, values: list[float]) -> None:
        assert per_game(RANKINGS, RELEVANT, BUILT_IN)[name] == pytest.approx(values)


class TestNames:
    def test_measures_are_found_by_the_names_of_ir_measures_and_by_dotted_path(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        (tmp_path / "own_measures.py").write_text(
            "def hits(record): return len(record['search']['hits'])\n", encoding="utf-8"
        )
        monkeypatch.syspath_prepend(tmp_path)
        found = find_measures(["nDCG@10", "P@2", "own_measures.hits", "Success@5"])
        values = values_of([game_record(), game_record(game_id="g2", truth=None)], found)
        assert values["nDCG@10"].tolist() == pytest.approx([1 / np.log2(3), 0.0])
        assert values["P@2"].tolist() == [0.5, 0.0]
        assert values["own_measures.hits"].tolist() == [2.0, 2.0]
        assert values["Success@5"].tolist() == [1.0, 0.0]

    @pytest.mark.parametrize("name", ["nDCG10", "nDCG@", "alpha_nDCG@10", "INSQ", "nowhere.mine", ""])
    def test_what_is_no_measure_is_refused(self, name: str) -> None:
        with pytest.raises(SettingsError, match="--measure must"):
            find_measures([name])


class TestInterval:
    def test_a_share_has_wilsons_interval(self) -> None:
        # z = 1.959964, z^2 = 3.841459: centre (0.3 + z^2 / 20) / (1 + z^2 / 10) = 0.492073 / 1.384146 = 0.355507
        # half width z sqrt(0.3 * 0.7 / 10 + z^2 / 400) / 1.384146 = 1.959964 * 0.174939 / 1.384146 = 0.247715
        values = np.array([1.0] * 3 + [0.0] * 7)
        assert interval(values, 0) == pytest.approx((0.107792, 0.603222), abs=2e-6)

    def test_a_mean_of_anything_else_has_a_bootstrap_interval_around_it(self) -> None:
        values = np.random.default_rng(1).uniform(size=60)
        low, high = interval(values, 0)
        assert low < values.mean() < high
        # 1.96 standard errors to each side, give or take the resampling
        error = values.std(ddof=1) / np.sqrt(60)
        assert (low, high) == pytest.approx((values.mean() - 1.96 * error, values.mean() + 1.96 * error), abs=0.015)
