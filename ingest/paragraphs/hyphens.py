"""Text of several lines: words that are broken at the ends of lines are joined."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from ingest.layout.line import Line, PlacedLine
from ingest.pdf.model import UNKNOWN
from quarry.languages.registry import words_of_all
from quarry.languages.words import is_common

MIN_PART_LETTERS = 4
"""Minimum length of a part that tells a compound: shorter ones are syllables too, like "con" and "ment"."""

MAX_ENCLITIC = 3
"""Maximum length of a word after a hyphen that is one elsewhere in the document: Portuguese "-se", English "-off"."""

_CONJUNCTIONS = words_of_all("conjunctions")
"""Words after a part of a word whose rest follows, as in "Steuer- und Satzzeichen"."""

_COMPOUND = re.compile(r"[^\W\d_]+(?:[-‐‑'’][^\W\d_]+)*")
"""Word, perhaps with hyphens or apostrophes inside it."""

_ADDRESS = re.compile(r"[./]\w+/|//")
"""Signs that only addresses and paths have."""

_URL = re.compile(r"(?:https?://|www\.)[^\s,;)\]>]*\w$")
"""Beginning of a URL at the end of a line."""

_URL_REST = re.compile(r"[\w.]*[/_%=&?]\w|[/?&=.]\w")
"""Rest of a URL at the beginning of the next line."""

_BROKEN_SCHEME = re.compile(r"https?:(?:/{1,2} | /)")
"""Scheme of a URL, broken at its slashes."""

_CHINESE = re.compile("[\u3000-\u30ff\u3400-\u9fff\uff00-\uff65]")
"""Character or sign of Chinese or Japanese, which have no spaces."""


def count_unbroken_words(lines: Iterable[Line], counts: Counter[str]) -> None:
    """Add the words that occur unbroken within lines to `counts`; "self-" and "-se" count compounds with them."""
    for line in lines:
        words = [word.text for word in line.words[1:]]
        if words and words[-1].endswith("-"):
            words.pop()
        for word in _COMPOUND.findall(" ".join(words).casefold()):
            counts[word] += 1
            start, hyphen, rest = word.partition("-")
            if hyphen:
                counts[f"{start}-"] += 1
                counts[f"-{rest}"] += 1


def join_text(
    lines: Sequence[PlacedLine], marker: int, vocabulary: Counter[str]
) -> tuple[str, tuple[int, ...]]:
    """Join the words of lines, and return the offsets at which a new page begins.

    Hyphenation is undone, and unknown characters are left out.

    Args:
        marker: number of words of the bullet or number, which are left out.
    """
    text = ""
    breaks = []
    page = lines[0].page
    for line in lines:
        words = []
        for word in line.words[marker:]:
            if readable := word.text.replace(UNKNOWN, ""):
                words.append(readable)
        marker = 0
        if not words:
            continue

        if text:
            *before, last = text.split(" ")
            glued = _join_halves(last, words[0], vocabulary, line.rtl)
            if glued is not None:
                text = " ".join([*before, glued])
                del words[0]
            if line.page != page:
                breaks.append(len(text) + 1)
            words.insert(0, text)
        page = line.page
        text = " ".join(words)
    return text, tuple(offset for offset in breaks if offset < len(text))


def _join_halves(
    before: str, after: str, vocabulary: Counter[str], rtl: bool
) -> str | None:
    """Join the two parts of a word across a line break; return None for two words."""
    if _is_unspaced(before, after):
        return before + after
    start, mark = before[:-1], before[-1:]
    if mark not in ("-", "—", "/") or not start[-1:].isalnum():
        return None

    is_first = mark == "-" and after in _CONJUNCTIONS
    if is_first and not is_common(start.casefold() + after):
        return None
    has_hyphen = mark != "-" or start[-1].isdigit() or not after[0].islower()
    if has_hyphen or _is_hyphenated(start, after, vocabulary, rtl):
        return before + after
    return start + after


def _is_unspaced(before: str, after: str) -> bool:
    """Return whether a line ends, and the next one begins, in Chinese or inside a URL."""
    is_chinese = _CHINESE.match(before[-1:]) and _CHINESE.match(after)
    is_address = _URL.search(before) and _URL_REST.match(after)
    is_scheme = _BROKEN_SCHEME.search(f"{before} {after}")
    return bool(is_chinese or is_address or is_scheme)


def _is_hyphenated(start: str, after: str, vocabulary: Counter[str], rtl: bool) -> bool:
    """Return whether a word has a hyphen between two parts wherever it is, and not only at the end of a line."""
    n_joined = vocabulary[_word_key(start + after)]
    n_hyphenated = vocabulary[_word_key(f"{start}-{after}")]
    if n_joined != n_hyphenated:
        return n_hyphenated > n_joined

    stem = _word_key(start)
    end, hyphen, _ = _word_key(after).partition("-")
    is_compound = vocabulary[end] and (hyphen or vocabulary[f"{stem}-"])
    is_enclitic = len(end) <= MAX_ENCLITIC and vocabulary[f"-{end}"]
    if rtl or is_compound or is_enclitic or _ADDRESS.search(start):
        return True

    *others, last = stem.split("-")
    if others:
        return len(last) < MIN_PART_LETTERS or _are_words(last, end)
    is_name = start.lstrip('"“‘([').istitle()
    return not is_name and _are_words(last, end)


def _are_words(start: str, end: str) -> bool:
    """Return whether two parts are common words that do not make a common word together, like "self-select"."""
    if min(len(start), len(end)) < MIN_PART_LETTERS:
        return False
    return is_common(start) and is_common(end) and not is_common(start + end)


def _word_key(word: str) -> str:
    """Return a word as the vocabulary has it, without the signs around it; "" if it has no letter."""
    match = _COMPOUND.search(word)
    return match.group().casefold() if match else ""
