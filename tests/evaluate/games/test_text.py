"""Sentences are equal by their letters and digits alone."""

from __future__ import annotations

import pytest

from evaluate.games.labelled import same_text, tokens


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("An index, once built.", "an INDEX once built", True),
        ("the ﬁrst “word”", 'The first "word"', True),
        ("e\u0301tude", "\u00e9tude", True),
        ("state-of-the-art", "state of the art", True),
        ("x₂", "X2", True),
        ("page 1", "page 11", False),
        ("one two", "two one", False),
    ],
)
def test_letters_and_digits_alone_make_a_difference(
    one: str, other: str, same: bool
) -> None:
    assert same_text(one, other) == same


def test_tokens_are_folded_runs_of_letters_and_digits() -> None:
    assert tokens("The B-tree's 2nd “ﬁx”") == ["the", "b", "tree", "s", "2nd", "fix"]
