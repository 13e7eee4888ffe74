"""Sentences are equal by their letters and digits alone."""

from __future__ import annotations

import pytest

from evaluate.games.labelled import same_text, tokens


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("An index, once built.", "an INDEX once built"),
        ("the ﬁrst “word”", 'The first "word"'),
        ("e\u0301tude", "\u00e9tude"),
        ("state-of-the-art", "state of the art"),
        ("x₂", "X2"),
    ],
)
def test_signs_case_blanks_and_ligatures_make_no_difference(
    one: str, other: str
) -> None:
    assert same_text(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("page 1", "page 11"), ("one two", "two one"), ("word", "words")],
)
def test_letters_and_digits_do(one: str, other: str) -> None:
    assert not same_text(one, other)


def test_tokens_are_folded_runs_of_letters_and_digits() -> None:
    assert tokens("The B-tree's 2nd “ﬁx”") == [
        "the",
        "b",
        "tree",
        "s",
        "2nd",
        "fix",
    ]
