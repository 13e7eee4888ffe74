"""Limits below, above and beside operators such as sums, and exponents of tall brackets."""

import re

from ingest.layout.formulas.page import (
    ALIGNED,
    CLOSING_BRACKET,
    LIMIT_SIZE,
    ONE_LINE,
    TALL,
    FormulaPage,
    grow,
    largest_glyph,
)
from ingest.pdf.model import AXIS, Glyph, edges

LIMIT_REACH = 1.2
"""Maximum distance of the baseline of a limit from the edge of its operator, in ems."""

MAX_LIMIT = 5
"""Maximum width of a limit beyond that of its operator, perhaps with the limit of the next operator, in ems."""

LIMIT_GAP = 0.45
"""Maximum white space inside a limit, in ems."""

SIDE_REACH = 6.0
"""Maximum distance of other glyphs that may touch a limit from the sides of its operator, in ems."""

HIGH_REACH = 1.6
"""Maximum distance of such glyphs from the upper or lower edge of the operator, in ems."""

SCRIPT_REACH = 0.6
"""Maximum distance of a limit at the right edge of its operator from the corner, in ems."""

SCRIPT_GAP = 0.2
"""Maximum white space inside a limit at the right edge, or beside the limit of another operator, in ems."""

_LIMIT_OPERATORS = frozenset(
    "∑∏∐⨿∫∬∭∮⋃⋂⋁⋀⨀⨁⨂⨃⨄⨅⨆⊎⊍⊔→⟶⇒⟹⇔⟺↦⟼←⟵⇐⟸↔⟷↪↠=<>≤≥⩽⩾≪≫∼≈≡≃≅≺≻⪯⪰⊆"
)
"""Operators, arrows and relations that may have limits."""

_NAME = re.compile("l[ií]m|m[aá]x|m[ií]n|sup|inf")
"""Name of an operator with limits."""


def join_limits(page: FormulaPage) -> None:
    """Put the limits below and above each operator after it, and exponents after tall brackets."""
    operators = []
    for glyph in page.glyphs:
        is_tall = glyph.height > TALL * glyph.size and glyph.text in ")]}"
        if is_tall or glyph.text in _LIMIT_OPERATORS:
            operators.append([glyph])

    text = "".join([glyph.text[:1] or " " for glyph in page.glyphs])
    for name in _NAME.finditer(text):
        operators.append(page.glyphs[slice(*name.span())])

    operators.sort(key=lambda operator: -operator[0].height)
    for operator in operators:
        below, above = _limit(page, operator, 1), _limit(page, operator, -1)
        if above or below:
            base = operator[0]
            if len(operator) > 1 and below and not _is_centred(below, operator):
                _squeeze(below, operator)
            page.put_in_line([operator, below, above], base.y, base.size)


def _limit(page: FormulaPage, operator: list[Glyph], side: int) -> list[Glyph]:
    """Return a limit of an operator: small glyphs around its middle or at its right edge that nothing else touches.

    Args:
        side: 1 for the one below, -1 for the one above.
    """
    x0, x1 = edges(operator)
    em = operator[0].size
    half = max(operator[0].height / 2, ALIGNED * em)
    y = operator[0].y - AXIS * em + side * half
    around = page.places.near(
        x0 - SIDE_REACH * em, x1 + SIDE_REACH * em, y, HIGH_REACH * em
    )
    around = [glyph for glyph in around if glyph not in operator]
    over = []
    beside = []
    for glyph in around:
        if glyph.size >= LIMIT_SIZE * em:
            continue
        rise = side * (glyph.y - y) / em
        if glyph.x0 < x1 and x0 < glyph.x1 and 0 < rise < LIMIT_REACH:
            over.append(glyph)
        if max(abs(glyph.x0 - x1) / em, abs(rise)) < SCRIPT_REACH:
            beside.append(glyph)

    if operator[0].text not in CLOSING_BRACKET.values():
        piece = grow(over, y, around, LIMIT_GAP)
        # the limit of the next operator may touch it
        for part in (piece, grow(over, y, piece, SCRIPT_GAP)):
            if _is_limit(part, piece, operator):
                return part
    return _beside(operator, beside, around, y)


def _is_limit(part: list[Glyph], piece: list[Glyph], operator: list[Glyph]) -> bool:
    """Return whether a part of a small piece, hardly wider than an operator, has the same middle as the operator.

    What a variable tends to belongs to the name above it, wherever its middle is.
    """
    em = operator[0].size
    if not piece or largest_glyph(piece).size >= LIMIT_SIZE * em:
        return False
    x0, x1 = edges(operator)
    left, right = edges(piece)
    is_short = right - left < x1 - x0 + MAX_LIMIT * em
    is_below_name = len(operator) > 1 and any(glyph.text == "→" for glyph in part)
    return is_short and (is_below_name or _is_centred(part, operator))


def _is_centred(part: list[Glyph], operator: list[Glyph]) -> bool:
    """Return whether a part has the same middle as an operator."""
    offset = sum(edges(part)) - sum(edges(operator))
    return abs(offset) / 2 < ALIGNED * operator[0].size


def _squeeze(limit: list[Glyph], operator: list[Glyph]) -> None:
    """Move the glyphs of a limit between the edges of its operator, away from what follows the operator."""
    x0, x1 = edges(operator)
    start, end = edges(limit)
    scale = (x1 - x0) / (end - start) if end > start else 0.0
    for glyph in limit:
        glyph.x0 = x0 + (glyph.x0 - start) * scale
        glyph.x1 = x0 + (glyph.x1 - start) * scale


def _beside(
    operator: list[Glyph], seeds: list[Glyph], around: list[Glyph], y: float
) -> list[Glyph]:
    """Return the limit at the right edge of a tall operator, if it is no index of another glyph."""
    em = operator[0].size
    small = [glyph for glyph in around if glyph.size < LIMIT_SIZE * em]
    piece = grow(seeds, y, small, SCRIPT_GAP)
    if not piece or not operator[0].height:
        return []

    left, _ = edges(piece)
    for base in around:
        is_level = abs(base.y - piece[0].y) < ONE_LINE * em
        is_before = is_level and abs(base.x1 - left) < SCRIPT_GAP * em
        if is_before and base not in small:
            return []
    return piece
