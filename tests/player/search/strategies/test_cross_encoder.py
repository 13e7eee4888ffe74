"""Rerankers: a small one by hand, and a cross-encoder made on the spot."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from player.search.engine import SearchOrchestrator
from player.search.results import Query, SearchResult
from player.search.strategies.cross_encoder import CrossEncoder
from player.search.strategies.strategy import Reranker
from quarry.arrays import AnyFloatArray
from quarry.course.paragraph import Paragraph
from tests.contracts.paragraphs import paragraph
from tests.fakes import each
from tests.player.fakes import (
    ListStrategy,
    course_with,
    ids_of,
    index_of,
    search_settings,
    strategy_inputs,
)


class Comparing(Reranker):
    """Remembers which paragraphs it compared."""

    n_compared = 2

    def compare(self, query: Query, paragraphs: Sequence[Paragraph]) -> AnyFloatArray:
        self.compared = each(paragraphs, "paragraph_id")
        return np.zeros(len(paragraphs))


def searched(*names: str) -> tuple[list[str], SearchResult]:
    """Search with two strategies and a reranker, in the order of names; also return which paragraphs it compared."""
    relevance = {"rest:1:1": 0.6, "sure:1:1": 0.7, "rest:1:2": 0.5}
    first = ListStrategy("first", relevance)
    last = ListStrategy("last", {"rest:1:2": 0.9})
    index = index_of((first, last), ())
    reranker = Comparing(index.paragraphs)
    strategies = {**index.strategies, "comparing": reranker}
    index = replace(index, strategies=strategies)
    settings = search_settings(strategies=names, fusion="rrf", book_match="off")
    result = SearchOrchestrator(index, settings).search(Query("hint"))
    return reranker.compared, result


def test_a_reranker_sees_the_best_of_the_strategies_before_it() -> None:
    compared, result = searched("first", "comparing", "last")
    assert compared == ["sure:1:1", "rest:1:1"]
    assert result.failures == ()
    for hit in result.hits:
        is_compared = hit.paragraph.paragraph_id in compared
        assert ("by comparing" in hit.why) == is_compared


def test_a_reranker_that_comes_first_finds_nothing() -> None:
    compared, result = searched("comparing", "first")
    assert compared == []
    assert ids_of(result.hits)[0] == "sure:1:1"


def test_a_cross_encoder_reranks_by_its_logits(tmp_path: Path) -> None:
    transformers = pytest.importorskip("transformers")
    from sentence_transformers import CrossEncoder as Model
    from torch.nn import Identity

    # a model of one layer, with random weights
    words = "[PAD] [UNK] [CLS] [SEP] [MASK] quick heap tree"
    vocabulary = tmp_path / "vocab.txt"
    vocabulary.write_text(words.replace(" ", "\n"), encoding="utf-8")
    config = transformers.BertConfig(
        vocab_size=8,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=8,
        num_labels=1,
    )
    transformers.BertForSequenceClassification(config).save_pretrained(tmp_path)
    transformers.BertTokenizerFast(str(vocabulary)).save_pretrained(tmp_path)

    texts = ["a heap", "quick tree quick tree", "heap heap tree"]
    paragraphs = [paragraph(f"a:1:{row}", text) for row, text in enumerate(texts)]
    settings = search_settings(cross_encoder=str(tmp_path))
    inputs = strategy_inputs(search=settings)
    strategy = CrossEncoder(course_with((), paragraphs), inputs)
    strategy.load()
    query = Query("quick heap")
    log_odds = strategy.rerank(query, np.array([2, 0])).log_odds
    pairs = [(query.hint, texts[0]), (query.hint, texts[2])]
    model = Model(str(tmp_path))
    expected = model.predict(pairs, activation_fn=Identity())
    np.testing.assert_allclose(log_odds[[0, 2]], expected, atol=1e-5)
    assert log_odds[1] == -np.inf
