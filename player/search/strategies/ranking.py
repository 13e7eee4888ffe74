"""Scores of the course's paragraphs -> hits: what every strategy that scores arrays shares."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np

from quarry.ingest.paragraph import Paragraph
from quarry.player.search.core import NOT_FOUND, probabilities
from quarry.player.search.types import Hit, Query, ScoreArrays


class Ranked(ABC):
    """A strategy over the course's own arrays, which needs no hits to be made and no scope to be asked twice.

    Args:
        paragraphs: the course.
    """

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = paragraphs

    @property
    @abstractmethod
    def name(self) -> str:
        """What its hits carry as provenance."""

    @property
    def paragraphs(self) -> Sequence[Paragraph]:
        """The course, as given."""
        return self._paragraphs

    def load(self) -> None:  # noqa: B027  (not every strategy has something to load)
        """Make what all searches need, such as an index, unless it is there; no deadline counts this."""

    @abstractmethod
    def prepare(self, query: Query) -> None:
        """Do what depends on the hint alone."""

    @abstractmethod
    def score(self, query: Query, k: int, doc_ids: Sequence[str] = ()) -> ScoreArrays:
        """What it makes of the course's paragraphs: of all, or at least of the k nearest in it and in each document."""

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        """At most k hits, best first; only paragraphs of `doc_id` if one is given."""
        marks = self.score(query, k, (doc_id,) if doc_id else ())
        rows = list(range(len(self._paragraphs))) if marks.rows is None else marks.rows.tolist()
        found = [
            place
            for place in np.flatnonzero(marks.log_odds > NOT_FOUND).tolist()
            if not doc_id or self._paragraphs[rows[place]].doc_id == doc_id
        ]
        found.sort(key=lambda place: (-marks.log_odds[place], self._paragraphs[rows[place]].paragraph_id))
        relevance = probabilities(marks.log_odds[found[:k]]).tolist()
        return [
            Hit(self._paragraphs[rows[place]], float(marks.scores[place]), relevance[rank - 1], rank, self.name)
            for rank, place in enumerate(found[:k], 1)
        ]
