"""Rows between tall brackets, as in matrices, and after tall braces, as in definitions by cases."""

import math
from collections.abc import Iterable, Sequence

from ingest.layout.formulas.page import (
    ALIKE,
    CLOSING_BRACKET,
    LIMIT_SIZE,
    TALL,
    FormulaPage,
    largest_glyph,
)
from ingest.layout.rows import MAX_LEVEL_OFFSET, find_rows
from ingest.pdf.model import AXIS, Box, Glyph, edges

MIN_ROW_DISTANCE = 0.8
"""Minimum distance of the first and the last row between brackets, in ems."""

MAX_CELL_GAP = 2.5
"""Maximum white space between the cells after a brace, in ems."""


def join_matrices(page: FormulaPage, rules: Iterable[Box]) -> None:
    """Put the rows between tall brackets, or after a tall brace, next to each other.

    Args:
        rules: thin rules, which may be bars of fractions. Tables around a bar are skipped.
    """
    # inner brackets come first: they are lower than outer ones, or as high and further right
    inner_first = sorted(
        page.glyphs, key=lambda glyph: (round(glyph.height), -glyph.x0)
    )
    for bracket in inner_first:
        if bracket.height < TALL * bracket.size or bracket.text not in CLOSING_BRACKET:
            continue

        middle = bracket.y - AXIS * bracket.size
        half = bracket.height / 2 + MAX_LEVEL_OFFSET * bracket.size
        cells = _cells(bracket, page.places.near(bracket.x1, math.inf, middle, half))
        x0, x1 = edges([bracket, *cells])

        has_bar = any(
            x0 < rule.x0 < x1 and abs(rule.top - middle) < half for rule in rules
        )
        if not has_bar and _has_rows(cells, bracket.y):
            rows = [row.glyphs for row in find_rows(cells)]
            page.put_in_line(rows, bracket.y, bracket.size, bracket.size)


def _has_rows(cells: Sequence[Glyph], y: float) -> bool:
    """Return whether glyphs between brackets on a baseline have several baselines, or all another one."""
    if not cells:
        return False
    em = largest_glyph(cells).size
    heights = [glyph.y for glyph in cells if glyph.size > LIMIT_SIZE * em]
    if not any(abs(height - y) < MAX_LEVEL_OFFSET * em for height in heights):
        heights = [glyph.y for glyph in cells]
    return max(heights) - min(heights) > MIN_ROW_DISTANCE * em


def _cells(bracket: Glyph, right: Iterable[Glyph]) -> list[Glyph]:
    """Return the glyphs between a bracket and its partner.

    After a brace without partner, they end at a wide gap or at the text that goes on after two rows.
    """
    em = bracket.size
    cells: list[Glyph] = []
    inside: list[Glyph] = []
    end = bracket.x1
    is_open = True

    for glyph in sorted(right, key=lambda glyph: glyph.x0):
        is_alike = abs(glyph.height - bracket.height) < ALIKE * em
        if glyph.text == CLOSING_BRACKET[bracket.text] and is_alike:
            return cells

        is_level = abs(glyph.y - bracket.y) < MAX_LEVEL_OFFSET * em
        is_gap = glyph.x0 - end > MAX_CELL_GAP * em
        is_open = is_open and not is_gap and not (is_level and inside)
        cells.append(glyph)
        if is_open:
            inside.append(glyph)
        end = max(end, glyph.x1)
    return inside if bracket.text == "{" else []
