"""Opening sentences of raw text as referees' programs cut them, and where printed sentences are in raw text."""

import re
from collections.abc import Iterable, Iterator

import regex

from quarry.course.sentences import FULL_STOP
from quarry.course.text import canonical, one_line

MIN_CONTENT_WORDS = 5
"""Minimum number of words of a content sentence."""
N_HEAD = 3
"""Number of lines of a page that are searched for a full stop; if there is none, the first line is the opening."""
SHORT_LINE = 0.75
"""Maximum length of a heading before a line that begins a sentence, as a share of the longest line."""
N_KEY = 20
"""Number of letters and digits at each end of a sentence that must match if its middle differs in the raw text."""
MAX_RAW_STRETCH = 1.3
"""Maximum length of such a sentence in the raw text, as a multiple of its printed length."""
_REFEREE_ABBREVIATIONS = frozenset(
    {
        *("dr", "mr", "mrs", "prof", "jr", "sr", "st", "e.g", "i.e", "etc", "vs", "al"),
        *("fig", "eq", "sec", "ch", "no", "vol"),
    }
)
_STOP_ON_NEXT_LINE = re.compile(r"\n\.(?=[\u0590-\u05ff\s])")
_STOP = re.compile(r"[.!?](?=[ \n\t\r])")
_LAST_WORD = re.compile(r"\w+(?:\.\w+)*$")
_MARKER = re.compile(r"^[-–•◦*]\s*")
_MARKS_BEFORE = re.compile(r"[(\[{\"'“„«]+$")
_MARKS_AFTER = re.compile(r"\s?[.!?:…][)\]}\"'”»]*|[)\]}\"'”»]+[.!?:…]?")


def opening_by_rule(page: str) -> str:
    """Return the opening of a page as a public referee cuts it, with its line breaks.

    Some programs print the full stop of a Hebrew sentence at the beginning of the next line. The opening ends with the
    first such stop if it then has at least MIN_CONTENT_WORDS words. Otherwise it ends with the first full stop within
    N_HEAD lines, or with the first line if there is none.
    """
    page = page.strip()
    stop = _STOP_ON_NEXT_LINE.search(page)
    if stop:
        opening = page[: stop.end()]
        if len(opening.split()) >= MIN_CONTENT_WORDS:
            return opening

    lines = page.split("\n")
    head = "\n".join(lines[:N_HEAD])
    for end in _STOP.finditer(head):
        if end[0] != "." or not _is_abbreviated(head[: end.start()]):
            return head[: end.end()]
    return lines[0]


def _is_abbreviated(before: str) -> bool:
    """Return whether the full stop after a text belongs to an ellipsis or to an abbreviation."""
    word = _LAST_WORD.search(before)
    return before.endswith(".") or bool(
        word and word[0].lower() in _REFEREE_ABBREVIATIONS
    )


def content_sentences(piece: str) -> Iterator[str]:
    """Yield the content sentences of a piece, each on one line, without headings, captions and markers before them.

    If there is none, the first line is yielded.
    """
    lines = piece.strip().split("\n")
    short = SHORT_LINE * max(map(len, lines))
    start, n_sentences = 0, 0
    for end in FULL_STOP.finditer(piece):
        stretch = piece[start : end.end()].lstrip(" ")
        lines_of_stretch = stretch.strip().split("\n")
        is_on_top = start == 0 or stretch.startswith("\n")
        start = end.end()
        while is_on_top and len(lines_of_stretch) > 1:
            is_short = len(lines_of_stretch[0]) < short
            if not is_short or not _begins(lines_of_stretch[1].strip()):
                break
            lines_of_stretch.pop(0)

        sentence = _MARKER.sub("", one_line(" ".join(lines_of_stretch)))
        if _begins(sentence) and len(sentence.split()) >= MIN_CONTENT_WORDS:
            n_sentences += 1
            yield sentence
    if not n_sentences:
        yield one_line(lines[0])


def find_printed(piece: str, sentences: Iterable[str]) -> Iterator[tuple[int, str]]:
    """Yield the position and the raw string, on one line, of each sentence in the raw text of a piece.

    A sentence that is not there has the position -1 and the string "". Only letters and digits are compared, since
    programs print blanks and signs differently; a sentence with other differences is found by both of its ends.
    """
    letters, spans = [], []
    for char in regex.finditer(r"\X", piece):  # a letter with its accents
        for letter in canonical(char.group()):
            letters.append(letter)
            spans.append(char.span())

    whole = "".join(letters)
    for sentence in sentences:
        start, end = _find(whole, canonical(sentence))
        if start < 0:
            yield -1, ""
            continue
        first, last = spans[start][0], spans[end - 1][1]
        before = _MARKS_BEFORE.search(piece, max(0, first - 3), first)
        after = _MARKS_AFTER.match(piece, last)
        first = before.start() if before else first
        last = after.end() if after else last
        yield first, one_line(piece[first:last])


def _find(whole: str, key: str) -> tuple[int, int]:
    """Return the start and end of a key in a text, or of a stretch with the same two ends; else (-1, -1)."""
    start = whole.find(key) if key else -1
    if start >= 0:
        return start, start + len(key)
    if len(key) <= N_KEY:
        return -1, -1
    start = whole.find(key[:N_KEY])
    if start >= 0:
        tail = key[-N_KEY:]
        end = whole.find(tail, start, start + int(MAX_RAW_STRETCH * len(key)))
        if end >= 0:
            return start, end + len(tail)
    return -1, -1


def _begins(text: str) -> bool:
    """Return whether a text begins like a sentence: with a capital or a Hebrew letter."""
    return text[:1].isupper() or "א" <= text[:1] <= "ת"
