"""Dense search: the contract, and cosines worked by hand in the plane."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.special import logit

from player.search.calibration import DenseCalibration, embedder_calibration
from player.search.results import Query
from player.search.strategies import dense as module
from player.search.strategies.dense import Dense
from player.search.strategies.strategy import Strategy
from quarry.arrays import Float32Array, IntArray
from quarry.course.paragraph import Paragraph
from tests.contracts.paragraphs import paragraph
from tests.contracts.strategy import StrategyContract
from tests.player.fakes import FixedEmbedder, WordsEmbedder, dense_of, dense_over


class TestDenseKeepsTheContract(StrategyContract):
    def make(self, paragraphs: Sequence[Paragraph]) -> Strategy:
        return dense_of(paragraphs, WordsEmbedder())


EAST = [1.0, 0.0]
NORTH = [0.0, 1.0]
WEST = [-1.0, 0.0]
NORTH_EAST = [0.6, 0.8]
HINT = Query("east")
CALIBRATION = DenseCalibration(10.0, -2.0, {"paragraph": 4.0}, 0.9)


def plane(
    *vectors: list[float], calibration: DenseCalibration = CALIBRATION, **more: Any
) -> Dense:
    """Dense search over two paragraphs of each book with these vectors, for hints that look east."""
    embedder = FixedEmbedder({"east": EAST, "far east": EAST})
    rows = range(len(vectors))
    paragraphs = [paragraph(f"book{row // 2}:1:{row}") for row in rows]
    array = np.array(vectors, dtype=np.float32)
    fitted = replace(embedder_calibration(), dense=calibration)
    return dense_over(paragraphs, array, embedder, calibration=fitted, **more)


def comparing(similarities: Callable[..., Float32Array], *hubness: float) -> Any:
    """Late interaction with these similarities and the hubness of each paragraph."""
    late = Mock(similarities=similarities)
    late.hubs.of.return_value = np.array(hubness, dtype=np.float32)
    return late


def test_the_score_is_the_cosine_of_hint_and_paragraph() -> None:
    arrays = plane(EAST, NORTH_EAST, WEST).score(HINT)
    cosines = np.array([1.0, 0.6, -1.0])
    assert arrays.scores == pytest.approx(cosines)
    assert arrays.log_odds == pytest.approx(10.0 * cosines)
    assert arrays.relevance_log_odds == pytest.approx(4.0 * cosines - 2.0)


def test_the_rule_lowers_a_paragraph_in_the_mode_rule_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    dense = plane(EAST, NORTH_EAST)
    monkeypatch.setattr(dense.rule, "log_odds", lambda _: np.array([-2.0, 0.0]))
    # 2 in log-odds at the weight 2.5 and 10 per unit of similarity
    ruled = dense.score(replace(HINT, keywords="rule")).scores
    assert ruled == pytest.approx([0.5, 0.6])
    for mode in (None, "off", "fused", "fallback"):
        scores = dense.score(Query("east", keywords=mode)).scores
        assert scores == pytest.approx([1.0, 0.6])


def test_one_word_is_left_to_keywords() -> None:
    slopes = {"paragraph": 5.0}
    calibration = replace(CALIBRATION, bias=0.0, slopes=slopes)
    dense = plane(EAST, calibration=calibration)
    for query, is_relevant in {
        Query("east", keywords="off"): True,
        Query("east", keywords="rule"): True,
        Query("east", keywords="fallback"): False,
        Query("far east", keywords="fallback"): True,
    }.items():
        (relevance,) = dense.score(query).relevance_log_odds
        assert (relevance >= logit(0.7)) == is_relevant


def test_relevance_takes_off_the_mean_similarity_of_paragraphs_spread_over_the_course(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "N_USUAL", 2)
    similarities = np.array([0.2, 0.9, 0.6], dtype=np.float32)
    late = comparing(lambda _, rows=slice(None): similarities[rows], 0.0, 0.0, 0.0)
    slopes = {"tokens": 10.0, "usual": -5.0}
    calibration = replace(CALIBRATION, late_weights={"tokens": 5.0}, slopes=slopes)
    dense = plane(EAST, EAST, EAST, calibration=calibration, late_interaction=late)
    # the first and the last have a mean of 0.4
    expected = 10.0 * similarities - 5.0 * 0.4 + CALIBRATION.bias
    assert dense.score(HINT).relevance_log_odds == pytest.approx(expected)


def test_in_a_large_course_those_that_seem_best_are_compared_closely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "MIN_CLOSELY", 1)
    monkeypatch.setattr(module, "N_OF_DOCUMENT", 1)
    compared: list[int] = []

    def similarities(hint: str, rows: IntArray) -> Float32Array:
        """A tenth of each row."""
        compared.extend(rows.tolist())
        return (rows / 10.0).astype(np.float32)

    slopes = {"paragraph": 4.0, "tokens": 10.0}
    calibration = replace(
        CALIBRATION, late_weights={"tokens": 5.0, "hubness": -1.0}, slopes=slopes
    )
    dense = plane(
        *(NORTH_EAST, EAST, WEST, NORTH),
        calibration=calibration,
        late_interaction=comparing(similarities, 0.0, 0.0, 0.0, 1.0),
    )
    arrays = dense.score(HINT, "book1")
    # the best of the course, and the best of the document that is asked for
    assert compared == [1, 3]
    # log-odds of 10 a unit, 5 a unit of tokens and -1 of hubness; the worst of the compared ones stands for the others
    assert arrays.scores == pytest.approx([6.5, 10.5, -9.5, 0.5])
    # -2, 4 a unit and 10 a unit of tokens
    assert arrays.relevance_log_odds == pytest.approx([1.4, 3.0, -5.0, 1.0])
