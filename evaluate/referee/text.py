"""Text as the referee compares it: normalised, folded, cut into words and sentences."""

from __future__ import annotations

import itertools
import re
import unicodedata
from functools import lru_cache

_QUOTE_MARKS = str.maketrans(
    {**dict.fromkeys("“”„‟«»״″「」『』", '"'), **dict.fromkeys("‘’‚‛׳′`‹›", "'"), **dict.fromkeys("‐‑‒–—―−־", "-")}
)


def normalise(text: str) -> str:
    """NFKC on one line; one kind of quotation mark and dash; no invisible characters and no Hebrew points."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTE_MARKS)
    kept = (char for char in plain if unicodedata.category(char) != "Cf" and not "\u0591" <= char <= "\u05c7")
    return " ".join("".join(kept).split())


def fold(text: str) -> str:
    """A text in which words that differ in case or width alone are equal."""
    return unicodedata.normalize("NFKC", text.casefold())


def _is_word_char(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char).startswith("M")


def _is_joined(before: str, gap: str, after: str) -> bool:
    if before.isdigit() and after.isdigit():
        return gap in (".", ",")
    return gap in ("'", '"') and before.isalpha() and after.isalpha()


@lru_cache(maxsize=4096)
def tokens_of(folded: str) -> tuple[tuple[str, int, int], ...]:
    """The words of a folded text with their start and end; "3.5", "1,000", "that's" and 'ארה"ב' are one word each."""
    found: list[tuple[str, int, int]] = []
    at = 0
    for is_word, run in itertools.groupby(folded, _is_word_char):
        length = len(list(run))
        word, start, at = folded[at : at + length], at, at + length
        if not is_word:
            continue
        if found and _is_joined(found[-1][0][-1], folded[found[-1][2] : start], word[0]):
            _, start, _ = found.pop()
        found.append((folded[start:at], start, at))
    return tuple(found)


_ABBREVIATION = re.compile(r"e\.g|i\.e|cf|vs|dr|mr|mrs|ms|prof|figs|eqs|al|approx|resp|ca|eds?|jr|sr|st|viz")
_ABBREVIATION_OF_NUMBERS = re.compile(r"nos?|fig|eq|pp?|vol|ch|sec|art")
_SENTENCE_END = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)|[!?](?=[\u3040-\u9fff])|。")


@lru_cache(maxsize=1024)
def sentences_of(text: str) -> tuple[str, ...]:
    """The sentences of a normalised text; abbreviations, initials and what goes on in lower case end none."""
    found, start = [], 0
    for end in _SENTENCE_END.finditer(text):
        ahead = text[end.end() :].lstrip()[:1]
        if ahead.islower():
            continue
        before = re.search(r"[\w.]+$", text[start : end.start()])
        word = before[0].casefold() if before else ""
        is_initial = before is not None and re.fullmatch(r"[A-HJ-Z]", before[0])
        is_abbreviation = (
            is_initial
            or _ABBREVIATION.fullmatch(word)
            or (ahead.isdigit() and _ABBREVIATION_OF_NUMBERS.fullmatch(word))
        )
        if ahead and end[0].startswith(".") and is_abbreviation:
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    if text[start:].strip():
        found.append(text[start:].strip())
    return tuple(found)
