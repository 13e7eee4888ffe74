"""Rows of a page: glyphs on one baseline, with indices, exponents and stacked fractions.

Glyphs that are drawn one after the other on one baseline are a span. Spans make rows in order of their size and length,
so that a line of text begins a row, and each smaller span is put into the row that it fits best: `x`, `2` above it and
` + y` are three spans of one row. Last, parts of rows and rows of indices are merged, which looks at whole rows.
"""

from __future__ import annotations

import bisect
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum

from ingest.layout.accents import ACCENTS
from ingest.pdf.model import Glyph, edges, space_between

SEGMENT_GAP = 1.1
"""Minimum white space between two lines of one row (table cells, columns), in ems."""

SAME = 0.05
"""Maximum difference of the baselines, and of the font sizes, of two glyphs of one span, in ems."""

MAX_GLYPH_OVERLAP = 0.3
"""Maximum overlap of two glyphs of one span, in ems."""

MAX_LEVEL_OFFSET = 0.12
"""Maximum distance of two spans on one baseline, in ems."""

NEARLY_LEVEL = 0.25
"""Maximum distance of the baselines of two parts of a row, as at a change of fonts, in ems."""

SMALL = 0.9
"""Maximum font size of an index, an exponent or a mark, and minimum font size of a part of a row, in sizes of the base
or the row."""

MAX_BASE_SIZE = 4.0
"""Maximum font size of a row with an index or exponent, in sizes of the latter."""

EXPONENT_RISE = 0.75
"""Maximum height of an exponent above the baseline of its row, in ems."""

INDEX_DROP = 0.5
"""Maximum depth of an index below the baseline of its row, in ems."""

INDEX_GAP = 0.5
"""Maximum white space between an index and its base, in ems."""

PART_REACH = 1.0
"""Maximum white space between two parts of a row, in ems."""

MAX_PART_OVERLAP = 1.0
"""Maximum overlap of two parts of a row, in points."""

SIGN_REACH = 2.5
"""Maximum white space between a sign such as an accent and its row, in ems."""

MAX_SIGNS = 3
"""Maximum number of signs that are drawn together."""

BASE_REACH = 0.2
"""Maximum white space between an index and a base that is larger than the text of the row, in ems."""

INDEX_DISTANCE = 0.62
"""Maximum distance of a row of indices from their row, in ems."""

INDEX_REACH = 0.4
"""Maximum white space around each index of such a row, in ems."""

INDEX_SIZE = 0.75
"""Maximum font size that such indices get, in sizes of their row."""

MAX_INDEX = 12
"""Maximum number of glyphs of a row of indices."""

NEAR_ROWS = 3
"""Number of rows above and below that are searched for the base of an index; other columns have rows among them."""

MIN_OVER = 3
"""Minimum number of glyphs of a span that are printed over another text."""

MAX_WEIGHT = 6
"""Maximum number of glyphs on a baseline that count when the spans that begin rows are chosen."""

_BUCKET = 20
"""Height of the parts of a page in which the row of a glyph is looked for, in points."""


class _Fit(IntEnum):
    """Fit of a span of glyphs to a row, best first."""

    LEVEL = 0
    """It is on the baseline of the row, or near it and as large."""
    INDEX = 1
    """It is small or a mark, and next to glyphs of the row."""
    APART = 2
    """It is on the baseline, but small and apart: indices of the next column share many baselines."""
    UNSURE = 3
    """It is small or a mark, and not next to any glyph yet."""
    NONE = 4
    """It is no part of the row."""


@dataclass(slots=True)
class Row:
    """Glyphs on one baseline, from left to right; `y` and `size` are baseline and font size of its largest span."""

    y: float
    size: float
    glyphs: list[Glyph]

    @property
    def level(self) -> tuple[float, float]:
        """Baseline and font size, rounded."""
        return round(self.y, 1), round(self.size, 1)

    def touches(
        self, x0: float, x1: float, reach: float, least_size: float = 0.0
    ) -> bool:
        """Return whether a glyph of at least a font size is within `reach` ems of two edges."""
        left = x0 - reach * self.size
        right = x1 + reach * self.size
        return any(
            glyph.x0 < right and left < glyph.x1 and glyph.size >= least_size
            for glyph in self.glyphs
        )

    def is_level(self, other: Row) -> bool:
        """Return whether it is on the baseline of another row."""
        return abs(other.y - self.y) < MAX_LEVEL_OFFSET * min(other.size, self.size)

    def merge(self, glyphs: Iterable[Glyph]) -> None:
        """Add glyphs in their places."""
        self.glyphs.extend(glyphs)
        self.glyphs.sort(key=lambda glyph: glyph.x0)


def find_rows(glyphs: list[Glyph]) -> list[Row]:
    """Number glyphs as they are drawn, and group them into rows from top to bottom.

    Indices and exponents are in the row of their base. Cells of a table are grouped before the whole page is, which
    numbers all of its glyphs anew.
    """
    for order, glyph in enumerate(glyphs):
        glyph.order = order
    spans = _find_spans(glyphs)
    spans.sort(key=_weights(spans), reverse=True)
    by_y: dict[int, list[Row]] = defaultdict(list)
    waiting = [span for span in spans if not _put(span, by_y, may_wait=True)]
    for span in waiting:
        _put(span, by_y, may_wait=False)

    rows = list(itertools.chain.from_iterable(by_y.values()))
    rows.sort(key=lambda row: row.y)
    for row in rows:
        row.merge(())
    return _merge_indices(_merge_parts(rows))


def _find_spans(glyphs: list[Glyph]) -> list[Row]:
    """Join glyphs that are drawn one after the other on one baseline; spans of spaces are left out."""
    spans = [glyphs[:1]]
    for last, glyph in itertools.pairwise(glyphs):
        em = last.size
        is_level = abs(glyph.y - last.y) < SAME * em
        is_alike = abs(glyph.size - em) < SAME * em
        is_next = (
            -MAX_GLYPH_OVERLAP * em < space_between(last, glyph) < SEGMENT_GAP * em
        )
        if not (is_level and is_alike and is_next):
            spans.append([])
        spans[-1].append(glyph)
    return [
        Row(span[0].y, span[0].size, span) for span in spans if visible_glyphs(span)
    ]


def _weights(spans: Iterable[Row]) -> Callable[[Row], float]:
    """Return a function for the weight of a span: the larger and longer begin rows, and others are their indices.

    Formulas part a baseline into many spans, so that of text all glyphs on the baseline count.
    """
    n_of_size: Counter[float] = Counter()
    n_of_level: Counter[tuple[float, float]] = Counter()
    for span in spans:
        n_of_size[span.size] += len(span.glyphs)
        n_of_level[span.level] += len(span.glyphs)
    usual = max(n_of_size, key=n_of_size.__getitem__, default=0.0)

    def weight(span: Row) -> float:
        is_text = SMALL * usual < span.size < usual / SMALL
        n_glyphs = n_of_level[span.level] if is_text else len(span.glyphs)
        return span.size * min(n_glyphs, MAX_WEIGHT)

    return weight


def visible_glyphs(glyphs: Iterable[Glyph]) -> list[Glyph]:
    """Return the glyphs without the spaces."""
    return [glyph for glyph in glyphs if glyph.text != " "]


def _put(span: Row, by_y: dict[int, list[Row]], may_wait: bool) -> bool:
    """Add glyphs to their row, or make a new row of them; return whether that is done.

    Args:
        may_wait: whether nothing is done if a better row may come: for glyphs that are small and near like an index
            of a row but do not touch it, and for glyphs a little above or below the baseline of a row, which may be
            in the next column.
    """
    bucket = int(span.y // _BUCKET)
    best = Row(span.y, span.size, [])
    least = _Fit.NONE, 0.0
    for row in by_y[bucket - 1] + by_y[bucket] + by_y[bucket + 1]:
        rise = (row.y - span.y) / row.size
        distance = _fit(span, row, rise), abs(rise)
        if distance < least:
            best = row
            least = distance

    fit, _ = least
    is_level = fit is _Fit.LEVEL and span.is_level(best)
    if may_wait and not (is_level or fit in (_Fit.INDEX, _Fit.NONE)):
        return False
    if fit in (_Fit.UNSURE, _Fit.NONE):
        best = Row(span.y, span.size, [])
        by_y[bucket].append(best)
    best.glyphs += span.glyphs
    return True


def _fit(span: Row, row: Row, rise: float) -> _Fit:
    """Return how well a span fits a row.

    Args:
        rise: height of the span above the baseline of the row, in ems.
    """
    is_near = -INDEX_DROP <= rise < EXPONENT_RISE
    if not is_near or row.size > MAX_BASE_SIZE * span.size:
        return _Fit.NONE
    x0, x1 = edges(span.glyphs)
    if _is_printed_over(span, row, x0, x1):
        return _Fit.NONE

    # formulas may be larger than the text of their row
    is_small = span.size < SMALL * row.size or row.touches(
        x0, x1, BASE_REACH, span.size / SMALL
    )
    is_part = abs(rise) < NEARLY_LEVEL and not is_small
    if span.is_level(row) or (is_part and row.touches(x0, x1, PART_REACH)):
        is_apart = is_small and not row.touches(x0, x1, INDEX_GAP)
        return _Fit.APART if is_apart else _Fit.LEVEL
    return _fit_of_index(span, row, is_small)


def _is_printed_over(span: Row, row: Row, x0: float, x1: float) -> bool:
    """Return whether many glyphs of a span, three at least, are printed over others of a row, as a watermark is.

    Args:
        x0, x1: edges of the span.
    """
    reach = NEARLY_LEVEL * span.size
    over = []
    for glyph in row.glyphs:
        if glyph.x1 > x0 and glyph.x0 < x1 and abs(glyph.y - span.y) < reach:
            over.append(glyph)
    if len(over) < MIN_OVER:
        return False

    over.sort(key=lambda glyph: glyph.x0)
    lefts = [glyph.x0 for glyph in over]
    glyphs = visible_glyphs(span.glyphs)
    n_over = 0
    for glyph in glyphs:
        position = bisect.bisect_left(lefts, glyph.middle)
        n_over += position > 0 and glyph.middle < over[position - 1].x1
    return n_over >= max(MIN_OVER, min(len(glyphs), len(over)) / 2)


def _fit_of_index(span: Row, row: Row, is_small: bool) -> _Fit:
    """Return how well a span on another baseline fits a row: as an index, an exponent or a sign."""
    is_sign = _is_sign(span)
    if not (is_small or is_sign):
        return _Fit.NONE

    x0, x1 = edges(span.glyphs)
    # smaller text on this baseline is in another column
    base_size = span.size if is_small else 0.0
    is_next = row.touches(x0, x1, SIGN_REACH if is_sign else INDEX_GAP, base_size)
    return _Fit.INDEX if is_next else _Fit.UNSURE


def _is_sign(span: Row) -> bool:
    """Return whether a span is a few signs without letters or digits."""
    # Unicode counts a circumflex as a letter
    texts = [glyph.text for glyph in span.glyphs if glyph.text not in ACCENTS]
    return len(span.glyphs) <= MAX_SIGNS and not any(map(str.isalnum, texts))


def _merge_parts(rows: list[Row]) -> list[Row]:
    """Merge parts of one row with slightly different baselines, as at a change of fonts or after OCR."""
    merged = rows[:1]
    for row in rows[1:]:
        above = merged[-1]
        is_level = row.y - above.y < NEARLY_LEVEL * row.size
        is_alike = abs(row.size - above.size) < (1 - SMALL) * row.size
        if is_level and is_alike and _are_side_by_side(above, row):
            above.merge(row.glyphs)
        else:
            merged.append(row)
    return merged


def _are_side_by_side(row: Row, other: Row) -> bool:
    """Return whether some words of two rows are next to each other, and none is above another."""
    members = [(glyph, row) for glyph in visible_glyphs(row.glyphs)]
    members += [(glyph, other) for glyph in visible_glyphs(other.glyphs)]
    members.sort(key=lambda member: member[0].x0)
    gaps = []
    for (left, row_of_left), (right, row_of_right) in itertools.pairwise(members):
        if row_of_left is not row_of_right:
            gaps.append(right.x0 - left.x1)
    return -MAX_PART_OVERLAP < min(gaps) < PART_REACH * row.size


def _merge_indices(rows: list[Row]) -> list[Row]:
    """Merge small rows a little above or below the gaps of another row into it as indices, at any font size."""
    merged = set()
    for position, small in enumerate(rows):
        first = max(0, position - NEAR_ROWS)
        near = rows[first : position + 1 + NEAR_ROWS]
        near.sort(key=lambda row: abs(row.y - small.y))
        for row in near:
            if row is small or id(row) in merged or not _has_gaps_for(small, row):
                continue
            for glyph in small.glyphs:
                glyph.size = min(glyph.size, INDEX_SIZE * row.size)
            row.merge(visible_glyphs(small.glyphs))
            merged.add(id(small))
            break
    return [row for row in rows if id(row) not in merged]


def _has_gaps_for(small: Row, row: Row) -> bool:
    """Return whether a small row is above or below gaps of a row, and next to its glyphs, as indices are."""
    is_near = abs(row.y - small.y) < INDEX_DISTANCE * row.size
    is_drop_cap = small.size >= (1 + SAME) * row.size
    if not is_near or is_drop_cap:
        return False
    glyphs = visible_glyphs(small.glyphs)
    if len(glyphs) > min(MAX_INDEX, len(row.glyphs) - 1):
        return False

    middles = [glyph.middle for glyph in glyphs]
    for other in visible_glyphs(row.glyphs):
        if any(other.x0 < x < other.x1 for x in middles):
            return False
    return all(row.touches(*piece, INDEX_REACH) for piece in _pieces_of(small))


def _pieces_of(row: Row) -> list[tuple[float, float]]:
    """Return left and right edges of the groups of touching glyphs in a row."""
    pieces: list[tuple[float, float]] = []
    for glyph in visible_glyphs(row.glyphs):
        left = glyph.x0
        right = glyph.x1
        if pieces and left - pieces[-1][1] < INDEX_GAP * row.size:
            left, end = pieces.pop()
            right = max(right, end)
        pieces.append((left, right))
    return pieces
