"""Numbers in names, in digits and in words."""

import pytest

from player.search.books.lecture_numbers import lecture_numbers


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # most numbers of lectures are in test_resolver.py
        ("lecture four", {4}),
        ("cours n° 2", {2}),
        ("cs101 week 12", {12}),
        ("the one about trees", set()),
        ("part iv", {4}),
        ("lecture on out of scope intents", set()),
        ("פרק י״ב", {12}),
        ("שיעור שלישי", {3}),
        ("ההרצאה הראשונה", {1}),
    ],
)
def test_lecture_numbers_digits_and_in_words(name: str, expected: set[int]) -> None:
    assert lecture_numbers(name) == expected
