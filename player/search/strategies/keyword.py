"""Keyword search: BM25 over stemmed words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ingest.paragraph import Paragraph
from player.search.types import Hit, Query
from player.words import stems


class Keyword:
    """Paragraphs by BM25 with the hint's words.

    Args:
        paragraphs: what is searched.

    Reference:
        Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009; k1 1.5, b 0.75, Lucene's
        idf.
    """

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        import bm25s

        self._paragraphs = paragraphs
        self._by_id = np.argsort(np.argsort([paragraph.paragraph_id for paragraph in paragraphs]))
        self._doc_ids = np.array([paragraph.doc_id for paragraph in paragraphs])
        self._index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
        self._index.index([stems(paragraph.text) for paragraph in paragraphs], show_progress=False)

    @property
    def name(self) -> str:
        """Always "keyword"."""
        return "keyword"

    def prepare(self, query: Query) -> None:
        """Nothing: stemming a hint costs less than looking it up."""

    def search(self, query: Query, k: int, doc_id: str = "") -> Sequence[Hit]:
        """At most k hits that share a word with the hint, best first; only paragraphs of `doc_id` if one is given."""
        words = stems(query.hint)
        if not words:
            return []
        scores = np.asarray(self._index.get_scores(words), dtype=np.float64)
        found = scores > 0
        if doc_id:
            found &= self._doc_ids == doc_id
        rows = np.flatnonzero(found)
        order = rows[np.lexsort((self._by_id[rows], -scores[rows]))][:k]
        return [
            Hit(
                paragraph=self._paragraphs[row],
                score=float(scores[row]),
                relevance=float(scores[row] / (scores[row] + len(words))),
                rank=rank,
                strategy=self.name,
            )
            for rank, row in enumerate(order, 1)
        ]
