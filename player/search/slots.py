"""The slot rule: which paragraphs a search returns from a named book, from the whole course, and for rare words."""

from __future__ import annotations

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.ingest.arrays import AnyFloatArray, BoolArray, IntArray
from quarry.player.search.core import NOT_FOUND, Columns, merge_duplicates

TAIL = 5
"""One slot in so many is reserved for rare words that no hit holds, if keywords are the fallback."""
LEAST_MORE = 1e-6
"""A paragraph gets so many log-odds more than the paragraph that it replaces."""


def n_slots(settings: SearchSettings, k: int | None = None) -> int:
    """Return the maximal number of hits: `k`, else `settings.k`, else the sum of the reserved slots."""
    return k or settings.k or settings.pdf_k + settings.global_k


def slotted(
    log_odds: AnyFloatArray, inside: BoolArray | None, settings: SearchSettings, k: int, lift: float = 0.0
) -> tuple[IntArray, BoolArray]:
    """Choose the paragraphs of one query to return.

    The book's slots come first, then the course's slots, each in the order of log-odds; ties go to the earlier column.
    The course's slots go to the best of all paragraphs that are not in the book's slots. These may include paragraphs
    of the book, ranked without its lift.

    Args:
        log_odds: (n_columns,) with duplicates merged.
        inside: (n_columns,) whether each is in a book that filters; None if no book filters.
        settings: the numbers of slots, and the rules of their merge and spill-over.
        k: maximal number of hits.
        lift: log-odds that were added to the paragraphs inside.

    Returns:
        (n_returned,) columns in order, and (n_returned,) whether each is in a book's slot.

    Reference:
        The first design record: 15 filtered, then the first 5 unfiltered that are new.
    """
    found = np.flatnonzero(log_odds > NOT_FOUND)
    order = found[np.argsort(-log_odds[found], kind="stable")]
    in_book = np.zeros(len(order), dtype=np.bool_) if inside is None else inside[order]
    if settings.merge == "relevance" or not in_book.any():
        is_open = settings.merge == "relevance" or settings.spill_over != "never"
        n = k if is_open else min(k, settings.global_k)
        return order[:n], in_book[:n]
    in_slot = in_book & (np.cumsum(in_book) <= min(settings.pdf_k, k))
    room = k - int(in_slot.sum())
    n_global = room if settings.spill_over == "always" else min(settings.global_k, room)
    rest = np.flatnonzero(~in_slot)
    chosen = rest[np.argsort(-(log_odds[order[rest]] - lift * in_book[rest]), kind="stable")[:n_global]]
    places = np.concatenate([np.flatnonzero(in_slot), np.sort(chosen)])
    return order[places], in_slot[places]


def slotted_with_rare_words(
    log_odds: AnyFloatArray,
    by_keywords: AnyFloatArray,
    rare: BoolArray,
    book: BoolArray | None,
    columns: Columns,
    settings: SearchSettings,
    k: int,
    lift: float,
    *,
    names: bool,
) -> tuple[AnyFloatArray, IntArray, BoolArray, IntArray]:
    """Choose as `slotted` does, and replace the least relevant hits by paragraphs with rare words that no hit holds.

    Embeddings represent rare words poorly.

    Args:
        log_odds, book, settings, k, lift: arguments of `slotted`.
        by_keywords: (n_columns,) log-odds of a keyword search for these words.
        rare: (n_columns,) whether a paragraph holds one of these words.
        names: whether the words are names. All paragraphs with a name are added; for other words, at most one slot in
            `TAIL`.

    Returns:
        (n_columns,) the log-odds by which the paragraphs were chosen, the two arrays of `slotted`, and the columns of
        the added paragraphs.
    """
    chosen, in_book = slotted(log_odds, book, settings, k, lift)
    fresh = np.flatnonzero(rare & (by_keywords > NOT_FOUND))
    fresh = fresh[np.argsort(-by_keywords[fresh], kind="stable")][: None if names else max(1, k // TAIL)]
    inside = np.zeros(len(log_odds), dtype=np.bool_) if book is None else book
    raised = log_odds.astype(np.float64)
    for is_book in (True, False):
        added, there = fresh[inside[fresh] == is_book], raised[chosen[in_book == is_book]]
        if len(added):
            least = there[-min(len(added), len(there))] + LEAST_MORE if len(there) else NOT_FOUND
            raised[added] = np.maximum(raised[added], np.maximum(by_keywords[added], least))
    raised = merge_duplicates(raised[None], columns, inside[None])[0]
    return raised, *slotted(raised, book, settings, k, lift), fresh
