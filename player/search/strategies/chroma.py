"""Chroma search: approximate nearest neighbours by `collection.query`, in the course and the named book."""

from __future__ import annotations

import numpy as np

from ingest.embed import Embedder
from ingest.store import Course
from player.deadlines import start_in_thread
from player.search.cache import CachingEmbedder
from player.search.calibration import PARAGRAPH, DenseCalibration
from player.search.slots import NOT_FOUND
from player.search.strategies.strategy import Strategy
from player.search.types import Query, ScoreArrays


class Chroma(Strategy):
    """Approximate nearest neighbours of the hint by cosine, from the index of the store.

    The strategy fails if the store cannot be opened, or if an ingest has replaced it.

    Args:
        store: the store; opened again for each search, so that an ingest may replace its folder.
        embedder: the embedder of its vectors.
        calibration: calibration of the embedder.
        k: passages to ask for if the query has no k.
    """

    name = "chroma"

    def __init__(
        self, store: Course, embedder: Embedder, calibration: DenseCalibration, k: int
    ) -> None:
        super().__init__(store.paragraphs)
        self._store = store
        self._embedder = (
            embedder
            if isinstance(embedder, CachingEmbedder)
            else CachingEmbedder(embedder)
        )
        self._calibration = calibration
        self._k = k
        self._n_copies = sum(bool(paragraph.same_as) for paragraph in store.paragraphs)

    def load(self) -> None:
        """Import Chroma, which takes a second."""
        import chromadb  # noqa: F401

    def prepare(self, query: Query) -> None:
        """Embed the hint, unless its vector is cached."""
        self._embedder.read(query.hint)

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Score the passages that Chroma returns for the course and for the document; find no others.

        Each query asks for k passages plus the number of duplicates, because duplicates are merged later.
        """
        vector = self._embedder.read(query.hint).vector
        n = (query.k or self._k) + self._n_copies
        with self._store.chroma_index() as nearest:
            inside = (
                start_in_thread(lambda: nearest(vector, n, doc_id)) if doc_id else None
            )
            course = nearest(vector, n, "")
            cosines = {**(inside.result() if inside is not None else {}), **course}
        scores = np.full(len(self._paragraphs), min(cosines.values(), default=0.0))
        log_odds, relevance = np.full((2, len(self._paragraphs)), NOT_FOUND)
        if cosines:
            rows = np.fromiter(cosines, dtype=np.int64)
            scores[rows] = list(cosines.values())
            log_odds[rows] = self._calibration.nats * scores[rows]
            parts = {PARAGRAPH: scores[rows]}
            relevance[rows] = self._calibration.relevance_of(parts)
        return ScoreArrays(scores, log_odds, relevance)
