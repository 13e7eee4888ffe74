"""First letters of words, and what is in doubt."""

from __future__ import annotations

import pytest

from player.questions.initials import LETTERS, initial, initials_of
from player.questions.places import places_of
from tests.contracts.paragraphs import paragraph


@pytest.mark.parametrize(
    ("sentence", "letters"),
    [
        ("Trees are tall.", ("t", "a", "t")),
        ("3.2 Binary search", ("b", "s", "s")),
        ("“Ada”, then Babbage (1843).", ("a", "t", "b")),
        ("עצים מאוזנים וחיפוש", ("ע", "מ", "ו")),
        ("Heaps", ("h", "", "h")),
        ("State-of-the-art methods", ("s", "", "m")),  # "of", or "methods"
        ("1945", ("", "", "")),
    ],
)
def test_the_first_letter_of_a_word(sentence: str, letters: tuple[str, ...]) -> None:
    assert tuple(initial(sentence, at) for at in (0, 1, -1)) == letters


def test_two_readings_share_the_probability() -> None:
    table = initials_of(places_of([paragraph("b:1:1", "State-of-the-art methods")]))
    row = table[1].toarray()[0]
    assert row[LETTERS.index("o")] == row[LETTERS.index("m")] == 0.5
    assert row.sum() == 1.0
