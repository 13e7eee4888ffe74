"""Dense search: the contract, and cosines worked by hand in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from configs.settings import KeywordMode
from ingest.arrays import Float32Array, IntArray
from ingest.paragraph import Paragraph
from player.search.cache import CachingEmbedder
from player.search.calibration import DenseCalibration
from player.search.core import log_odds_of
from player.search.strategies import dense as module
from player.search.strategies.dense import Dense, Sentences, cosines_of
from player.search.strategies.strategy import Strategy
from player.search.types import Query
from tests.contracts.paragraphs import paragraph
from tests.contracts.strategy import StrategyContract
from tests.player.fakes import FixedEmbedder, WordsEmbedder, dense_of


class TestDenseKeepsTheContract(StrategyContract):
    def make(self, paragraphs: Sequence[Paragraph]) -> Strategy:
        return dense_of(paragraphs, WordsEmbedder())


EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
NORTH_EAST = [0.6, 0.8]
CALIBRATION = DenseCalibration(10.0, -2.0, {"paragraph": 4.0}, 0.9)


def plane(*vectors: list[float], **more: Any) -> Dense:
    """Dense search over paragraphs of one lecture with these vectors, for hints that look east."""
    embedder = FixedEmbedder({"east": EAST, "far east": EAST})
    paragraphs = [paragraph(f"a:1:{row}") for row in range(len(vectors))]
    more = {"calibration": CALIBRATION} | more
    array = np.array(vectors, dtype=np.float32)
    return Dense(paragraphs, array, CachingEmbedder(embedder), **more)


def test_the_score_is_the_cosine_of_hint_and_paragraph() -> None:
    arrays = plane(EAST, NORTH_EAST, WEST).score(Query("east"))
    assert arrays.scores == pytest.approx([1.0, 0.6, -1.0])
    assert arrays.log_odds == pytest.approx([10.0, 6.0, -10.0])
    assert arrays.relevance == pytest.approx([2.0, 0.4, -6.0])


def test_sentences_count_with_their_weights() -> None:
    # the first paragraph itself looks north; of its sentences one looks east and one west
    vectors = np.array([EAST, WEST, NORTH], dtype=np.float32)
    sentences = Sentences(vectors, np.array([0, 2]), best=0.5, mean=0.25)
    dense = plane(NORTH, NORTH_EAST, sentences=sentences)
    # 0.25 * 0 + 0.5 * 1 + 0.25 * 0, and 0.25 * 0.6 + 0.5 * 0 + 0.25 * 0
    assert dense.score(Query("east")).scores == pytest.approx([0.5, 0.15])
    parts = dense.parts("east", {"sentence": 1.0})
    assert dense.similarity_of(parts) == pytest.approx([0.5, 0.15])


@pytest.mark.parametrize("keywords", ["rule", "off", "fused", "fallback"])
def test_the_rule_lowers_a_paragraph_in_the_mode_rule_alone(
    keywords: KeywordMode,
) -> None:
    def evidence(hint: str) -> Float32Array:
        return np.array([-5.0, 0.0, 0.0], dtype=np.float32)

    dense = plane(EAST, NORTH_EAST, WEST, evidence=evidence)
    scores = dense.score(Query("east", keywords=keywords)).scores
    # 5 nats at 10 nats per unit of similarity
    expected = [0.5 if keywords == "rule" else 1.0, 0.6, -1.0]
    assert scores == pytest.approx(expected)


@pytest.mark.parametrize(
    ("hint", "mode", "is_relevant"),
    [
        ("east", "off", True),
        ("east", "rule", True),
        ("east", "fallback", False),
        ("far east", "fallback", True),
    ],
)
def test_one_word_is_left_to_keywords(
    hint: str, mode: KeywordMode, is_relevant: bool
) -> None:
    calibration = replace(CALIBRATION, bias=0.0, relevance={"paragraph": 5.0})
    dense = plane(EAST, calibration=calibration)
    relevance = dense.score(Query(hint, keywords=mode)).relevance
    assert (relevance[0] >= log_odds_of(0.7)) == is_relevant


@pytest.mark.parametrize("n_paragraphs", [3, 37, 1037])
def test_equal_vectors_tie_wherever_they_stand_and_cosines_are_those_of_a_plain_product(
    n_paragraphs: int,
) -> None:
    generator = np.random.default_rng(n_paragraphs)
    for _ in range(5):
        vector, hint = generator.normal(size=(2, 384)).astype(np.float32)
        cosines = cosines_of(np.tile(vector, (n_paragraphs, 1)), hint)
        assert len(set(cosines.tolist())) == 1
        expected = np.dot(vector.astype(np.float64), hint.astype(np.float64))
        assert cosines[0] == pytest.approx(expected, 1e-4)


class Lengths:
    """A further score: the rows for which it was asked, and a tenth of each; the first seem best."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []

    def prepare(self, hint: str) -> None:
        """Nothing."""

    def parts(self, hint: str, rows: IntArray | None = None) -> dict[str, Float32Array]:
        assert rows is not None
        self.asked.append(rows.tolist())
        return {"tenths": rows.astype(np.float32) / 10.0}

    def estimates(
        self, hint: str, sentence: Float32Array | None
    ) -> dict[str, Float32Array]:
        return {"tenths": -10.0 * np.arange(4, dtype=np.float32)}


def test_in_a_large_course_those_that_seem_best_are_compared_closely(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(module, "N_CLOSELY", 1)
    monkeypatch.setattr(module, "N_OF_DOCUMENT", 1)
    paragraphs = [paragraph(f"{name}:1:{row}") for name in "ab" for row in range(2)]
    vectors = np.array([NORTH_EAST, EAST, WEST, NORTH], dtype=np.float32)
    scorer = Lengths()
    dense = Dense(
        paragraphs,
        vectors,
        CachingEmbedder(FixedEmbedder({"east": EAST})),
        calibration=replace(CALIBRATION, parts={"tenths": 5.0}),
        more=[scorer],  # type: ignore[list-item]
    )

    marks = dense.score(Query("east"), "b")
    # the best of the course, and the best of the document that is asked for
    assert scorer.asked == [[0, 2]]
    # 10 nats a unit and 5 a tenth; what was not looked at counts as the worst of what was
    assert marks.scores == pytest.approx(
        [6.0 + 0.0, 10.0 + 0.0, -10.0 + 1.0, 0.0 + 0.0]
    )
