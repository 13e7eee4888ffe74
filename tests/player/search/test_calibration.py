"""The calibrated scale, and the numbers in force."""

from __future__ import annotations

import json

import numpy as np
import pytest

from quarry.player.search.calibration import (
    CALIBRATION,
    DEFAULT_EMBEDDER,
    DenseCalibration,
    as_tree,
    calibration_of,
)
from quarry.player.search.references import FEATURES


def test_what_is_answerable_goes_by_the_best_and_by_the_mean_of_the_best_five() -> None:
    calibration = DenseCalibration(nats=30.0, bias=-4.0, best=2.0, top=10.0)
    similarities = np.array([0.1, 0.9, 0.5, 0.4, 0.3, 0.4, 0.2], dtype=np.float32)
    assert calibration.answerable(similarities) == pytest.approx(-4.0 + 2.0 * 0.9 + 10.0 * 0.5)


def test_of_fewer_than_five_paragraphs_all_count() -> None:
    calibration = DenseCalibration(nats=30.0, bias=0.0, best=0.0, top=1.0)
    assert calibration.answerable(np.array([0.2, 0.4], dtype=np.float32)) == pytest.approx(0.3)


@pytest.mark.parametrize("spec", json.loads(CALIBRATION.read_text(encoding="utf-8")))
def test_the_numbers_of_every_embedder_point_the_right_way(spec: str) -> None:
    calibration = calibration_of(spec)
    assert calibration.dense.nats > 0.0
    assert calibration.dense.best + calibration.dense.top > 0.0
    assert calibration.keyword.share > 0.0
    assert calibration.keyword.nats > 0.0
    assert calibration.fused.dense > 0.0
    assert calibration.fused.keyword > 0.0
    assert calibration.named > 0.0 > calibration.unnamed
    assert len(calibration.references.weights) == len(FEATURES)
    for specs in calibration.words:
        reading = calibration.word_by_word(specs.split("+"))
        assert reading.dense.nats > 0.0
        assert {f"near.{name}" for name in specs.split("+")} <= reading.dense.glance.keys()
        assert reading.fused.dense > 0.0
        assert all(reading.dense.parts[f"words.{name}"] > 0.0 for name in specs.split("+"))
        assert reading.references == calibration.references


def test_where_no_numbers_are_fitted_for_the_models_the_others_stay() -> None:
    calibration = calibration_of(DEFAULT_EMBEDDER)
    assert calibration.word_by_word([]) == calibration.word_by_word(["mpnet"]) == calibration
    assert calibration.word_by_word([DEFAULT_EMBEDDER]).dense != calibration.dense


def test_an_embedder_without_numbers_takes_the_default_ones() -> None:
    assert calibration_of("/somewhere/my-own-model") == calibration_of(DEFAULT_EMBEDDER)


def test_the_file_holds_what_is_read() -> None:
    tree = as_tree(calibration_of(DEFAULT_EMBEDDER))
    assert list(tree) == ["dense", "keyword", "fused", "references", "named", "unnamed", "words"]
    assert tree["dense"]["nats"] == calibration_of(DEFAULT_EMBEDDER).dense.nats
