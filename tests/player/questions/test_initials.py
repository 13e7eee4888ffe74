"""First letters of words, and what is in doubt."""

import pytest

from player.belief.places import find_places
from player.questions.initials import ALPHABETS, first_letters, initial
from tests.contracts.paragraphs import paragraph


@pytest.mark.parametrize(
    ("sentence", "letters"),
    {
        "Trees are tall.": ["t", "a", "t"],
        "3.2 Binary search": ["b", "s", "s"],
        "“Ada”, then Babbage (1843).": ["a", "t", "b"],
        "עצים מאוזנים וחיפוש": ["ע", "מ", "ו"],
        "Heaps": ["h", "", "h"],
        "State-of-the-art methods": ["s", "", "m"],  # "of", or "methods"
        "1945": ["", "", ""],
    }.items(),
)
def test_the_first_letters_of_the_first_second_and_last_word(
    sentence: str, letters: list[str]
) -> None:
    initials = [initial(sentence, position) for position in (0, 1, -1)]
    assert initials == letters


def test_two_ways_of_splitting_share_the_probability() -> None:
    methods = paragraph("b:1:1", "State-of-the-art methods")
    table = first_letters(find_places([methods]))
    (row,) = table[1].toarray()
    doubtful = [ALPHABETS.index(letter) for letter in "mo"]
    assert row[doubtful].tolist() == [0.5, 0.5]
    assert row.sum() == 1.0
