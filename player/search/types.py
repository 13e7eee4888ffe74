"""Types of search: Query, Hit, Ranking, SearchResult, and the protocols Strategy and Rewriter."""

from __future__ import annotations

import html
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, overload

import numpy as np

from quarry.configs.settings import KeywordMode
from quarry.ingest.arrays import AnyFloatArray, BoolArray, Float64Array, IntArray
from quarry.ingest.paragraph import Paragraph
from quarry.player.errors import SearchError
from quarry.player.search.core import FARTHEST, NOT_FOUND, log_odds_of

if TYPE_CHECKING:
    import pandas as pd

Slot = Literal["book", "global", ""]
"""A hit has a slot of its book or of the whole course; "" before the slots are filled."""

Tier = Literal["filter", "boost", "none"]
"""The confidence of a resolved book decides whether it filters, is boosted, or is ignored."""

NOTHING_FOUND = "Nothing relevant was found for this hint."

Step = Literal["filter", "boost", "rewritten", "original", "fallback", "lowered", "course", ""]
"""A step of the cascade answers a search; "course" if nothing was found and a game gets all paragraphs, "" if none."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search query.

    Attributes:
        hint: description of the paragraph, in words that need not occur in it.
        book_name: name of its lecture as somebody wrote it, "" if unknown.
        k: number of hits to return; None takes the settings' number.
        keywords: mode of keywords; None takes `search.keywords`.
        said: the original hint, if a rewriter returned `hint`; else "".
        beside: a second text to embed in the same call as the hint, or "".
    """

    hint: str
    book_name: str = ""
    k: int | None = None
    keywords: KeywordMode | None = None
    said: str = ""
    beside: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One paragraph found.

    Attributes:
        score: on the strategy's scale, higher is better; scores of two strategies are not comparable.
        relevance: 0..1, comparable among all hits. The best hit has the calibrated probability that the course holds
            the paragraph; a difference of log-odds says how much likelier one hit is than another.
        rank: 1-based, within its strategy.
        strategy: name of the strategy that found it.
        slot: its slot, "" before the merge.
        why: reason for the hit, in words.
        relevant: whether its relevance reaches the threshold.
        same_as: ids of its duplicates, other paragraphs with (nearly) the same text that are not returned as hits.
    """

    paragraph: Paragraph
    score: float
    relevance: float
    rank: int
    strategy: str
    slot: Slot = ""
    why: str = ""
    relevant: bool = True
    same_as: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class ScoreArrays:
    """Scores that a strategy gives to the paragraphs of a course, for one query.

    Attributes:
        scores: (n_paragraphs,) on the strategy's own scale, higher is better; finite.
        log_odds: (n_paragraphs,) of relevance, -inf where a paragraph was not found.
    """

    scores: AnyFloatArray
    log_odds: AnyFloatArray


@dataclass(frozen=True, slots=True)
class BookCandidate:
    """A document that a book name may refer to.

    Attributes:
        doc_id: the document that holds the paragraphs (for a duplicate file, the original).
        confidence: 0..1, calibrated: of names resolved with confidence c, a share c is right.
        tier: use of the book at that confidence.
        alias: the alias that matched best.
    """

    doc_id: str
    confidence: float
    tier: Tier
    alias: str


class Ranking(Sequence[Hit]):
    """Every paragraph of a course in order, as arrays; each hit is made on access.

    Args:
        paragraphs: the course that was searched.
        rows: (n_hits,) rows in `paragraphs`.
        log_odds: (n_hits,) of relevance, -inf for a paragraph that was not found.
        make: makes the hits of a range of ranks, from 0.
        show: makes the hits that take the slots.
    """

    def __init__(
        self,
        paragraphs: Sequence[Paragraph],
        rows: IntArray,
        log_odds: AnyFloatArray,
        make: Callable[[range], Sequence[Hit]],
        show: Callable[[], Sequence[Hit]],
    ) -> None:
        self.paragraphs = paragraphs
        self.rows = rows
        self.log_odds = log_odds
        self._make = make
        self.show = show

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Hit: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Hit]: ...
    def __getitem__(self, place: int | slice) -> Hit | Sequence[Hit]:
        if isinstance(place, slice):
            return self._make(range(len(self))[place])
        row = range(len(self))[place]
        return self._make(range(row, row + 1))[0]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Result of a search.

    Attributes:
        hits: book slots first, then global ones; by relevance within a slot, no paragraph twice.
        books: documents that the book's name refers to, highest confidence first. The best candidate is listed even if
            it neither filters nor is boosted; () if there was no name or no candidate.
        failures: strategies that failed or were late while others answered.
        answered_by: the step of the cascade that answered, "" if no step answered.
        relevant: False if no step reached its threshold; `hits` then holds those of the first step.
        cached: whether the result came from the cache.
        rewritten: the rewritten hint, if the step that answered used it; else "".
        boost: log-odds that were added to the named books' paragraphs.
        threshold: 0..1, relevance from which a hit is relevant: the threshold of the step that answered, or the lowest
            threshold.
        calibrated: False if the embedder is uncalibrated, so that something always counts as relevant.
        kind_weight: weight of the log-odds of each passage's kind in `log_odds`.
        embed_ms: milliseconds spent on embedding the hint.
        search_ms: milliseconds spent on everything else.
    """

    query: Query
    hits: Sequence[Hit]
    books: tuple[BookCandidate, ...] = ()
    failures: tuple[SearchError, ...] = ()
    answered_by: Step = ""
    relevant: bool = True
    cached: bool = False
    rewritten: str = ""
    boost: float = 0.0
    threshold: float = 0.0
    calibrated: bool = True
    kind_weight: float = 1.0
    embed_ms: float = 0.0
    search_ms: float = 0.0

    @property
    def book(self) -> BookCandidate | None:
        """The book with the highest confidence, or None."""
        return self.books[0] if self.books else None

    @property
    def tier(self) -> Tier:
        """Tier of `book`, "none" without a book."""
        return self.books[0].tier if self.books else "none"

    @property
    def relevant_hits(self) -> tuple[Hit, ...]:
        """Hits that reach the threshold."""
        return tuple(hit for hit in self.hits if hit.relevant)

    @property
    def message(self) -> str:
        """A notice that nothing relevant was found; "" if a hit is relevant."""
        return "" if self.relevant else NOTHING_FOUND

    @property
    def log_odds(self) -> Float64Array:
        """(n_hits,) log-odds of relevance; the minimum for a paragraph that was not found."""
        if isinstance(self.hits, Ranking):
            known: Float64Array = np.clip(self.hits.log_odds.astype(np.float64), -FARTHEST, None)
            return known
        return np.array([log_odds_of(hit.relevance) for hit in self.hits])

    @property
    def inside(self) -> BoolArray:
        """(n_hits,) whether the document of each hit is one of the books."""
        doc_ids = {book.doc_id for book in self.books}
        return np.array([paragraph.doc_id in doc_ids for paragraph in self.paragraphs], dtype=np.bool_)

    @property
    def paragraphs(self) -> Sequence[Paragraph]:
        """(n_hits,) the paragraph of each hit."""
        if isinstance(self.hits, Ranking):
            return [self.hits.paragraphs[row] for row in self.hits.rows.tolist()]
        return [hit.paragraph for hit in self.hits]

    @property
    def shown(self) -> SearchResult:
        """This result with only the hits that take the slots, if `hits` is a `Ranking`; else this result."""
        return replace(self, hits=self.hits.show()) if isinstance(self.hits, Ranking) else self

    @property
    def course(self) -> Sequence[Paragraph]:
        """All paragraphs of the course if `hits` is a `Ranking`; else the paragraphs of the hits."""
        return self.hits.paragraphs if isinstance(self.hits, Ranking) else self.paragraphs

    @property
    def hit_rows(self) -> IntArray:
        """(n_hits,) row of each hit in `course`."""
        return self.hits.rows if isinstance(self.hits, Ranking) else np.arange(len(self.hits))

    def __repr__(self) -> str:
        best = f", best {self.paragraphs[0].paragraph_id!r}" if len(self.hits) else ""
        relevant = "" if self.relevant else ", nothing relevant"
        relevant += "" if self.calibrated else ", uncalibrated"
        hint = self.query.hint if len(self.query.hint) <= 60 else f"{self.query.hint[:57]}..."
        return f"SearchResult({hint!r}, {len(self.hits)} hits{best}{relevant})"

    def to_dataframe(self) -> pd.DataFrame:
        """Return a data frame with a row for each hit, in order."""
        import pandas as pd

        of_paragraph = {"document": "doc_id"} | {name: name for name in ("page", "heading", "opening_sentence", "text")}
        of_hit = ("relevance", "slot", "strategy", "rank", "score", "relevant", "why")
        columns = {"paragraph_id": [hit.paragraph.paragraph_id for hit in self.hits]}
        columns |= {name: [getattr(hit.paragraph, key) for hit in self.hits] for name, key in of_paragraph.items()}
        return pd.DataFrame(columns | {name: [getattr(hit, name) for hit in self.hits] for name in of_hit})

    def _repr_html_(self) -> str:
        """Return the best 20 hits as an HTML table, for notebooks."""
        shown = self.to_dataframe()[["document", "page", "opening_sentence", "relevance", "slot"]].head(20)
        return f"<p>{html.escape(repr(self))}</p>{shown.to_html(index=False)}"

    def row_of(self, paragraph: Paragraph) -> int | None:
        """Return the position of a paragraph among the hits, from 0; None if it is not a hit."""
        ids = (found.paragraph_id for found in self.paragraphs)
        return next((row for row, found in enumerate(ids) if found == paragraph.paragraph_id), None)


class Strategy(Protocol):
    """One way of finding paragraphs; all implementations pass tests/contracts/strategy.py.

    Strategies run in parallel, each in its own thread, within `search.deadline_s`.
    """

    @property
    def name(self) -> str:
        """Name of the strategy in its hits."""

    def prepare(self, query: Query) -> None:
        """Do the work that depends on the hint alone, such as embedding it; it is timed apart and done once."""

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        """Return at most k hits, best first, ranks from 1; only paragraphs of `doc_id` if it is given.

        Args:
            query: the query; `query.keywords` is never None.
            k: maximal number of hits.
            doc_id: the only document to search, "" for all.
            deadline: on the clock of `time.monotonic()`; later hits are dropped. None sets no deadline.

        Ties go to the smaller paragraph_id. If nothing is found, return an empty sequence; on a failure, raise.
        """


class Rewriter(Protocol):
    """Rewriter of hints; a user's rewriter may call a language model."""

    def rewrite(self, query: Query, hits: Sequence[Hit]) -> str:
        """Return the hint in other words, given the hits of the first step; "" to change nothing."""


def nothing_found(n: int) -> ScoreArrays:
    """Return scores for n paragraphs of which none was found."""
    return ScoreArrays(np.zeros(n), np.full(n, NOT_FOUND))
