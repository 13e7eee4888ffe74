"""Answers of a referee: a letter, "Not Relevant" or nothing, in the order of the questions."""

import re
from collections.abc import Sequence

from quarry.languages.registry import LANGUAGES, alternatives

LETTERS = ("A", "B", "C", "D")
"""The letters of the options."""
NOT_RELEVANT = "Not Relevant"
"""The answer of a referee that a question does not fit."""

Answer = str | None
"""One of `LETTERS`, or `NOT_RELEVANT`; None for a missing or unreadable answer."""
Answers = Sequence[Answer]
"""(n_questions,) answers of a batch."""

MAX_ANSWER_CHARS = 200
"""Maximum number of characters of an answer that are read."""


def letter_row(answer: Answer) -> int | None:
    """Return the position of a letter, 0..3; None for "Not Relevant" or a missing answer."""
    return LETTERS.index(answer) if answer in LETTERS else None


def read_answer(value: object) -> Answer:
    """Read a letter in any form ("b", "(B)", "Option B", "B: its text"), or "Not Relevant" in any spelling.

    Return None for anything else.
    """
    if not isinstance(value, str):
        return None
    value = value[:MAX_ANSWER_CHARS]
    plain = re.sub(r"[^A-Z]", "", value.upper())
    if plain in LETTERS:
        return plain
    if plain in {"NR", "NA", "IRRELEVANT"} or plain.startswith("NOTRELEVANT"):
        return NOT_RELEVANT
    for pattern in (_LETTER_FIRST, _LETTER_WITH_REASON, _LETTER_NAMED):
        if match := pattern.match(value):
            return match[1].upper()
    return None


_LETTER_FIRST = re.compile(
    r"\W*([A-D])\s*(?:[:)\]]|[.=\u2013\u2014-](?!\w))", re.IGNORECASE
)
"""A letter, then a sign, then the text of the option."""
_GROUNDS = alternatives(language.grounds for language in LANGUAGES)
_LETTER_WITH_REASON = re.compile(
    rf"\W*([A-D])(?:[,;]\s*(?!(?:or|and)\b)(?=\w\w)|[,;]?\s+{_GROUNDS}\b)",
    re.IGNORECASE,
)
"""A letter, then a comma and words, or a word of reasoning."""
_OPTION = alternatives(language.option for language in LANGUAGES)
"""A word for an option."""
_LETTER_NAMED = re.compile(
    rf"\W*(?:the\s+)?(?:correct\s+)?{_OPTION}(?:\s+is)?\W+([A-D])(?!\w)",
    re.IGNORECASE,
)
"""A letter after a word for an option."""
