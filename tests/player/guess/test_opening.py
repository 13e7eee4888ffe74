"""The opening sentence to send."""

import numpy as np
import pytest

from player.belief.places import find_places
from player.guess.opening import after_score, best_opening
from player.questions.sentence_points import sentence_points
from quarry.course.piece import Piece
from tests.contracts.paragraphs import paragraph

HEAPS = "A heap keeps its least key on top."
RAW = "Lecture 3, Heaps\nA heap keeps its least key on top and more of it."
PLACES = find_places(
    [
        paragraph("a:1:1", HEAPS),
        paragraph("a:2:1", "Stacks differ."),
        paragraph("a:3:1", "Stacks differ."),
    ],
    [Piece("pdfplumber:page", "a", 1, 1, RAW)],
)
ROWS = np.arange(4)


def test_the_points_of_a_string_go_by_similarity() -> None:
    earned, *_ = sentence_points(["abcdefghij", "abcdefghiX", "zzz", "ABCdefghij!"])
    expected = [1.0, 0.88, 0.0, 1.0]
    assert earned == pytest.approx(expected, abs=0.01)


def test_the_likeliest_string_is_sent() -> None:
    for belief, opening, row, confidence in (
        ([0.6, 0.2, 0.1, 0.1], HEAPS, 0, 0.6),
        # as its referee holds it
        ([0.1, 0.1, 0.0, 0.8], PLACES.held_sentences[3], 3, 0.8),
        # places with one opening sentence are added up
        ([0.4, 0.3, 0.3, 0.0], "Stacks differ.", 1, 0.6),
    ):
        *best, sure = best_opening(np.array(belief), ROWS, PLACES)
        assert best == [opening, row]
        assert sure == pytest.approx(confidence, abs=0.1)


def test_points_tell_which_edition_was_held() -> None:
    belief = np.array([0.5, 0.0, 0.0, 0.5])
    assert after_score(belief, ROWS, PLACES, HEAPS, None) is belief
    right = after_score(belief, ROWS, PLACES, HEAPS, 100.0)
    wrong = after_score(belief, ROWS, PLACES, HEAPS, 20.0)
    assert right[0] > 0.9
    assert wrong[0] < 0.1
    assert wrong.sum() == pytest.approx(1.0)
