"""The numbers that a phrase such as "more than 3" allows."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from evaluate.referee.number_words import with_digits

_NUMBER = r"(\d+)"
_UNIT = r"(?:\s+[^\W\d]+){0,2}?"
_AMOUNTS = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("range", rf"(?:between|from|בין)\s+{_NUMBER}{_UNIT}\s+(?:and|to|through|ל-?|ועד|עד|ו-?)\s*{_NUMBER}"),
        ("range", rf"{_NUMBER}{_UNIT}\s*(?:-|to|through|until|עד|ל-)\s*{_NUMBER}"),
        ("range", rf"{_NUMBER}{_UNIT}\s*(?:\bor\b|/|,|\bאו\b)\s*{_NUMBER}"),
        (
            "most",
            rf"(?:\b(?:no|not) (?:more|longer|greater) than|at (?:the )?most|up to|max(?:imum)?(?: of)?)\s*{_NUMBER}",
        ),
        ("most", rf"(?:≤|<=|לכל היותר|לא יותר מ-?|(?<!\S)עד)\s*{_NUMBER}"),
        ("most", rf"{_NUMBER}{_UNIT}\s+(?:or|and) (?:fewer|less|shorter|under|below|lower|earlier)"),
        ("most", rf"{_NUMBER}{_UNIT}\s+(?:ומטה|או פחות|ופחות)"),
        ("least", rf"(?:\b(?:no|not) (?:fewer|less|shorter) than|at least|min(?:imum)?(?: of)?)\s*{_NUMBER}"),
        ("least", rf"(?:≥|>=|לפחות|לא פחות מ-?)\s*{_NUMBER}"),
        ("least", rf"{_NUMBER}{_UNIT}\s*\b(?:or|and) (?:more|above|over|longer|up|upwards?|greater|higher|later)"),
        ("least", rf"{_NUMBER}{_UNIT}\s*(?:\+|ומעלה|או יותר|ויותר)"),
        (
            "more",
            rf"(?:(?:more|longer|greater|larger|higher|later) than|\b(?:over|above|exceed(?:s|ing)?)|>)\s*{_NUMBER}",
        ),
        ("more", rf"(?:יותר מ-?|מעל(?: ל-?)?|ארו(?:ך|כה) מ-?|למעלה מ-?)\s*{_NUMBER}"),
        ("fewer", rf"(?:(?:fewer|less|shorter|smaller|lower) than|\b(?:under|below)|<)\s*{_NUMBER}"),
        ("fewer", rf"(?:פחות מ-?|מתחת ל-?|קצרה? מ-?)\s*{_NUMBER}"),
    )
)


def _bounds(kind: str, numbers: Sequence[int]) -> tuple[float, float]:
    n = numbers[0]
    if kind == "range":
        return min(numbers), max(numbers)
    if kind in ("most", "fewer"):
        return 0, n if kind == "most" else n - 1
    return n if kind == "least" else n + 1, math.inf


def bounds_of(folded: str, loose: bool = True) -> tuple[float, float] | None:
    """The smallest and largest number that a phrase such as "more than 3" or "4 to 6" allows.

    Args:
        folded: the phrase.
        loose: a bare number, "none" and "several" are amounts too.
    """
    text = with_digits(folded)
    low, high, found = 0.0, math.inf, False
    for kind, pattern in _AMOUNTS:
        for match in pattern.finditer(text):
            least, most = _bounds(kind, [int(group) for group in match.groups()])
            low, high, found = max(low, least), min(high, most), True
        text = pattern.sub(" ", text)
    if found:
        return low, high
    numbers = [int(number) for number in re.findall(r"\d+", text)]
    if len(numbers) == 1 and (loose or re.search(r"\b(?:exactly|precisely|only|just) \d|בדיוק \d|רק \d", text)):
        return numbers[0], numbers[0]
    if loose and not numbers:
        if re.search(r"\b(?:none|zero|no|never|not|nothing)\b|\bאין\b|\bאף\b|\bלא\b|\bכלל לא\b", text):
            return 0, 0
        if re.search(r"\b(?:several|many|multiple)\b|\bכמה\b|\bהרבה\b", text):
            return 2, math.inf
    return None
