"""What became of a game, in words: the outcome, and why a practice game was lost."""

from __future__ import annotations

import re
from typing import Any

import pytest

from evaluate.runs.record import outcome_in_words, why_lost
from player.game.game import GameReport
from player.game.loop import play
from player.questions.answer import LETTERS, Answer
from tests.contracts.paragraphs import paragraph
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import labelled_game
from tests.player.fakes import FakeGameServer, course, dense_player
from tests.player.game.test_loop import answers, round_start, score, warmup

SEARCH = game_record()["search"]


def search(**changes: Any) -> dict[str, Any]:
    return {**SEARCH, **changes}


FOUND = "found at rank 2 in the book's slots by dense"


@pytest.mark.parametrize(
    ("record", "play", "says"),
    [
        ({}, None, FOUND),
        ({}, {}, f"won: {FOUND}; place 7 of 50 before the answers, 1 after"),
        (
            {},
            {"won": False, "guess_rank": 3},
            f"lost by the answers: {FOUND}; place 7 of 50 before them, 3 after",
        ),
        (
            {"search": search(rank=None)},
            {},
            "won: not among the first 2 hits; place 7 of 50 before the answers, 1 after",
        ),
        (
            {"truth": None, "search": search(rank=None)},
            None,
            "lost at ingest: the store holds no such paragraph",
        ),
    ],
)
def test_the_outcome_says_where_the_paragraph_was_found_or_lost(
    record: Any, play: Any, says: str
) -> None:
    played = None if play is None else play_record(**play)
    assert outcome_in_words(game_record(**record), played) == says


def test_a_wrong_filter_is_named_with_both_books() -> None:
    book = {"document": "beta", "confidence": 0.95, "tier": "filter"}
    assert outcome_in_words(game_record(search=search(rank=None, book=book)), None) == (
        "lost at the book: 'the alpha' was taken for beta (confidence 0.95), but the paragraph is in alpha"
    )


@pytest.mark.parametrize(
    ("book", "book_name", "ends"),
    [
        (
            {"document": "alpha", "confidence": 0.95, "tier": "filter"},
            "alpha",
            ", although the book was resolved rightly",
        ),
        (
            {"document": "beta", "confidence": 0.7, "tier": "boost"},
            "alpha",
            ", and beta was preferred to alpha",
        ),
        (
            {"document": "beta", "confidence": 0.2, "tier": "none"},
            "alpha",
            ", and no book was resolved",
        ),
        (None, "", ", and no book was named"),
    ],
)
def test_a_search_that_missed_says_what_the_book_did(
    book: Any, book_name: str, ends: str
) -> None:
    record = game_record(book_name=book_name, search=search(rank=None, book=book))
    play = play_record(won=False, guess_rank=None, prior_rank=None)
    lost = "lost in the search: not among the"
    assert outcome_in_words(record, None) == f"{lost} 2 hits{ends}"
    assert outcome_in_words(record, play) == f"{lost} 50 candidates{ends}"


def report_with(letters: list[Answer]) -> GameReport:
    given = answers(letters=letters)
    server = FakeGameServer([[warmup()], [round_start()], [given], [score()]])
    return play(server, dense_player(course()), name="me", timeout_s=20.0)


def answers_about(row: int) -> list[Answer]:
    """What a respondent of this candidate answers."""
    fits = report_with(["A"] * 20).plan.fits
    return [LETTERS[letter] for letter in fits[0, :, row].argmax(axis=1)]


def test_a_game_that_was_won_has_nothing_to_say() -> None:
    report = report_with(answers_about(1))
    truth = report.plan.paragraph(report.decision.best)
    assert list(why_lost(labelled_game(), truth, report)) == []


def test_a_lost_one_names_paragraph_probability_guess_and_answers_that_misled() -> None:
    letters, about_truth = answers_about(1), answers_about(0)
    report = report_with(letters)
    truth = report.plan.paragraph(0)
    which, where, probability, guess, misled = why_lost(labelled_game(), truth, report)

    assert f"{truth.doc_id} p{truth.page}" in which
    assert truth.opening_sentence in which
    assert where.startswith("lost by the answers: ")
    assert re.match(r"its probability: 0\.\d{3} before .*, 0\.\d{3} after", probability)
    assert report.decision.guess.opening_sentence in guess
    named = [int(number) - 1 for number in re.findall(r"(\d+) [A-D] ", misled)]
    assert named
    assert all(letters[row] != about_truth[row] for row in named)


def test_a_paragraph_that_was_no_candidate_was_lost_by_the_search() -> None:
    report = report_with(["A"] * 20)
    lines = list(why_lost(labelled_game(), paragraph("elsewhere:1:1"), report))
    assert lines[1].startswith("lost at the book: 'alpha' was taken for first")
