"""The slot rule: which paragraphs a search returns from a named book, from the whole course, and for rare words."""

from __future__ import annotations

import numpy as np

from configs.settings import SearchSettings
from ingest.arrays import AnyFloatArray, BoolArray, IntArray

NOT_FOUND = -np.inf
"""Log-odds of a paragraph that was not found."""
NO_COLUMN = -1
"""Fills arrays of columns after the last one."""
TAIL = 5
"""One slot in so many is reserved for rare words that no hit holds."""


def n_slots(settings: SearchSettings, k: int | None = None) -> int:
    """Return the maximal number of hits: `k`, else `settings.k`, else the sum of the reserved slots."""
    return k or settings.k or settings.pdf_k + settings.global_k


def slotted(
    log_odds: AnyFloatArray,
    inside: BoolArray | None,
    settings: SearchSettings,
    k: int,
    lift: float = 0.0,
    *,
    filters: bool = True,
) -> tuple[IntArray, BoolArray]:
    """Choose the paragraphs of one query to return.

    The book's slots come first, then the course's slots, each in the order of log-odds; ties go to the earlier column.
    The course's slots go to the best of all paragraphs that are not in the book's slots. These may include paragraphs
    of the book, ranked without its lift. With a book that is boosted, the slots of the book go to the best of all
    paragraphs, and all hits are in the order of log-odds.

    Args:
        log_odds: (n_columns,) with duplicates merged.
        inside: (n_columns,) whether each is in a book that filters or is boosted; None without one.
        settings: the numbers of slots, and the rules of their merge and spill-over.
        k: maximal number of hits.
        lift: log-odds that were added to the paragraphs inside.
        filters: whether the book filters.

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
        return order[:n], in_book[:n] & filters
    is_first = in_book | (not filters)
    in_slot = is_first & (np.cumsum(is_first) <= min(settings.pdf_k, k))
    room = k - int(in_slot.sum())
    n_global = room if settings.spill_over == "always" else min(settings.global_k, room)
    rest = np.flatnonzero(~in_slot)
    chosen = rest[
        np.argsort(-(log_odds[order[rest]] - lift * in_book[rest]), kind="stable")[
            :n_global
        ]
    ]
    places = np.concatenate([np.flatnonzero(in_slot), np.sort(chosen)])
    return order[places], in_slot[places] & filters


def with_rare_words(
    chosen: IntArray, in_book: BoolArray, fresh: IntArray, inside: BoolArray, k: int
) -> tuple[IntArray, BoolArray]:
    """Replace the last hits by paragraphs with rare words that no hit holds, in the slots of the same side.

    Embeddings represent rare words poorly.

    Args:
        chosen, in_book: result of `slotted`.
        fresh: columns of the paragraphs to add, the best first.
        inside: (n_columns,) whether each is in a book that filters.
        k: maximal number of hits.
    """
    sides = []
    for is_book in (True, False):
        hits = chosen[in_book == is_book]
        added = fresh[inside[fresh] == is_book]
        kept = hits[: max(0, len(hits) - len(added))]
        sides.append(np.concatenate([kept, added]))

    slots = np.repeat([True, False], [len(side) for side in sides])
    return np.concatenate(sides)[:k], slots[:k]
