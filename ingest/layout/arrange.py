"""Lines of a document in reading order, without running heads, with the margins of their columns and footnotes."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from quarry.ingest.layout.columns import columns_of, rows_of_lines
from quarry.ingest.layout.drop_caps import with_drop_caps
from quarry.ingest.layout.extract import Page, Pdf
from quarry.ingest.layout.lines import Line, Word
from quarry.ingest.layout.margins import RunningHeads, parted_from_notes, without_line_numbers
from quarry.ingest.pdf.model import UNKNOWN, Box

MIN_PROSE_LINES = 6
"""Minimal number of lines of prose that alone define the margins of a column."""


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line in its column. Lengths in points; `start` and `end` grow in reading direction.

    Attributes:
        page: 1-based.
        column: number of the column within the document; lines of one column follow each other from top to bottom.
        start, end: its first and last edge.
        left, right: margins of its column, in the same direction.
        y: the baseline, downwards from the top of the page.
        n_gaps: number of wide gaps inside it, as between the cells of a table.
        footnote: whether it belongs to the notes at the foot of a column.
        in_table: whether it is inside a table with rules.
    """

    words: tuple[Word, ...]
    page: int
    column: int
    start: float
    end: float
    left: float
    right: float
    y: float
    size: float
    bold: float
    mono: float
    rtl: bool
    n_gaps: int
    footnote: bool = False
    in_table: bool = False

    @property
    def text(self) -> str:
        """Text of the words, with single spaces between."""
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True, slots=True)
class Arranged:
    """A document in reading order.

    Attributes:
        title: as printed on the first page, "" if unsure.
        pages: the lines of each page, its body in reading order and then its footnotes.
        body_size: font size of most of the text.
        rtl: whether the document as a whole reads from right to left.
    """

    title: str
    pages: Sequence[tuple[PlacedLine, ...]]
    body_size: float
    rtl: bool

    @property
    def lines(self) -> Iterator[PlacedLine]:
        """Lines of all pages."""
        return itertools.chain.from_iterable(self.pages)


def arrange(pdf: Pdf) -> Arranged:
    """Put the lines of a document in reading order, without running heads and page numbers."""
    heads = RunningHeads(map(_cleaned, pdf.pages))
    placed: list[tuple[PlacedLine, ...]] = []
    title = ""
    column_number = 0
    gutters: list[float] = []
    for page in map(_cleaned, pdf.pages):
        dropped = heads.on(page)
        lines = [line for position, line in enumerate(page.lines) if position not in dropped]
        if page.number == 1:
            title = _title(page, lines, heads.body_size)
        bodies: list[PlacedLine] = []
        notes: list[PlacedLine] = []
        text, *margin_notes = parted_from_notes(lines, heads.body_size)
        columns = columns_of(text, 0.0, page.width, pdf.rtl, gutters)
        for column in (*columns, *filter(None, margin_notes)):
            body, foot = _part_footnotes(_place(column, page, column_number, pdf.rtl), heads.body_size)
            bodies.extend(body)
            notes.extend(foot)
            column_number += 1
        placed.append((*bodies, *notes))
    return Arranged(title, placed, heads.body_size, pdf.rtl)


def _cleaned(page: Page) -> Page:
    """Remove line numbers from a page, and join drop caps to their words."""
    return with_drop_caps(without_line_numbers(page))


def _place(column: Sequence[Line], page: Page, number: int, rtl: bool) -> list[PlacedLine]:
    """Join the parts of each row of a column, and add the margins of the column."""
    joined = []
    for row in rows_of_lines(column):
        row.sort(key=lambda line: line.x0, reverse=rtl)
        x0, x1 = min(line.x0 for line in row), max(line.x1 for line in row)
        longest = max(row, key=lambda line: sum(len(word.text) for word in line.words))
        n_chars = [sum(len(word.text) for word in line.words) for line in row]
        joined.append(
            PlacedLine(
                words=tuple(word for line in row for word in line.words),
                page=page.number,
                column=number,
                start=-x1 if rtl else x0,
                end=-x0 if rtl else x1,
                left=0.0,
                right=0.0,
                y=row[0].y,
                size=longest.size,
                bold=sum(line.bold * n for line, n in zip(row, n_chars, strict=True)) / sum(n_chars),
                mono=sum(line.mono * n for line, n in zip(row, n_chars, strict=True)) / sum(n_chars),
                rtl=longest.rtl,
                n_gaps=_wide_gaps(row),
                in_table=any(_is_inside(longest, table) for table in page.tables),
            )
        )
    left, right = _margins(joined)
    return [replace(line, left=left, right=right) for line in joined]


def _is_inside(line: Line, box: Box) -> bool:
    return box.top < line.y < box.bottom and box.x0 < (line.x0 + line.x1) / 2 < box.x1


def _wide_gaps(row: Sequence[Line]) -> int:
    """Count the gaps between parts of a row, apart from the gap after a bullet or number."""
    first = row[0].text
    is_marker = len(first) == 1 or (len(first) <= 5 and not first.isalpha())
    return max(0, len(row) - 1 - is_marker)


def _margins(lines: Sequence[PlacedLine]) -> tuple[float, float]:
    """Return the start of most lines of a column, and the end of the longest."""
    prose = [line for line in lines if not line.n_gaps and not line.in_table and line.mono < 0.8]
    if len(prose) >= MIN_PROSE_LINES:  # tables and listings may be wider
        lines = prose
    starts = Counter(round(line.start) for line in lines)
    common = [start for start, count in starts.items() if count >= max(2, 0.15 * len(lines))]
    left = float(min(common)) if common else min(line.start for line in lines)
    ends = sorted(line.end for line in lines)
    return left, ends[-1] if len(ends) < 10 else ends[-1 - len(ends) // 20]


def _part_footnotes(lines: list[PlacedLine], body_size: float) -> tuple[list[PlacedLine], list[PlacedLine]]:
    """Part a column into body and footnotes: these are small, at its foot, and begin with a mark."""
    first_small = len(lines)
    while first_small and lines[first_small - 1].size <= 0.94 * body_size:
        first_small -= 1
    if first_small == 0:
        return lines, []
    for position in range(first_small, len(lines)):
        if _begins_with_mark(lines[position]):
            return lines[:position], [replace(line, footnote=True) for line in lines[position:]]
    return lines, []


def _begins_with_mark(line: PlacedLine) -> bool:
    first = line.words[0]
    char = first.text[0]
    if first.raised > 0.15 * line.size or char == UNKNOWN or char in "*†‡§¶":
        return True
    if any(word.bold for word in line.words[:2]):  # a heading that is run into its paragraph
        return False
    return char.isdigit() and (
        len(first.text) <= 2 or not first.text[1:3].strip("0123456789").startswith((".", ")", ":", ","))
    )


def _title(page: Page, lines: Sequence[Line], body_size: float) -> str:
    """Return the largest print in the upper part of the first page, if it is larger than the text."""
    upper = [line for line in lines if line.y < 0.6 * page.height and any(char.isalpha() for char in line.text)]
    if not upper:
        return ""
    largest = max(line.size for line in upper)
    if largest < 1.15 * body_size:
        return ""
    first = next(position for position, line in enumerate(upper) if line.size > 0.97 * largest)
    parts = [upper[first]]
    for line in upper[first + 1 :]:
        if line.size > 0.97 * largest and line.y - parts[-1].y < 2.2 * largest:
            parts.append(line)
        else:
            break
    title = " ".join(part.text for part in parts).replace(UNKNOWN, "").strip()
    return title if len(title.split()) <= 25 and sum(char.isalpha() for char in title) >= 3 else ""
