"""Dense search: the contract, and cosines worked by hand in the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from configs.settings import KeywordMode
from ingest.arrays import Float32Array, IntArray
from ingest.paragraph import Paragraph
from player.search.calibration import DenseCalibration
from player.search.strategies import dense as module
from player.search.strategies.dense import Dense, Sentences
from player.search.strategies.strategy import Strategy
from player.search.types import Query
from tests.contracts.paragraphs import paragraph
from tests.contracts.strategy import StrategyContract
from tests.player.fakes import FixedEmbedder, WordsEmbedder, ranked


class TestDenseKeepsTheContract(StrategyContract):
    def make(self, paragraphs: Sequence[Paragraph]) -> Strategy:
        embedder = WordsEmbedder()
        return Dense(
            paragraphs,
            embedder.embed_passages([item.text for item in paragraphs]),
            embedder,
        )


EAST, NORTH, WEST = [1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]
NORTH_EAST = [0.6, 0.8]


def plane() -> tuple[Dense, FixedEmbedder]:
    embedder = FixedEmbedder({"north": NORTH, "east": EAST})
    paragraphs = [paragraph("a:1:1"), paragraph("a:1:2"), paragraph("b:1:1")]
    return Dense(
        paragraphs, np.array([EAST, NORTH_EAST, WEST], dtype=np.float32), embedder
    ), embedder


def test_the_score_is_the_cosine_of_hint_and_paragraph() -> None:
    found = ranked(plane()[0], Query("east"))
    assert [hit.paragraph.paragraph_id for hit in found] == ["a:1:1", "a:1:2", "b:1:1"]
    assert [hit.score for hit in found] == pytest.approx([1.0, 0.6, -1.0])


CALIBRATION = DenseCalibration(10.0, -2.0, {"paragraph": 4.0}, 0.9)


@pytest.mark.parametrize("n_others", [0, 2, 9])
def test_the_relevance_of_a_paragraph_is_its_own_whatever_else_the_course_holds(
    n_others: int,
) -> None:
    paragraphs = [paragraph(f"a:1:{number}") for number in range(1 + n_others)]
    vectors = np.array([NORTH_EAST, *[EAST] * n_others], dtype=np.float32)
    dense = Dense(
        paragraphs, vectors, FixedEmbedder({"east": EAST}), calibration=CALIBRATION
    )
    relevance = dense.score(Query("east")).relevance
    assert relevance is not None
    assert relevance[0] == pytest.approx(-2.0 + 4.0 * 0.6)


def test_sentences_count_with_their_weights() -> None:
    # the paragraph itself looks north; of its sentences one looks east and one west
    sentences = Sentences(
        np.array([EAST, WEST, NORTH], dtype=np.float32),
        np.array([0, 0, 1]),
        best=0.5,
        mean=0.25,
    )
    paragraphs = [paragraph("a:1:1"), paragraph("a:1:2")]
    vectors = np.array([NORTH, NORTH_EAST], dtype=np.float32)
    dense = Dense(paragraphs, vectors, FixedEmbedder({"east": EAST}), sentences)
    # 0.25 * 0 + 0.5 * 1 + 0.25 * 0, and 0.25 * 0.6 + 0.5 * 0 + 0.25 * 0
    parts = dense.parts("east", {"sentence": 1.0})
    assert dense.similarity_of(parts) == pytest.approx([0.5, 0.15])


def test_the_rule_lowers_a_paragraph_in_the_mode_rule_alone() -> None:
    def evidence(hint: str) -> Float32Array:
        return np.array([-5.0, 0.0, 0.0], dtype=np.float32)

    paragraphs = [paragraph("a:1:1"), paragraph("a:1:2"), paragraph("b:1:1")]
    vectors = np.array([EAST, NORTH_EAST, WEST], dtype=np.float32)
    dense = Dense(
        paragraphs,
        vectors,
        FixedEmbedder({"east": EAST}),
        evidence=evidence,
        calibration=CALIBRATION,
    )
    # 5 nats at 10 nats per unit of similarity
    ruled = ranked(dense, Query("east", keywords="rule"), 3)
    assert [hit.paragraph.paragraph_id for hit in ruled] == ["a:1:2", "a:1:1", "b:1:1"]
    assert [hit.score for hit in ruled] == pytest.approx([0.6, 0.5, -1.0])
    for mode in ("off", "fused", "fallback"):
        assert (
            ranked(dense, Query("east", keywords=mode), 1)[0].paragraph.paragraph_id
            == "a:1:1"
        )


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
    dense = Dense(
        [paragraph("a:1:1")],
        np.array([EAST], dtype=np.float32),
        FixedEmbedder({"east": EAST, "far east": EAST}),
        calibration=calibration,
    )
    found = ranked(dense, Query(hint, keywords=mode))
    assert [hit.relevance >= 0.7 for hit in found] == [is_relevant]


def test_a_hint_is_embedded_once_however_often_it_is_searched_for() -> None:
    dense, embedder = plane()
    dense.prepare(Query("north"))
    ranked(dense, Query("north"), 3)
    dense.score(Query("north", "a"), "a")
    assert embedder.n_queries == 1


@pytest.mark.parametrize("n_paragraphs", [3, 7, 37, 1037])
def test_equal_vectors_tie_wherever_they_stand_in_the_matrix(n_paragraphs: int) -> None:
    generator = np.random.default_rng(n_paragraphs)
    for _ in range(5):
        vector, hint = generator.normal(size=(2, 384))
        vector, hint = vector / np.linalg.norm(vector), hint / np.linalg.norm(hint)
        paragraphs = [paragraph(f"twin:{number}:1") for number in range(n_paragraphs)]
        vectors = np.tile(vector.astype(np.float32), (n_paragraphs, 1))
        dense = Dense(paragraphs, vectors, FixedEmbedder({"hint": hint.tolist()}))
        found = [
            hit.paragraph.paragraph_id
            for hit in ranked(dense, Query("hint"), n_paragraphs)
        ]
        assert found == sorted(found)


def test_the_similarities_are_those_of_a_plain_product() -> None:
    generator = np.random.default_rng(5)
    vectors = generator.normal(size=(50, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    dense = Dense(
        [paragraph(f"a:{n}:1") for n in range(50)],
        vectors,
        FixedEmbedder({"hint": vectors[17].tolist()}),
    )
    np.testing.assert_allclose(
        dense.cosines("hint"), vectors.astype(np.float64) @ vectors[17], atol=1e-6
    )
    assert ranked(dense, Query("hint"), 1)[0].paragraph.paragraph_id == "a:17:1"


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
    paragraphs = [
        paragraph(f"{document}:1:{number}") for document in "ab" for number in range(2)
    ]
    vectors = np.array([NORTH_EAST, EAST, WEST, NORTH], dtype=np.float32)
    scorer = Lengths()
    calibration = replace(CALIBRATION, parts={"tenths": 5.0})
    dense = Dense(
        paragraphs,
        vectors,
        FixedEmbedder({"east": EAST}),
        calibration=calibration,
        more=[scorer],  # type: ignore[list-item]
    )
    marks = dense.score(Query("east"), "b")
    # the best of the course, and the best of the document that is asked for
    assert scorer.asked == [[0, 2]]
    # 10 nats a unit and 5 a tenth; what was not looked at counts as the worst of what was
    assert marks.scores == pytest.approx(
        [6.0 + 0.0, 10.0 + 0.0, -10.0 + 1.0, 0.0 + 0.0]
    )
