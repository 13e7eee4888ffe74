"""The slot rule: numbers of slots, spill-over, and what the course's slots hold."""

from typing import Any

import numpy as np
import pytest

from player.search.results import NOT_FOUND, ScoreArrays
from player.search.slots import best_first, n_slots, slotted, with_rare_words
from quarry.arrays import BoolArray, IntArray
from tests.player.fakes import search_settings


def named(chosen: tuple[IntArray, BoolArray]) -> str:
    """Slots and rows, e.g. "b0 b1 g3"."""
    slots = zip(*chosen, strict=True)
    return " ".join(f"{'b' if is_book else 'g'}{row}" for row, is_book in slots)


def lifted(
    pdf_k: int,
    global_k: int,
    *log_odds: float,
    lift: float = 0.0,
    **changes: Any,
) -> str:
    """The slots over six paragraphs of which the first three are the book's, raised by its lift."""
    settings = search_settings(pdf_k=pdf_k, global_k=global_k, **changes)
    inside = np.arange(6) < 3
    chosen = slotted(
        np.array(log_odds),
        inside,
        settings,
        k=n_slots(settings),
        lift=lift,
        filters=True,
    )
    return named(chosen)


def filled(
    pdf_k: int,
    global_k: int,
    ranking: str,
    spill_over: str = "always",
    **changes: Any,
) -> str:
    """The slots over six paragraphs of which the first three are the book's; `ranking` has those found, best first."""
    log_odds = np.full(6, NOT_FOUND)
    for place, row in enumerate(ranking):
        log_odds[int(row)] = -place
    return lifted(pdf_k, global_k, *log_odds, spill_over=spill_over, **changes)


def test_spare_slots_go_to_the_other_side_or_stay_empty() -> None:
    assert filled(3, 1, "3450") == "b0 g3 g4 g5"
    assert filled(3, 1, "3450", "never") == "b0 g3"
    assert filled(3, 1, "3450", "no-book") == "b0 g3"
    assert filled(1, 3, "0123") == "b0 g1 g2 g3"


def test_without_the_book_the_course_has_every_slot_if_they_spill_over() -> None:
    assert filled(2, 1, "345") == "g3 g4 g5"
    assert filled(2, 1, "345", "no-book") == "g3 g4 g5"
    assert filled(2, 1, "345", "never") == "g3"


def test_by_relevance_no_slot_is_reserved() -> None:
    for spill_over in ("always", "never"):
        spread = filled(2, 2, "341502", spill_over, merge="relevance")
        assert spread == "g3 g4 b1 g5"


def test_the_course_s_slots_are_filled_without_the_lift_of_the_book() -> None:
    # without the lift of 5 the book's third is behind all others
    odds = (9.0, 8.0, 6.0, 4.0, 3.0, 2.0)
    assert lifted(2, 2, *odds, lift=5) == "b0 b1 g3 g4"
    assert lifted(2, 2, *odds) == "b0 b1 g2 g3"
    # unlifted it (2.5) is between the last two; with its lift it is the best of the three
    odds = (9.0, 8.0, 7.5, 4.0, 3.0, 2.0)
    assert lifted(2, 3, *odds, lift=5) == "b0 b1 g2 g3 g4"


def test_the_best_rows_are_those_found_and_ties_go_to_the_earlier() -> None:
    log_odds = np.array([2.0, 3.0, NOT_FOUND, 2.0, 1.0])
    expected = {0: [], 1: [1], 2: [1, 0], 3: [1, 0, 3], 9: [1, 0, 3, 4]}
    for n, rows in expected.items():
        assert best_first(log_odds, n).tolist() == rows


def test_k_is_the_number_of_hits_and_of_the_course_s_slots_if_they_spill_over() -> None:
    assert filled(3, 1, "012345", k=2) == "b0 b1"
    assert filled(2, 1, "012345", k=5) == "b0 b1 g2 g3 g4"
    assert filled(2, 1, "012345", "never", k=5) == "b0 b1 g2"


@pytest.mark.parametrize(
    ("fresh", "n_book", "n_course", "expected"),
    [
        ([9, 19], 5, 5, "b0 b1 b2 b3 b9 g10 g11 g12 g13 g19"),
        ([19, 17, 18], 8, 7, "b0 b1 b2 b3 b4 b5 b6 b7 g10 g11 g12 g13 g19 g17 g18"),
        ([8, 9], 5, 5, "b0 b1 b2 b8 b9 g10 g11 g12 g13 g14"),
        ([19, 16, 17, 18], 1, 2, "b0 g10 g19"),
    ],
)
def test_paragraphs_with_rare_words_replace_the_last_fifth_of_the_hits_on_their_side(
    fresh: list[int], n_book: int, n_course: int, expected: str
) -> None:
    hits = np.array([*range(n_book), *range(10, 10 + n_course)])
    inside = np.arange(20) < 10
    # a hit holds the first rare word; of those with the second the earlier are better
    rare = np.zeros((2, 20), dtype=np.bool_)
    rare[0, [0, 19]] = True
    rare[1, fresh] = True
    log_odds = np.full(20, -9.0)
    log_odds[fresh] = -np.arange(len(fresh))

    keyword = ScoreArrays(log_odds, log_odds, log_odds, rare)
    for k in {len(hits), 20}:
        chosen = with_rare_words(hits, inside[hits], keyword, inside, k=k)
        assert named(chosen) == expected
