"""Answer: what a referee says to one question; a batch's answers stand in the order of its questions."""

from __future__ import annotations

import re
from collections.abc import Sequence

LETTERS = "ABCD"
NOT_RELEVANT = "Not Relevant"

Answer = str | None
"""One of `LETTERS`, or `NOT_RELEVANT`; None where none came, or none that can be read."""
Answers = Sequence[Answer]
"""(n_questions,) those of a batch."""

MAX_CHARS = 200
"""Of an answer that are read."""


def letter_row(answer: Answer) -> int | None:
    """0..3 for a letter; None for "Not Relevant" or an answer that never came."""
    return LETTERS.index(answer) if answer in set(LETTERS) else None


def read_answer(value: object) -> Answer:
    """A letter in any dress ("b", "(B)", "Option B", "B: its text"), "Not Relevant" in any spelling, or None."""
    if not isinstance(value, str):
        return None
    value = value[:MAX_CHARS]
    plain = re.sub(r"[^A-Z]", "", value.upper())
    if plain in LETTERS and len(plain) == 1:
        return plain
    if plain in {"NR", "NA", "IRRELEVANT"} or plain.startswith("NOTRELEVANT"):
        return NOT_RELEVANT
    told = _LETTER_FIRST.match(value) or _LETTER_NAMED.match(value)
    return told[1].upper() if told else None


_LETTER_FIRST = re.compile(r"\W*([A-D])\s*(?:[:)\]]|[.=\u2013\u2014-](?!\w))", re.IGNORECASE)
"""The letter, then a sign, then what the option says."""
_LETTER_NAMED = re.compile(
    r"\W*(?:the\s+)?(?:correct\s+)?(?:option|answer|choice|תשובה|אפשרות)(?:\s+is)?\W+([A-D])(?!\w)", re.IGNORECASE
)
