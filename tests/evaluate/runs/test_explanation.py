"""What became of a game, in words."""

import re
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evaluate.runs.explanation import describe_fate, reveal_label
from player.answer import Answer
from player.game.record import PlayedGame
from player.search.results import Query, SearchResult
from quarry.course.paragraph import Paragraph
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import answers_about, labelled_game
from tests.player.fakes import FakeGameServer
from tests.player.game.test_loop import WHOLE, answers, report_of

FOUND = "found at rank 2 in the book's slots by dense"
MISSED = "not among the first 2 hits"
ALPHA = {"document": "alpha", "confidence": 0.95, "tier": "filter"}
BETA = {**ALPHA, "document": "beta"}
WON = play_record()
LOST = play_record(won=False, guess_rank=3)


@pytest.mark.parametrize(
    ("changes", "play", "says"),
    [
        ({}, None, FOUND),
        ({}, WON, f"won: {FOUND}; place 7 of 50 before the answers, 1 after"),
        (
            {},
            LOST,
            f"lost by the answers: {FOUND}; place 7 of 50 before them, 3 after",
        ),
        (
            {"opening_sentence": "photograph"},
            LOST,
            "lost by its label: the paragraph begins with 'Sentence of alpha:1:2.', correct the opening sentence",
        ),
        (
            {"rank": None},
            WON,
            f"won: {MISSED}; place 7 of 50 before the answers, 1 after",
        ),
        (
            {"rank": None, "truth": None},
            None,
            "lost at ingest: the store holds no such paragraph",
        ),
        (
            {"rank": None, "book": BETA},
            None,
            "lost at the book: 'the alpha' was taken for beta (confidence 0.95), but the paragraph is in alpha",
        ),
    ],
)
def test_the_outcome_says_where_the_paragraph_was_found_or_lost(
    changes: Any, play: Any, says: str
) -> None:
    assert describe_fate(game_record(**changes), play) == says


@pytest.mark.parametrize(
    ("book", "book_name", "ends"),
    [
        (ALPHA, "alpha", ", although the book was resolved rightly"),
        (BETA | {"tier": "boost"}, "alpha", ", and beta was preferred to alpha"),
        (BETA | {"tier": "none"}, "alpha", ", and no book was resolved"),
        (None, "", ", and no book was named"),
    ],
)
def test_a_search_that_missed_says_what_the_book_did(
    book: Any, book_name: str, ends: str
) -> None:
    lost = "lost in the search: not among the"
    played = play_record(won=False, guess_rank=None, prior_rank=None)
    record = game_record(book_name=book_name, rank=None, book=book)
    assert describe_fate(record, None) == f"{lost} 2 hits{ends}"
    assert describe_fate(record, played) == f"{lost} 50 candidates{ends}"


def report_with(letters: list[Answer]) -> PlayedGame:
    batches = list(WHOLE)
    batches[2] = [answers(letters=letters)]
    return report_of(FakeGameServer(batches))


@pytest.fixture(scope="module")
def unrelated() -> PlayedGame:
    """A game whose answers depend on no paragraph."""
    return report_with(["A"] * 20)


def told(truth: Paragraph, report: PlayedGame) -> list[str]:
    """The explanation of a game about a paragraph."""
    return [*reveal_label(labelled_game(), truth, report).explanation]


def test_a_lost_one_names_paragraph_probability_guess_and_answers_that_misled(
    unrelated: PlayedGame,
) -> None:
    letters = answers_about(1, unrelated.plan)
    about_truth = answers_about(0, unrelated.plan)
    report = report_with(letters)
    truth = report.plan.as_paragraph(0)
    which, where, probability, guess, unfit, misled = told(truth, report)

    assert f'{truth.doc_id} p{truth.page}: "{truth.opening_sentence}"' in which
    assert where.startswith("lost by the answers: ")
    assert re.match(r"its probability: 0\.\d{3} before .*, 0\.\d{3} after", probability)
    assert report.decision.guess.opening_sentence in guess
    for name, line in (("do not fit", unfit), ("misled", misled)):
        assert name in line
        rows = [int(number) - 1 for number in re.findall(r"(\d+) [A-D]\b", line)]
        assert rows
        assert all(letters[row] != about_truth[row] for row in rows)


def test_the_guess_is_the_sentence_that_was_sent_even_if_a_candidate_with_another_is_likelier(
    unrelated: PlayedGame,
) -> None:
    best = unrelated.decision.best
    other = np.eye(len(unrelated.plan.candidate_places))[best - 1]
    likelier = replace(
        unrelated.decision, belief=0.5 * unrelated.decision.belief + 0.5 * other
    )
    report = replace(unrelated, decision=likelier)
    lines = told(unrelated.plan.as_paragraph(best - 2), report)
    (line,) = [line for line in lines if line.startswith("guessed instead: ")]
    guess = unrelated.plan.as_paragraph(best)
    assert f'{guess.doc_id} p{guess.page}: "{guess.opening_sentence}"' in line


def test_a_guess_before_the_search_had_ended_is_explained(
    unrelated: PlayedGame,
) -> None:
    plan = replace(
        unrelated.plan,
        result=SearchResult(Query("a hint", ""), ()),
        candidate_places=unrelated.plan.candidate_places[:0],
        prior=np.empty(0),
    )
    hasty = replace(unrelated.decision, belief=plan.prior, best=-1)
    report = replace(unrelated, plan=plan, decision=hasty)
    _, where, guess = told(unrelated.plan.as_paragraph(1), report)
    assert where.startswith("lost in the search: not among the 0 candidates")
    assert guess == f'guessed instead: "{hasty.guess.opening_sentence}"'
