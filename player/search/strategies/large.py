"""Dense search of a large course: a glance at every paragraph, then the sentences of the best few hundred alone.

The glance is the cosine of the paragraph as a whole, or, where models compare word by word, what these make of it. The
sentences stay on the disk, and are read from there for the paragraphs that are looked at.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

import numpy as np

from quarry.ingest.arrays import AnyFloatArray, Float32Array, IntArray
from quarry.ingest.embed import Embedder
from quarry.ingest.store import Course
from quarry.player.search.calibration import N_TOP, DenseCalibration
from quarry.player.search.coarse import Coarse
from quarry.player.search.core import combine
from quarry.player.search.strategies.dense import Dense, PartScorer, best_of, cosines_of, dense_weights
from quarry.player.search.types import Marks, Query

N_NEAREST = 300
"""Paragraphs whose sentences are looked at; of 100,000 they hold 997 of 1,000 of the best 20 by all sentences."""
N_ANSWERABLE = 4 * N_TOP
"""Nearest paragraphs at a glance that hold the `N_TOP` nearest ones, which say whether the course holds it at all."""


class LargeDense(Dense):
    """As `Dense`, over the best few hundred paragraphs in place of all.

    Args:
        store: asked for the vectors of the paragraphs and for the sentences of some.
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

    def load(self) -> None:
        """Load the vectors of the paragraphs where they are compared, and what `Dense` loads."""
        super().load()
        if not self._more:
            _ = self._coarse

    @functools.cached_property
    def _coarse(self) -> Coarse:
        return Coarse(self._store.vectors)

    def cosines(self, hint: str) -> Float32Array:
        """(n_paragraphs,) cosine of each paragraph with the hint, -1..1."""
        return cosines_of(self._store.vectors, self._embedder.vector(hint))

    def score(self, query: Query, k: int, doc_ids: Sequence[str] = ()) -> Marks:
        """What it makes of the paragraphs that are best in the course and in each of the documents."""
        wanted = max(k, N_NEAREST)
        ruled = query.keywords == "rule"
        evidence = self.evidence(query.said or query.hint) if ruled else None
        look = self._by_words if self._more else self._by_paragraphs
        rows, parts = look(query.hint, wanted, evidence, doc_ids)
        if self._best or self._mean:
            parts |= self._of_sentences(rows, self._embedder.vector(query.hint))
        weights = dense_weights(self._calibration.nats, self._best, self._mean, float(ruled)) | self._calibration.parts
        return self._marks(parts, weights, rows)

    def _by_paragraphs(
        self, hint: str, wanted: int, evidence: AnyFloatArray | None, doc_ids: Sequence[str]
    ) -> tuple[IntArray, dict[str, AnyFloatArray]]:
        """The rows that are best as a whole in the course and in each document, and their scores, sentences aside."""
        vector = self._embedder.vector(hint)
        cosines = self._coarse.cosines(vector)
        log_odds = np.float32(self._calibration.nats) * cosines
        if evidence is not None:
            log_odds += evidence
        chosen = self._best_places(log_odds, None, doc_ids, wanted, wanted)
        rows = np.union1d(chosen, best_of(cosines, N_ANSWERABLE))
        parts: dict[str, AnyFloatArray] = {"paragraph": cosines_of(self._store.vectors[rows], vector)}
        if evidence is not None:
            parts["rule"] = evidence[rows]
        return rows, parts

    def _by_words(
        self, hint: str, wanted: int, evidence: AnyFloatArray | None, doc_ids: Sequence[str]
    ) -> tuple[IntArray, dict[str, AnyFloatArray]]:
        """The rows that are best word by word, of those that are best at a glance; as `_by_paragraphs` gives them."""
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
        vectors, places = self._store.sentences_of(rows)
        each = cosines_of(vectors, vector)
        best = np.full(len(rows), -1.0, dtype=np.float32)
        np.maximum.at(best, places, each)
        counts = np.bincount(places, minlength=len(rows))
        mean = np.bincount(places, weights=each, minlength=len(rows)) / np.maximum(counts, 1)
        return {"sentence": best, "mean": mean.astype(np.float32)}
