"""Comparison of texts: equality of sentences, and token F1; docs/commands.md defines both."""

from __future__ import annotations

import unicodedata
from collections import Counter

from quarry.player.words import canonical

WON_F1 = 0.9
"""A sentence with this token F1 or more counts as the labelled one."""


def same_text(one: str, other: str) -> bool:
    """Return whether two sentences are equal after NFKC, case folding and removal of all but letters and digits."""
    return canonical(one) == canonical(other)


def tokens(text: str) -> list[str]:
    """Return the words of a text for token F1: case-folded runs of letters and digits after NFKC."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char if char.isalnum() else " " for char in folded).split()


def token_f1(one: str, other: str) -> float:
    """Return the token F1 of two texts, 0..1."""
    left, right = Counter(tokens(one)), Counter(tokens(other))
    return 2.0 * (left & right).total() / max(1, left.total() + right.total())


def same_sentence(one: str, other: str) -> bool:
    """Return whether a guessed sentence wins a game: it equals the labelled one, or their token F1 is at least 0.9."""
    return same_text(one, other) or token_f1(one, other) >= WON_F1
