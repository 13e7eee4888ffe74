"""Features of a book name and each document, worked by hand, and the probabilities made of them."""

import numpy as np
import pytest

from player.search.books.comparison import NameComparison, probabilities
from player.search.books.course_names import CourseNames
from player.search.calibration import BookCalibration
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import document

NAMES = CourseNames(
    [
        document("1-trees", ("Trees: Balanced and Not", "title")),
        document("2-heaps", ("Heaps", "metadata")),
        document("sorting"),
    ],
    [
        paragraph("1-trees:1:1", "Every heap is nearly a tree."),
        paragraph("2-heaps:1:1", "Each heap sorts."),
    ],
)


def compared(text: str) -> NameComparison:
    """Compare a name that is as similar in meaning to all documents."""
    return NameComparison(text, NAMES, similarity=np.full(3, 0.8))


@pytest.mark.parametrize(
    ("text", "feature", "expected"),
    [
        # WRatio is 95 and the token-set ratio 100, of which 40 are for unrelated names
        ("trees", "string", [57.5 / 60, 0.0, 0.0]),
        ("lecture 2", "string", [0.0, 1.0, 0.0]),
        # clashing numbers lose .75, one number half of it
        ("lecture 3 on trees", "words", [0.25, 0.0, 0.0]),
        ("lecture 3 on sorting", "words", [0.0, 0.0, 0.625]),
        # 1 of 8 words, and 1 of 5, two of which are the heading's
        ("heap", "content", [5 / 13, 8 / 13, 0.0]),
        ("lectures 1 and 2", "number", [1.0, 1.0, 0.0]),
        ("page 1", "number", [0.0, 0.0, 0.0]),
        ("lecture 1", "clash", [0.0, 1.0, 0.5]),
        ("TREES balanced and not", "exact", [1.0, 0.0, 0.0]),
        ("heaps", "exact", [0.0, 0.8, 0.0]),
        ("tree", "exact", [0.0, 0.0, 0.0]),
        ("lecture 1", "meaning", [0.8, 0.2, 0.5]),
    ],
)
def test_the_features_of_a_name(text: str, feature: str, expected: list[float]) -> None:
    assert getattr(compared(text), feature) == pytest.approx(np.array(expected))


def test_the_probabilities_and_that_of_none_are_a_softmax_of_weighted_features() -> (
    None
):
    weights = (0.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0)  # of the number
    calibration = BookCalibration(weights, 1.0, (), 0.0, 0.5)
    utilities = np.array([2.0, 0.0, 0.0, 1.0])  # the last one is that of none
    expected = np.exp(utilities) / np.exp(utilities).sum()
    confidences = probabilities(compared("lecture 1"), calibration)
    assert confidences == pytest.approx(expected[:3])
