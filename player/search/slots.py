"""Slots: the numbers of paragraphs that a search returns from a named book and from the whole course, in order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quarry.configs.settings import Merge, SearchSettings, SpillOver
from quarry.ingest.arrays import AnyFloatArray, BoolArray, IntArray
from quarry.player.search.core import NOT_FOUND


@dataclass(frozen=True, slots=True)
class Slots:
    """Numbers of slots of a search.

    Attributes:
        k: maximal number of hits.
        pdf_k: slots reserved for the books that filter.
        global_k: slots reserved for the whole course.
        spill_over: whether unused slots of one side go to the other.
        merge: "slots", or "relevance" for one list without reserved slots.
    """

    k: int
    pdf_k: int
    global_k: int
    spill_over: SpillOver = "always"
    merge: Merge = "slots"


def slots_of(settings: SearchSettings, k: int | None = None) -> Slots:
    """Return the slots of the settings; k is `k`, else `settings.k`, else the sum of the reserved slots."""
    wanted = k or settings.k or settings.pdf_k + settings.global_k
    return Slots(wanted, settings.pdf_k, settings.global_k, settings.spill_over, settings.merge)


def slotted(
    log_odds: AnyFloatArray, inside: BoolArray | None, slots: Slots, lift: float = 0.0
) -> tuple[IntArray, BoolArray]:
    """Choose the paragraphs of one query to return.

    The book's slots come first, then the course's slots, each in the order of log-odds; ties go to the earlier column.
    The course's slots go to the best of all paragraphs that are not in the book's slots. These may include paragraphs
    of the book, ranked without its lift.

    Args:
        log_odds: (n_columns,) with duplicates merged.
        inside: (n_columns,) whether each is in a book that filters; None if no book filters.
        lift: log-odds that were added to the paragraphs inside.

    Returns:
        (n_returned,) columns in order, and (n_returned,) whether each is in a book's slot.

    Reference:
        The first design record: 15 filtered, then the first 5 unfiltered that are new.
    """
    found = np.flatnonzero(log_odds > NOT_FOUND)
    order = found[np.argsort(-log_odds[found], kind="stable")]
    of_book = np.zeros(len(order), dtype=np.bool_) if inside is None else inside[order]
    if slots.merge == "relevance" or not of_book.any():
        is_open = slots.merge == "relevance" or slots.spill_over != "never"
        n = slots.k if is_open else min(slots.k, slots.global_k)
        return order[:n], of_book[:n]
    in_slot = of_book & (np.cumsum(of_book) <= min(slots.pdf_k, slots.k))
    room = slots.k - int(in_slot.sum())
    n_global = room if slots.spill_over == "always" else min(slots.global_k, room)
    rest = np.flatnonzero(~in_slot)
    chosen = rest[np.argsort(-(log_odds[order[rest]] - lift * of_book[rest]), kind="stable")[:n_global]]
    places = np.concatenate([np.flatnonzero(in_slot), np.sort(chosen)])
    return order[places], in_slot[places]
