"""Query, Hit, SearchResult and Strategy: what goes through a search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, overload, runtime_checkable

import numpy as np

from quarry.configs.settings import KeywordMode
from quarry.ingest.arrays import AnyFloatArray, BoolArray, Float64Array, IntArray
from quarry.ingest.paragraph import Paragraph
from quarry.player.errors import SearchError
from quarry.player.search.core import FARTHEST, NOT_FOUND, log_odds_of

Slot = Literal["book", "global", ""]
"""Which reserved slot a hit stands in: its book's, the whole course's, or none yet."""

Tier = Literal["filter", "boost", "none"]
"""What the confidence in a resolved book allows: search in it alone, prefer it, or ignore it."""

NOTHING_FOUND = "Nothing relevant was found for this hint."

Step = Literal["filter", "boost", "rewritten", "original", "fallback", "lowered", "course", ""]
"""A step of the cascade; "course" is the player's last resort, every paragraph there is; "" where nothing answered."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for.

    Attributes:
        hint: what the paragraph is about, in words that need not occur in it.
        book_name: how somebody calls the lecture it stands in, "" if unknown.
        k: hits wanted; None takes `search.k`, another number scales the slots in proportion.
        keywords: how the hint's words relate to the text; None takes `search.keywords`.
        said: the hint as it was given, where `hint` is a rewriter's; "" where it is not.
    """

    hint: str
    book_name: str = ""
    k: int | None = None
    keywords: KeywordMode | None = None
    said: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """One paragraph found.

    Attributes:
        score: the strategy's own scale, higher is better; scores of two strategies are not comparable.
        relevance: 0..1, the scale on which all hits are comparable: of the best hit, the calibrated probability that
            the course holds what is searched for; of the others, lower by as many log-odds as they are less likely.
        rank: 1-based, within its strategy.
        strategy: who found it.
        slot: in which slot it stands, "" before the merge.
        why: why it was kept, in words.
        relevant: whether its relevance reaches the threshold that was in force.
    """

    paragraph: Paragraph
    score: float
    relevance: float
    rank: int
    strategy: str
    slot: Slot = ""
    why: str = ""
    relevant: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class ScoreArrays:
    """What a strategy makes of paragraphs, for one query.

    Attributes:
        rows: (m,) rows in the course's paragraphs; None for all of them in their order.
        scores: (m,) on the strategy's own scale, higher is better; finite.
        log_odds: (m,) of relevance, -inf where a paragraph was not found.
    """

    rows: IntArray | None
    scores: AnyFloatArray
    log_odds: AnyFloatArray


@dataclass(frozen=True, slots=True)
class BookCandidate:
    """A document that a book name may mean.

    Attributes:
        doc_id: the document whose paragraphs count (for a twin file, the one that holds them).
        confidence: 0..1, calibrated: of names resolved with confidence c, a share c is right.
        tier: what that confidence allows.
        alias: the alias that matched best.
    """

    doc_id: str
    confidence: float
    tier: Tier
    alias: str


class Ranking(Sequence[Hit]):
    """Paragraphs in order, as arrays; a hit and its texts are made when it is asked for.

    Args:
        paragraphs: of the course that was searched.
        rows: (n_hits,) rows in `paragraphs`.
        log_odds: (n_hits,) of relevance, -inf for a paragraph that was not found.
        make: the hits at places from one to another.
        show: the hits that the same search would have returned had it not been asked for everything.
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
            return tuple(self)[place] if place.step not in (None, 1) else self._make(range(len(self))[place])
        row = range(len(self))[place]
        return self._make(range(row, row + 1))[0]

    def __iter__(self) -> Iterator[Hit]:
        return iter(self._make(range(len(self))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and tuple(self) == tuple(other)

    __hash__ = None  # type: ignore[assignment]

    def paragraph(self, place: int) -> Paragraph:
        """The paragraph at a place, without its hit."""
        return self.paragraphs[int(self.rows[place])]


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found, and how it came about.

    Attributes:
        hits: book slots first, then global ones; by relevance within a slot, no paragraph twice.
        books: the documents that the book's name means, surest first; those that neither filter nor are boosted only
            where it is the best candidate there is; () if there was no name or nothing like it.
        failures: strategies that failed or were late while others answered.
        answered_by: the step of the cascade that answered, "" where none did.
        relevant: False where no step found anything above its threshold; `hits` then holds the best there was.
        cached: whether it came from the cache.
        rewritten: the hint in other words, where the step that answered searched for those; "" where it did not.
        boost: log-odds by which the named books' paragraphs were raised.
        threshold: 0..1, relevance from which a hit counts as relevant here: that of the step that answered, or the
            lowest that was tried.
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
    embed_ms: float = 0.0
    search_ms: float = 0.0

    @property
    def book(self) -> BookCandidate | None:
        """The surest of the books, None if there is none."""
        return self.books[0] if self.books else None

    @property
    def tier(self) -> Tier:
        """What the books' confidence allowed."""
        return self.books[0].tier if self.books else "none"

    @property
    def relevant_hits(self) -> tuple[Hit, ...]:
        """The hits that reach the threshold."""
        return tuple(hit for hit in self.hits if hit.relevant)

    @property
    def message(self) -> str:
        """The plain sentence that nothing relevant was found; "" where something was."""
        return "" if self.relevant else NOTHING_FOUND

    @property
    def log_odds(self) -> Float64Array:
        """(n_hits,) log-odds of relevance, of one that was not found those of 0."""
        if isinstance(self.hits, Ranking):
            known: Float64Array = np.clip(self.hits.log_odds.astype(np.float64), -FARTHEST, None)
            return known
        return np.array([log_odds_of(hit.relevance) for hit in self.hits])

    @property
    def inside(self) -> BoolArray:
        """(n_hits,) whether each hit stands in one of the books."""
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
        """The same search with `search.k` hits in their slots: itself, unless everything was asked for."""
        return replace(self, hits=self.hits.show()) if isinstance(self.hits, Ranking) else self

    @property
    def course(self) -> Sequence[Paragraph]:
        """All paragraphs of the course that was searched, where the hits are a `Ranking`; else those of the hits."""
        return self.hits.paragraphs if isinstance(self.hits, Ranking) else self.paragraphs

    @property
    def hit_rows(self) -> IntArray:
        """(n_hits,) row of each hit in `course`."""
        return self.hits.rows if isinstance(self.hits, Ranking) else np.arange(len(self.hits))

    def row_of(self, paragraph: Paragraph) -> int | None:
        """The place of a paragraph among the hits, from 0; None where it is no hit."""
        ids = (found.paragraph_id for found in self.paragraphs)
        return next((row for row, found in enumerate(ids) if found == paragraph.paragraph_id), None)


class Strategy(Protocol):
    """One way of finding paragraphs; all implementations pass tests/contracts/strategy.py.

    Every strategy is asked in a thread of its own, side by side with the others and under `search.deadline_s`.
    """

    @property
    def name(self) -> str:
        """What its hits carry as provenance."""

    def prepare(self, query: Query) -> None:
        """Do what depends on the hint alone, such as embedding it, so that it is timed apart and done once."""

    def search(self, query: Query, k: int, doc_id: str = "", *, deadline: float | None = None) -> Sequence[Hit]:
        """At most k hits, best first, ranks from 1; only paragraphs of `doc_id` if one is given.

        Args:
            query: as it was asked; how its words relate to the text is settled in `query.keywords`.
            k: hits wanted.
            doc_id: the only document to search in, "" for all.
            deadline: of `time.monotonic()`, by which it must have returned; later hits are dropped. None: no hurry.

        Ties go to the smaller paragraph_id. Nothing found is an empty sequence; a failure raises.
        """


@runtime_checkable
class Stage(Strategy, Protocol):
    """A strategy that looks again at what another one found; where it is late or fails, that stands as it was."""

    @property
    def first(self) -> Strategy:
        """The other one."""

    @property
    def pool(self) -> int:
        """Hits of it that are looked at again."""


class Rewriter(Protocol):
    """Says a hint in other words; a user's own may ask a language model."""

    def rewrite(self, query: Query, hits: Sequence[Hit]) -> str:
        """The hint in other words, given what the first search found; "" where there is nothing to change."""


def nothing_found(n: int) -> ScoreArrays:
    """The marks of a strategy that has found none of n paragraphs."""
    return ScoreArrays(None, np.zeros(n), np.full(n, NOT_FOUND))
