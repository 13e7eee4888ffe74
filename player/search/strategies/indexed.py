"""Dense search of a large course: the store's own index finds the nearest, and only these are looked at closely."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingest.embed import Embedder, FloatArray
from ingest.paragraph import Paragraph
from ingest.store import ParagraphStore
from player.search.strategies.query_vectors import QueryVectors
from player.search.strategies.ranking import Ranking, probabilities
from player.search.threshold import DenseCalibration
from player.search.types import Hit, Query

N_NEAREST = 300
"""Paragraphs whose sentences and words are looked at."""


class IndexedDense:
    """As `Dense`, over the nearest few hundred paragraphs in place of all.

    Args:
        store: asked for the nearest paragraphs and for their sentences.
        embedder: of the store.
        best: 0..1, weight of the most similar sentence; as in `Sentences`.
        mean: 0..1, weight of the mean over all sentences.
        evidence: hint -> (n_paragraphs,) log-odds of the game's rule, in the order of `store.paragraphs`.
        calibration: of the embedder.
        waits: whether the store is a server.
    """

    def __init__(
        self,
        store: ParagraphStore,
        embedder: Embedder,
        best: float,
        mean: float,
        evidence: Callable[[str], FloatArray],
        calibration: DenseCalibration,
        *,
        waits: bool = False,
    ) -> None:
        self._store = store
        self._query_vectors = QueryVectors(embedder)
        self._best, self._mean = best, mean
        self._evidence = evidence
        self._calibration = calibration
        self._waits = waits
        self._rows = {paragraph.paragraph_id: row for row, paragraph in enumerate(store.paragraphs)}

    @property
    def name(self) -> str:
        """Always "dense"."""
        return "dense"

    @property
    def waits(self) -> bool:
        """Whether the store is a server."""
        return self._waits

    def prepare(self, query: Query) -> None:
        """Embed the hint, unless it was embedded lately."""
        self._query_vectors.of(query.hint)

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        """At most k hits, most similar first; only paragraphs of `doc_id` if one is given."""
        wanted = max(k, N_NEAREST)
        course = self._store.nearest(self._query_vectors.of(query.hint), wanted)
        if not course:
            return []
        found = self._store.nearest(self._query_vectors.of(query.hint), wanted, doc_id) if doc_id else course
        # both together: relevance is in view of the best of the whole course
        nearest = dict((*course, *found))
        ids = list(nearest)
        cosines = np.array([nearest[paragraph_id] for paragraph_id in ids], dtype=np.float32)
        scores = self._with_sentences(ids, cosines, query.hint)
        if query.keywords == "rule":
            evidence = self._evidence(query.said or query.hint)
            scores = scores + evidence[[self._rows[paragraph_id] for paragraph_id in ids]] / self._calibration.nats
        answerable = self._calibration.answerable(np.array([cosine for _, cosine in course], dtype=np.float32))
        relevance = probabilities(answerable + self._calibration.nats * (scores - scores.max()))
        ranking = Ranking([self._paragraph(paragraph_id) for paragraph_id in ids])
        return ranking.hits(scores, relevance, ranking.rows(doc_id), k, self.name)

    def _with_sentences(self, ids: Sequence[str], cosines: FloatArray, hint: str) -> FloatArray:
        if not self._best and not self._mean:
            return cosines
        vectors, places = self._store.sentences_of(ids)
        each = vectors @ self._query_vectors.of(hint)
        best = np.full(len(ids), -1.0, dtype=np.float32)
        np.maximum.at(best, places, each)
        counts = np.bincount(places, minlength=len(ids))
        mean = np.bincount(places, weights=each, minlength=len(ids)) / np.maximum(counts, 1)
        own = 1.0 - self._best - self._mean
        mixed: FloatArray = (own * cosines + self._best * best + self._mean * mean).astype(np.float32)
        return mixed

    def _paragraph(self, paragraph_id: str) -> Paragraph:
        return self._store.paragraphs[self._rows[paragraph_id]]
