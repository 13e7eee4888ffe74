"""Number words, English and Hebrew, and the digits they stand for."""

from __future__ import annotations

import re

_NUMBER_FORMS = (
    "0 zero, 1 one once single, 2 two twice, 3 three thrice, 4 four, 5 five, 6 six, 7 seven, 8 eight, 9 nine, 10 ten, "
    "11 eleven, 12 twelve, 13 thirteen, 14 fourteen, 15 fifteen, 16 sixteen, 17 seventeen, 18 eighteen, 19 nineteen, "
    "20 twenty, 30 thirty, 40 forty, 50 fifty, 60 sixty, 70 seventy, 80 eighty, 90 ninety, 100 hundred"
)
_HEBREW_NUMBER_FORMS = (
    "0 אפס, 1 אחד אחת, 2 שניים שתיים שני שתי פעמיים, 3 שלושה שלוש שלושת, 4 ארבעה ארבע ארבעת, 5 חמישה חמש חמשת, "
    "6 שישה שש ששת, 7 שבעה שבע שבעת, 8 שמונה שמונת, 9 תשעה תשע תשעת, 10 עשרה עשר עשרת, 20 עשרים, 30 שלושים, "
    "40 ארבעים, 50 חמישים, 60 שישים, 70 שבעים, 80 שמונים, 90 תשעים, 100 מאה"
)


def _numbers_by_word(forms: str) -> dict[str, int]:
    rows = (row.split() for row in forms.split(","))
    return {word: int(number) for number, *words in rows for word in words}


NUMBER_WORDS = _numbers_by_word(_NUMBER_FORMS)
HEBREW_NUMBER_WORDS = _numbers_by_word(_HEBREW_NUMBER_FORMS)
_TENS = re.compile(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[ -](one|two|three|four|five|six|seven|eight|nine)\b"
)
_NUMBER_WORD = re.compile(rf"\b(?:an? )?({'|'.join(NUMBER_WORDS)})\b")
_HEBREW_NUMBER_WORD = re.compile(
    rf"\b([מלבו]?)-?({'|'.join(sorted(HEBREW_NUMBER_WORDS, key=len, reverse=True))})( עשרה?)?\b"
)


def with_digits(folded: str) -> str:
    """A text with its number words as digits: "more than twenty-five" becomes "more than 25"."""
    text = _TENS.sub(lambda match: str(NUMBER_WORDS[match[1]] + NUMBER_WORDS[match[2]]), folded)
    text = _NUMBER_WORD.sub(lambda match: str(NUMBER_WORDS[match[1]]), text)
    text = _HEBREW_NUMBER_WORD.sub(_hebrew_digits, text)
    return re.sub(r"(?<=\d),(?=\d{3}\b)", "", text)


def _hebrew_digits(match: re.Match[str]) -> str:
    prefix = f"{match[1]}-" if match[1] else ""
    return f"{prefix}{HEBREW_NUMBER_WORDS[match[2]] + (10 if match[3] else 0)}"
