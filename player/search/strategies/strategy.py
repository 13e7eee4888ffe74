"""Strategy: base class of the ways of finding paragraphs; each scores all paragraphs of a course as arrays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from ingest.paragraph import Paragraph
from player.search.types import Query, ScoreArrays


class Strategy(ABC):
    """One way of finding paragraphs; all implementations pass tests/contracts/strategy.py.

    Strategies run in parallel, each in its own thread, within `search.deadline_s`.

    Args:
        paragraphs: the course.
    """

    def __init__(self, paragraphs: Sequence[Paragraph]) -> None:
        self._paragraphs = paragraphs

    @property
    @abstractmethod
    def name(self) -> str:
        """Name of the strategy in its hits."""

    def load(self) -> None:  # noqa: B027  (not every strategy has something to load)
        """Build what all searches need, such as an index, unless it is built."""

    def prepare(self, query: Query) -> None:  # noqa: B027  (nor something to prepare)
        """Do the work that depends on the hint alone, such as embedding it; it is timed apart and done once."""

    @abstractmethod
    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Score the course's paragraphs; raise on a failure.

        Args:
            query: the query; `query.keywords` is never None.
            doc_id: the document that the book's name refers to, "" without one.
        """
