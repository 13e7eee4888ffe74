"""Texts compared as docs/commands.md defines it: equality of sentences, and the words that token F1 counts."""

from __future__ import annotations

import unicodedata

from quarry.player.words import canonical


def same_text(one: str, other: str) -> bool:
    """Whether two sentences are equal after NFKC, case folding and removal of all but letters and digits."""
    return canonical(one) == canonical(other)


def tokens(text: str) -> list[str]:
    """The words of a text for token F1: NFKC, case-folded runs of letters and digits."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    return "".join(char if char.isalnum() else " " for char in folded).split()
