"""The slot rule: numbers of slots, spill-over, and what the course's slots hold."""

from __future__ import annotations

import numpy as np
import pytest

from configs.settings import Merge, SpillOver
from player.search.slots import n_slots, slotted, with_rare_words
from player.search.types import NOT_FOUND as NO
from player.search.types import ScoreArrays
from tests.player.fakes import search_settings

BOOK = np.array([True, True, True, False, False, False])


def filled(
    pdf_k: int,
    global_k: int,
    *log_odds: float,
    spill_over: SpillOver = "always",
    merge: Merge = "slots",
    lift: float = 0.0,
    filters: bool = True,
) -> str:
    """The slots over six paragraphs of which the first three are the book's, e.g. "b0 b1 g3"."""
    settings = search_settings(
        pdf_k=pdf_k, global_k=global_k, spill_over=spill_over, merge=merge
    )
    k = pdf_k + global_k
    chosen, in_book = slotted(
        np.array(log_odds), BOOK, settings, k, lift, filters=filters
    )
    return " ".join(
        f"{'b' if book else 'g'}{row}"
        for row, book in zip(chosen, in_book, strict=True)
    )


class TestSlots:
    def test_the_books_paragraphs_come_first_then_the_courses(self) -> None:
        assert filled(2, 2, 1, 2, 0, 6, 5, 4) == "b1 b0 g3 g4"

    def test_one_that_found_no_slot_of_the_book_may_take_one_of_the_course(
        self,
    ) -> None:
        assert filled(1, 1, 9, 8, 7, 6, 5, 4) == "b0 g1"

    def test_spare_slots_of_the_book_go_to_the_course_or_stay_empty(self) -> None:
        assert filled(3, 1, 1, NO, NO, 6, 5, 4) == "b0 g3 g4 g5"
        assert filled(3, 1, 1, NO, NO, 6, 5, 4, spill_over="never") == "b0 g3"
        assert filled(3, 1, 1, NO, NO, 6, 5, 4, spill_over="no-book") == "b0 g3"

    def test_spare_slots_of_the_course_go_to_the_rest_of_the_book(self) -> None:
        assert filled(1, 3, 9, 8, 7, 6, NO, NO) == "b0 g1 g2 g3"

    def test_without_the_book_the_course_has_every_slot_if_they_spill_over(
        self,
    ) -> None:
        assert filled(2, 1, NO, NO, NO, 6, 5, 4) == "g3 g4 g5"
        assert filled(2, 1, NO, NO, NO, 6, 5, 4, spill_over="no-book") == "g3 g4 g5"
        assert filled(2, 1, NO, NO, NO, 6, 5, 4, spill_over="never") == "g3"

    def test_a_boosted_book_leaves_the_course_its_slots(self) -> None:
        lifted = (11, 12, 10, 6, 5, 4)
        assert filled(2, 2, *lifted, lift=10, filters=False) == "g1 g0 g3 g4"
        assert filled(4, 0, *lifted, lift=10, filters=False) == "g1 g0 g2 g3"
        assert filled(2, 2, 5, 2, 1, 6, 4, 3, lift=1, filters=False) == "g3 g0 g4 g5"

    def test_by_relevance_no_slot_is_reserved(self) -> None:
        log_odds = (1, 2, 0, 6, 5, 1.5)
        spread = "g3 g4 b1 g5"
        assert filled(2, 2, *log_odds, merge="relevance") == spread
        assert filled(2, 2, *log_odds, merge="relevance", spill_over="never") == spread

    def test_ties_go_to_the_earlier_paragraph(self) -> None:
        assert filled(2, 2, 1, 1, 1, 1, 1, 1) == "b0 b1 g2 g3"
        many, inside = np.tile([1.0, 2.0], 30), np.arange(60) >= 30
        settings = search_settings(pdf_k=20, global_k=20)
        chosen = slotted(many, inside, settings, 40)[0]
        book = [*range(31, 60, 2), *range(30, 40, 2)]
        assert chosen.tolist() == [*book, *range(1, 30, 2), *range(0, 10, 2)]

    def test_the_course_s_slots_are_filled_without_the_lift_of_the_book(self) -> None:
        # all of the book is raised by 5; without that its third is behind all others
        lifted = (9.0, 8.0, 6.0, 4.0, 3.0, 2.0)
        assert filled(2, 2, *lifted, lift=5) == "b0 b1 g3 g4"
        assert filled(2, 2, *lifted) == "b0 b1 g2 g3"
        # unlifted its third (2.5) is between the last two; with its lift it is the best of the three
        assert filled(2, 3, 9.0, 8.0, 7.5, 4.0, 3.0, 2.0, lift=5) == "b0 b1 g2 g3 g4"


@pytest.mark.parametrize(
    ("pdf_k", "global_k", "k", "spill_over", "n_book", "n_global"),
    [
        (10, 5, 0, "always", 10, 5),
        (10, 0, 0, "always", 10, 0),
        (3, 7, 0, "never", 3, 7),
        (15, 5, 12, "always", 12, 0),
        (15, 5, 40, "always", 15, 25),
        (15, 5, 40, "never", 15, 5),
        (25, 5, 0, "no-book", 20, 5),
        (25, 5, 0, "always", 20, 10),
    ],
)
def test_slots_are_numbers_of_hits(
    pdf_k: int, global_k: int, k: int, spill_over: SpillOver, n_book: int, n_global: int
) -> None:
    # a book of 20 paragraphs in a course of 60
    inside = np.arange(60) % 3 == 0
    settings = search_settings(
        pdf_k=pdf_k, global_k=global_k, k=k, spill_over=spill_over
    )
    _, in_book = slotted(-np.arange(60.0), inside, settings, n_slots(settings))
    assert (int(in_book.sum()), int((~in_book).sum())) == (n_book, n_global)


def test_a_query_may_ask_for_another_k() -> None:
    settings = search_settings()
    assert [n_slots(settings, asked) for asked in (None, 7, 50)] == [20, 7, 50]


@pytest.mark.parametrize(
    ("fresh", "k", "rows", "slots"),
    [
        ([2, 6], 10, [0, 2, 4, 6], "bbgg"),
        ([8, 6, 7], 15, [0, 1, 8, 6, 7], "bbggg"),
        ([2, 3], 10, [2, 3, 4, 5], "bbgg"),
        ([8, 6, 7], 9, [0, 1, 4, 8], "bbgg"),
    ],
)
def test_paragraphs_with_rare_words_take_the_last_slots_of_their_side(
    fresh: list[int], k: int, rows: list[int], slots: str
) -> None:
    inside = np.arange(9) < 4
    hits, in_book = np.array([0, 1, 4, 5]), np.array([True, True, False, False])
    # a hit holds the first rare word; of those with the second the earlier are better
    rare, log_odds = np.zeros(9, dtype=np.int64), np.full(9, -9.0)
    rare[0], rare[[*fresh, 8]], rare[fresh] = 1, 1, 2
    log_odds[fresh] = -np.arange(len(fresh))
    keyword = ScoreArrays(log_odds, log_odds, rare=rare)
    result = with_rare_words(hits, in_book, keyword, inside, k)
    assert result[0].tolist() == rows
    assert "".join("b" if is_book else "g" for is_book in result[1]) == slots
