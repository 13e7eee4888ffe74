"""Dense search of a large course: the store's own index finds the nearest, and only these are looked at closely."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ingest.embedders import Embedder, FloatArray
from ingest.store import ParagraphStore
from player.search.core import Floats
from player.search.strategies.dense import Dense, PartScorer, dense_weights
from player.search.threshold import DenseCalibration
from player.search.types import Marks, Query

N_NEAREST = 300
"""Paragraphs whose sentences and words are looked at."""


class IndexedDense(Dense):
    """As `Dense`, over the nearest few hundred paragraphs in place of all.

    Args:
        store: asked for the nearest paragraphs and for their sentences.
        embedder: of the store.
        best: 0..1, weight of the most similar sentence; as in `Sentences`.
        mean: 0..1, weight of the mean over all sentences.
        evidence: hint -> (n_paragraphs,) log-odds of the game's rule, in the order of `store.paragraphs`.
        calibration: of the embedder.
        more: further scores.
    """

    def __init__(
        self,
        store: ParagraphStore,
        embedder: Embedder,
        best: float,
        mean: float,
        evidence: Callable[[str], FloatArray],
        calibration: DenseCalibration,
        more: Sequence[PartScorer] = (),
    ) -> None:
        nothing = np.empty((0, 0), dtype=np.float32)
        super().__init__(store.paragraphs, nothing, embedder, None, evidence, calibration, more)
        self._store = store
        self._best, self._mean = best, mean
        self._rows = {paragraph.paragraph_id: row for row, paragraph in enumerate(store.paragraphs)}

    def score(self, query: Query, k: int, doc_ids: Sequence[str] = ()) -> Marks:
        """What it makes of the paragraphs nearest in the course and in each of the documents.

        Raises:
            RuntimeError: the index finds nothing in a course that holds something.
        """
        wanted = max(k, N_NEAREST)
        vector = self._embedder.vector(query.hint)
        course = self._store.nearest(vector, wanted)
        if not course:
            raise RuntimeError("the store's index finds nothing at all; it was changed or is damaged")
        # all together: relevance is in view of the best of the whole course
        nearest = dict((*course, *(pair for doc_id in doc_ids for pair in self._store.nearest(vector, wanted, doc_id))))
        rows = np.array([self._rows[paragraph_id] for paragraph_id in nearest])
        parts: dict[str, Floats] = {"paragraph": np.array(list(nearest.values()), dtype=np.float32)}
        if self._best or self._mean:
            parts |= self._of_sentences(list(nearest), vector)
        ruled = query.keywords == "rule"
        if ruled:
            parts["rule"] = self.evidence(query.said or query.hint)[rows]
        for scorer in self._more:
            parts |= scorer.parts(query.hint, rows)
        weights = dense_weights(self._calibration.nats, self._best, self._mean, float(ruled)) | self._calibration.parts
        return self._marks(parts, weights, rows)

    def _of_sentences(self, ids: Sequence[str], vector: FloatArray) -> dict[str, Floats]:
        vectors, places = self._store.sentences_of(ids)
        each = vectors @ vector
        best = np.full(len(ids), -1.0, dtype=np.float32)
        np.maximum.at(best, places, each)
        counts = np.bincount(places, minlength=len(ids))
        mean = np.bincount(places, weights=each, minlength=len(ids)) / np.maximum(counts, 1)
        return {"sentence": best, "mean": mean.astype(np.float32)}
