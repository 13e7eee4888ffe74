"""Authors and number of a lecture, from its first page and file name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from quarry.ingest.layout.lines import Line
from quarry.ingest.pdf.extract import Page, Pdf

TITLE_PART = 0.6
"""Share of the height of the first page, from its top, that may hold the title block."""

MAX_LABEL_WORDS = 12
"""Maximal number of words of a line with the lecture's number; a longer one is text that mentions a lecture."""

_KINDS = "lecture|lec|chapter|chap|ch|lesson|unit|week|class|session|module|handout|הרצאה|שיעור|פרק|יחידה|שבוע"
_NUMBERED = re.compile(rf"(?<![^\W\d_])(?:{_KINDS})[\s._#:-]{{0,3}}0*(\d{{1,3}})(?!\d|\.\d)", re.IGNORECASE)
_LEADING = re.compile(r"0?(\d{1,2})(?=[\s._-]+[^\W\d_]|$)")
_SEPARATOR = re.compile(r"\s*[,;·•|&/]\s*")
_AROUND = ".,;:!?()[]\"'“”‘’"
_NAME_WORD = re.compile(r"(?:[^\W\d_]\.)+-?(?:[^\W\d_]\.)?|[^\W\d_][^\W\d_]*(?:[-'’‑][^\W\d_]+)*")


def lecture_number(stem: str, pdf: Pdf) -> int | None:
    """Return the number after "Lecture" or the like in the file stem or on top of the first page, or leading the stem.

    Return None if there is no such number.
    """
    labels = [line.text for line in _upper(pdf.pages[0]) if len(line.words) <= MAX_LABEL_WORDS]
    return number_of([stem, *labels])


def number_of(labels: Sequence[str]) -> int | None:
    """Return the first number after "Lecture" or the like in some labels, or else a number leading the first label."""
    for label in labels:
        if found := _NUMBERED.search(label):
            return int(found[1])
    leading = _LEADING.match(labels[0])
    return int(leading[1]) if leading else None


def authors(pdf: Pdf, title: str) -> tuple[str, ...]:
    """Return the authors as printed on the first page; () if they are uncertain.

    A name counts if the PDF's metadata has it too, or if it is below the title on a line of names alone: two words
    or more, each with a capital, that occur nowhere in the text in lower case.
    """
    page = pdf.pages[0]
    printed = " ".join(" ".join(line.text for line in page.lines).split()).casefold()
    known = [name for name in _names(pdf.metadata_author) if name.casefold() in printed]
    if known:
        return tuple(dict.fromkeys(known))
    below = _below_title(page, title)
    lower = _lower_words(pdf) if below else set()
    for _, run in groupby(below, key=lambda line: (line.size, line.bold > 0.9)):
        found: list[str] = []
        for line in run:
            names = list(_names(line.text))
            if not names or not all(_is_name(name, lower) for name in names):
                break
            found += names
        if found:
            return tuple(dict.fromkeys(found))
    return ()


def _upper(page: Page) -> Iterator[Line]:
    return (line for line in page.lines if line.y < TITLE_PART * page.height)


def _below_title(page: Page, title: str) -> Sequence[Line]:
    """Return the lines between the title and the text, from top to bottom."""
    parts = [line for line in _upper(page) if title and line.text in title]
    if not parts:
        return ()
    size = max(line.size for line in parts)
    bottom = max(line.y for line in parts if line.size > 0.97 * size)
    block = []
    for line in _upper(page):
        if line.y <= bottom:
            continue
        if len(line.words) > 5 and line.text.endswith((".", ",")):
            break
        block.append(line)
    return block


def _names(text: str) -> Iterator[str]:
    """Split a list: "A B, C D and E F" -> A B; C D; E F. A short word in lower case joins names of two words."""
    for part in _SEPARATOR.split(text):
        words = part.split()
        while words:
            joints = (n for n in range(2, len(words) - 2) if words[n].islower() and len(words[n]) <= 3)
            joint = next((n for n in joints if not words[n + 1].islower()), len(words))
            yield " ".join(words[:joint])
            words = words[joint + 1 :]


def _is_name(text: str, lower: set[str]) -> bool:
    """Return whether a text may be a name: two to five words with capitals, none of them a word of the language."""
    words = text.split()
    if not 2 <= len(words) <= 5 or not words[0][0].isupper() or not words[-1][0].isupper():
        return False
    if not all(_NAME_WORD.fullmatch(word) for word in words) or any(word.isupper() and len(word) > 3 for word in words):
        return False
    capitals = [word for word in words if word[0].isupper()]
    if len(capitals) < 2 or any(len(word) > 3 for word in words if word.islower()):
        return False
    return not any(part.casefold() in lower for word in capitals for part in re.split(r"[-‑]", word) if len(part) > 2)


def _lower_words(pdf: Pdf) -> set[str]:
    """Return the words of the document in lower case, without those of addresses, which contain names."""
    tokens = (
        part.strip(_AROUND)
        for page in pdf.pages
        for line in page.lines
        for word in line.text.split()
        for part in word.split("-")
    )
    return {token for token in tokens if token.isalpha() and token.islower()}
