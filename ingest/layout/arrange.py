"""Lines as extracted -> lines in reading order: columns, running heads and footnotes told apart by geometry."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from quarry.ingest.layout.drop_caps import with_drop_caps
from quarry.ingest.layout.furniture import Furniture
from quarry.ingest.layout.lines import Line, Word
from quarry.ingest.layout.margins import parted_from_notes, without_line_numbers
from quarry.ingest.layout.side_by_side import bands_of
from quarry.ingest.pdf.extract import Page, Pdf
from quarry.ingest.pdf.model import UNKNOWN, Box

MIN_COLUMN_LINES = 7
"""Lines on each side of a gutter from which on it parts columns and not the cells of a small table."""

SAME_GUTTER = 12.0
"""Points within which the gutters of two pages are one."""

MIN_KNOWN_LINES = 2
"""Lines on either side of a gutter that other pages have, from which on it parts a page with few lines too."""

MIN_PROSE_LINES = 6
"""Lines of prose from which on they alone tell the margins of a column."""

STRETCH_TOLERANCE = 0.15
"""Share by which the spaces of a stretched line may differ; those between cells of a table do by more."""


@dataclass(frozen=True, slots=True)
class PlacedLine:
    """A line in its column. Lengths in points; `start` and `end` grow in reading direction, whichever that is.

    Attributes:
        page: 1-based.
        column: number of the column within the document; lines of one column follow each other from top to bottom.
        start, end: where it begins and ends.
        left, right: margins of its column, in the same direction.
        y: the baseline, downwards from the top of the page.
        n_gaps: wide gaps inside it, as between the cells of a table.
        footnote: whether it stands in the notes at the foot of a column.
        in_table: whether it stands in a table that is ruled.
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
        """The words with single spaces between."""
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
        """The lines of all pages."""
        return itertools.chain.from_iterable(self.pages)


def arrange(pdf: Pdf) -> Arranged:
    """The lines of a document in reading order, without running heads and page numbers."""
    furniture = Furniture(map(_cleaned, pdf.pages))
    placed: list[tuple[PlacedLine, ...]] = []
    title = ""
    column_number = 0
    gutters: list[float] = []
    for page in map(_cleaned, pdf.pages):
        dropped = furniture.on(page)
        lines = [line for position, line in enumerate(page.lines) if position not in dropped]
        if page.number == 1:
            title = _title(page, lines, furniture.body_size)
        bodies: list[PlacedLine] = []
        notes: list[PlacedLine] = []
        text, *beside = parted_from_notes(lines, furniture.body_size)
        columns = _columns(text, 0.0, page.width, pdf.rtl, gutters)
        for column in (*columns, *filter(None, beside)):
            body, foot = _part_footnotes(_place(column, page, column_number, pdf.rtl), furniture.body_size)
            bodies.extend(body)
            notes.extend(foot)
            column_number += 1
        placed.append((*bodies, *notes))
    return Arranged(title, placed, furniture.body_size, pdf.rtl)


def _cleaned(page: Page) -> Page:
    return with_drop_caps(without_line_numbers(page))


def _columns(lines: Sequence[Line], left: float, right: float, rtl: bool, known: list[float]) -> list[list[Line]]:
    """Lines parted into columns, in reading order; what runs across a gutter parts the page into bands.

    Args:
        known: the gutters of the pages before, which hold for the few lines of a last page too; grows.
    """
    gutter = _gutter(lines, left, right)
    if gutter is not None:
        known[:] = [x for x in known if abs(x - gutter) > SAME_GUTTER] + [gutter]
    else:
        gutter = next((x for x in known if left < x < right and _is_parted(lines, x)), None)
    if gutter is None:
        return _parted_by_bands(_by_row(lines), rtl)
    columns: list[list[Line]] = []
    band: tuple[list[Line], list[Line]] = ([], [])
    across: list[Line] = []

    def close_band() -> None:
        sides = ((band[0], left, gutter), (band[1], gutter, right))
        for side, low, high in reversed(sides) if rtl else sides:
            columns.extend(_columns(side, low, high, rtl, known))
        band[0].clear()
        band[1].clear()

    for row in _by_row(lines):
        if any(line.x0 < gutter - 1 and line.x1 > gutter + 1 for line in row):
            if band[0] or band[1]:
                close_band()
            across.extend(row)
            continue
        if across:
            columns.append(across)
            across = []
        for line in row:
            band[0 if line.x1 <= gutter + 1 else 1].append(line)
    if across:
        columns.append(across)
    close_band()
    return columns


def _is_parted(lines: Sequence[Line], x: float) -> bool:
    """Whether a few lines stand on both sides of a gutter that other pages have, beside each other, none across."""
    if any(line.x0 < x - 1 and line.x1 > x + 1 for line in lines):
        return False
    on_left = [line.y for line in lines if line.x1 <= x + 1]
    on_right = [line.y for line in lines if line.x0 >= x - 1]
    if min(len(on_left), len(on_right)) < MIN_KNOWN_LINES:
        return False
    few, many = sorted((on_left, on_right), key=len)
    reach = 2 * median(line.size for line in lines)
    return sum(min(many) - reach < y < max(many) + reach for y in few) >= 0.6 * len(few)


def _parted_by_bands(rows: Sequence[Sequence[Line]], rtl: bool) -> list[list[Line]]:
    """The rows of one column, cut in columns where a few of them hold two texts beside each other."""
    columns: list[list[Line]] = []
    done = 0
    for band in bands_of(rows):
        columns.append([line for row in rows[done : band.first] for line in row])
        inside = [line for row in rows[band.first : band.end] for line in row]
        sides = ([line for line in inside if line.x0 < band.x], [line for line in inside if line.x0 >= band.x])
        columns.extend(reversed(sides) if rtl else sides)
        done = band.end
    columns.append([line for row in rows[done:] for line in row])
    return [column for column in columns if column]


def _gutter(lines: Sequence[Line], left: float, right: float) -> float | None:
    """The x that parts two columns, None if the lines stand in one."""
    width = right - left
    if len(lines) < 2 * MIN_COLUMN_LINES or width < 120:
        return None
    wide = [line for line in lines if line.x1 - line.x0 > 0.15 * width]
    best: tuple[int, float] | None = None
    low, high = left + 0.2 * width, left + 0.8 * width
    edges = Counter(round(line.x0) - 2 for line in wide) + Counter(round(line.x1) + 2 for line in wide)
    for middle in sorted(x for x, count in edges.items() if low < x < high and count >= MIN_COLUMN_LINES // 2):
        on_left = [line for line in wide if line.x1 <= middle]
        on_right = [line for line in wide if line.x0 >= middle]
        n_across = len(wide) - len(on_left) - len(on_right)
        if min(len(on_left), len(on_right)) < MIN_COLUMN_LINES or n_across > 0.6 * min(len(on_left), len(on_right)):
            continue
        left_edge = max(line.x1 for line in on_left)
        if not (_fills_columns(on_left, left, middle) and _fills_columns(on_right, middle, right)):
            continue
        score = -n_across
        if best is None or score > best[0]:
            best = (score, (left_edge + min(line.x0 for line in on_right)) / 2)
    return best[1] if best else None


def _fills_columns(lines: Sequence[Line], left: float, right: float) -> bool:
    """Whether the lines of one side of a gutter are as wide as it is, or stand in columns themselves."""
    # a note in the margin that stands in a row with the text must not make the column as wide as both
    tenth = len(lines) // 10
    width = sorted(line.x1 for line in lines)[-1 - tenth] - sorted(line.x0 for line in lines)[tenth]
    if sum(line.x1 - line.x0 > 0.7 * width for line in lines) >= 0.4 * len(lines):
        return True
    return _gutter(lines, left, right) is not None


def _by_row(lines: Iterable[Line]) -> list[list[Line]]:
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if rows and abs(rows[-1][0].y - line.y) < 0.5:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


def _place(column: Sequence[Line], page: Page, number: int, rtl: bool) -> list[PlacedLine]:
    """The lines of a column, parts of one row joined, with the margins of the column."""
    joined = []
    for row in _by_row(column):
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
                in_table=any(_stands_in(longest, table) for table in page.tables),
            )
        )
    left, right = _margins(joined)
    return [replace(line, left=left, right=right) for line in joined]


def _stands_in(line: Line, box: Box) -> bool:
    return box.top < line.y < box.bottom and box.x0 < (line.x0 + line.x1) / 2 < box.x1


def _wide_gaps(row: Sequence[Line]) -> int:
    """Gaps between parts of a row, a bullet's or a number's before its text aside; none if it is stretched."""
    if _is_stretched(row):
        return 0
    first = row[0].text
    is_marker = len(first) == 1 or (len(first) <= 5 and not first.isalpha())
    return max(0, len(row) - 1 - is_marker)


def _is_stretched(row: Sequence[Line]) -> bool:
    """Whether a row is words with the same space between all of them, as to fill a narrow column."""
    if len(row) < 3 or any(len(line.words) > 1 for line in row[1:]):
        return False
    from_left = sorted(row, key=lambda line: line.x0)
    gaps = [right.x0 - left.x1 for left, right in itertools.pairwise(from_left)]
    return max(gaps) - min(gaps) < STRETCH_TOLERANCE * max(gaps)


def _margins(lines: Sequence[PlacedLine]) -> tuple[float, float]:
    """Where most lines of a column begin, and where the longest end."""
    prose = [line for line in lines if not line.n_gaps and not line.in_table and line.mono < 0.8]
    if len(prose) >= MIN_PROSE_LINES:  # tables and listings may be wider
        lines = prose
    starts = Counter(round(line.start) for line in lines)
    common = [start for start, count in starts.items() if count >= max(2, 0.15 * len(lines))]
    left = float(min(common)) if common else min(line.start for line in lines)
    ends = sorted(line.end for line in lines)
    return left, ends[-1] if len(ends) < 10 else ends[-1 - len(ends) // 20]


def _part_footnotes(lines: list[PlacedLine], body_size: float) -> tuple[list[PlacedLine], list[PlacedLine]]:
    """Body and footnotes of a column: notes are small, at its foot, and begin with a mark."""
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
    return char.isdigit() and (
        len(first.text) <= 2 or not first.text[1:3].strip("0123456789").startswith((".", ")", ":", ","))
    )


def _title(page: Page, lines: Sequence[Line], body_size: float) -> str:
    """The largest print in the upper part of the first page, if it is larger than the text."""
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
