"""Types of search: Query, ScoreArrays, Hit, CourseOrder and SearchResult."""

from __future__ import annotations

import html
import operator
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from configs.settings import KeywordMode
from player.errors import SearchError
from quarry.arrays import AnyFloatArray, BoolArray, Float64Array, IntArray
from quarry.course.paragraph import Paragraph
from quarry.course.piece import Piece

if TYPE_CHECKING:
    import pandas as pd

NOT_FOUND = -np.inf
"""Log-odds of a paragraph that was not found."""

Slot = Literal["book", "global"]
"""Slots: of the named book, or of the whole course."""

Tier = Literal["filter", "boost", "none"]
"""Use of a named book by its confidence: it filters, is boosted, or is ignored."""

NOTHING_FOUND = "Nothing relevant was found for this hint."
"""Notice that nothing relevant was found."""
NOTHING_SURE = "Nothing surely relevant was found; this embedder is uncalibrated."
"""The same with an uncalibrated embedder."""
NOTHING_IN_BOOK = (
    "The named book, {}, holds nothing relevant for this hint; other documents do."
)
"""Notice that only other documents than the named book hold relevant paragraphs."""
MIN_CONFIDENCE = 0.01
"""Minimum confidence at which the nearest document is named although the book was not resolved."""
N_OF_BOOK = 3
"""Number of paragraphs of a book that filters which are shown although none of it is relevant."""
N_IN_NOTEBOOK = 20
"""Maximum number of hits in the table of a result in a notebook."""

DENSE = "dense"
"""Name of dense search, whose weights are tuned."""
KEYWORD = "keyword"
"""Name of keyword search, which is also the fallback."""
COURSE: Final = "course"
"""Name of the step that gives a game all paragraphs when nothing was found, and of the strategy of those hits that no
strategy found."""
StepName = Literal["filter", "boost", "original", "fallback", "lowered", "course", ""]
"""Step that answered a search: that of the named book, of the hint, or of keywords, by its relevant hits; "lowered" if
its best hit reaches the lowered threshold only; "course": see `COURSE`; "" if no step answered."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search query.

    Attributes:
        hint: description of the paragraph, in words that need not occur in it.
        book_name: name of its lecture as somebody wrote it, "" if unknown.
        k: number of paragraphs wanted; None takes the settings' number.
        keywords: mode of keywords; None takes the default of the search.
    """

    hint: str
    book_name: str = ""
    k: int | None = None
    keywords: KeywordMode | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """A paragraph that a search returns.

    Attributes:
        score: on the strategy's scale, higher is better; scores of two strategies are not comparable.
        relevance: 0..1, calibrated probability that this paragraph answers the hint, from its own evidence: the same
            with any name, fusion or other hit.
        strategy_rank: 1-based, within its strategy; the overall rank is the position in `SearchResult.hits`.
        strategy: name of the strategy that found it.
        slot: its slot.
        why: reason for the hit, in words.
        relevant: whether its relevance reaches the threshold.
        same_as: ids of its duplicates, other paragraphs with (nearly) the same text that are not returned as hits.
    """

    paragraph: Paragraph
    score: float
    relevance: float
    strategy_rank: int
    strategy: str
    slot: Slot = "global"
    why: str = ""
    relevant: bool = True
    same_as: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the hit and its paragraph as one flat record, relevance and score with six digits."""
        record = dict(zip(_FIELDS, _field_values(self), strict=True))
        for name in ("relevance", "score"):
            record[name] = round(float(record[name]), 6)
        return record


_FIELDS = {
    "paragraph_id": "paragraph.paragraph_id",
    "document": "paragraph.doc_id",
    "page": "paragraph.page",
    "heading": "paragraph.heading",
    "opening_sentence": "paragraph.opening_sentence",
    "text": "paragraph.text",
    "relevance": "relevance",
    "slot": "slot",
    "strategy": "strategy",
    "rank": "strategy_rank",
    "score": "score",
    "why": "why",
    "relevant": "relevant",
    "same_as": "same_as",
}
"""Attribute of a hit by the key of its record."""
_field_values = operator.attrgetter(*_FIELDS.values())
"""Returns the values of a hit's record, in the order of its keys."""


@dataclass(frozen=True, slots=True, eq=False)
class ScoreArrays:
    """Scores of the paragraphs of a course for one query, by one strategy or by a fusion of several.

    Attributes:
        scores: (n_paragraphs,) on the strategy's own scale, higher is better; finite.
        log_odds: (n_paragraphs,) by which paragraphs are ordered, up to a constant; -inf where one was not found.
        relevance_log_odds: (n_paragraphs,) log-odds that a paragraph answers the hint, from its own evidence; -inf
            where one was not found. `Hit.relevance` is their probability.
        rare: (n_words, n_paragraphs) whether each paragraph holds each word of the hint that is rare; None if words do
            not matter.
    """

    scores: AnyFloatArray
    log_odds: AnyFloatArray
    relevance_log_odds: AnyFloatArray
    rare: BoolArray | None = None

    def are_of(self, n_paragraphs: int) -> bool:
        """Return whether each paragraph has a finite score, and two log-odds that are both numbers or both -inf."""
        if not np.isfinite(self.scores).all() or len(self.scores) != n_paragraphs:
            return False
        for log_odds in (self.log_odds, self.relevance_log_odds):
            if len(log_odds) != n_paragraphs or not (log_odds < np.inf).all():
                return False
        is_found = self.log_odds > NOT_FOUND
        return np.array_equal(is_found, self.relevance_log_odds > NOT_FOUND)


@dataclass(frozen=True, slots=True)
class BookCandidate:
    """A document that a book name may refer to.

    Attributes:
        doc_id: the document that holds the paragraphs (for a duplicate file, the original).
        confidence: 0..1, calibrated. Of the names that are resolved with confidence c, a share c is right.
        tier: use of the book at that confidence, by the settings of a search.
    """

    doc_id: str
    confidence: float
    tier: Tier = "none"


@dataclass(frozen=True, slots=True, eq=False)
class CourseOrder:
    """Paragraphs of a course in order, for the belief of a game: all, or as many as `game.candidates` says.

    Attributes:
        paragraphs: all that were searched.
        rows: (n_ranked,) row of each ranked one in `paragraphs`.
        log_odds: (n_ranked,) log-odds of the order without those of the paragraph's kind, at most 0; the minimum for a
            paragraph that was not found.
        best_hit: makes the hit of the best of some rows of `paragraphs`; without rows, that of the last in the order.
        pieces: pieces of the course's other editions.
    """

    paragraphs: Sequence[Paragraph]
    rows: IntArray
    log_odds: Float64Array
    best_hit: Callable[[IntArray], Hit]
    pieces: Sequence[Piece] = ()


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search.

    Attributes:
        hits: book slots first, then global ones; the best first within a slot, no paragraph twice.
        book: the document that the book's name refers to, also if it neither filters nor is boosted; None if there was
            no name or no candidate.
        failures: strategies that failed or were late while others answered.
        answered_by: the step that answered.
        relevant: whether a hit reaches the threshold.
        cached: whether the result came from the cache.
        lift: log-odds that were added to the book's paragraphs.
        threshold: 0..1, relevance from which a hit is relevant.
        calibrated: False if the relevance by this embedder does not separate hints about the course from others.
        course_order: the order of the course, for a search by `SearchOrchestrator.rank_course`; else None.
        embed_ms: milliseconds spent on embedding the hint.
        search_ms: milliseconds spent on everything else.
    """

    query: Query
    hits: Sequence[Hit]
    book: BookCandidate | None = None
    failures: tuple[SearchError, ...] = ()
    answered_by: StepName = ""
    relevant: bool = True
    cached: bool = False
    lift: float = 0.0
    threshold: float = 0.0
    calibrated: bool = True
    course_order: CourseOrder | None = None
    embed_ms: float = 0.0
    search_ms: float = 0.0

    @property
    def tier(self) -> Tier:
        """Tier of `book`, "none" without a book."""
        return self.book.tier if self.book else "none"

    @property
    def relevant_hits(self) -> tuple[Hit, ...]:
        """Hits that reach the threshold."""
        return tuple(hit for hit in self.hits if hit.relevant)

    @property
    def shown(self) -> tuple[Hit, ...]:
        """Hits to print: the relevant ones; before them the N_OF_BOOK best of a filtering book without one."""
        nearest: tuple[Hit, ...] = ()
        if self.tier == "filter":
            of_book = tuple(filter(self._is_of_book, self.hits))
            if not any(hit.relevant for hit in of_book):
                nearest = of_book[:N_OF_BOOK]
        return (*nearest, *self.relevant_hits)

    def _is_of_book(self, hit: Hit) -> bool:
        return self.book is not None and hit.paragraph.doc_id == self.book.doc_id

    @property
    def book_description(self) -> str:
        """The document that was resolved from the book's name, in words; "" if the query names no book."""
        book = self.book
        if book is not None and book.tier != "none":
            return f"{book.doc_id} ({book.tier}, confidence {book.confidence:.2f})"
        if not self.query.book_name.strip():
            return ""
        nearest = ""
        if book is not None and book.confidence >= MIN_CONFIDENCE:
            nearest = (
                f"; the nearest is {book.doc_id}, at confidence {book.confidence:.2f}"
            )
        return f"none was resolved from {self.query.book_name!r}, the whole course is searched{nearest}"

    @property
    def message(self) -> str:
        """A notice that nothing relevant was found, in the course or in a book that filters; "" otherwise."""
        if self.relevant:
            is_outside = not any(map(self._is_of_book, self.relevant_hits))
            if self.book and self.tier == "filter" and is_outside:
                return NOTHING_IN_BOOK.format(self.book.doc_id)
            return ""
        return NOTHING_FOUND if self.calibrated else NOTHING_SURE

    def __repr__(self) -> str:
        notes = [f"{len(self.hits)} hits"]
        if self.hits:
            notes.append(f"best {self.hits[0].paragraph.paragraph_id!r}")
        if not self.relevant:
            notes.append("nothing relevant")
        if not self.calibrated:
            notes.append("uncalibrated")
        hint = textwrap.shorten(self.query.hint, 60, placeholder="...")
        return f"SearchResult({hint!r}, {', '.join(notes)})"

    def to_dataframe(self) -> pd.DataFrame:
        """Return a data frame with a row for each hit, in order."""
        import pandas as pd

        return pd.DataFrame(map(_field_values, self.hits), columns=list(_FIELDS))

    def _repr_html_(self) -> str | None:
        """Return the best `N_IN_NOTEBOOK` hits as an HTML table, for notebooks; None if pandas is not installed."""
        try:
            hits = self.to_dataframe()
        except ImportError:
            return None
        columns = ["document", "page", "opening_sentence", "relevance", "slot"]
        table = hits[columns].head(N_IN_NOTEBOOK).to_html(index=False)
        return f"<p>{html.escape(repr(self))}</p>{table}"

    def position_of(self, paragraph: Paragraph) -> int | None:
        """Return the position of a paragraph, or its duplicate, among the hits, from 0; None if it is not a hit."""
        for position, hit in enumerate(self.hits):
            if paragraph.paragraph_id in (hit.paragraph.paragraph_id, *hit.same_as):
                return position
        return None


def scores_where(
    is_found: BoolArray,
    scores: AnyFloatArray,
    log_odds: AnyFloatArray,
    relevance_log_odds: AnyFloatArray,
) -> ScoreArrays:
    """Return scores in which only the paragraphs of `is_found` count as found."""
    return ScoreArrays(
        scores,
        np.where(is_found, log_odds, NOT_FOUND),
        np.where(is_found, relevance_log_odds, NOT_FOUND),
    )


def nothing_found(n: int) -> ScoreArrays:
    """Return scores for n paragraphs of which none was found."""
    return ScoreArrays(np.zeros(n), np.full(n, NOT_FOUND), np.full(n, NOT_FOUND))
