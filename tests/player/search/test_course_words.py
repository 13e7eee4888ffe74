"""Words of a course: rows of texts by word, words by part, and stems."""

from player.search.course_words import InvertedIndex, paragraph_stems
from tests.contracts.paragraphs import paragraph

INDEX = InvertedIndex([["red", "green", "red"], [], ["evergreen", "green"]])


def test_a_word_has_the_rows_of_the_texts_that_hold_it() -> None:
    assert INDEX.rows("red").tolist() == [0]
    assert INDEX.rows("green").tolist() == [0, 2]
    assert INDEX.rows("blue").tolist() == []
    assert "red" in INDEX
    assert "blue" not in INDEX


def test_a_part_is_contained_in_the_words_that_hold_it_anywhere() -> None:
    for part, expected in {
        "green": ["green", "evergreen"],
        "e": ["red", "green", "evergreen"],
        "ever": ["evergreen"],
        "blue": [],
    }.items():
        assert list(INDEX.containing(part)) == expected, part
    assert list(InvertedIndex([]).containing("red")) == []


def test_the_stems_of_a_course_are_made_once() -> None:
    paragraphs = [paragraph("a:1:1", "Sorted lists"), paragraph("a:1:2", "A sort")]
    stems = paragraph_stems(tuple(paragraphs))
    assert stems == [["sort", "list"], ["a", "sort"]]
    assert paragraph_stems(tuple(paragraphs)) is stems
