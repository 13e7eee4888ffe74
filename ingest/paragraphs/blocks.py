"""Blocks of text, such as paragraphs, headings and items, made from lines in reading order; hyphenation is undone."""

from __future__ import annotations

import heapq
import itertools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from quarry.ingest.layout.arrange import Arranged, PlacedLine
from quarry.ingest.paragraphs.breaks import (
    SENTENCE_END,
    LineGroup,
    TypesettingHabits,
    begins_paragraph,
    is_bullet,
    is_prose,
    marker_words,
    start_after,
    word_share,
)
from quarry.ingest.paragraphs.continuations import joined_across_breaks, joined_over_displays
from quarry.ingest.pdf.model import UNKNOWN

MAX_PARTING = 5.0
"""Maximal distance of baselines of two successive paragraphs, in font sizes."""

MAX_RAGGED, JUSTIFIED, MIN_JUSTIFIED = 0.4, 0.8, 12
"""Maximal distance of a line of justified text from the margin in font sizes, minimal share of lines inside sentences
that are as near, and minimal number of such lines."""

_WORD = re.compile(r"[^\W\d_]+(?:[-‐‑'’][^\W\d_]+)*")
_NOTE_NUMBER = re.compile(r"^\d{1,3}(?=[^\W\d_]{2})")
"""Number at the beginning of a footnote, joined to its first word."""
_CLOSED = "—/"


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of text, such as a paragraph, with the features that decide its kind.

    Attributes:
        page: 1-based page on which it starts.
        heading: the heading of its section, "" if there is none.
        text: on one line, without bullet, hyphenation undone.
        footnote: whether it is at the foot of a page.
        is_heading: whether it is a heading.
        size_ratio: its font size divided by the size of the body.
        bold, mono: shares of its characters that are bold, and of fixed pitch, 0..1.
        gap_share: share of its lines with wide gaps, as in the rows of a table.
        unknown_share: share of its words with a character that the file does not explain, 0..1.
        set_off: whether white space is above and below it.
        number: the bullet or number itself, "" if none.
        in_table: whether it is inside a table with rules.
        last_page: page on which it ends.
        page_breaks: offsets in the text at which a new page begins.
    """

    page: int
    heading: str
    text: str
    footnote: bool = False
    is_heading: bool = False
    size_ratio: float = 1.0
    bold: float = 0.0
    mono: float = 0.0
    gap_share: float = 0.0
    unknown_share: float = 0.0
    set_off: bool = False
    number: str = ""
    in_table: bool = False
    last_page: int = 0
    page_breaks: tuple[int, ...] = ()


def split(arranged: Arranged) -> Iterator[Block]:
    """Split a document into blocks in reading order, footnotes after the body of their page."""
    habits = _habits(arranged)
    blocks = heapq.merge(_bodies(arranged, habits), _notes(arranged, habits), key=lambda block: block.page)
    return (block for block in blocks if block.text)


def _habits(arranged: Arranged) -> TypesettingHabits:
    """Measure the typesetting of a document."""
    vocabulary: Counter[str] = Counter()
    pitches: Counter[float] = Counter()
    gaps: Counter[float] = Counter()
    n_indents = n_pages = n_full = n_open = 0
    for lines in arranged.pages:
        _count_words(lines, vocabulary)
        _count_pitches(lines, arranged.body_size, pitches, gaps)
        body = [line for line in lines if not line.footnote]
        n_indents += _n_indents(body, arranged.body_size)
        n_pages += bool(body)
        for above, below in itertools.pairwise(body):
            if _goes_on(above, below, arranged.body_size):
                n_open += 1
                n_full += above.right - above.end < MAX_RAGGED * above.size
    pitch = pitches.most_common(1)[0][0] if pitches else 1.2
    usual = [gap for gap in gaps.elements() if gap > pitch + 0.33]
    return TypesettingHabits(
        vocabulary,
        pitch,
        median(usual) if usual else pitch,
        n_indents >= max(3, 0.5 * n_pages),
        n_full > JUSTIFIED * max(MIN_JUSTIFIED, n_open),
        arranged.body_size,
    )


def _goes_on(above: PlacedLine, below: PlacedLine, body_size: float) -> bool:
    """Return whether two lines of the body surely belong to one sentence."""
    return (
        above.column == below.column
        and max(abs(above.size - body_size), abs(below.size - body_size)) < 0.5
        and abs(above.start - below.start) < 0.3 * above.size
        and below.words[0].text[0].islower() | (below.words[0].text[0].lower() == below.words[0].text[0].upper())
        and not SENTENCE_END.search(above.text)
    )


def _bodies(arranged: Arranged, habits: TypesettingHabits) -> Iterator[Block]:
    lines = (line for line in arranged.lines if not line.footnote)
    heading = ""
    groups = joined_over_displays(_groups(lines, habits), habits.indented)
    for group in joined_across_breaks(groups, habits):
        block = _block_of(group, heading, habits)
        if block.is_heading:
            heading = block.text
        yield block


def _notes(arranged: Arranged, habits: TypesettingHabits) -> Iterator[Block]:
    lines = (line for line in arranged.lines if line.footnote)
    return (_block_of(group, "", habits) for group in _groups(lines, habits))


def _n_indents(lines: Sequence[PlacedLine], body_size: float) -> int:
    """Count the indented lines of a page's body between two lines without indent."""
    n_indents = 0
    for above, line, below in zip(lines, lines[1:], lines[2:], strict=False):
        if above.column == line.column == below.column and abs(line.size - body_size) < 0.5:
            indent = (line.start - line.left) / line.size
            flush = abs(below.start - line.left) < 0.3 * line.size and abs(above.start - line.left) < 0.3 * line.size
            n_indents += 0.7 < indent < 3 and flush and not marker_words(line)
    return n_indents


def _count_pitches(lines: Sequence[PlacedLine], body_size: float, ratios: Counter[float], gaps: Counter[float]) -> None:
    """Count the distances of a page's baselines, in font sizes, in `ratios`, and those of its body in `gaps`."""
    for above, below in itertools.pairwise(lines):
        if above.column == below.column and above.footnote == below.footnote and abs(above.size - below.size) < 0.5:
            ratio = (below.y - above.y) / below.size
            if 0.9 < ratio < 2.2:
                ratios[round(ratio * 20) / 20] += 3 if abs(below.size - body_size) < 0.5 else 1
            if 0.9 < ratio < MAX_PARTING and abs(below.size - body_size) < 0.5:
                gaps[round(ratio * 20) / 20] += 1


def _groups(lines: Iterable[PlacedLine], habits: TypesettingHabits) -> Iterator[LineGroup]:
    group: LineGroup | None = None
    whole = [*_without_fragments(lines, habits.pitch)]
    for line, following in itertools.zip_longest(whole, whole[1:]):
        if group is not None and not begins_paragraph(group, line, following, habits):
            group.lines.append(line)
            continue
        begun = LineGroup([line], marker=marker_words(line, following))
        begun.text_start = start_after(line, begun.marker)
        if group is not None:
            previous = group.lines[-1]
            gap = line.y - previous.y if line.column == previous.column else 10 * line.size
            begun.gap_above = group.gap_below = gap / max(line.size, previous.size)
            yield group
        group = begun
    if group is not None:
        yield group


def _without_fragments(lines: Iterable[PlacedLine], pitch: float) -> Iterator[PlacedLine]:
    """Join pieces of a formula between two rows (tall brackets, limits) to the row above."""
    above: PlacedLine | None = None
    for line in lines:
        if above is not None:
            fragment = len(line.words) <= 3 and word_share(line) == 0 and not is_bullet(line.words[0].text)
            near = line.column == above.column and 0 <= line.y - above.y < 0.75 * pitch * above.size
            within = line.start < above.end + line.size and line.end > above.start
            if fragment and near and within and is_prose(above):
                above = replace(above, words=above.words + line.words)
                continue
            yield above
        above = line
    if above is not None:
        yield above


def _block_of(group: LineGroup, heading: str, habits: TypesettingHabits) -> Block:
    lines, body_size, pitch = group.lines, habits.body_size, habits.pitch
    words = [word.text for line in lines for word in line.words][group.marker :]
    text, page_breaks = _text(lines, group.marker, habits.vocabulary)
    if lines[0].footnote:
        text = _NOTE_NUMBER.sub("", text)
    n_chars = [sum(len(word.text) for word in line.words) for line in lines]
    total = sum(n_chars) or 1
    bold = sum(line.bold * n for line, n in zip(lines, n_chars, strict=True)) / total
    size = median(line.size for line in lines)
    return Block(
        page=lines[0].page,
        heading=heading,
        text=text,
        footnote=lines[0].footnote,
        is_heading=_is_heading(lines, text, size / body_size, bold),
        size_ratio=size / body_size,
        bold=bold,
        mono=sum(line.mono * n for line, n in zip(lines, n_chars, strict=True)) / total,
        gap_share=sum(line.n_gaps > 0 for line in lines) / len(lines),
        unknown_share=sum(UNKNOWN in word for word in words) / max(1, len(words)),
        set_off=min(group.gap_above, group.gap_below) > max(1.5 * pitch, 1.2 * habits.parting),
        number=lines[0].words[0].text if group.marker else "",
        in_table=lines[0].in_table,
        last_page=lines[-1].page,
        page_breaks=page_breaks,
    )


def _is_heading(lines: Sequence[PlacedLine], text: str, size_ratio: float, bold: float) -> bool:
    n_words = len(text.split())
    if not 1 <= n_words <= 16 or len(lines) > 3 or sum(char.isalpha() for char in text) < 3 or lines[0].footnote:
        return False
    if text.endswith((".", ",", ";")) and not size_ratio > 1.15:
        return False
    return size_ratio > 1.08 or bold > 0.9


def _text(lines: Sequence[PlacedLine], marker: int, vocabulary: Counter[str]) -> tuple[str, tuple[int, ...]]:
    """Join the words of lines, and return the offsets at which a new page begins.

    Hyphenation is undone, and unknown characters are left out.
    """
    words: list[str] = []
    first_words: list[int] = []
    for number, line in enumerate(lines):
        own = [word.text for word in line.words][marker if number == 0 else 0 :]
        if number and words and own:
            glued = _glued(words[-1], own[0], line.rtl, vocabulary)
            if glued is not None:
                words[-1] = glued
                own = own[1:]
        if number and line.page != lines[number - 1].page:
            first_words.append(len(words))
        words.extend(own)
    kept = [word.replace(UNKNOWN, "") for word in words]
    breaks = [sum(len(word) + 1 for word in kept[:first] if word) for first in first_words]
    text = " ".join(word for word in kept if word)
    return text, tuple(offset for offset in breaks if 0 < offset < len(text))


def _glued(before: str, after: str, rtl: bool, vocabulary: Counter[str]) -> str | None:
    """Join the two parts of a word across a line break, None for two words."""
    if before.endswith("-") and len(before) > 1 and before[-2].isalnum():
        if rtl or not after[0].islower() or not before[-2].isalpha():
            return before + after
        left, right = before[:-1], after
        joined, hyphenated = _key(left + right), _key(f"{left}-{right}")
        if vocabulary[joined] != vocabulary[hyphenated]:
            return left + right if vocabulary[joined] > vocabulary[hyphenated] else before + after
        left_part, right_part = _key(left), _key(right)
        if "-" in left_part or (vocabulary[f"{left_part}-"] and vocabulary[right_part]):
            return before + after
        return left + right
    if len(before) > 1 and before[-1] in _CLOSED and before[-2] not in _CLOSED and before[-2].isalnum():
        return before + after
    return None


def _key(word: str) -> str:
    found = _WORD.search(word)
    return found.group().casefold() if found else ""


def _count_words(lines: Iterable[PlacedLine], counts: Counter[str]) -> None:
    """Count the words that occur unbroken within lines; "self-" counts compounds that begin with it."""
    for line in lines:
        words = [word.text for word in line.words]
        for position, word in enumerate(words):
            if position == 0 or (position == len(words) - 1 and word.endswith("-")):
                continue
            for part in _WORD.findall(word.casefold()):
                counts[part] += 1
                if "-" in part:
                    counts[part.partition("-")[0] + "-"] += 1
