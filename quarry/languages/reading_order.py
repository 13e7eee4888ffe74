"""Conversion of raw text into reading order; some libraries print the letters of Hebrew words from left to right."""

import re

from quarry.languages.hebrew import HEBREW

_HEBREW_LETTER = re.compile("[א-ת]")
_FINAL_LETTERS = HEBREW.final_letters[0]
_FINAL_FIRST = re.compile(rf"\b[{_FINAL_LETTERS}](?=[א-ת])")
_FINAL_LAST = re.compile(rf"(?<=[א-ת])[{_FINAL_LETTERS}]\b")


def is_visual(text: str) -> bool:
    """Return whether the Hebrew words of a text are reversed, so that they begin with final letters."""
    return len(_FINAL_FIRST.findall(text)) > len(_FINAL_LAST.findall(text))


def in_reading_order(text: str, whole: str = "") -> str:
    """Return a raw text on one line in reading order.

    If its Hebrew words are reversed, their letters and the words of each line are turned back.

    Args:
        whole: the text that it is a part of, which decides whether words are reversed; "" for the text itself.
    """
    if not is_visual(whole or text):
        return " ".join(text.split())
    tokens = []
    for line in text.splitlines():
        for token in reversed(line.split()):
            tokens.append(token[::-1] if _HEBREW_LETTER.search(token) else token)
    return " ".join(tokens)
