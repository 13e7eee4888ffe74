"""Columns of a page in reading order, and short texts side by side, such as a remark next to a listing.

A gutter between columns is found from many lines. Two texts side by side in a few rows are separated only if one
of them is prose, wrapped at a separate margin.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from quarry.ingest.layout.lines import Line

MIN_COLUMN_LINES = 7
"""Minimal number of lines on each side of a gutter between columns; with fewer it parts the cells of a small table."""

SAME_GUTTER = 12.0
"""Maximal distance between gutters of two pages that count as one, in points."""

MIN_KNOWN_LINES = 2
"""Minimal number of lines on each side of a gutter that earlier pages have."""

MIN_SHARED_ROWS = 3
"""Minimal number of rows with text on both sides of a gap between two texts."""

MIN_SHARED = 0.6
"""Minimal share of the longer side's rows with text on both sides; terms and their definitions have fewer."""

MIN_FILL = 0.85
"""Minimal length of a full line, as a share of the width of its side."""

MIN_WRAPPED = 0.7
"""Minimal share of full lines before a line that begins at the margin, last lines of paragraphs aside."""

MIN_WORDS = 3.5
"""Minimal mean number of words in a line of prose; cells of a table have fewer."""

MAX_PITCH = 1.6
"""Maximal distance of the baselines of two lines of one paragraph, in font sizes."""

SAME_EDGE = 1.5
"""Maximal distance of the starts of lines at one margin, in points."""


def columns_of(lines: Sequence[Line], left: float, right: float, rtl: bool, known: list[float]) -> list[list[Line]]:
    """Part lines into columns, in reading order; a line across a gutter ends the columns above it.

    Args:
        known: gutters of the pages before, used for a last page of few lines; gutters of this page are added.
    """
    gutter = _gutter(lines, left, right)
    if gutter is not None:
        known[:] = [x for x in known if abs(x - gutter) > SAME_GUTTER] + [gutter]
    else:
        gutter = next((x for x in known if left < x < right and _is_parted(lines, x)), None)
    if gutter is None:
        return _parted_by_bands(rows_of_lines(lines), rtl)
    columns: list[list[Line]] = []
    sides: tuple[list[Line], list[Line]] = ([], [])
    across: list[Line] = []
    for row in [*rows_of_lines(lines), []]:
        is_across = any(line.x0 < gutter - 1 and line.x1 > gutter + 1 for line in row)
        if (is_across or not row) and any(sides):
            parts = ((sides[0], left, gutter), (sides[1], gutter, right))
            for side, low, high in reversed(parts) if rtl else parts:
                columns.extend(columns_of(side, low, high, rtl, known))
            sides = ([], [])
        if is_across:
            across.extend(row)
            continue
        if across:
            columns.append(across)
            across = []
        for line in row:
            sides[0 if line.x1 <= gutter + 1 else 1].append(line)
    return columns


def _is_parted(lines: Sequence[Line], x: float) -> bool:
    """Return whether a few lines are on both sides of a gutter of other pages, in the same rows, and none across it."""
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
    """Part the rows of one column into columns where a few of them hold two texts side by side."""
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
    """Return the x that parts two columns, None for lines in one column."""
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
    """Return whether the lines on one side of a gutter fill it, or are in columns themselves."""
    # a note in the margin, in a row with the text, must not make the column wider
    tenth = len(lines) // 10
    width = sorted(line.x1 for line in lines)[-1 - tenth] - sorted(line.x0 for line in lines)[tenth]
    if sum(line.x1 - line.x0 > 0.7 * width for line in lines) >= 0.4 * len(lines):
        return True
    return _gutter(lines, left, right) is not None


def rows_of_lines(lines: Iterable[Line]) -> list[list[Line]]:
    """Group lines by their baseline, from top to bottom."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: line.y):
        if rows and abs(rows[-1][0].y - line.y) < 0.5:
            rows[-1].append(line)
        else:
            rows.append([line])
    return rows


@dataclass(frozen=True, slots=True)
class Band:
    """Rows from `first` to before `end` with two texts, and the x of the gap between the texts."""

    first: int
    end: int
    x: float


def bands_of(rows: Sequence[Sequence[Line]]) -> list[Band]:
    """Find the bands with two texts side by side, from top to bottom; bands do not overlap."""
    # every start of a line is tried, since a text flush at the right has no common left edge
    parted = [sorted(row, key=lambda line: line.x0) for row in rows if len(row) > 1]
    places = {round(line.x0) - SAME_EDGE for row in parted for line in row[1:]}
    worth_trying = [x for x in sorted(places) if sum(_both(row, x) for row in parted) >= MIN_SHARED_ROWS]
    tried = [band for x in worth_trying for band in _bands_at(rows, x)]
    found: list[Band] = []
    for band in sorted(tried, key=lambda band: band.first - band.end):
        if all(band.end <= other.first or other.end <= band.first for other in found):
            found.append(band)
    return sorted(found, key=lambda band: band.first)


def _bands_at(rows: Sequence[Sequence[Line]], x: float) -> Iterator[Band]:
    """Yield the bands that a gap at x parts, each from its first row with text on both sides."""
    crossed = [number for number, row in enumerate(rows) if any(line.x0 < x < line.x1 for line in row)]
    for start, end in itertools.pairwise([-1, *crossed, len(rows)]):
        shared = [number for number in range(start + 1, end) if _both(rows[number], x)]
        if len(shared) < MIN_SHARED_ROWS:
            continue
        last = shared[-1]
        while last + 1 < end and rows[last + 1][0].y - rows[last][0].y < MAX_PITCH * rows[last][0].size:
            last += 1
        if _is_two_texts(rows[shared[0] : last + 1], x):
            yield Band(shared[0], last + 1, x)


def _both(row: Sequence[Line], x: float) -> bool:
    """Return whether a row has text on both sides of x."""
    return any(line.x1 <= x for line in row) and any(line.x0 >= x for line in row)


def _is_two_texts(rows: Sequence[Sequence[Line]], x: float) -> bool:
    """Return whether rows hold two texts, left and right of x."""
    left = [line for row in rows for line in row if line.x1 <= x]
    right = [line for row in rows for line in row if line.x0 >= x]
    n_shared = sum(_both(row, x) for row in rows)
    if n_shared < max(MIN_SHARED_ROWS, MIN_SHARED * max(len(left), len(right))):
        return False
    return min(_words_a_line(left), _words_a_line(right)) >= 2 and (_is_wrapped(left) or _is_wrapped(right))


def _words_a_line(lines: Sequence[Line]) -> float:
    return sum(len(line.words) for line in lines) / len(lines)


def _is_wrapped(lines: Sequence[Line]) -> bool:
    """Return whether lines are wrapped prose: full, if others follow, and with one left margin."""
    if _words_a_line(lines) < MIN_WORDS:
        return False
    left, right = min(line.x0 for line in lines), max(line.x1 for line in lines)
    pairs = [
        (above, below)
        for above, below in itertools.pairwise(lines)
        if below.y - above.y < MAX_PITCH * below.size and abs(above.size - below.size) < 0.1 * below.size
    ]
    rtl = sum(line.rtl for line in lines) > len(lines) / 2
    n_wrapped = sum(
        above.x1 - above.x0 > MIN_FILL * (right - left)
        and abs((right - below.x1) if rtl else (below.x0 - left)) < SAME_EDGE
        for above, below in pairs
    )
    return n_wrapped >= max(MIN_SHARED_ROWS - 1, MIN_WRAPPED * len(pairs))
