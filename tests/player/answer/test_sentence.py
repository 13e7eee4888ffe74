"""The opening sentence to send."""

from __future__ import annotations

import numpy as np
import pytest

from ingest.editions.piece import Piece
from ingest.paragraph import Paragraph
from player.answer.sentence import after_score, best_opening, points
from player.questions.places import Places, places_of

HEAPS = "A heap keeps its least key on top."
RAW = "Lecture 3, Heaps\nA heap keeps its least key on top and more of it."


@pytest.fixture(scope="module")
def places() -> Places:
    passages = [
        Paragraph("a:1:1", "a", 1, "", HEAPS, HEAPS),
        Paragraph("a:2:1", "a", 2, "", "Stacks differ.", "Stacks differ."),
    ]
    return places_of(passages, [Piece("pdfplumber:page", "a", 1, 1, RAW)])


def test_the_points_of_a_string_go_by_similarity() -> None:
    found = points(["abcdefghij", "abcdefghiX", "zzz", "ABCdefghij!"])
    assert found[0].tolist() == pytest.approx([1.0, 0.88, 0.0, 1.0], abs=0.01)


def test_the_likeliest_string_is_sent_as_its_referee_holds_it(places: Places) -> None:
    rows = np.arange(3)
    opening, row, confidence = best_opening(np.array([0.6, 0.3, 0.1]), rows, places)
    assert (opening, row) == (HEAPS, 0)
    assert confidence == pytest.approx(0.6)
    opening, row, _ = best_opening(np.array([0.1, 0.1, 0.8]), rows, places)
    assert (opening, row) == (next(iter(places.openings(2))), 2)


def test_places_with_one_opening_sentence_are_added_up() -> None:
    passages = [
        Paragraph(f"{name}:1:1", name, 1, "", text, text)
        for name, text in (("a", "One thing is told."), ("b", "Two"), ("c", "Two"))
    ]
    belief = np.array([0.4, 0.3, 0.3])
    opening, row, confidence = best_opening(belief, np.arange(3), places_of(passages))
    assert (opening, row) == ("Two", 1)
    assert confidence == pytest.approx(0.6)


def test_points_tell_which_edition_was_held(places: Places) -> None:
    belief, rows = np.array([0.5, 0.0, 0.5]), np.arange(3)
    assert after_score(belief, rows, places, HEAPS, None) is belief
    right = after_score(belief, rows, places, HEAPS, 100.0)
    wrong = after_score(belief, rows, places, HEAPS, 20.0)
    assert right[0] > 0.9
    assert wrong[0] < 0.1
    assert wrong.sum() == pytest.approx(1.0)
