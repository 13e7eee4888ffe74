"""Names made comparable, words matched loosely, numbers in words."""

from __future__ import annotations

import pytest

from quarry.player.search.names import (
    Vocabulary,
    acronyms,
    is_generic,
    lecture_numbers,
    likeness,
    numbers,
    tokens_of,
)


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("Lecture 03", {3}),
        ("lecture four", {4}),
        ("the third lecture", {3}),
        ("cours n° 2", {2}),
        ("cs101 week 12", {101, 12}),
        ("the one about trees", set()),
        ("Lecture one", {1}),
        ("chapter I", {1}),
        ("Lecture II", {2}),
        ("part iv", {4}),
        ("Algorithms III", {3}),
        ("lecture on out of scope intents", set()),
        ("3rd lecture", {3}),
        ("הרצאה ב'", {2}),
        ("פרק י״ב", {12}),
        ("שיעור שלישי", {3}),
        ("ההרצאה הראשונה", {1}),
        ("הרצאה 6", {6}),
    ],
)
def test_numbers_in_digits_and_in_words(name: str, found: set[int]) -> None:
    assert numbers(name) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("in lecture 3, how weights change", {3}),
        ("as chapter II says", {2}),
        ("the third lecture explains convergence", {3}),
        ("what the 4th week is about", {4}),
        ("two lectures on trees", set()),
        ("a two part argument of type 3", set()),
        ("בהרצאה ג על משקולות", {3}),
    ],
)
def test_numbers_that_are_given_to_lectures(text: str, found: set[int]) -> None:
    assert lecture_numbers(text) == found


@pytest.mark.parametrize("word", ["lecture", "chapter", "the", "slides", "final", "vorlesung", "הרצאה", "בשיעור"])
def test_words_that_any_name_may_have_are_generic(word: str) -> None:
    assert is_generic(word)


@pytest.mark.parametrize("word", ["evaluation", "graph", "networks", "recursion", "אלגוריתם"])
def test_words_that_tell_a_subject_are_not(word: str) -> None:
    assert not is_generic(word)


def test_ordinal_endings_are_dropped() -> None:
    assert tokens_of("21st lecture") == ["21", "lecture"]


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
