"""Re-ranking: the contract, the order by hand, the deadline, and a real (untrained) cross-encoder."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from quarry.configs.settings import SettingsError
from quarry.ingest.arrays import Float64Array
from quarry.ingest.paragraph import Paragraph
from quarry.player.errors import LateStrategyError
from quarry.player.search.cross_encoder import CrossEncoderScorer, Pair
from quarry.player.search.strategies.dense import Dense
from quarry.player.search.strategies.reranked import BATCH, Reranked
from quarry.player.search.types import Query, Strategy
from quarry.player.words import words
from tests.contracts.paragraphs import paragraph
from tests.contracts.strategy import StrategyContract
from tests.fakes import tiny_cross_encoder
from tests.player.fakes import ListStrategy, WordsEmbedder


def shared_words(pairs: Sequence[Pair]) -> Float64Array:
    """A scorer without a model: words in common, less a little for each word of the text."""
    return np.array([len({*words(hint)} & {*words(text)}) - 0.01 * len([*words(text)]) for hint, text in pairs])


class TestRerankedKeepsTheContract(StrategyContract):
    def make(self, paragraphs: Sequence[Paragraph]) -> Strategy:
        embedder = WordsEmbedder()
        vectors = embedder.embed_passages([item.text for item in paragraphs])
        return Reranked(Dense(paragraphs, vectors, embedder), shared_words, 50)


class Said:
    """Scores by what the paragraphs' texts are, and remembers what it was asked."""

    def __init__(self, **logits: float) -> None:
        self._logits = logits
        self.asked: list[Pair] = []

    def __call__(self, pairs: Sequence[Pair]) -> Float64Array:
        self.asked += pairs
        return np.array([self._logits[text] for _, text in pairs])


class First(ListStrategy):
    """Four hits, one less relevant than the other; their texts are a, b, c and d."""

    def __init__(self) -> None:
        odds = {"x:1:1": 2.0, "x:1:2": 1.0, "y:1:1": -1.0, "y:1:2": -3.0}
        super().__init__("first", {key: 1.0 / (1.0 + math.exp(-value)) for key, value in odds.items()})
        texts = dict(zip(odds, "abcd", strict=True))
        self._hits = [
            type(hit)(paragraph(hit.paragraph.paragraph_id, texts[hit.paragraph.paragraph_id]), *rest)
            for hit in super().search(Query("hint"), 9)
            for rest in [(hit.score, hit.relevance, hit.rank, hit.strategy)]
        ]

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> list:  # type: ignore[type-arg]
        return [hit for hit in self._hits if not doc_id or hit.paragraph.doc_id == doc_id][:k]


def test_the_pool_is_ordered_by_the_model_and_the_rest_follows() -> None:
    found = Reranked(First(), Said(a=-1.0, b=4.0), 2).search(Query("hint"), 4)
    assert [hit.paragraph.text for hit in found] == ["b", "a", "c", "d"]
    # c was 2 log-odds behind the last of the pool, d 4
    assert [hit.score for hit in found] == pytest.approx([4.0, -1.0, -3.0, -5.0])
    assert [hit.relevance for hit in found] == pytest.approx([1.0 / (1.0 + math.exp(-hit.score)) for hit in found])
    assert found[0].why == "rank 1 by reranked, rank 2 by first"


def test_the_pool_is_read_whole_for_a_smaller_k() -> None:
    found = Reranked(First(), Said(a=0.0, b=1.0, c=2.0, d=3.0), 4).search(Query("hint"), 1)
    assert [hit.paragraph.text for hit in found] == ["d"]


def test_no_pair_is_scored_twice() -> None:
    scorer = Said(a=0.0, b=1.0, c=2.0, d=3.0)
    reranked = Reranked(First(), scorer, 4)
    for doc_id in ("x", "", "y"):
        reranked.search(Query("hint"), 4, doc_id)
    assert sorted(scorer.asked) == [("hint", text) for text in "abcd"]


def test_a_deadline_ends_it_between_two_batches() -> None:
    paragraphs = {f"x:{number}:1": 0.5 for number in range(1, 3 * BATCH)}
    asked: list[int] = []

    def slow(pairs: Sequence[Pair]) -> Float64Array:
        asked.append(len(pairs))
        time.sleep(0.2)
        return np.zeros(len(pairs))

    reranked = Reranked(ListStrategy("first", paragraphs), slow, 100)
    with pytest.raises(LateStrategyError, match=f"{BATCH} of {len(paragraphs)} pairs scored by search.deadline_s"):
        reranked.search(Query("hint"), 5, deadline=time.monotonic() + 0.1)
    assert asked == [BATCH]


class TestCrossEncoder:
    def test_pairs_get_one_logit_each_whatever_stands_beside_them(self, tmp_path: Path) -> None:
        scorer = CrossEncoderScorer(tiny_cross_encoder(tmp_path / "model"))
        pairs = [
            ("heap", "a heap is a tree"),
            ("heap", "locks"),
            ("graph", "a heap is a tree of keys and of more keys"),
        ]
        together = scorer(pairs)
        assert together.shape == (3,)
        assert len(set(together.tolist())) == 3
        assert together == pytest.approx([float(scorer([pair])[0]) for pair in pairs], abs=1e-5)

    def test_logits_are_not_squeezed_into_probabilities(self, tmp_path: Path) -> None:
        scorer = CrossEncoderScorer(tiny_cross_encoder(tmp_path / "model", bias=-20.0))
        assert float(scorer([("heap", "a heap is a tree")])[0]) < -10.0

    def test_a_folder_that_is_not_there_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"search\.cross_encoder must be a folder of a cross-encoder, got"):
            CrossEncoderScorer(str(tmp_path / "nowhere"))

    def test_a_folder_without_a_model_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"search\.cross_encoder must be readable, got"):
            CrossEncoderScorer(str(tmp_path))

    def test_a_classifier_of_several_classes_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(SettingsError, match=r"search\.cross_encoder must have one output, .* got 3"):
            CrossEncoderScorer(tiny_cross_encoder(tmp_path / "model", n_outputs=3))
