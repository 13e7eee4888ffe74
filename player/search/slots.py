"""Priority-slot merge of filtered and unfiltered hits; pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from player.search.types import Hit, Slot


def merge_slots(
    book_hits: Sequence[Hit], global_hits: Sequence[Hit], pdf_k: int, global_k: int, *, spill_over: bool
) -> tuple[Hit, ...]:
    """The dual search's result: `pdf_k` hits of the book, then `global_k` of the whole course that are new.

    Args:
        book_hits: hits within the resolved book, best first; empty if no book was resolved.
        global_hits: hits over the whole course, best first.
        pdf_k: slots reserved for the book.
        global_k: slots reserved for the course.
        spill_over: give what one side leaves unused to the other.

    Returns:
        At most pdf_k + global_k hits with their slots, no paragraph twice: the book's first, then the course's.

    Reference:
        The first design record (15 filtered, then the first 5 of 20 unfiltered that are new).
    """
    book = _unique(book_hits, set())
    chosen_book = book[:pdf_k]
    course = _unique(global_hits, {hit.paragraph.paragraph_id for hit in chosen_book})
    spare_book_slots = pdf_k - len(chosen_book) if spill_over else 0
    chosen_course = course[: global_k + spare_book_slots]
    if spill_over and len(chosen_course) < global_k:
        taken = {hit.paragraph.paragraph_id for hit in chosen_course}
        rest = [hit for hit in book[pdf_k:] if hit.paragraph.paragraph_id not in taken]
        chosen_book = chosen_book + rest[: global_k - len(chosen_course)]
    return (
        *(_placed(hit, "book", "in the resolved book") for hit in chosen_book),
        *(_placed(hit, "global", "over the whole course") for hit in chosen_course),
    )


def _unique(hits: Sequence[Hit], seen: set[str]) -> list[Hit]:
    """The hits whose paragraphs are not in `seen`, each paragraph once, the first of it."""
    fresh = []
    taken = set(seen)
    for hit in hits:
        if hit.paragraph.paragraph_id not in taken:
            taken.add(hit.paragraph.paragraph_id)
            fresh.append(hit)
    return fresh


def _placed(hit: Hit, slot: Slot, where: str) -> Hit:
    return replace(hit, slot=slot, why=f"{hit.why or f'rank {hit.rank} by {hit.strategy}'}, {where}")
