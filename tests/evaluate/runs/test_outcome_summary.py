"""What became of a game, in words."""

from __future__ import annotations

from typing import Any

import pytest

from quarry.evaluate.runs.outcome_summary import fate
from tests.contracts.records import game_record, play_record

SEARCH = game_record()["search"]


def search(**changes: Any) -> dict[str, Any]:
    return {**SEARCH, **changes}


def test_a_paragraph_that_was_found_says_where_and_by_whom() -> None:
    assert fate(game_record(), None) == "found at rank 2 in the book's slots by dense"


def test_a_won_game_says_how_far_the_answers_carried_it() -> None:
    assert fate(game_record(), play_record()) == (
        "won: found at rank 2 in the book's slots by dense; place 7 of 50 before the answers, 1 after"
    )


def test_a_game_lost_by_the_answers_says_where_it_ended() -> None:
    assert fate(game_record(), play_record(won=False, guess_rank=3)) == (
        "lost by the answers: found at rank 2 in the book's slots by dense; place 7 of 50 before them, 3 after"
    )


def test_a_candidate_beyond_the_hits_is_told_as_such() -> None:
    record = game_record(search=search(rank=None))
    assert fate(record, play_record()).startswith("won: not among the first 2 hits; place 7 of 50")


def test_a_paragraph_that_was_never_ingested_is_lost_at_ingest() -> None:
    record = game_record(truth=None, search=search(rank=None))
    assert fate(record, None) == "lost at ingest: the store holds no such paragraph"


def test_a_wrong_filter_is_named_with_both_books() -> None:
    book = {"document": "beta", "confidence": 0.95, "tier": "filter"}
    assert fate(game_record(search=search(rank=None, book=book)), None) == (
        "lost at the book: 'the alpha' was taken for beta (confidence 0.95), but the paragraph stands in alpha"
    )


@pytest.mark.parametrize(
    ("book", "book_name", "ends"),
    [
        (
            {"document": "alpha", "confidence": 0.95, "tier": "filter"},
            "alpha",
            ", although the book was resolved rightly",
        ),
        ({"document": "beta", "confidence": 0.7, "tier": "boost"}, "alpha", ", and beta was preferred to alpha"),
        ({"document": "beta", "confidence": 0.2, "tier": "none"}, "alpha", ", and no book was resolved"),
        (None, "", ", and no book was named"),
    ],
)
def test_a_search_that_missed_says_what_the_book_did(book: Any, book_name: str, ends: str) -> None:
    record = game_record(book_name=book_name, search=search(rank=None, book=book))
    assert fate(record, None) == f"lost in the search: not among the 2 hits{ends}"
    play = play_record(won=False, guess_rank=None, prior_rank=None)
    assert fate(record, play) == f"lost in the search: not among the 50 candidates{ends}"
