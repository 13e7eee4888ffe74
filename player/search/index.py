"""SearchIndex: a course with its strategies, books and calibration."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from configs.settings import SearchSettings
from player.search.books.resolver import BookResolver
from player.search.calibration import Calibration, embedder_calibration
from player.search.rank import Book
from player.search.results import BookCandidate, Query
from player.search.strategies.strategy import Strategy
from player.starts import search_log_odds
from quarry.arrays import BoolArray, Float64Array, IntArray
from quarry.course.paragraph import Paragraph
from quarry.course.piece import Piece

MIN_UNNAMED = 0.001
"""Minimum probability that a name means none of the documents."""


@dataclass(frozen=True, eq=False)
class SearchIndex:
    """A course with its strategies, books and calibration.

    Attributes:
        strategies: by name.
        books: resolver of book names.
        paragraphs: the course, in the order of its strategies' arrays.
        calibration: fitted numbers that convert scores to one scale.
        calibrated: whether the relevance of hits separates nonsense from questions.
        pieces: pieces of the course's other editions.
    """

    strategies: Mapping[str, Strategy]
    books: BookResolver
    paragraphs: Sequence[Paragraph]
    calibration: Calibration = field(default_factory=embedder_calibration)
    calibrated: bool = True
    pieces: Sequence[Piece] = ()

    @functools.cached_property
    def groups(self) -> IntArray:
        """(n_paragraphs,) number of each paragraph's group of duplicates, -1 without duplicates.

        The store has found which paragraphs are (nearly) identical.
        """
        originals = [item.same_as or item.paragraph_id for item in self.paragraphs]
        _, groups, sizes = np.unique(
            np.array(originals, dtype=np.str_), return_inverse=True, return_counts=True
        )
        return np.where(sizes[groups] > 1, groups, -1)

    @functools.cached_property
    def kind_log_odds(self) -> Float64Array:
        """(n_paragraphs,) prior log-odds of each paragraph from its kind."""
        return search_log_odds(self.paragraphs)

    @functools.cached_property
    def _documents(self) -> tuple[NDArray[np.str_], IntArray, IntArray]:
        """The documents that have paragraphs, (n_paragraphs,) the index of each one's document, and their sizes."""
        doc_ids = np.array([item.doc_id for item in self.paragraphs], dtype=np.str_)
        return np.unique(doc_ids, return_inverse=True, return_counts=True)

    def inside(self, doc_id: str) -> BoolArray:
        """Return (n_paragraphs,) whether each paragraph is in a document; "" is no document."""
        doc_ids, document, _ = self._documents
        inside: BoolArray = (doc_ids == doc_id)[document]
        return inside

    def duplicates(self, row: int) -> tuple[str, ...]:
        """Return the ids of the duplicates of a paragraph."""
        group = self.groups[row]
        if group < 0:
            return ()
        duplicates = np.flatnonzero(self.groups == group).tolist()
        return tuple(self.paragraphs[n].paragraph_id for n in duplicates if n != row)

    def resolve_book(self, query: Query, settings: SearchSettings) -> Book:
        """Return the book that the query's name refers to, or, without a name, the one that the hint names.

        Names are evidence if they are resolved by confidence.
        """
        book, evidence = None, None
        if settings.book_match == "stem":
            book = self.books.by_stem(query.book_name)
        elif settings.book_match == "resolved" and query.book_name.strip():
            books = self.books.resolve(query.book_name)
            book = next(iter(books), None)
            evidence = self._weigh_books(books)
        elif settings.book_match == "resolved":
            book = self.books.named_in(query.hint)
        doc_id, confidence = (book.doc_id, book.confidence) if book else ("", 0.0)
        return Book(self.inside(doc_id), confidence, evidence, doc_id)

    def _weigh_books(self, books: Sequence[BookCandidate]) -> Float64Array:
        """Return (n_paragraphs,) log-odds that each paragraph is meant, by the confidences of a name, up to a constant.

        The confidence in a document is shared by its paragraphs, and that in none of the documents by all of them.
        """
        doc_ids, document, sizes = self._documents
        confidence_of = {book.doc_id: book.confidence for book in books}
        confidences = np.array(
            [confidence_of.get(doc_id, 0.0) for doc_id in doc_ids.tolist()]
        )
        shares = confidences / sizes * len(document)
        unnamed = max(MIN_UNNAMED, 1.0 - confidences.sum())
        evidence: Float64Array = np.log(shares + unnamed)[document]
        return evidence
