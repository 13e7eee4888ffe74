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

_NEGATION = alternatives(language.negation for language in LANGUAGES)
_LETTER_ALONE = re.compile(
    rf"(?![^A-Z]*\b{_NEGATION}\b)[^A-Z]*(?P<letter>[A-D])[^A-Z]*$", re.IGNORECASE
)
"""The only Latin letter of a text, which may be Hebrew."""
_GROUNDS = alternatives(language.grounds for language in LANGUAGES).replace(" ", r"\s")
_OR = r"(?!\W*(?:or|and|(?-i:[A-D]))\b)"
"""No further letter follows, nor "or" or "and"."""
_LEAD = r"""(?:it|that|this|i|is|s|d|would|be|go|with|say|think|choose|pick|select|the|my|right|correct|best|final)\b"""
"""A word, or the end of a short form, that may come before an answer: "it", "'s"."""
_LETTER_FIRST = re.compile(
    rf"""\W*(?:(?:{_LEAD}\W*)+(?!(?-i:a)))?(?<!\w['\u2019])\b(?P<letter>[A-D])(?:
        [\s*]*(?:[:)\]]|[.=\u2013\u2014-](?!\w))
        |[\s*]*[(\[](?![^)]*\b(?!(?P=letter)\b)(?-i:[A-D])\b)[^()\[\]]+[)\]](?!\s*\w){_OR}
        |[,;]\s*(?!(?:or|and)\b)(?=\w\w)
        |[,;]?\s+{_GROUNDS}\b
        |[^\w?+\#]*${_OR})""",
    re.IGNORECASE | re.VERBOSE | re.MULTILINE,
)
"""A letter, then a sign, the text of its option in brackets, a comma and words, a word of reasoning, or the
end of the line."""
_OPTION = alternatives(language.option for language in LANGUAGES)
"""A word for an option."""
_LETTER_NAMED = re.compile(
    rf"""\W*(?:{_LEAD}\W+)*{_OPTION}(?:\W+{_LEAD})*\W+(?P<letter>[A-D])(?!\w)
        {_OR}(?!(?<=a)\s+(?:\(.*\)\s*)?(?!{_GROUNDS})\w)""",
    re.IGNORECASE | re.VERBOSE,
)
"""A letter after a word for an option; not the article of "the answer is a tree"."""


def letter_row(answer: Answer) -> int | None:
    """Return the position of a letter, 0..3; None for "Not Relevant" or a missing answer."""
    return LETTERS.index(answer) if answer in LETTERS else None


def letter_rows(answers: Answers) -> dict[int, int]:
    """Return the position of each letter, 0..3, by the position of its answer; other answers are left out."""
    rows = map(letter_row, answers)
    return {number: row for number, row in enumerate(rows) if row is not None}


def read_answer(value: object) -> Answer:
    """Read a letter in any form ("b", "(B)", "It's B", "B (its text)"), or "Not Relevant" in any spelling.

    Return None for anything else.
    """
    if not isinstance(value, str):
        return None
    value = value[:MAX_ANSWER_CHARS]
    plain = re.sub(r"[^A-Z]", "", value.upper())
    if plain in {"NR", "NA", "IRRELEVANT"} or plain.startswith("NOTRELEVANT"):
        return NOT_RELEVANT
    for pattern in (_LETTER_ALONE, _LETTER_FIRST, _LETTER_NAMED):
        if match := pattern.match(value):
            return match["letter"].upper()
    return None
