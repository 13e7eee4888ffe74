"""Ranked: base class of strategies that score all paragraphs of a course as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from quarry.ingest.paragraph import Paragraph
from quarry.player.search.core import NOT_FOUND, probabilities
from quarry.player.search.types import Hit, Query, ScoreArrays


class Ranked(ABC):
    """A strategy that scores all paragraphs at once; hits are made only if `search` is called.

    Args:
        paragraphs: the course.
    """

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = paragraphs

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the strategy in its hits."""

    @property
    def paragraphs(self) -> Sequence[Paragraph]:
        """Paragraphs of the course."""
        return self._paragraphs

    def load(self) -> None:  # noqa: B027  (not every strategy has something to load)
        """Build what all searches need, such as an index, unless it is built; deadlines do not count this time."""

    @abstractmethod
    def prepare(self, query: Query) -> None:
        """Do the work that depends on the hint alone."""

    @abstractmethod
    def score(self, query: Query, doc_ids: Sequence[str] = ()) -> ScoreArrays:
        """Score the course's paragraphs; `doc_ids` are the named documents."""

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        """Return at most k hits, best first; only paragraphs of `doc_id` if it is given."""
        scored = self.score(query, (doc_id,) if doc_id else ())
        found = [
            row
            for row in np.flatnonzero(scored.log_odds > NOT_FOUND).tolist()
            if not doc_id or self._paragraphs[row].doc_id == doc_id
        ]
        found.sort(key=lambda row: (-scored.log_odds[row], self._paragraphs[row].paragraph_id))
        relevance = probabilities(scored.log_odds[found[:k]]).tolist()
        return [
            Hit(self._paragraphs[row], float(scored.scores[row]), relevance[rank - 1], rank, self.name)
            for rank, row in enumerate(found[:k], 1)
        ]
