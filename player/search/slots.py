"""Priority-slot merge of filtered and unfiltered hits; pure."""

from __future__ import annotations

from collections.abc import Sequence

from player.search.types import Hit, Slot, Weighed


def merge_slots(
    book_hits: Sequence[Weighed], global_hits: Sequence[Weighed], pdf_k: int, global_k: int, *, spill_over: bool
) -> tuple[Hit, ...]:
    """The dual search's result: `pdf_k` hits of the book, then `global_k` of the whole course that are new.

    Args:
        book_hits: hits within the resolved book, best first; empty if no book was resolved.
        global_hits: hits over the whole course, best first.
        pdf_k: slots reserved for the book.
        global_k: slots reserved for the course.
        spill_over: give what one side leaves unused to the other.

    Returns:
        At most pdf_k + global_k hits with their slots: the book's first, then the course's; no paragraph twice, nor one
        that says the same as an earlier hit.

    Reference:
        The first design record (15 filtered, then the first 5 of 20 unfiltered that are new).
    """
    book = _unique(book_hits, ())
    chosen_book = book[:pdf_k]
    course = _unique(global_hits, chosen_book)
    spare_book_slots = pdf_k - len(chosen_book) if spill_over else 0
    chosen_course = course[: global_k + spare_book_slots]
    if spill_over and len(chosen_course) < global_k:
        rest = _unique(book[pdf_k:], chosen_course)
        chosen_book = chosen_book + rest[: global_k - len(chosen_course)]
    return (
        *(_placed(item, "book", "in the resolved book") for item in chosen_book),
        *(_placed(item, "global", "over the whole course") for item in chosen_course),
    )


def merge_by_relevance(book_hits: Sequence[Weighed], global_hits: Sequence[Weighed], k: int) -> tuple[Hit, ...]:
    """All hits in one list by relevance, no slot reserved; a paragraph of both sides counts as the book's.

    Reference:
        The first design record's alternative "distance merge".
    """
    book_ids = {hit.paragraph.paragraph_id for hit, _ in book_hits}
    both = sorted((*book_hits, *global_hits), key=lambda item: (-item[1], item[0].paragraph.paragraph_id))
    return tuple(
        _placed(item, "book", "in the resolved book")
        if item[0].paragraph.paragraph_id in book_ids
        else _placed(item, "global", "over the whole course")
        for item in _unique(both, ())[:k]
    )


def _unique(hits: Sequence[Weighed], before: Sequence[Weighed]) -> list[Weighed]:
    """The hits that say something which none of `before`, nor an earlier one of their own, has said."""
    fresh = []
    # what a paragraph has in common with its copies: the first of those nearly identical to it, and its own text
    originals = {hit.paragraph.same_as or hit.paragraph.paragraph_id for hit, _ in before}
    texts = {hit.paragraph.text for hit, _ in before}
    for item in hits:
        paragraph = item[0].paragraph
        original = paragraph.same_as or paragraph.paragraph_id
        if original not in originals and paragraph.text not in texts:
            fresh.append(item)
        originals.add(original)
        texts.add(paragraph.text)
    return fresh


def _placed(item: Weighed, slot: Slot, where: str) -> Hit:
    """The hit as the search returns it, made once: copying hits on the way took a tenth of a search."""
    hit, relevance = item
    why = f"{hit.why or f'rank {hit.rank} by {hit.strategy}'}, {where}"
    return Hit(hit.paragraph, hit.score, relevance, hit.rank, hit.strategy, slot, why)
