"""Dense search of a large course: the store's own index finds the nearest, and only these are looked at closely.

Where models compare word by word, they choose these in place of the index: it finds what is nearest as a whole, and of
100,000 paragraphs too many are that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from quarry.ingest.arrays import AnyFloatArray, Float32Array, IntArray
from quarry.ingest.embedders import Embedder
from quarry.ingest.store import Course
from quarry.player.search.calibration import DenseCalibration
from quarry.player.search.core import combine
from quarry.player.search.strategies.dense import Dense, PartScorer, dense_weights
from quarry.player.search.types import Marks, Query

N_NEAREST = 300
"""Paragraphs whose sentences are looked at."""


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
        store: Course,
        embedder: Embedder,
        best: float,
        mean: float,
        evidence: Callable[[str], Float32Array],
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
        ruled = query.keywords == "rule"
        evidence = self.evidence(query.said or query.hint) if ruled else None
        if self._more:
            rows, parts = self._by_words(query.hint, wanted, evidence, doc_ids)
        else:
            rows, parts = self._by_index(query.hint, wanted, evidence, doc_ids)
        if self._best or self._mean:
            parts |= self._of_sentences(rows, self._embedder.vector(query.hint))
        weights = dense_weights(self._calibration.nats, self._best, self._mean, float(ruled)) | self._calibration.parts
        return self._marks(parts, weights, rows)

    def _by_index(
        self, hint: str, wanted: int, evidence: AnyFloatArray | None, doc_ids: Sequence[str]
    ) -> tuple[IntArray, dict[str, AnyFloatArray]]:
        """The rows nearest in the course and in each of the documents, and their scores but for the sentences'."""
        vector = self._embedder.vector(hint)
        course = self._store.nearest(vector, wanted)
        if not course:
            raise RuntimeError("the store's index finds nothing at all; it was changed or is damaged")
        # all together: relevance is in view of the best of the whole course
        nearest = dict((*course, *(pair for doc_id in doc_ids for pair in self._store.nearest(vector, wanted, doc_id))))
        rows = np.array([self._rows[paragraph_id] for paragraph_id in nearest])
        parts: dict[str, AnyFloatArray] = {"paragraph": np.array(list(nearest.values()), dtype=np.float32)}
        if evidence is not None:
            parts["rule"] = evidence[rows]
        return rows, parts

    def _by_words(
        self, hint: str, wanted: int, evidence: AnyFloatArray | None, doc_ids: Sequence[str]
    ) -> tuple[IntArray, dict[str, AnyFloatArray]]:
        """The rows that are best word by word, of those that are best at a glance; as `_by_index` gives them."""
        rows, scores = self._glance(hint, evidence, doc_ids)
        parts: dict[str, AnyFloatArray] = {"paragraph": scores[f"near.{self._embedder.spec}"][rows]}
        if evidence is not None:
            parts["rule"] = evidence[rows]
        for scorer in self._more:
            parts |= scorer.parts(hint, rows)
        # the sentences are not looked up yet: a paragraph's own cosine stands for theirs
        weights = {"paragraph": self._calibration.nats, "rule": 1.0} | self._calibration.parts
        log_odds = combine({name: of_rows[None, :] for name, of_rows in parts.items()}, weights)[0]
        best = self._best_places(log_odds, rows, doc_ids, wanted, wanted)
        return rows[best], {name: of_rows[best] for name, of_rows in parts.items()}

    def _of_sentences(self, rows: IntArray, vector: Float32Array) -> dict[str, AnyFloatArray]:
        ids = [self._paragraphs[row].paragraph_id for row in rows.tolist()]
        vectors, places = self._store.sentences_of(ids)
        each = vectors @ vector
        best = np.full(len(ids), -1.0, dtype=np.float32)
        np.maximum.at(best, places, each)
        counts = np.bincount(places, minlength=len(ids))
        mean = np.bincount(places, weights=each, minlength=len(ids)) / np.maximum(counts, 1)
        return {"sentence": best, "mean": mean.astype(np.float32)}
