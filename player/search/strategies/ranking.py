"""Scores of all paragraphs -> the best hits: what every strategy that scores in memory shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ingest.paragraph import Paragraph
from player.search.types import Hit

Rows = NDArray[np.intp]
Scores = NDArray[np.floating[Any]]


class Ranking:
    """Paragraphs to rank, with their order by id, which breaks ties, and their rows by document.

    Args:
        paragraphs: the course.
    """

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = paragraphs
        self._by_id = np.argsort(np.argsort([paragraph.paragraph_id for paragraph in paragraphs]))
        rows_of: dict[str, list[int]] = {}
        for row, paragraph in enumerate(paragraphs):
            rows_of.setdefault(paragraph.doc_id, []).append(row)
        self._rows_of = {doc_id: np.array(rows, dtype=np.intp) for doc_id, rows in rows_of.items()}
        self._all = np.arange(len(paragraphs), dtype=np.intp)

    def rows(self, doc_id: str = "") -> Rows:
        """Rows of a document's paragraphs, of all with ""; none of a document that is not there."""
        return self._rows_of.get(doc_id, self._all[:0]) if doc_id else self._all

    def hits(self, scores: Scores, relevance: Scores, rows: Rows, k: int, strategy: str) -> list[Hit]:
        """At most k hits among `rows`, highest score first; ties go to the smaller paragraph_id.

        Args:
            scores: (n_paragraphs,).
            relevance: (n_paragraphs,) 0..1, in the order of the scores.
            rows: which may be hits.
            k: hits wanted.
            strategy: who found them.
        """
        if 0 < k < len(rows):
            # everything that ties with the k-th stays, for the ids to decide
            kth = np.partition(scores[rows], len(rows) - k)[len(rows) - k]
            rows = rows[scores[rows] >= kth]
        order = rows[np.lexsort((self._by_id[rows], -scores[rows]))][:k]
        return [
            Hit(paragraph=self._paragraphs[row], score=score, relevance=share, rank=rank, strategy=strategy)
            for rank, (row, score, share) in enumerate(
                zip(order.tolist(), scores[order].tolist(), relevance[order].tolist(), strict=True), 1
            )
        ]


def probabilities(log_odds: Scores) -> Scores:
    """0..1 of each of the log-odds."""
    shares: Scores = 1.0 / (1.0 + np.exp(-np.clip(log_odds.astype(np.float64), -30.0, 30.0)))
    return shares
