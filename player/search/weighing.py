"""What is known of documents before any hint: how it moves the relevance of their hits; pure."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter

from ingest.paragraph import Document
from player.search.threshold import log_odds, probability
from player.search.types import Hit, Weighed

SUREST_BOOK = 0.995
"""Confidence from which a book weighs no more: even an exact stem may be another course's file."""


def book_log_odds(confidence: float, n_in_book: int, n_in_course: int) -> float:
    """By how much likelier one paragraph of the book is than one of the rest, 0 at least.

    Args:
        confidence: 0..1, that the book is meant.
        n_in_book: its paragraphs.
        n_in_course: all paragraphs, its own among them.
    """
    surest = min(confidence, SUREST_BOOK)
    rest = n_in_course - n_in_book
    ratio = math.log(rest / n_in_book) if n_in_book > 0 and rest > 0 else 0.0
    return max(0.0, log_odds(surest) + ratio)


def document_priors(documents: Iterable[Document], quality_weight: float, recency_weight: float) -> Mapping[str, float]:
    """Log-odds of each document's paragraphs, by doc_id: weights times quality and recency.

    Quality is the share of the document's blocks that were kept, in shares of the best one's; recency is its place
    among the dated documents, 0 for the oldest and 1 for the latest. What is not known counts as 0.
    """
    documents = list(documents)
    kept = {document.doc_id: _kept_share(document) for document in documents}
    best = max(kept.values(), default=0.0)
    dates = sorted({document.date for document in documents if document.date})
    age = {date: place / max(1, len(dates) - 1) for place, date in enumerate(dates)}
    return {
        document.doc_id: quality_weight * (kept[document.doc_id] / best if best else 0.0)
        + recency_weight * age.get(document.date, 0.0)
        for document in documents
    }


def weigh(
    sides: Sequence[Sequence[Hit]], *, doc_id: str, lift: float, priors: Mapping[str, float], evidence: float
) -> list[list[Weighed]]:
    """The hits of each side with their relevance, most relevant first, what is known of their documents being added.

    It is added to their log-odds. Lift and priors say which of the hits is likelier, not that any is likely: the best
    one is no more relevant for them than the best one was before. `evidence` then moves them all.

    Args:
        sides: lists of hits, each best first; ties stay as they are.
        doc_id: the resolved book, "" for none.
        lift: log-odds of its hits over the others.
        priors: log-odds by doc_id.
        evidence: log-odds that the course holds what is searched for, from the book's name.
    """
    if not any(sides) or not (evidence or priors or (doc_id and lift)):
        return [[(hit, hit.relevance) for hit in side] for side in sides]
    before = [[log_odds(hit.relevance) for hit in side] for side in sides]
    after = [
        [
            odds + priors.get(hit.paragraph.doc_id, 0.0) + (lift if hit.paragraph.doc_id == doc_id else 0.0)
            for hit, odds in zip(side, known, strict=True)
        ]
        for side, known in zip(sides, before, strict=True)
    ]
    shift = evidence - max(0.0, max(map(max, filter(None, after))) - max(map(max, filter(None, before))))
    weighed = [
        [(hit, probability(odds + shift)) for hit, odds in zip(side, known, strict=True)]
        for side, known in zip(sides, after, strict=True)
    ]
    return [sorted(side, key=itemgetter(1), reverse=True) for side in weighed]


def _kept_share(document: Document) -> float:
    blocks = document.n_paragraphs + sum(document.rejected.values())
    return document.n_paragraphs / blocks if blocks else 0.0
