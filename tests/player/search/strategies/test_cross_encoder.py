"""Rerankers: a small one by hand, and a cross-encoder made on the spot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from ingest.arrays import AnyFloatArray
from ingest.paragraph import Paragraph
from ingest.store import Course
from player.search.calibration import calibration_of
from player.search.orchestrator import SearchOrchestrator
from player.search.strategies.cross_encoder import CrossEncoder
from player.search.strategies.strategy import Parts, Reranker
from player.search.types import Query, SearchResult
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import ListStrategy, index_of, search_settings


class Shortest(Reranker):
    """Prefers short texts, and remembers which it compared."""

    name = "shortest"
    n_candidates = 2

    def __init__(self) -> None:
        super().__init__(())
        self.compared: list[list[str]] = []

    def compare(self, query: Query, paragraphs: Sequence[Paragraph]) -> AnyFloatArray:
        self.compared.append([item.paragraph_id for item in paragraphs])
        return np.array([-float(len(item.paragraph_id)) for item in paragraphs])


def searched(shortest: Shortest, names: tuple[str, ...]) -> SearchResult:
    """Search with two strategies and a reranker, in the order of their names."""
    first = ListStrategy("first", {"rest:1:1": 0.6, "sure:1:1": 0.7, "rest:1:2": 0.5})
    index = index_of((first, ListStrategy("last", {"rest:1:2": 0.9})), ())
    shortest._paragraphs = index.paragraphs
    index = replace(index, strategies={**index.strategies, "shortest": shortest})
    settings = search_settings(strategies=names, fusion="rrf", book_match="off")
    return SearchOrchestrator(index, settings).search(Query("hint"))


def test_a_reranker_sees_the_best_of_the_strategies_before_it() -> None:
    shortest = Shortest()
    result = searched(shortest, ("first", "shortest", "last"))
    assert shortest.compared == [["sure:1:1", "rest:1:1"]]
    assert result.failures == ()
    reasons = {hit.paragraph.paragraph_id: hit.why for hit in result.hits}
    assert "by shortest" in reasons["sure:1:1"]
    assert "by shortest" not in reasons["rest:1:2"]


def test_a_reranker_that_comes_first_finds_nothing() -> None:
    shortest = Shortest()
    result = searched(shortest, ("shortest", "first"))
    assert shortest.compared == [[]]
    assert result.hits[0].paragraph.paragraph_id == "sure:1:1"


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cross-encoder of one layer, with random weights."""
    transformers = pytest.importorskip("transformers")
    folder = tmp_path_factory.mktemp("cross-encoder")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "quick", "heap", "tree"]
    (folder / "vocab.txt").write_text("\n".join(words), encoding="utf-8")

    config = transformers.BertConfig(
        vocab_size=len(words),
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        num_labels=1,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(folder)
    transformers.BertTokenizerFast(str(folder / "vocab.txt")).save_pretrained(folder)
    return folder


@pytest.mark.slow
def test_a_cross_encoder_reranks_by_its_logits(model: Path) -> None:
    from sentence_transformers import CrossEncoder as Model
    from torch.nn import Identity

    texts = ["a heap", "quick tree quick tree", "heap heap tree"]
    paragraphs = [paragraph(f"a:1:{row}", text) for row, text in enumerate(texts, 1)]
    store = cast(Course, SimpleNamespace(paragraphs=paragraphs))
    parts = Parts(search_settings(cross_encoder=str(model)), calibration_of())
    strategy = CrossEncoder.from_course(store, parts)
    strategy.load()
    scores = strategy.rerank(Query("quick heap"), np.array([2, 0]))
    pairs = [("quick heap", texts[row]) for row in (2, 0)]
    expected = Model(str(model)).predict(pairs, activation_fn=Identity())
    np.testing.assert_allclose(scores.log_odds[[2, 0]], expected, atol=1e-5)
    assert scores.log_odds[1] == -np.inf
