"""The priority-slot merge, worked by hand on three to six paragraphs."""

from __future__ import annotations

from player.search.slots import merge_slots
from player.search.types import Hit, Weighed
from tests.player import fakes


def hits(*paragraph_ids: str, strategy: str = "fake") -> list[Weighed]:
    """Hits in this order, as relevant as their strategy says."""
    return [(hit, hit.relevance) for hit in fakes.hits(*paragraph_ids, strategy=strategy)]


def shown(merged: tuple[Hit, ...]) -> list[str]:
    """Slot and paragraph of each hit, e.g. "book b:1:1"."""
    return [f"{hit.slot} {hit.paragraph.paragraph_id}" for hit in merged]


def test_the_books_hits_come_first_then_the_courses() -> None:
    merged = merge_slots(hits("b:1:1", "b:1:2"), hits("c:1:1", "c:1:2"), 2, 2, spill_over=False)
    assert shown(merged) == ["book b:1:1", "book b:1:2", "global c:1:1", "global c:1:2"]


def test_a_paragraph_of_the_book_does_not_come_again_from_the_course() -> None:
    merged = merge_slots(hits("b:1:1", "b:1:2"), hits("b:1:1", "c:1:1", "b:1:2", "c:1:2"), 2, 2, spill_over=False)
    assert shown(merged) == ["book b:1:1", "book b:1:2", "global c:1:1", "global c:1:2"]


def test_a_paragraph_that_found_no_book_slot_may_take_one_of_the_course() -> None:
    merged = merge_slots(hits("b:1:1", "b:1:2"), hits("b:1:1", "b:1:2", "c:1:1"), 1, 1, spill_over=False)
    assert shown(merged) == ["book b:1:1", "global b:1:2"]


def test_a_paragraph_that_comes_twice_on_one_side_stands_once() -> None:
    merged = merge_slots(hits("b:1:1", "b:1:1", "b:1:2"), hits("c:1:1", "c:1:1", "c:1:2"), 2, 2, spill_over=True)
    assert shown(merged) == ["book b:1:1", "book b:1:2", "global c:1:1", "global c:1:2"]


def test_spare_book_slots_go_to_the_course() -> None:
    merged = merge_slots(hits("b:1:1"), hits("c:1:1", "c:1:2", "c:1:3", "c:1:4"), 3, 1, spill_over=True)
    assert shown(merged) == ["book b:1:1", "global c:1:1", "global c:1:2", "global c:1:3"]


def test_spare_book_slots_stay_empty_without_spill_over() -> None:
    merged = merge_slots(hits("b:1:1"), hits("c:1:1", "c:1:2", "c:1:3", "c:1:4"), 3, 1, spill_over=False)
    assert shown(merged) == ["book b:1:1", "global c:1:1"]


def test_spare_global_slots_go_to_the_book() -> None:
    merged = merge_slots(hits("b:1:1", "b:1:2", "b:1:3", "b:1:4"), hits("b:1:1", "c:1:1"), 1, 3, spill_over=True)
    assert shown(merged) == ["book b:1:1", "book b:1:2", "book b:1:3", "global c:1:1"]


def test_spare_global_slots_stay_empty_without_spill_over() -> None:
    merged = merge_slots(hits("b:1:1", "b:1:2", "b:1:3", "b:1:4"), hits("b:1:1", "c:1:1"), 1, 3, spill_over=False)
    assert shown(merged) == ["book b:1:1", "global c:1:1"]


def test_spill_over_to_the_book_does_not_repeat_what_the_course_has_taken() -> None:
    merged = merge_slots(hits("b:1:1", "b:1:2", "b:1:3"), hits("b:1:2"), 1, 2, spill_over=True)
    assert shown(merged) == ["book b:1:1", "book b:1:3", "global b:1:2"]


def test_both_sides_short_give_all_there_is() -> None:
    merged = merge_slots(hits("b:1:1"), hits("b:1:1", "c:1:1"), 15, 5, spill_over=True)
    assert shown(merged) == ["book b:1:1", "global c:1:1"]


def test_without_a_book_the_course_fills_every_slot_only_with_spill_over() -> None:
    course = hits("c:1:1", "c:1:2", "c:1:3")
    assert shown(merge_slots([], course, 2, 1, spill_over=True)) == ["global c:1:1", "global c:1:2", "global c:1:3"]
    assert shown(merge_slots([], course, 2, 1, spill_over=False)) == ["global c:1:1"]


def test_nothing_found_merges_to_nothing() -> None:
    assert merge_slots([], [], 15, 5, spill_over=True) == ()


def test_hits_keep_their_rank_and_score_and_say_why_they_were_kept() -> None:
    first, second = merge_slots(
        hits("b:1:1", strategy="dense"), hits("b:1:1", "c:1:1", strategy="dense"), 1, 1, spill_over=False
    )
    assert (first.rank, first.score, first.strategy) == (1, 0.9, "dense")
    assert (second.rank, second.score, second.strategy) == (2, 0.8, "dense")
    assert first.why == "rank 1 by dense, in the resolved book"
    assert second.why == "rank 2 by dense, over the whole course"


def test_hits_are_as_relevant_as_their_weighed_documents_make_them() -> None:
    ((hit, _),) = hits("b:1:1")
    (merged,) = merge_slots([(hit, 0.25)], [], 1, 0, spill_over=False)
    assert merged.relevance == 0.25
    assert hit.relevance == 0.9
