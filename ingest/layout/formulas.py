"""Formulas of two dimensions: fractions, limits and tables between brackets, put on one line before rows are made.

`1` above a bar and `2n` below it become `1/2n`, a sum with limits becomes `∑i=1n`, and the rows between two brackets
follow each other. The glyphs are moved, and squeezed into the width of the formula.

Reference:
    Zanibbi, Blostein, Cordy: Recognizing Mathematical Expressions Using Tree Transformation, 2002.
"""

import itertools
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingest.layout.bidi import is_rtl_letter
from ingest.layout.glyph_map import GlyphMap
from ingest.layout.rows import LEVEL, SAME, edges, find_rows
from ingest.layout.superscripts import MACRON, accented, with_accents
from ingest.pdf.model import AXIS, UNKNOWN, Box, Glyph

MAX_BARS = 300
"""Maximum number of thin rules of a page that may be bars; more are a plot."""

ALIGNED = 0.3
"""Maximum distance of two edges, or of the middles of two parts of a formula, that are aligned, in ems."""

ALIKE = 0.25
"""Maximum difference of two heights that are alike, in ems."""

MAX_UNDERSCORE = 0.5
UNDERSCORE_GAP = 0.08
"""Maximum width of an underscore, and maximum distance from the end of the baseline of the glyph before it, in ems."""

SLASH_WIDTH = 0.3
"""Width of the slash between numerator and denominator, in ems."""

FRACTION_REACH = 30
"""Maximum distance of the glyphs of a fraction from its bar, in points."""

MIN_NUMERATOR = 0.12
USUAL_NUMERATOR = 0.43
MAX_NUMERATOR = 1.0
"""Minimum, usual and maximum distance of the baseline of a numerator from its bar, in ems."""

MIN_DENOMINATOR = 0.4
MAX_DENOMINATOR = 1.3
MAX_NESTED = 1.7
"""Minimum and maximum distance of the baseline of a denominator from its bar, and maximum one in a fraction with
fractions or roots inside, in ems. The maximum is less if the numerator is nearer or farther than usual, as words over a
line and the caption of a table are."""

ROOT_DEPTH = 0.5
"""Minimum distance of the baseline of a root from its bar, in ems."""

FRACTION_ROOM = 0.4
BAR_REACH = 1.2
"""Minimum white space between a fraction and text that is at no bar, and maximum distance of text from its bar, in
ems."""

MIN_OVERLINED = 0.35
MAX_OVERLINED = 1.0
MAX_LETTERS = 3
"""Minimum and maximum distance of letters from the line over them, in ems, and maximum number of these letters."""

MAX_MISFIT = 0.2
"""Maximum distance of the ends of a line from those of the letters under it, in ems."""

LIMIT_SIZE = 0.82
"""Maximum font size of a limit, in sizes of its operator."""

LIMIT_REACH = 1.2
MAX_LIMIT = 4
LIMIT_GAP = 0.45
"""Maximum distance of the baseline of a limit from the edge of its operator, how much wider than the operator it may
be, and maximum white space inside it, in ems."""

SIDE_REACH = 6.0
HIGH_REACH = 1.6
"""Maximum distances of other glyphs that may touch a limit from its operator, to the sides, and up or down, in ems."""

SCRIPT_REACH = 0.6
SCRIPT_GAP = 0.2
"""Maximum distance of a limit at the right edge of its operator from the corner, and maximum white space inside it, in
ems."""

ONE_LINE = 0.45
"""Maximum distance of the baselines of two glyphs of one limit, numerator or denominator, in sizes of the larger."""

TALL = 1.12
"""Minimum height of brackets around several rows, in ems."""

MIN_LEADING = 0.8
MAX_CELL_GAP = 2.5
"""Minimum distance of rows between brackets, and maximum white space between the cells after a brace, in ems."""

_LIMIT_OPERATORS = frozenset("∑∏∐∫∬∭∮⋃⋂⋁⋀⨀⨁⨂⨄→⟶⇒⟹↦⟼=∼≈")
_NAME = re.compile(r"(?<![A-Za-z])(?:lim|max|min|sup|inf)")
_LETTER_LIKE = "∂∇"
_CLOSING_BRACKET = {"(": ")", "[": "]", "{": "}"}


def with_formulas(glyphs: list[Glyph], rules: Sequence[Box]) -> list[Glyph]:
    """Move the parts of each formula to its baseline, next to each other in the order in which they are read.

    Args:
        glyphs: those of a page in the order of drawing.
        rules: thin horizontal rules; some are bars of fractions and lines over letters.
    """
    bars = sorted(rules, key=lambda rule: rule.x1 - rule.x0)
    bars = bars if len(bars) <= MAX_BARS else []
    formulas = _Formulas(glyphs)
    formulas.join_tables(bars)
    formulas.add_underscores(bars)
    formulas.join_fractions(bars)
    formulas.join_limits()
    formulas.join_tables([])
    return formulas.glyphs


class _Formulas:
    """Glyphs of a page, found by their places."""

    def __init__(self, glyphs: list[Glyph]) -> None:
        self._places = GlyphMap(glyphs)
        self.glyphs = with_accents(glyphs, self._places)

    def _put_in_line(
        self, rows: list[list[Glyph]], y: float, size: float, gap: float = 0.0
    ) -> None:
        """Move the rows of a formula to a baseline, one after the other, squeezed into their width.

        Args:
            rows: glyphs that have a baseline in common, but for indices and exponents; empty ones are left out.
            size: font size of the line.
            gap: white space between rows before they are squeezed, in points.
        """
        rows = list(filter(None, rows))
        x, end = edges(itertools.chain.from_iterable(rows))
        spans = [edges(row) for row in rows]
        width = sum(x1 - x0 + gap for x0, x1 in spans) - gap
        scale = (end - x) / width

        for row, (x0, x1) in zip(rows, spans, strict=True):
            main = _main(row)
            ratio = size / main.size
            base = main.y
            for glyph in row:
                self._places.remove(glyph)
                shifted = y + (glyph.y - base) * ratio
                glyph.shift += shifted - glyph.y
                glyph.y = shifted
                glyph.x0 = x + (glyph.x0 - x0) * scale
                glyph.x1 = x + (glyph.x1 - x0) * scale
                glyph.size *= ratio
                self._places.add(glyph)
            x += (x1 - x0 + gap) * scale

    def add_underscores(self, rules: Iterable[Box]) -> None:
        """Write the underscores that TeX draws as rules on the baseline, next to the letters of a name."""
        for rule in rules:
            for glyph in self._places.near(rule.x0 - 2, rule.x0, rule.top, 1):
                em = glyph.size
                is_next = abs(glyph.x1 - rule.x0) < UNDERSCORE_GAP * em
                is_level = abs(glyph.y - rule.top) < UNDERSCORE_GAP * em
                if is_next and is_level and rule.x1 - rule.x0 < MAX_UNDERSCORE * em:
                    mark = replace(glyph, text="_", x0=rule.x0, x1=rule.x1)
                    self._places.add(mark)
                    self.glyphs.insert(self.glyphs.index(glyph) + 1, mark)
                    break

    def join_fractions(self, rules: Sequence[Box]) -> None:
        """Put the denominator of each fraction after its numerator, and add a macron to the letters under other rules.

        Args:
            rules: from short to long.
        """
        for rule in rules:
            y = rule.top
            parts: tuple[list[Glyph], list[Glyph]] = [], []
            for glyph in self._places.near(rule.x0, rule.x1, y, FRACTION_REACH):
                if rule.x0 < glyph.middle < rule.x1:
                    parts[glyph.y > y + LEVEL * glyph.size].append(glyph)
            above, below = (_grow(part, y) for part in parts)
            if not below or self._is_of_root(rule):
                continue

            if above and self._is_fraction(rule, above, below, rules):
                base = self._base(rule, _main(above + below))
                slash = replace(
                    base, text="/", x0=rule.x0, x1=rule.x0 + SLASH_WIDTH * base.size
                )
                self._places.add(slash)
                self.glyphs.insert(self.glyphs.index(above[-1]) + 1, slash)
                self._put_in_line([above, [slash], below], base.y, base.size)
            else:
                _overline(rule, below)

    def _is_of_root(self, rule: Box) -> bool:
        """Return whether a rule belongs to a root, whose sign may be unknown and hang from the rule."""
        reach = FRACTION_REACH
        left = rule.x0
        for glyph in self._places.near(left - reach, left + reach, rule.top, reach):
            is_next = abs(glyph.x1 - left) < ALIGNED * glyph.size
            drop = (glyph.y - rule.top) / glyph.size
            is_unknown = glyph.text == UNKNOWN and abs(drop) < ALIKE
            if is_next and (is_unknown or (glyph.text == "√" and drop > ROOT_DEPTH)):
                return True
        return False

    def _is_fraction(
        self, rule: Box, above: list[Glyph], below: list[Glyph], rules: Sequence[Box]
    ) -> bool:
        """Return whether a rule is between a numerator and a denominator, and not between two lines of text."""
        upper, lower = _main(above), _main(below)
        rises = [rule.top - glyph.y for glyph in above if glyph.size == upper.size]
        rise = max(rises) / upper.size
        drop = (lower.y - rule.top) / lower.size
        is_nested = any(glyph.shift or glyph.text == "√" for glyph in above + below)
        most = MAX_NESTED if is_nested else MAX_DENOMINATOR
        most -= abs(rise - USUAL_NUMERATOR)
        is_near = MIN_NUMERATOR < rise < MAX_NUMERATOR and MIN_DENOMINATOR < drop < most
        if not is_near or any(_touches(rule, other) for other in rules):
            return False

        em = max(upper.size, lower.size)
        widest = 0.0
        for part in (above, below):
            x0, x1 = edges(part)
            widest = max(widest, x1 - x0)
            is_centred = abs(x0 + x1 - rule.x0 - rule.x1) / 2 < ALIGNED * em
            if not is_centred or self._room(part, rules) <= FRACTION_ROOM:
                return False
        return abs(widest - rule.x1 + rule.x0) < 2 * ALIGNED * em

    def _room(self, part: list[Glyph], rules: Iterable[Box]) -> float:
        """Return the white space from a part of a fraction to text of its size that is at no other bar, in ems."""
        main = _main(part)
        em = main.size
        x0, x1 = edges(part)
        room = math.inf

        for glyph in self._places.near(x0 - em, x1 + em, main.y, SAME * em):
            at_bar = any(
                rule.x0 < glyph.middle < rule.x1
                and abs(rule.top - main.y) < BAR_REACH * em
                for rule in rules
            )
            gap = max(glyph.x0 - x1, x0 - glyph.x1) / em
            is_other = glyph not in part
            if (
                glyph.size == em
                and is_other
                and (gap < FRACTION_ROOM / 2 or not at_bar)
            ):
                room = min(room, gap)
        return room

    def _base(self, rule: Box, part: Glyph) -> Glyph:
        """Return a glyph next to a fraction on its baseline, or one of its glyphs there."""
        em = part.size
        best = replace(part, y=rule.top + AXIS * em)
        for glyph in self._places.near(rule.x0 - em, rule.x1 + em, rule.top, em):
            is_beside = not rule.x0 < glyph.middle < rule.x1
            offset = abs(glyph.y - rule.top - AXIS * glyph.size)
            if is_beside and offset < LEVEL * glyph.size and glyph.size > best.size:
                best = glyph
        return best

    def join_limits(self) -> None:
        """Put the limits below and above each operator after it, and exponents after tall brackets."""
        operators = []
        for glyph in self.glyphs:
            is_tall = glyph.height > TALL * glyph.size and glyph.text in ")]}"
            if is_tall or glyph.text in _LIMIT_OPERATORS:
                operators.append([glyph])

        text = "".join([glyph.text[:1] or " " for glyph in self.glyphs])
        for name in _NAME.finditer(text):
            operators.append(self.glyphs[slice(*name.span())])

        operators.sort(key=lambda operator: -operator[0].height)
        for operator in operators:
            below, above = self._limit(operator, 1), self._limit(operator, -1)
            if above or below:
                base = operator[0]
                self._put_in_line([operator, below, above], base.y, base.size)

    def _limit(self, operator: list[Glyph], side: int) -> list[Glyph]:
        """Return a limit of an operator: small glyphs around its middle or at its right edge that nothing else touches.

        Args:
            side: 1 for the one below, -1 for the one above.
        """
        x0, x1 = edges(operator)
        em = operator[0].size
        half = max(operator[0].height / 2, ALIGNED * em)
        y = operator[0].y - AXIS * em + side * half
        around = self._places.near(
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

        if operator[0].text not in _CLOSING_BRACKET.values():
            piece = _grow(over, y, around, LIMIT_GAP)
            if _is_centred_limit(piece, operator):
                return piece
        return _beside(operator, beside, around, y)

    def join_tables(self, bars: Iterable[Box]) -> None:
        """Put the rows between tall brackets, or after a tall brace, next to each other.

        Args:
            bars: those of fractions; brackets around any are left.
        """
        for bracket in sorted(self.glyphs, key=lambda glyph: glyph.height):
            if (
                bracket.height < TALL * bracket.size
                or bracket.text not in _CLOSING_BRACKET
            ):
                continue

            middle = bracket.y - AXIS * bracket.size
            half = bracket.height / 2
            cells = _cells(
                bracket, self._places.near(bracket.x1, math.inf, middle, half)
            )
            x0, x1 = edges([bracket, *cells])

            has_bar = any(
                x0 < bar.x0 < x1 and abs(bar.top - middle) < half for bar in bars
            )
            if not has_bar and _has_rows(cells, bracket.y):
                rows = [row.glyphs for row in find_rows(cells)]
                self._put_in_line(rows, bracket.y, bracket.size, bracket.size)


def _main(part: Iterable[Glyph]) -> Glyph:
    """Return the largest glyph."""
    return max(part, key=lambda glyph: glyph.size)


def _grow(
    seeds: list[Glyph],
    y: float,
    around: list[Glyph] | None = None,
    most: float = math.inf,
) -> list[Glyph]:
    """Return the one of `seeds` nearest to a height, and all glyphs on its level that are next to it or to each other.

    Args:
        around: other glyphs, `seeds` by default.
        most: maximum white space between them in ems.
    """
    piece = sorted(seeds, key=lambda glyph: abs(glyph.y - y))[:1]
    rest = around or seeds
    for last in piece:
        others = []
        for glyph in rest:
            if glyph is last:
                continue

            gap = max(glyph.x0 - last.x1, last.x0 - glyph.x1)
            is_level = abs(glyph.y - last.y) < ONE_LINE * max(glyph.size, last.size)
            if is_level and gap < most * max(glyph.size, last.size):
                piece.append(glyph)
            else:
                others.append(glyph)
        rest = others
    return piece


def _touches(rule: Box, other: Box) -> bool:
    """Return whether two rules meet at their ends, as at the cells of a table."""
    gap = min(abs(rule.x0 - other.x1), abs(rule.x1 - other.x0))
    return gap < 1 and abs(rule.top - other.top) < 1


def _overline(rule: Box, below: list[Glyph]) -> None:
    """Add a macron to letters under a rule of their width."""
    main = _main(below)
    letters = [glyph for glyph in below if glyph.size == main.size]
    left, right = edges(letters)
    misfit = max(abs(left - rule.x0), abs(right - rule.x1)) / main.size
    is_near = MIN_OVERLINED < (main.y - rule.top) / main.size < MAX_OVERLINED
    if is_near and misfit < MAX_MISFIT and len(letters) <= MAX_LETTERS:
        for glyph in letters:
            is_letter = glyph.text.isalpha() and not is_rtl_letter(glyph.text)
            if is_letter or glyph.text in _LETTER_LIKE:
                glyph.text = accented(glyph.text, MACRON)


def _has_rows(cells: Sequence[Glyph], y: float) -> bool:
    """Return whether glyphs between brackets on a baseline have several baselines, or all another one."""
    if not cells:
        return False
    em = _main(cells).size
    heights = [glyph.y for glyph in cells if glyph.size > LIMIT_SIZE * em]
    if not any(abs(height - y) < LEVEL * em for height in heights):
        heights = [glyph.y for glyph in cells]
    return max(heights) - min(heights) > MIN_LEADING * em


def _is_centred_limit(piece: list[Glyph], operator: list[Glyph]) -> bool:
    """Return whether all glyphs of a piece are small, and have the same middle as an operator."""
    em = operator[0].size
    if not piece or _main(piece).size >= LIMIT_SIZE * em:
        return False
    x0, x1 = edges(operator)
    left, right = edges(piece)
    is_short = right - left < x1 - x0 + MAX_LIMIT * em
    return is_short and abs(left + right - x0 - x1) / 2 < ALIGNED * em


def _beside(
    operator: list[Glyph], seeds: list[Glyph], around: list[Glyph], y: float
) -> list[Glyph]:
    """Return the limit at the right edge of a tall operator, if it is no index of another glyph."""
    em = operator[0].size
    small = [glyph for glyph in around if glyph.size < LIMIT_SIZE * em]
    piece = _grow(seeds, y, small, SCRIPT_GAP)
    if not piece or not operator[0].height:
        return []

    left, _ = edges(piece)
    for base in around:
        is_level = abs(base.y - piece[0].y) < ONE_LINE * em
        is_before = is_level and abs(base.x1 - left) < SCRIPT_GAP * em
        if is_before and base not in small:
            return []
    return piece


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
        if glyph.text == _CLOSING_BRACKET[bracket.text] and is_alike:
            return cells

        is_level = abs(glyph.y - bracket.y) < LEVEL * em
        is_gap = glyph.x0 - end > MAX_CELL_GAP * em
        is_open = is_open and not is_gap and not (is_level and inside)
        cells.append(glyph)
        if is_open:
            inside.append(glyph)
        end = max(end, glyph.x1)
    return inside if bracket.text == "{" else []
