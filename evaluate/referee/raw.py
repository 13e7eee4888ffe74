"""Raw text as a person reads it: reversed Hebrew lines are turned, and the words of glued lines are told apart."""

from __future__ import annotations

import re

LONG_WORD = 18
"""Longer runs of letters are several words without spaces."""
LEAST_GLUED = 0.05
"""A text with this share of longer runs is glued."""
FEWEST_LETTERS = 4
"""Shorter words are not found inside a glued run."""
FINAL_LETTERS = "םןץףך"
_HEBREW = re.compile("[א-ת]+")
_LEFT_TO_RIGHT = re.compile(r"[A-Za-z0-9][A-Za-z0-9.,:/%+_-]*[A-Za-z0-9%]|[A-Za-z0-9]")
_BRACKETS = str.maketrans("()[]{}<>", ")(][}{><")


def readable(raw: str, whole: str) -> str:
    """Return a raw text with its lines turned if its Hebrew is in visual order: no Hebrew word begins with "ם".

    Args:
        whole: the text that it is a part of, by which the order is judged.
    """
    words = _HEBREW.findall(whole)
    n_reversed = sum(len(word) > 1 and word[0] in FINAL_LETTERS for word in words)
    n_right = sum(len(word) > 1 and word[-1] in FINAL_LETTERS for word in words)
    if n_reversed <= n_right:
        return raw
    return "\n".join(map(_turned, raw.splitlines()))


def _turned(line: str) -> str:
    """Return a line in logical order; Latin words and numbers keep the order of their letters."""
    turned = line[::-1].translate(_BRACKETS)
    return _LEFT_TO_RIGHT.sub(lambda run: run[0][::-1], turned)


def is_glued(text: str) -> bool:
    """Return whether a text lacks spaces between words."""
    words = text.split()
    n_long = sum(len(word) > LONG_WORD and word.isascii() for word in words)
    return n_long > LEAST_GLUED * len(words)


def is_inside(term: str, text: str) -> bool:
    """Return whether a folded word stands anywhere in a folded, glued text."""
    return len(term) >= FEWEST_LETTERS and term in text
