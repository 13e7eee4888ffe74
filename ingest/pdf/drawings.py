"""Objects drawn on a page, with PDFium: bullets, brackets, the rules of tables, and images."""

import contextlib
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
import pypdfium2
import pypdfium2.raw as pdfium

from ingest.pdf.frame import Frame
from ingest.pdf.model import AXIS, Box, Glyph

_NEAR = 2.0
"""Maximum distance of two lines that meet, in points."""
_MIN_RULE = 3.0
"""Minimum length of a rule of a table, in points; LaTeX draws the vertical rule of a row in three pieces."""
_MIN_RULES = 3
"""Minimum number of rules of a table in each direction: two rows and two columns."""
_MIN_TABLE_WIDTH = 150.0
"""Minimum width of a table, in points; figures of arrays and trees are narrower."""
_MIN_DOT = 1.5
_MAX_DOT = 9.0
"""Minimum and maximum width of a drawn bullet, in points."""
_MAX_STRETCH = 1.5
"""Maximum ratio of the sides of a drawn bullet."""
_MAX_DOTS = 100
"""Maximum number of drawn bullets of a page; more are a plot."""
_MAX_OBJECTS = 4_000
"""Maximum number of paths checked on one page; a page with more is a plot or a map."""
_MAX_RULES = 2_000
"""Maximum number of rules of a table in one direction; more are a plot."""
_MAX_RULE = 2.0
"""Maximum height of the bar of a fraction, in points."""

_SEGMENTS_OF_PAIR = 54
"""Number of segments of the path that PowerPoint draws for a pair of round brackets."""

Bounds = tuple[float, float, float, float]
"""Left, bottom, right and top of an object, in the coordinates of the file."""


def find_bounds(page: pypdfium2.PdfPage, kind: int, depth: int) -> Iterator[Bounds]:
    """Yield left, bottom, right and top of the objects of a kind, at depth 2 also of those in forms on the page."""
    objects = page.get_objects(filter=[kind], max_depth=depth)
    for item in itertools.islice(objects, _MAX_OBJECTS):
        with contextlib.suppress(pypdfium2.PdfiumError):  # an object without bounds
            bounds = item.get_bounds()
            if item.container is not None:  # a form has coordinates of its own
                bounds = item.container.get_matrix().on_rect(*bounds)
            if all(map(math.isfinite, bounds)):
                yield bounds


def find_bullets(paths: Iterable[Bounds], frame: Frame) -> list[Box]:
    """Return the drawn squares and discs in the size of a bullet, none on a page with many, such as a plot."""
    dots = []
    for bounds in paths:
        left, bottom, right, top = bounds
        shorter, longer = sorted((right - left, top - bottom))
        if shorter >= _MIN_DOT and longer <= min(_MAX_DOT, _MAX_STRETCH * shorter):
            dots.append(_box(bounds, frame))
    return dots if len(dots) <= _MAX_DOTS else []


def add_brackets(glyphs: list[Glyph], page: pypdfium2.PdfPage, frame: Frame) -> None:
    """Add the pairs of brackets that are drawn and not written to the glyphs around which they are."""
    paths = page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_PATH], max_depth=1)
    for item in itertools.islice(paths, _MAX_OBJECTS):
        if pdfium.FPDFPath_CountSegments(item) != _SEGMENTS_OF_PAIR:
            continue
        box = _box(item.get_bounds(), frame)
        inside = [
            glyph
            for glyph in glyphs
            if box.holds(glyph.middle, glyph.y - AXIS * glyph.size)
        ]
        if not inside:
            continue

        first, last = inside[0], inside[-1]
        y = (box.top + box.bottom) / 2 + AXIS * first.size
        opening = replace(
            first,
            text="(",
            x0=box.x0,
            x1=first.x0,
            y=y,
            height=box.bottom - box.top,
        )
        closing = replace(opening, text=")", x0=last.x1, x1=box.x1)
        glyphs.insert(glyphs.index(first), opening)
        glyphs.insert(glyphs.index(last) + 1, closing)


def add_roots(glyphs: list[Glyph], paths: Iterable[Bounds], frame: Frame) -> None:
    """Add the root signs that MathType draws, a stroke and then its bar, before the first glyph under each bar."""
    boxes = [_box(bounds, frame) for bounds in paths]
    for stroke, bar in itertools.pairwise(boxes):
        if not _is_root(stroke, bar):
            continue
        for index, glyph in enumerate(glyphs):
            is_under = bar.x0 < glyph.middle < bar.x1
            if is_under and stroke.top < glyph.y < stroke.bottom + _NEAR:
                root = replace(glyph, text="√", x0=stroke.x0, x1=glyph.x0)
                glyphs.insert(index, root)
                break


def _is_root(stroke: Box, bar: Box) -> bool:
    """Return whether a flat bar begins at the upper end of a steep stroke."""
    thickness = bar.bottom - bar.top
    width = stroke.x1 - stroke.x0
    is_flat = thickness <= _MAX_RULE and 2 * thickness < bar.x1 - bar.x0
    is_steep = stroke.bottom - stroke.top > max(width, _MIN_RULE)
    is_line = width < thickness  # a rule of a table
    meet = stroke.x0 < bar.x0 < stroke.x1 < bar.x1
    is_level = abs(stroke.top - bar.top) <= thickness
    return is_flat and is_steep and not is_line and meet and is_level


def find_rules(paths: Iterable[Bounds], frame: Frame) -> list[Box]:
    """Return the thin horizontal rules, as in fractions, without their height."""
    rules = []
    for bounds in paths:
        box = _box(bounds, frame)
        height = box.bottom - box.top
        if height <= _MAX_RULE and 2 * height < box.x1 - box.x0:
            y = (box.top + box.bottom) / 2
            rules.append(Box(box.x0, y, box.x1, y))
    return rules


def _box(bounds: Bounds, frame: Frame) -> Box:
    """Return the bounds of an object on the page as shown."""
    left, bottom, right, top = bounds
    x0, y0 = frame.on_page(left, top)
    x1, y1 = frame.on_page(right, bottom)
    return Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))


def is_ruled(paths: Iterable[Bounds]) -> bool:
    """Return whether lines cross on a page as in a table of two rows and two columns, wide enough for text."""
    across = set()
    down = set()
    for bounds in paths:
        # the two edges of a drawn line count as two
        left, bottom, right, top = map(round, bounds)
        if right - left >= _MIN_RULE:
            across |= {(bottom, left, right), (top, left, right)}
        if top - bottom >= _MIN_RULE:
            down |= {(left, bottom, top), (right, bottom, top)}
    fewer, more = sorted((len(across), len(down)))
    if fewer < _MIN_RULES or more > _MAX_RULES:
        return False

    y, left_end, right_end = np.array(sorted(across)).T[..., None]
    x, lower_end, upper_end = np.array(sorted(down)).T
    crosses = (left_end - _NEAR <= x) & (x <= right_end + _NEAR)
    crosses &= (lower_end - _NEAR <= y) & (y <= upper_end + _NEAR)
    edges_at: dict[int, set[int]] = defaultdict(set)  # Word draws a rule of each cell
    for height, row in zip(y[:, 0].tolist(), crosses, strict=True):
        edges_at[height].update(x[row].tolist())
    heights = []
    for height, edges in edges_at.items():
        if _are_apart(edges) and max(edges) - min(edges) >= _MIN_TABLE_WIDTH:
            heights.append(height)
    return _are_apart(heights)


def _are_apart(places: Iterable[int]) -> bool:
    """Return whether enough places are apart by the least size of a cell."""
    count = 0
    last = -math.inf
    for place in sorted(places):
        if place - last >= _MIN_RULE:
            count += 1
            last = place
    return count >= _MIN_RULES
