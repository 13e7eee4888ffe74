"""Thin rules of a page: bars of fractions, lines over letters, and underscores."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingest.layout.accents import MACRON, accented
from ingest.layout.bidi import has_rtl_letter
from ingest.layout.formulas.page import ALIGNED, ALIKE, FormulaPage, grow, largest_glyph
from ingest.layout.rows import MAX_LEVEL_OFFSET, SAME
from ingest.pdf.model import AXIS, UNKNOWN, Box, Glyph, edges, text_of

MAX_UNDERSCORE = 0.5
"""Maximum width of an underscore, in ems."""

UNDERSCORE_GAP = 0.08
"""Maximum distance of an underscore from the end of the baseline of the glyph before it, in ems; pieces of an
interrupted underline are lower."""

SLASH_WIDTH = 0.3
"""Width of the slash between numerator and denominator, in ems."""

FRACTION_REACH = 3.0
"""Maximum distance of the glyphs of a fraction from its bar, in sizes of the largest glyph of the page."""

MIN_NUMERATOR = 0.12
"""Minimum distance of the baseline of a numerator from its bar, in ems."""

USUAL_NUMERATOR = 0.43
"""Usual distance of the baseline of a numerator from its bar, in ems."""

MAX_NUMERATOR = 1.0
"""Maximum distance of the baseline of a numerator from its bar, in ems."""

MAX_UNDERLINE = 0.2
"""Maximum distance of the baseline of an underlined word from its line, in ems."""
_LONG_WORD = re.compile(r"[^\W\d_]{5}")
"""Part of a word that is no term of a formula."""

MIN_DENOMINATOR = 0.4
"""Minimum distance of the baseline of a denominator from its bar, in ems."""

MAX_DENOMINATOR = 1.3
"""Maximum distance of the baseline of a denominator from its bar, in ems; it is less if the numerator is nearer or
farther than usual, as words over a line and the caption of a table are."""

MAX_NESTED = 1.7
"""Maximum distance of both baselines from the bar if a fraction, root or large bracket is inside, in ems."""

LARGE_SIGN = 1.5
"""Minimum height of a large bracket, in ems."""

ROOT_DEPTH = 0.5
"""Minimum distance of the baseline of a root from its bar, in ems."""

MAX_BAR_OVERLAP = 2.0
"""Maximum overlap of two pieces of an underline, in points."""

BAR_EXCESS = 1.0
"""Maximum width of a bar beyond its numerator and denominator, in ems."""

FRACTION_ROOM = 0.4
"""Minimum white space between a fraction and text that is at no bar, in ems."""

BAR_REACH = 1.2
"""Maximum distance of text from its bar, in ems."""

MIN_OVERLINED = 0.35
"""Minimum distance of letters from the line over them, in ems."""

MAX_OVERLINED = 0.96
"""Maximum distance of letters from the line over them, in ems."""

MAX_OVERLINED_LETTERS = 3
"""Maximum number of letters under a line."""

MAX_MISFIT = 0.2
"""Maximum distance of the ends of a line from those of the letters under it, in ems."""

_LETTER_LIKE = "∂∇"


def add_underscores(page: FormulaPage, rules: Iterable[Box]) -> None:
    """Write the underscores that TeX draws as rules on the baseline, next to the letters of a name."""
    for rule in rules:
        for glyph in page.places.near(rule.x0 - 2, rule.x0, rule.top, 1):
            em = glyph.size
            is_next = abs(glyph.x1 - rule.x0) < UNDERSCORE_GAP * em
            is_level = 0 <= glyph.y - rule.top < UNDERSCORE_GAP * em
            if is_next and is_level and rule.width < MAX_UNDERSCORE * em:
                mark = replace(glyph, text="_", x0=rule.x0, x1=rule.x1)
                page.insert_after(glyph, mark)
                break


def join_fractions(page: FormulaPage, rules: Sequence[Box]) -> None:
    """Put the denominator of each fraction after its numerator, and add a macron to the letters under other rules.

    In right-to-left text the denominator is on the left.

    Args:
        rules: from short to long.
    """
    reach = FRACTION_REACH * page.largest_size
    for rule in rules:
        y = rule.top
        near_above: list[Glyph] = []
        near_below: list[Glyph] = []
        for glyph in page.places.near(rule.x0, rule.x1, y, reach):
            if rule.x0 < glyph.middle < rule.x1:
                is_below = glyph.y > y + MAX_LEVEL_OFFSET * glyph.size
                (near_below if is_below else near_above).append(glyph)
        above, below = grow(near_above, y), grow(near_below, y)
        if not below or _is_of_root(page, rule):
            continue
        if any(_touches(rule, other) for other in rules):
            continue

        if above and _is_fraction(page, rule, above, below, rules):
            base = _base(page, rule, largest_glyph(above + below))
            slash = replace(
                base, text="/", x0=rule.x0, x1=rule.x0 + SLASH_WIDTH * base.size
            )
            page.insert_after(above[-1], slash)
            parts = [above, [slash], below]
            if has_rtl_letter(text_of(above + below)):
                parts.reverse()
            page.put_in_line(parts, base.y, base.size)
        else:
            _overline(rule, below)


def _is_of_root(page: FormulaPage, rule: Box) -> bool:
    """Return whether a rule belongs to a root, whose sign may be unknown and hang from the rule."""
    reach = FRACTION_REACH * page.largest_size
    left = rule.x0
    for glyph in page.places.near(left - reach, left + reach, rule.top, reach):
        is_next = abs(glyph.x1 - left) < ALIGNED * glyph.size
        drop = (glyph.y - rule.top) / glyph.size
        is_unknown = glyph.text == UNKNOWN and abs(drop) < ALIKE
        if is_next and (is_unknown or (glyph.text == "√" and drop > ROOT_DEPTH)):
            return True
    return False


def _is_fraction(
    page: FormulaPage,
    rule: Box,
    above: list[Glyph],
    below: list[Glyph],
    rules: Sequence[Box],
) -> bool:
    """Return whether a rule is between a numerator and a denominator, and not between two lines of text."""
    upper, lower = largest_glyph(above), largest_glyph(below)
    rises = [rule.top - glyph.y for glyph in above if glyph.size == upper.size]
    rise = max(rises) / upper.size
    if rise < MAX_UNDERLINE and _LONG_WORD.search(text_of(above)):
        return False
    drop = (lower.y - rule.top) / lower.size
    is_nested = any(map(_is_tall, above + below))
    highest, lowest = MAX_NUMERATOR, MAX_DENOMINATOR - abs(rise - USUAL_NUMERATOR)
    if is_nested:
        highest = lowest = MAX_NESTED
    is_near = MIN_NUMERATOR < rise < highest and MIN_DENOMINATOR < drop < lowest
    if not is_near:
        return False

    em = max(upper.size, lower.size)
    widest = 0.0
    for part in (above, below):
        x0, x1 = edges(part)
        widest = max(widest, x1 - x0)
        is_centred = abs(x0 + x1 - rule.x0 - rule.x1) / 2 < ALIGNED * em
        if not is_centred or _room(page, part, rules) <= FRACTION_ROOM:
            return False
    return -2 * ALIGNED * em < rule.width - widest < BAR_EXCESS * em


def _is_tall(glyph: Glyph) -> bool:
    """Return whether a glyph is in a fraction, or is a root or a large bracket."""
    is_large = glyph.height > LARGE_SIGN * glyph.size
    return bool(glyph.shift) or glyph.text == "√" or is_large


def _room(page: FormulaPage, part: list[Glyph], rules: Iterable[Box]) -> float:
    """Return the white space from a part of a fraction to text of its size that is at no other bar, in ems."""
    main = largest_glyph(part)
    em = main.size
    x0, x1 = edges(part)
    room = math.inf

    for glyph in page.places.near(x0 - em, x1 + em, main.y, SAME * em):
        at_bar = any(
            rule.x0 < glyph.middle < rule.x1 and abs(rule.top - main.y) < BAR_REACH * em
            for rule in rules
        )
        gap = max(glyph.x0 - x1, x0 - glyph.x1) / em
        is_other = glyph not in part
        if glyph.size == em and is_other and (gap < FRACTION_ROOM / 2 or not at_bar):
            room = min(room, gap)
    return room


def _base(page: FormulaPage, rule: Box, part: Glyph) -> Glyph:
    """Return the largest glyph on the baseline next to a fraction, else one of the fraction's, moved there."""
    em = part.size
    best = replace(part, y=rule.top + AXIS * em)
    for glyph in page.places.near(rule.x0 - em, rule.x1 + em, rule.top, em):
        is_beside = not rule.x0 < glyph.middle < rule.x1
        offset = abs(glyph.y - rule.top - AXIS * glyph.size)
        is_level = offset < MAX_LEVEL_OFFSET * glyph.size
        if is_beside and is_level and glyph.size > best.size:
            best = glyph
    return best


def _touches(rule: Box, other: Box) -> bool:
    """Return whether two rules meet at their ends or a little before, as at the cells of a table and below words."""
    gap = max(other.x0 - rule.x1, rule.x0 - other.x1)
    return -MAX_BAR_OVERLAP < gap < 1 and abs(rule.top - other.top) < 1


def _overline(rule: Box, below: list[Glyph]) -> None:
    """Add a macron to letters under a rule of their width, and to the digits among them."""
    main = largest_glyph(below)
    letters = [glyph for glyph in below if glyph.size == main.size]
    misfit = math.inf
    for part in (letters, below):
        left, right = edges(part)
        excess = max(abs(left - rule.x0), abs(right - rule.x1)) / main.size
        misfit = min(misfit, excess)

    is_near = MIN_OVERLINED < (main.y - rule.top) / main.size < MAX_OVERLINED
    text = text_of(letters)
    has_letter = any(char.isalpha() or char in _LETTER_LIKE for char in text)
    is_term = (
        has_letter
        and len(letters) <= MAX_OVERLINED_LETTERS
        and not has_rtl_letter(text)
    )
    if is_term and is_near and misfit < MAX_MISFIT:
        for glyph in letters:
            if glyph.text.isalnum() or glyph.text in _LETTER_LIKE:
                glyph.text = accented(glyph.text, MACRON)
