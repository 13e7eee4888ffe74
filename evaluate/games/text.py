"""Texts compared as docs/commands.md defines it: equality of sentences, and the words that token F1 counts."""

from __future__ import annotations

import unicodedata
from collections import Counter

from quarry.player.words import canonical


def same_text(one: str, other: str) -> bool:
    """Whether two sentences are equal after NFKC, case folding and removal of all but letters and digits."""
    return canonical(one) == canonical(other)


def tokens(text: str) -> list[str]:
    """The words of a text for token F1: NFKC, case-folded runs of letters and digits."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char if char.isalnum() else " " for char in folded).split()


WON_F1 = 0.9
"""Token F1 from which a sentence counts as the labelled one."""


def token_f1(one: str, other: str) -> float:
    """Token F1 of two texts, 0..1."""
    left, right = Counter(tokens(one)), Counter(tokens(other))
    return 2.0 * (left & right).total() / max(1, left.total() + right.total())


def same_sentence(one: str, other: str) -> bool:
    """Whether a guessed sentence wins a game: it equals the labelled one, or their token F1 is at least 0.9."""
    return same_text(one, other) or token_f1(one, other) >= WON_F1
