"""Chroma search: approximate nearest neighbours by `collection.query`, in the course and the named book."""

import functools

import numpy as np

from player.search.calibration import PARAGRAPH
from player.search.results import Query, ScoreArrays, scores_where
from player.search.slots import n_slots
from player.search.strategies.strategy import EmbeddingStrategy, StrategyInputs
from quarry.store import ChromaIndex, Course
from quarry.threads import start_in_thread

MIN_ASKED = 20
"""Minimum number of paragraphs to ask for, so that fusion finds the same with any split of 20 slots or fewer."""


class Chroma(EmbeddingStrategy):
    """Approximate nearest neighbours of the hint by cosine, from the index of the store.

    The index is opened by the first search; the strategy fails if the store cannot be opened.
    """

    def __init__(self, course: Course, inputs: StrategyInputs) -> None:
        super().__init__(course, inputs)
        self._chroma = ChromaIndex(course)
        self._k = n_slots(inputs.search)
        self._n_duplicates = sum(
            bool(paragraph.same_as) for paragraph in course.paragraphs
        )

    def load(self) -> None:
        """Import Chroma, which takes a second."""
        import chromadb  # noqa: F401

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Score the paragraphs that Chroma returns for the course and for the document; find no others.

        Each query asks for k paragraphs, but at least `MIN_ASKED`, plus the number of duplicates, because duplicates
        are merged later.
        """
        vector = self._embedder.embed(query.hint).vector
        n = max(query.k or self._k, MIN_ASKED) + self._n_duplicates
        calls = []
        # the course alone without a document
        for document in dict.fromkeys((doc_id, "")):
            nearest = functools.partial(self._chroma.nearest, vector, n, document)
            calls.append(start_in_thread(nearest))

        cosines: dict[int, float] = {}
        for call in calls:
            cosines |= call.result()

        rows = np.fromiter(cosines, dtype=np.int64)
        farthest = min(cosines.values(), default=0.0)
        scores = np.full(len(self._paragraphs), farthest)
        scores[rows] = list(cosines.values())
        return scores_where(
            np.isin(np.arange(len(scores)), rows),
            scores,
            self._calibration.log_odds_per_similarity * scores,
            self._calibration.relevance_log_odds({PARAGRAPH: scores}),
        )
