"""First letters of words, and what is in doubt."""

from player.belief.places import places_of
from player.questions.initials import LETTERS, initial, initials_of
from tests.contracts.paragraphs import paragraph


def test_the_first_letter_of_a_word() -> None:
    for sentence, first, second, last in (
        ("Trees are tall.", "t", "a", "t"),
        ("3.2 Binary search", "b", "s", "s"),
        ("“Ada”, then Babbage (1843).", "a", "t", "b"),
        ("עצים מאוזנים וחיפוש", "ע", "מ", "ו"),
        ("Heaps", "h", "", "h"),
        ("State-of-the-art methods", "s", "", "m"),  # "of", or "methods"
        ("1945", "", "", ""),
    ):
        assert initial(sentence, 0) == first, sentence
        assert initial(sentence, 1) == second, sentence
        assert initial(sentence, -1) == last, sentence


def test_two_readings_share_the_probability() -> None:
    passage = paragraph("b:1:1", "State-of-the-art methods")
    table = initials_of(places_of([passage]))
    (row,) = table[1].toarray()
    doubtful = [LETTERS.index(letter) for letter in "mo"]
    assert row[doubtful].tolist() == [0.5, 0.5]
    assert row.sum() == 1.0
