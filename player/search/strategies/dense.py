"""Dense search: cosine similarity of hint, paragraph and sentences, by an exact scan in memory."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from ingest.embed import Embedder, FloatArray
from ingest.paragraph import Paragraph
from player.search.strategies.query_vectors import QUERY_VECTORS, QueryVectors
from player.search.strategies.ranking import Ranking, Scores, probabilities
from player.search.threshold import DEFAULT_EMBEDDER, DenseCalibration, calibration_of
from player.search.types import Hit, Query


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentence vectors of a course, and what they weigh next to the paragraph's own.

    Attributes:
        vectors: (n_sentences, dim) unit vectors.
        rows: (n_sentences,) row of the paragraph of each, ascending; every paragraph has at least one.
        best: 0..1, weight of the most similar sentence.
        mean: 0..1, weight of the mean over all sentences.
    """

    vectors: FloatArray
    rows: NDArray[np.int64]
    best: float
    mean: float


class Dense:
    """Paragraphs by similarity with the hint.

    The similarity is the paragraph's cosine, or a weighted mean of it, its best sentence's and its sentences' mean. In
    the mode "rule" it is lowered by what the game's rule says against a paragraph, in the same log-odds.

    Args:
        paragraphs: what is searched.
        vectors: (n_paragraphs, dim) unit vectors.
        embedder: the one that made the vectors.
        sentences: None to compare paragraphs as a whole.
        evidence: hint -> (n_paragraphs,) log-odds, of the game's rule; None knows no rule.
        calibration: of the embedder.
    """

    def __init__(
        self,
        paragraphs: Sequence[Paragraph],
        vectors: FloatArray,
        embedder: Embedder,
        sentences: Sentences | None = None,
        evidence: Callable[[str], FloatArray] | None = None,
        calibration: DenseCalibration | None = None,
    ) -> None:
        self._ranking = Ranking(paragraphs)
        self._vectors = vectors
        self._query_vectors = QueryVectors(embedder)
        self._sentences = sentences
        if sentences is not None and len(paragraphs):
            self._starts = np.searchsorted(sentences.rows, np.arange(len(paragraphs)))
            self._n_sentences = np.bincount(sentences.rows, minlength=len(paragraphs)).astype(np.float32)
        self._evidence = evidence
        self._calibration = calibration or calibration_of(DEFAULT_EMBEDDER).dense
        self._scored: LRUCache[tuple[str, str], tuple[FloatArray, Scores]] = LRUCache(QUERY_VECTORS)
        self._lock = threading.Lock()

    @property
    def name(self) -> str:
        """Always "dense"."""
        return "dense"

    @property
    def waits(self) -> bool:
        """Always False: all is in memory."""
        return False

    def prepare(self, query: Query) -> None:
        """Embed the hint, unless it was embedded lately."""
        self._query_vectors.of(query.hint)

    def cosines(self, hint: str) -> FloatArray:
        """(n_paragraphs,) cosine of each paragraph with the hint, -1..1."""
        return _cosines(self._vectors, self._query_vectors.of(hint))

    def similarities(self, hint: str) -> FloatArray:
        """(n_paragraphs,) weighted mean of the cosines of paragraph, best sentence and all sentences, -1..1."""
        return self._with_sentences(self.cosines(hint), self._query_vectors.of(hint))

    def evidence(self, hint: str) -> FloatArray:
        """(n_paragraphs,) log-odds of the game's rule against each paragraph; 0 where no rule is known."""
        return self._evidence(hint) if self._evidence is not None else np.zeros(len(self._vectors), dtype=np.float32)

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        """At most k hits, most similar first; only paragraphs of `doc_id` if one is given."""
        if not len(self._vectors):
            return []
        scores, relevance = self._scores(query)
        return self._ranking.hits(scores, relevance, self._ranking.rows(doc_id), k, self.name)

    def _scores(self, query: Query) -> tuple[FloatArray, Scores]:
        """(n_paragraphs,) scores and relevance; kept, since one search asks for several documents."""
        said = (query.said or query.hint) if query.keywords == "rule" and self._evidence is not None else ""
        with self._lock:
            if (query.hint, said) in self._scored:
                return self._scored[query.hint, said]
        cosines = self.cosines(query.hint)
        scores: FloatArray = self._with_sentences(cosines, self._query_vectors.of(query.hint))
        if said:
            scores = scores + self.evidence(said) / np.float32(self._calibration.nats)
        behind = self._calibration.nats * (scores - scores.max())
        answerable = self._calibration.answerable(cosines)
        relevance = probabilities(answerable + behind)
        with self._lock:
            self._scored[query.hint, said] = scores, relevance
        return scores, relevance

    def _with_sentences(self, cosines: FloatArray, vector: FloatArray) -> FloatArray:
        sentences = self._sentences
        if sentences is None:
            return cosines
        each = _cosines(sentences.vectors, vector)
        best = np.maximum.reduceat(each, self._starts)
        mean = np.add.reduceat(each, self._starts) / self._n_sentences
        own = 1.0 - sentences.best - sentences.mean
        return (own * cosines + sentences.best * best + sentences.mean * mean).astype(np.float32)


def _cosines(vectors: FloatArray, vector: FloatArray) -> FloatArray:
    # a product of matrix and vector sums a row differently by its place, so that equal vectors would not tie; this sums
    # all rows alike
    cosines: FloatArray = np.vecdot(vectors, vector)
    return cosines
