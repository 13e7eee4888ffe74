"""Query, Hit, SearchResult and Strategy: what goes through a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from configs.settings import KeywordMode
from ingest.paragraph import Paragraph
from player.errors import SearchError

Slot = Literal["book", "global", ""]
"""Which reserved slot a hit stands in: its book's, the whole course's, or none yet."""

Tier = Literal["filter", "boost", "none"]
"""What the confidence in a resolved book allows: search in it alone, prefer it, or ignore it."""

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
        within: doc_id of the only document to search in, "" for the whole course.
        said: the hint as it was given, where `hint` is a rewriter's; "" where it is not.
    """

    hint: str
    book_name: str = ""
    k: int | None = None
    keywords: KeywordMode | None = None
    within: str = ""
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
    """

    paragraph: Paragraph
    score: float
    relevance: float
    rank: int
    strategy: str
    slot: Slot = ""
    why: str = ""


Weighed = tuple[Hit, float]
"""A hit as its strategy found it, and its relevance once all that is known of its document counts."""


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


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search found.

    Attributes:
        hits: book slots first, then global ones; by relevance within a slot, no paragraph twice.
        book: the best candidate for the book, None if there was no name or nothing like it.
        failures: strategies that failed or were late while others answered.
        answered_by: the step of the cascade that answered, "" where none did.
        relevant: False where no step found anything above its threshold; `hits` then holds the best there was.
        cached: whether it came from the cache.
        embed_ms: milliseconds spent on embedding the hint.
        search_ms: milliseconds spent on everything else.
    """

    query: Query
    hits: tuple[Hit, ...]
    book: BookCandidate | None = None
    failures: tuple[SearchError, ...] = ()
    answered_by: Step = ""
    relevant: bool = True
    cached: bool = False
    embed_ms: float = 0.0
    search_ms: float = 0.0

    def row_of(self, paragraph: Paragraph) -> int | None:
        """The place of a paragraph among the hits, from 0; None where it is no hit."""
        ids = (hit.paragraph.paragraph_id for hit in self.hits)
        return next((row for row, found in enumerate(ids) if found == paragraph.paragraph_id), None)


class Strategy(Protocol):
    """One way of finding paragraphs; all implementations pass tests/contracts/strategy.py."""

    @property
    def name(self) -> str:
        """What its hits carry as provenance."""

    @property
    def waits(self) -> bool:
        """Whether it waits on something outside this process: it is then run in a thread, with a deadline."""

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


class Rewriter(Protocol):
    """Says a hint in other words; a user's own may ask a language model."""

    def rewrite(self, query: Query, hits: Sequence[Hit]) -> str:
        """The hint in other words, given what the first search found; "" where there is nothing to change."""
