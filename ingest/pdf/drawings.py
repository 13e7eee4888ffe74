"""Objects drawn on a page, with PDFium: bullets, brackets, the rules of tables, and images."""

import contextlib
import itertools
import math
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

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
"""Minimum width and height of a drawn bullet, in points."""

_MAX_DOT = 9.0
"""Maximum width and height of a drawn bullet, in points."""

_MAX_STRETCH = 1.5
"""Maximum ratio of the sides of a drawn bullet."""
_MAX_DOTS = 100
"""Maximum number of drawn bullets of a page; more are a plot."""
_MAX_OBJECTS = 4_000
"""Maximum number of objects checked on one page; a page with more is a plot or a map."""
_MAX_RULES = 2_000
"""Maximum number of rules of a table in one direction; more are a plot."""
_MAX_RULE = 2.0
"""Maximum height of the bar of a fraction, in points."""
_MAX_FORMULA = 150.0
"""Maximum width of a bar in a form, in points; a wider one is the rule of a table."""

_SEGMENTS_OF_RECTANGLE = 5
"""Maximum number of segments of the path of a rectangle, the step to its beginning included."""
_PAIRS = {54: ("(", ")"), 162: ("{", "}")}
"""Pairs of brackets that Office draws as a path, by the number of its segments."""

_MIN_PAIR_HEIGHT = 0.7
"""Minimum height of such a pair around the first glyph in it, in ems."""

_MAX_PAIR_HEIGHT = 3.0
"""Maximum height of such a pair around the first glyph in it, in ems."""

_MAX_ROOM = 0.25
"""Maximum distance from the stroke of a root to the end of its sign, in ems."""

_OFF_ROOT = 0.2
"""Maximum distance of the first glyph under a root from the baseline of the formula, in ems; that of a fraction is
farther."""

_MIN_PICTURE = 36.0
"""Minimum width and height of a picture with text beside it, in points: half an inch."""

_KINDS = [
    pdfium.FPDF_PAGEOBJ_PATH,
    pdfium.FPDF_PAGEOBJ_IMAGE,
    pdfium.FPDF_PAGEOBJ_SHADING,
]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A path, image or shading on a page, and its rectangle on the page as shown.

    Attributes:
        kind: one of `_KINDS`.
        in_form: whether it is in a form: a formula of MathType, a figure, a table or a shaded bullet.
        n_segments: number of segments of a path, with the step to its beginning; 0 for the others.
        is_straight: whether it is a straight line or a rectangle.
    """

    kind: int
    box: Box
    in_form: bool
    n_segments: int = 0
    is_straight: bool = False

    @property
    def is_path(self) -> bool:
        """Whether the object is a path."""
        return self.n_segments > 0

    @property
    def is_image(self) -> bool:
        """Whether the object is an image."""
        return bool(self.kind == pdfium.FPDF_PAGEOBJ_IMAGE)


def find_drawings(page: pypdfium2.PdfPage, frame: Frame) -> list[Drawing]:
    """Return what is drawn on a page and in the forms on it, in the order of drawing."""
    drawings = []
    objects = page.get_objects(filter=_KINDS, max_depth=2)
    for item in itertools.islice(objects, _MAX_OBJECTS):
        with contextlib.suppress(pypdfium2.PdfiumError):  # an object without bounds
            bounds = item.get_bounds()
            if item.container is not None:  # a form has coordinates of its own
                bounds = item.container.get_matrix().on_rect(*bounds)
            if all(map(math.isfinite, bounds)):
                drawings.append(_drawing_of(item, frame.box(*bounds)))
    return drawings


def _drawing_of(item: pypdfium2.PdfObject, box: Box) -> Drawing:
    """Describe an object with a rectangle."""
    in_form = item.container is not None
    kind = pdfium.FPDFPageObj_GetType(item)
    if kind != pdfium.FPDF_PAGEOBJ_PATH:
        return Drawing(kind, box, in_form)
    n_segments = pdfium.FPDFPath_CountSegments(item)
    steps = []
    if n_segments <= _SEGMENTS_OF_RECTANGLE:
        for index in range(n_segments):
            segment = pdfium.FPDFPath_GetPathSegment(item, index)
            steps.append(pdfium.FPDFPathSegment_GetType(segment))
    is_straight = bool(steps) and pdfium.FPDF_SEGMENT_BEZIERTO not in steps
    return Drawing(kind, box, in_form, n_segments, is_straight)


def find_bullets(drawings: Iterable[Drawing]) -> list[Box]:
    """Return the squares and discs in the size of a bullet, none on a page with many, such as a plot."""
    dots = []
    for drawing in drawings:
        box = drawing.box
        shorter, longer = sorted((box.width, box.height))
        is_dot = shorter >= _MIN_DOT and longer <= min(_MAX_DOT, _MAX_STRETCH * shorter)
        if is_dot and not (drawing.is_path and drawing.in_form):
            dots.append(box)
    return dots if len(dots) <= _MAX_DOTS else []


def add_brackets(glyphs: list[Glyph], drawings: Iterable[Drawing]) -> None:
    """Add the pairs of brackets that are drawn and not written to the glyphs around which they are."""
    for drawing in drawings:
        if drawing.n_segments not in _PAIRS or drawing.in_form:
            continue
        box = drawing.box
        inside = [glyph for glyph in glyphs if box.holds_glyph(glyph)]
        if not (
            inside
            and _MIN_PAIR_HEIGHT <= box.height / inside[0].size <= _MAX_PAIR_HEIGHT
        ):
            continue

        left, right = _PAIRS[drawing.n_segments]
        first, last = inside[0], inside[-1]
        y = (box.top + box.bottom) / 2 + AXIS * first.size
        opening = replace(
            first,
            text=left,
            x0=box.x0,
            x1=first.x0,
            y=y,
            height=box.height,
        )
        closing = replace(opening, text=right, x0=last.x1, x1=box.x1)
        glyphs.insert(glyphs.index(first), opening)
        glyphs.insert(glyphs.index(last) + 1, closing)


def add_roots(glyphs: list[Glyph], drawings: Iterable[Drawing]) -> None:
    """Add the root signs that MathType draws, a stroke and then its bar, before the first glyph under each bar.

    Outside a form only those count that have a stroke down before the one up.
    """
    lines = [drawing for drawing in drawings if drawing.in_form or drawing.is_straight]
    boxes = [line.box for line in lines]
    for place, (stroke, bar) in enumerate(itertools.pairwise(boxes)):
        if not _is_root(stroke, bar):
            continue
        if not (lines[place].in_form or _meet_below(boxes[place - 1], stroke)):
            continue
        for index, glyph in enumerate(glyphs):
            is_under = bar.x0 < glyph.middle < bar.x1
            if is_under and stroke.top < glyph.y < stroke.bottom + _NEAR:
                glyphs.insert(index, _root_before(glyph, stroke))
                break


def _root_before(glyph: Glyph, stroke: Box) -> Glyph:
    """Return the sign of a drawn root; that of a fraction is on the baseline of the formula, not of its first glyph."""
    right = min(glyph.x0, stroke.x1 + _MAX_ROOM * glyph.size)
    root = replace(glyph, text="√", x0=stroke.x0, x1=right)
    level = (stroke.top + stroke.bottom) / 2 + AXIS * glyph.size
    if abs(level - glyph.y) > _OFF_ROOT * glyph.size:
        root.x1, root.y = stroke.x1, level
        root.height = stroke.height
    return root


def _meet_below(down: Box, up: Box) -> bool:
    """Return whether a lower stroke ends where another begins, at their lower ends."""
    distance = max(abs(up.x0 - down.x1), abs(up.bottom - down.bottom))
    return distance < _NEAR and down.top > up.top


def _is_root(stroke: Box, bar: Box) -> bool:
    """Return whether a flat bar begins at the upper end of a steep stroke."""
    is_flat = bar.height <= _MAX_RULE and 2 * bar.height < bar.width
    is_steep = stroke.height > max(stroke.width, _MIN_RULE)
    is_line = stroke.width < bar.height  # a rule of a table
    meet = stroke.x0 < bar.x0 < stroke.x1 < bar.x1
    is_level = abs(stroke.top - bar.top) <= bar.height
    is_formula = bar.width < _MAX_FORMULA
    return is_flat and is_steep and not is_line and meet and is_level and is_formula


def find_ruled_lines(drawings: Iterable[Drawing]) -> list[Box]:
    """Return the thin horizontal rules, as in fractions, without their height; a wide one in a form is of a table.

    Early versions of Distiller draw them as images.
    """
    rules = []
    for drawing in drawings:
        box = drawing.box
        is_thin = box.height <= _MAX_RULE and 2 * box.height < box.width
        if is_thin and not (drawing.in_form and box.width >= _MAX_FORMULA):
            y = (box.top + box.bottom) / 2
            rules.append(Box(box.x0, y, box.x1, y))
    return list(dict.fromkeys(rules))


def find_pictures(drawings: Iterable[Drawing]) -> list[Box]:
    """Return the images that are large enough for several lines of text beside them."""
    return [
        drawing.box
        for drawing in drawings
        if drawing.is_image
        and min(drawing.box.width, drawing.box.height) >= _MIN_PICTURE
    ]


def table_rules(drawings: Iterable[Drawing]) -> list[Box]:
    """Return the lines and rectangles on a page where they cross as in a table; none elsewhere."""
    straight = [
        drawing.box
        for drawing in drawings
        if drawing.is_straight and not drawing.in_form
    ]
    return straight if _is_ruled(straight) else []


def _is_ruled(boxes: Iterable[Box]) -> bool:
    """Return whether lines cross as in a table of two rows and two columns, wide enough for text."""
    across = set()
    down = set()
    for box in boxes:
        # the two edges of a drawn line count as two
        left, top, right, bottom = map(round, (box.x0, box.top, box.x1, box.bottom))
        if right - left >= _MIN_RULE:
            across |= {(bottom, left, right), (top, left, right)}
        if bottom - top >= _MIN_RULE:
            down |= {(left, top, bottom), (right, top, bottom)}
    fewer, more = sorted((len(across), len(down)))
    if fewer < _MIN_RULES or more > _MAX_RULES:
        return False

    y, left_end, right_end = np.array(sorted(across)).T[..., None]
    x, upper_end, lower_end = np.array(sorted(down)).T
    crosses = (left_end - _NEAR <= x) & (x <= right_end + _NEAR)
    crosses &= (upper_end - _NEAR <= y) & (y <= lower_end + _NEAR)
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
