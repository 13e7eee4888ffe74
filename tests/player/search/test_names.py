"""Names made comparable, words matched loosely, numbers in words."""

from __future__ import annotations

import pytest

from player.search.names import Vocabulary, acronyms, is_number, likeness, normalise_name, numbers


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Lecture 03", {3}),
        ("lecture four", {4}),
        ("the third lecture", {3}),
        ("vierte Vorlesung", {4}),
        ("cours n° 2", {2}),
        ("cs101 week 12", {101, 12}),
        ("the one about trees", set()),
        ("הרצאה 6", {6}),
    ],
)
def test_numbers_in_digits_and_in_words(name: str, found: set[int]) -> None:
    assert numbers(normalise_name(name)) == found


@pytest.mark.parametrize(("token", "number"), [("7", True), ("seven", True), ("one", False), ("tree", False)])
def test_what_is_a_number(token: str, number: bool) -> None:
    assert is_number(token) is number


@pytest.mark.parametrize(
    ("token", "other", "alike"),
    [
        ("graph", "graph", 1.0),
        ("prob", "probability", 0.85),
        ("pr", "probability", 0.0),
        ("graphs", "graph", 0.7),
        ("evidense", "evidence", 1 - 1 / 8 - 0.1),
        ("tree", "search", 0.0),
        ("cat", "car", 0.0),
    ],
)
def test_likeness_of_words(token: str, other: str, alike: float) -> None:
    assert likeness(token, other) == pytest.approx(alike)


def test_acronyms_are_first_letters_of_neighbouring_words() -> None:
    assert acronyms(["neural", "networks", "3", "basics"]) == {"nn", "nnb", "nb"}


@pytest.mark.parametrize(
    "token", ["graph", "graphs", "gra", "gr", "prob", "evidense", "evidence", "probabilitys", "cat", "zzz", ""]
)
def test_a_vocabulary_finds_every_word_that_is_alike(token: str) -> None:
    known = ["graph", "graphs", "graphical", "grape", "gr", "probability", "probable", "prob", "evidence", "car", "cat"]
    expected = {word: likeness(token, word) for word in known if likeness(token, word)}
    assert Vocabulary(known).alike(token) == expected
