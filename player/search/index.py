"""SearchIndex: a course with its strategies, references and calibration; `ask` runs one strategy on it."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from configs.settings import SearchSettings
from ingest.arrays import Float64Array, IntArray
from ingest.editions.piece import Piece
from ingest.paragraph import Paragraph
from player.errors import SearchError
from player.kinds import search_log_odds
from player.search.calibration import DEFAULT_EMBEDDER, Calibration, calibration_of
from player.search.core import Columns, Scored, columns_of
from player.search.references import References
from player.search.slots import NO_COLUMN
from player.search.strategies.strategy import Reranker, Strategy
from player.search.types import BookCandidate, Query, ScoreArrays

LEAST_UNNAMED = 0.001
"""Any name may mean none of the documents, with at least this probability."""


@dataclass(frozen=True, eq=False)
class SearchIndex:
    """A course with its strategies, references and calibration.

    Attributes:
        strategies: by name.
        references: resolver of book names.
        paragraphs: the course, in the order of its strategies' arrays.
        calibration: fitted numbers that convert scores to one scale.
        calibrated: whether the relevance of hits separates nonsense from questions.
        kind_weight: weight of the log-odds of each passage's kind.
        is_uncased: whether no strategy tells capital from small letters.
        pieces: pieces of the course's other editions.
    """

    strategies: Mapping[str, Strategy]
    references: References
    paragraphs: Sequence[Paragraph]
    calibration: Calibration = field(
        default_factory=functools.partial(calibration_of, DEFAULT_EMBEDDER)
    )
    calibrated: bool = True
    kind_weight: float = 1.0
    is_uncased: bool = False
    pieces: Sequence[Piece] = ()

    @functools.cached_property
    def columns(self) -> Columns:
        """Columns of the core's arrays."""
        return columns_of(self.paragraphs)

    @functools.cached_property
    def kind_priors(self) -> Float64Array | None:
        """(n_columns,) prior log-odds of each passage from its kind; None if all are 0."""
        priors: Float64Array = (
            self.kind_weight * search_log_odds(self.paragraphs)[self.columns.rows]
        )
        return priors if priors.any() else None

    @functools.cached_property
    def copies(self) -> Mapping[int, tuple[str, ...]]:
        """Ids of the duplicates of each paragraph that has any, by column."""
        ids = [self.paragraphs[row].paragraph_id for row in self.columns.rows.tolist()]
        groups = (
            [column for column in line if column >= 0]
            for line in self.columns.duplicates.tolist()
        )
        return {
            column: tuple(ids[other] for other in group if other != column)
            for group in groups
            for column in group
        }

    @functools.cached_property
    def _columns_by_id(self) -> Mapping[str, int]:
        rows = enumerate(self.columns.rows.tolist())
        return {self.paragraphs[row].paragraph_id: column for column, row in rows}

    def column_of(self, paragraph: Paragraph | None) -> int:
        """Return the column of a paragraph of the course; -1 for None."""
        return (
            NO_COLUMN
            if paragraph is None
            else self._columns_by_id[paragraph.paragraph_id]
        )

    def book(
        self, book_name: str, settings: SearchSettings, hint: str
    ) -> BookCandidate | None:
        """Return the document that a name refers to, or without a name the document that the hint names."""
        if settings.book_match == "off":
            return None
        if settings.book_match == "stem":
            return self.references.by_stem(book_name)
        return (
            self.references.best(book_name)
            if book_name.strip()
            else self.references.named_in(hint)
        )

    def name_evidence(
        self, book_name: str, settings: SearchSettings
    ) -> Float64Array | None:
        """Return (n_columns,) log-odds by a book name of any confidence that a paragraph is meant, up to a constant.

        The confidence in a document is shared by its paragraphs, and that in none of the documents by all of them.
        None if names are not resolved by confidence.
        """
        if settings.book_match != "resolved" or not book_name.strip():
            return None
        columns = self.columns
        books = self.references.resolve(book_name)
        confidence_of = {book.doc_id: book.confidence for book in books}
        confidences = np.array([confidence_of.get(one, 0.0) for one in columns.doc_ids])
        shares = confidences / np.bincount(columns.document)
        unnamed = max(LEAST_UNNAMED, 1.0 - confidences.sum())
        evidence: Float64Array = np.log(
            shares[columns.document] * len(columns.rows) + unnamed
        )
        return evidence


def ask(
    index: SearchIndex,
    name: str,
    query: Query,
    doc_id: str = "",
    rows: IntArray | None = None,
) -> Scored:
    """Run one strategy for one hint.

    Args:
        doc_id: the document that the book's name refers to, "" without one.
        rows: rows of the paragraphs that a reranker compares.

    Raises:
        SearchError: the strategy returned something else than arrays of numbers for the course.
    """
    strategy, n = index.strategies[name], len(index.paragraphs)
    if isinstance(strategy, Reranker) and rows is not None:
        found = strategy.rerank(query, rows)
    else:
        found = strategy.score(query, doc_id)
    if not isinstance(found, ScoreArrays):
        raise SearchError(name, f"it returned {str(found)[:80]}, not ScoreArrays")
    relevance = found.log_odds if found.relevance is None else found.relevance
    arrays = (found.scores, found.log_odds, relevance)
    if any(len(array) != n for array in arrays):
        raise SearchError(name, f"it did not score each of the {n} paragraphs")
    if not np.isfinite(found.scores).all():
        raise SearchError(name, "a score is not a finite number")
    if any(np.isnan(array).any() or np.isposinf(array).any() for array in arrays[1:]):
        raise SearchError(name, "log-odds are neither finite numbers nor -inf")
    rows = index.columns.rows
    return Scored(name, *(array[None, rows] for array in arrays))
