"""Rows of a page: glyphs on one baseline, with indices, exponents and stacked fractions; narrow gutters in rows."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from quarry.ingest.pdf.model import Glyph

SEGMENT_GAP = 1.1
"""Minimal white space between two lines of one row (table cells, columns), in ems."""

STACK_REACH = 0.65
"""Maximal white space next to a stacked fraction, in ems; a note in the margin is farther away."""

MAX_STACK, MAX_STACKED = 0.95, 24
"""Maximal distance in ems between a row and the numerator or denominator in a gap of it, and their maximal glyphs."""

MAX_INDEX_RISE, MAX_INDEX_GLYPHS, INDEX_REACH, INDEX_SIZE = 0.62, 12, 0.4, 0.75
"""Limits of an index: its distance from the row in ems, its glyphs, the white space around it in ems, and its size in
sizes of the row."""

NEAR_ROWS = 3
"""Number of rows above and below that are searched for the base of an index; other columns have rows among them."""

GUTTER_GAP = 0.55
"""Minimal white space at a narrow gutter, in ems."""

GUTTER_GLYPHS, MIN_GUTTER_ROWS, GUTTER_SHARE, MIN_COLUMN = 8, 10, 0.75, 90
"""Minimum for a narrow gutter: glyphs of a row on each side, rows with a gap there, the share of these among the rows
with text on both sides, and points between two gutters."""

MAX_COLUMNS = 5
"""Number of positions at which most rows begin that are tried as edges of columns."""


@dataclass(slots=True)
class Row:
    """Glyphs on one baseline, from left to right; `y` and `size` are baseline and font size of its largest piece."""

    y: float
    size: float
    glyphs: list[Glyph]


def rows_of(glyphs: list[Glyph]) -> list[Row]:
    """Group the glyphs of a page into rows, from top to bottom; indices and exponents are in the row of their base."""
    spans: list[list[Glyph]] = []
    for glyph in glyphs:
        last = spans[-1][-1] if spans else None
        if (
            last is not None
            and abs(glyph.y - last.y) < 0.05 * last.size
            and abs(glyph.size - last.size) < 0.05 * last.size
            and -0.3 * last.size < max(glyph.x0 - last.x1, last.x0 - glyph.x1) < SEGMENT_GAP * last.size
        ):
            spans[-1].append(glyph)
        else:
            spans.append([glyph])
    spans = [span for span in spans if any(glyph.text != " " for glyph in span)]
    by_y: dict[int, list[Row]] = defaultdict(list)
    rows: list[Row] = []
    waiting: list[list[Glyph]] = []
    for span in sorted(spans, key=lambda span: -(span[0].size * min(len(span), 6))):
        row, is_unsure = _row_of(span, by_y)
        if is_unsure:
            waiting.append(span)
        else:
            _put(span, row, rows, by_y)
    for span in waiting:  # the row that they touch may have come later
        _put(span, _row_of(span, by_y)[0], rows, by_y)
    rows.sort(key=lambda row: row.y)
    for row in rows:
        row.glyphs.sort(key=lambda glyph: glyph.x0)
    return _with_indices(_with_stacked(_rejoined(rows)))


def _row_of(span: Sequence[Glyph], by_y: dict[int, list[Row]]) -> tuple[Row | None, bool]:
    """Return the row that glyphs belong to, or None, and whether a better row may come.

    A better row may come for glyphs that are small and near like an index of a row but do not touch it, and for glyphs
    a little above or below the baseline of a row, which may be in the next column.
    """
    y, size = span[0].y, span[0].size
    x0, x1 = min(g.x0 for g in span), max(g.x1 for g in span)
    mark = not any(glyph.text.isalnum() for glyph in span) and len(span) <= 3
    reach = 2.5 if mark else 0.5
    best: Row | None = None
    best_distance = math.inf
    is_index = is_near = False
    bucket = int(y // 20)
    for row in (row for number in (bucket - 1, bucket, bucket + 1) for row in by_y[number]):
        rise = (row.y - y) / row.size
        level = abs(row.y - y) < 0.12 * min(row.size, size)
        near = abs(rise) < 0.25 and size > 0.87 * row.size
        if (level or near) and ((size > 0.5 * row.size and level) or _touches(row, x0, x1, 1.0)):
            small = size < 0.87 * row.size and not _touches(row, x0, x1, 0.5)
            distance = abs(rise) + (2 if small else 0)  # indices of the next column share many baselines
        elif -0.5 < rise < 0.7 and (size < 0.87 * row.size or mark):
            is_index = True
            if not _touches(row, x0, x1, reach):
                continue
            distance = 1 + abs(rise)
        else:
            continue
        if distance < best_distance:
            best, best_distance, is_near = row, distance, not level and distance < 1
    return best, is_near or (best is None and is_index)


def _put(span: Sequence[Glyph], row: Row | None, rows: list[Row], by_y: dict[int, list[Row]]) -> None:
    """Add glyphs to a row; if it is None, make a new row of them."""
    if row is None:
        row = Row(span[0].y, span[0].size, [])
        rows.append(row)
        by_y[int(row.y // 20)].append(row)
    row.glyphs.extend(span)


def _with_stacked(rows: list[Row]) -> list[Row]:
    """Make a small fraction in a row of the pieces above and below a gap of that row."""
    kept = list(rows)
    for above, row, below in zip(rows, rows[1:], rows[2:], strict=False):
        near = max(row.y - above.y, below.y - row.y) < MAX_STACK * row.size
        if not near or max(len(above.glyphs), len(below.glyphs)) > MAX_STACKED or len(row.glyphs) < 3:
            continue
        upper, lower = _pieces(above), _pieces(below)
        if len(upper) != len(lower) or not all(map(_is_over, upper, lower)):
            continue
        if not all(_touches(row, x0, x1, STACK_REACH) for x0, x1 in upper):  # two lines in a margin
            continue
        if any(_fills(row, glyph) for glyph in above.glyphs + below.glyphs if glyph.text != " "):
            continue
        for glyph in above.glyphs + below.glyphs:
            glyph.y = row.y + (-0.35 if glyph in above.glyphs else 0.35) * row.size
            glyph.size = 0.7 * row.size
        row.glyphs = sorted(row.glyphs + above.glyphs + below.glyphs, key=lambda glyph: glyph.x0)
        kept = [other for other in kept if other is not above and other is not below]
    return kept


def _with_indices(rows: list[Row]) -> list[Row]:
    """Merge small rows a little above or below the gaps of another row into it as indices, at any font size."""
    merged: set[int] = set()
    for position, small in enumerate(rows):
        glyphs = [glyph for glyph in small.glyphs if glyph.text != " "]
        if len(glyphs) > MAX_INDEX_GLYPHS:
            continue
        neighbours = (*rows[max(0, position - NEAR_ROWS) : position], *rows[position + 1 : position + 1 + NEAR_ROWS])
        for large in sorted(neighbours, key=lambda row: abs(row.y - small.y)):
            if (
                abs(large.y - small.y) < MAX_INDEX_RISE * large.size
                and len(large.glyphs) > len(glyphs)
                and small.size < 1.05 * large.size  # a drop cap is larger
                and id(large) not in merged
                and not any(_fills(large, glyph) for glyph in glyphs)
                and all(_touches(large, x0, x1, INDEX_REACH) for x0, x1 in _pieces(small))
            ):
                for glyph in glyphs:
                    glyph.size = min(glyph.size, INDEX_SIZE * large.size)
                large.glyphs = sorted(large.glyphs + glyphs, key=lambda glyph: glyph.x0)
                merged.add(id(small))
                break
    return [row for row in rows if id(row) not in merged]


def _pieces(row: Row) -> list[tuple[float, float]]:
    """Return left and right edges of the runs of glyphs in a row."""
    pieces: list[tuple[float, float]] = []
    for glyph in row.glyphs:
        if glyph.text == " ":
            continue
        if pieces and glyph.x0 - pieces[-1][1] < 0.5 * row.size:
            pieces[-1] = pieces[-1][0], max(pieces[-1][1], glyph.x1)
        else:
            pieces.append((glyph.x0, glyph.x1))
    return pieces


def _is_over(upper: tuple[float, float], lower: tuple[float, float]) -> bool:
    """Return whether two runs have nearly the same centre."""
    widest = max(upper[1] - upper[0], lower[1] - lower[0])
    return abs(sum(upper) - sum(lower)) / 2 < 0.25 * widest


def _fills(row: Row, glyph: Glyph) -> bool:
    """Return whether a glyph is above or below a glyph of a row."""
    middle = (glyph.x0 + glyph.x1) / 2
    return any(other.x0 < middle < other.x1 and other.text != " " for other in row.glyphs)


def _rejoined(rows: list[Row]) -> list[Row]:
    """Merge halves of one row with slightly different baselines, as at a change of fonts."""
    joined: list[Row] = []
    for row in rows:
        above = joined[-1] if joined else None
        if above is not None and row.y - above.y < 0.25 * row.size and abs(row.size - above.size) < 0.13 * row.size:
            left, right = sorted((above.glyphs, row.glyphs), key=lambda glyphs: glyphs[0].x0)
            if -1 < right[0].x0 - left[-1].x1 < row.size:
                above.glyphs = left + right
                continue
        joined.append(row)
    return joined


def _touches(row: Row, x0: float, x1: float, reach: float) -> bool:
    """Return whether a glyph of a row is within `reach` ems of a span."""
    room = reach * row.size
    return any(glyph.x0 - room < x1 and x0 < glyph.x1 + room for glyph in row.glyphs)


def narrow_gutters(rows: Sequence[Row]) -> list[float]:
    """Return the x of narrow gutters of a page, between columns that are no farther apart than some words.

    At a gutter nearly every row with text on both sides has a gap. The gaps between words are at different places in
    different rows.
    """
    found: list[float] = []
    crossing = [(row, _gaps(row)) for row in rows if len(row.glyphs) > 2 * GUTTER_GLYPHS]
    places = Counter(x for _, gaps in crossing for left, right in gaps for x in range(math.ceil(left), int(right) + 1))
    for x, count in places.most_common():
        if count < MIN_GUTTER_ROWS:
            break
        if any(abs(x - other) < MIN_COLUMN for other in found):
            continue
        n_across = sum(
            row.glyphs[0].x0 < x < row.glyphs[-1].x1 and not any(left <= x <= right for left, right in gaps)
            for row, gaps in crossing
        )
        if count > GUTTER_SHARE * (count + n_across):
            found.append(float(x))
    starts = Counter(round(row.glyphs[0].x0) for row in rows)
    starts.update(round(right) for _, gaps in crossing for _, right in gaps)
    for start, count in starts.most_common(MAX_COLUMNS):
        edge = start - 1.0
        if (
            count >= MIN_GUTTER_ROWS
            and all(abs(edge - other) >= MIN_COLUMN for other in found)
            and _is_edge(edge, rows)
        ):
            found.append(edge)
    return found


def _is_edge(x: float, rows: Sequence[Row]) -> bool:
    """Return whether a column begins at x: many rows end before x or have a gap there, and few run across it."""
    n_before = n_across = n_parted = 0
    for row in rows:
        if row.glyphs[-1].x1 <= x:
            n_before += len(row.glyphs) > GUTTER_GLYPHS
        elif row.glyphs[0].x0 < x:
            parted = any(left <= x <= right for left, right in _gaps(row))
            n_parted += parted
            n_across += not parted
    n_ended = n_before + n_parted
    return n_ended >= MIN_GUTTER_ROWS and n_across <= (1 - GUTTER_SHARE) * n_ended


def _gaps(row: Row) -> list[tuple[float, float]]:
    """Return the gaps of a row that may belong to a gutter, with text on both sides."""
    glyphs = [glyph for glyph in row.glyphs if glyph.text != " "]
    gaps = []
    right = -math.inf
    for position, glyph in enumerate(glyphs):
        if glyph.x0 - right > GUTTER_GAP * row.size and GUTTER_GLYPHS <= position <= len(glyphs) - GUTTER_GLYPHS:
            gaps.append((right, glyph.x0))
        right = max(right, glyph.x1)
    return gaps


def cut_at_gutters(row: Row, gutters: Sequence[float]) -> list[list[Glyph]]:
    """Cut the glyphs of a row at the narrow gutters of its page; each piece begins with a visible glyph."""
    sides: list[list[Glyph]] = []
    right = -math.inf
    for glyph in row.glyphs:
        if glyph.text != " ":
            is_gutter = glyph.x0 - right > GUTTER_GAP * row.size and any(right <= x <= glyph.x0 for x in gutters)
            if is_gutter or not sides:
                sides.append([])
            right = max(right, glyph.x1)
        if sides:
            sides[-1].append(glyph)
    return sides
