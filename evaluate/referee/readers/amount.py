"""Questions about how many, how long or how often."""

from __future__ import annotations

import re
from collections.abc import Sequence

from evaluate.referee.bounds import bounds_of
from evaluate.referee.measure import after_number, measured
from evaluate.referee.number_words import with_digits
from evaluate.referee.option import UNKNOWN, Choice
from evaluate.referee.polarity import answers_yes_or_no
from evaluate.referee.question import Asked
from evaluate.referee.seen import Seen
from evaluate.referee.verdict import Verdict

_HOW_MANY = re.compile(
    r"\bhow (?:many|often|frequently|long|few|large|big)\b|\b(?:number|count|length|total) of\b"
    r"|\b(?:word|sentence|letter) count\b|\bin (?:which|what) sentence\b|\bwhich sentence\b|\bhow much\b"
    r"|(?:^|[\s,:])[בל]?כמה\b|אורכ\w*|אורך|\bמספר ה|\bבאיזה משפט\b"
)
_LONGER_OR_SHORTER = re.compile(
    r"\b(?:longer|shorter|more|fewer|less)\b[^?]*\bor\b[^?]*\b(?:shorter|longer|fewer|less|more)\b"
    r"|(?:ארו|קצר|יותר|פחות)\w*[^?]*\bאו\b[^?]*(?:ארו|קצר|יותר|פחות)"
)


def by_amount(asked: Asked, choices: Sequence[Choice], seen: Seen) -> Verdict | None:
    """How many, how long, how often; longer or shorter than so many."""
    either = _LONGER_OR_SHORTER.search(asked.bare)
    how_many = _HOW_MANY.search(asked.bare)
    if not (either or how_many):
        return None
    if answers_yes_or_no(asked, choices) and bounds_of(asked.bare, loose=False):
        return None
    n = measured(asked, choices, seen, how_many.end() if how_many else after_number(asked.bare))
    if n is None:
        return None
    numbers = re.findall(r"\d+", asked.bare)
    fits: list[bool | None] = []
    for choice in choices:
        if either and len(numbers) == 1 and not re.search(r"\d", with_digits(choice.folded)):
            fits.append(_compared(choice, n, int(numbers[0])))
            continue
        if re.search(r"\b(?:odd|even)\b|אי-?זוגי|זוגי", choice.folded):
            fits.append((n % 2 == 1) == bool(re.search(r"\bodd\b|אי-?זוגי", choice.folded)))
            continue
        ordinal = (
            choice.folded
            if "sentence" not in asked.bare and "משפט" not in asked.bare
            else _ordinals_as_digits(choice.folded)
        )
        bounds = bounds_of(ordinal)
        fits.append(bounds[0] <= n <= bounds[1] if bounds else False if UNKNOWN.search(choice.folded) else None)
    for row, choice in enumerate(choices):
        if fits[row] is None and not choice.quoted and re.search(r"\b(?:an)?other\b|\belse\b|אחר", choice.folded):
            fits[row] = not any(fits)
    return Verdict(fits) if sum(fit is not None for fit in fits) >= 2 else None


def _compared(choice: Choice, n: int, bound: int) -> bool | None:
    """Whether an option such as "longer" or "shorter or the same" holds for n against a bound."""
    text = choice.folded
    longer = re.search(r"\b(?:longer|more|above|over|greater)\b|ארו[כך]|יותר", text)
    shorter = re.search(r"\b(?:shorter|fewer|less|below|under)\b|קצר|פחות", text)
    equal = re.search(r"\b(?:exactly|equal\w*|same|just that|neither)\b|בדיוק|שווה|זהה", text)
    if re.search(r"\bnot (?:longer|more)\b|לא (?:ארו|יותר)", text):
        return n <= bound
    if re.search(r"\bnot (?:shorter|fewer|less)\b|לא (?:קצר|פחות)", text):
        return n >= bound
    if not (longer or shorter or equal):
        return False if UNKNOWN.search(text) else None
    return bool((longer and n > bound) or (shorter and n < bound) or (equal and n == bound))


_ORDINAL_WORDS = (
    *(("first", "ראשון"), ("second", "שני"), ("third", "שלישי"), ("fourth", "רביעי"), ("fifth", "חמישי")),
    *(("sixth", "שישי"), ("seventh", "שביעי"), ("eighth", "שמיני"), ("ninth", "תשיעי"), ("tenth", "עשירי")),
)


def _ordinals_as_digits(folded: str) -> str:
    for n, (name, other) in enumerate(_ORDINAL_WORDS, 1):
        folded = re.sub(rf"\b{name}\b|\b{n}(?:st|nd|rd|th)\b|\bה?{other}\b", str(n), folded)
    return folded
