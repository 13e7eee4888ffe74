"""Query, Hit, SearchResult and Strategy: what goes through a search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from ingest.paragraph import Paragraph
from player.errors import SearchError

Slot = Literal["book", "global", ""]
"""Which reserved slot a hit stands in: its book's, the whole course's, or none yet."""

Tier = Literal["filter", "boost", "none"]
"""What the confidence in a resolved book allows: search in it alone, prefer it, or ignore it."""


@dataclass(frozen=True, slots=True)
class Query:
    """What is searched for.

    Attributes:
        hint: what the paragraph is about, in words that need not occur in it.
        book_name: how somebody calls the lecture it stands in, "" if unknown.
        k: hits wanted; None takes `search.k`, another number scales the slots in proportion.
    """

    hint: str
    book_name: str = ""
    k: int | None = None


@dataclass(frozen=True, slots=True)
class Hit:
    """One paragraph found.

    Attributes:
        score: the strategy's own scale, higher is better; scores of two strategies are not comparable.
        relevance: 0..1, the scale on which hits of one result are comparable.
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


@dataclass(frozen=True, slots=True)
class BookCandidate:
    """A document that a book name may mean.

    Attributes:
        doc_id: the document whose paragraphs count (for a twin file, the one that holds them).
        confidence: 0..1.
        tier: what that confidence allows.
        alias: the alias that matched.
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
        book: the resolved book, None if there was no name or nothing like it.
        failures: strategies that failed while others answered.
        answered_by: the step that answered: "filter", "boost", "original", or "course" where nothing was found and the
            player takes every paragraph.
        relevant: False where nothing was found at all.
        cached: whether it came from a cache; there is none yet, so always False.
        embed_ms: milliseconds spent on embedding the hint.
        search_ms: milliseconds spent on everything else.
    """

    query: Query
    hits: tuple[Hit, ...]
    book: BookCandidate | None = None
    failures: tuple[SearchError, ...] = ()
    answered_by: str = ""
    relevant: bool = True
    cached: bool = False
    embed_ms: float = 0.0
    search_ms: float = 0.0


class Strategy(Protocol):
    """One way of finding paragraphs; all implementations pass tests/contracts/strategy.py."""

    @property
    def name(self) -> str:
        """What its hits carry as provenance."""

    def prepare(self, query: Query) -> None:
        """Do what depends on the hint alone, such as embedding it, so that it is timed apart and done once."""

    def search(self, query: Query, k: int, doc_id: str = "") -> Sequence[Hit]:
        """At most k hits, best first, ranks from 1; only paragraphs of `doc_id` if one is given.

        Ties go to the smaller paragraph_id. Nothing found is an empty sequence; a failure raises.
        """
