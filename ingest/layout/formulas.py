"""Formulas of two dimensions: fractions, limits and tables between brackets, put on one line before rows are made.

Reference:
    Zanibbi, Blostein, Cordy: Recognizing Mathematical Expressions Using Tree Transformation, 2002.
"""

import itertools
import math
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingest.layout.rows import find_rows
from ingest.layout.superscripts import MACRON, accented, with_accents
from ingest.pdf.model import AXIS, Box, Glyph

MAX_BARS = 300
"""Maximum number of thin rules of a page that may be bars; more are a plot."""

REACH = 1.2
MAX_GAP = 0.45
SCRIPT_GAP = 0.2
"""Maximum distance of the baseline of a limit from the edge of its operator, and white space inside the limit and
inside one beside its operator, in ems."""

MIN_ROOM = 0.4
MIN_RISE = 0.12
USUAL_RISE = 0.43
NUMERATOR = 1.0
MIN_DROP = 0.4
SIMPLE = 1.3
NESTED = 1.7
"""Minimum, usual and maximum distance of the baseline of a numerator from its bar, and minimum and maximum one of a
denominator, also with formulas; the maximum is less below a bar that is nearer or farther than usual, as under words or
under the caption of a table. In ems."""

CENTRED = 0.3
"""Maximum distance of the middles of two parts of a formula, in ems."""

LIMIT_SIZE = 0.82
MAX_LIMIT = 4
"""Maximum font size of a limit, in sizes of its operator, and how much wider than the operator it may be, in ems."""

MAX_UNDERSCORE = 0.6
ON_LINE = 0.1
"""Maximum width of a rule that is an underscore, its maximum height, and its distance from a letter, in ems."""

TALL = 1.12
MIN_LEADING = 0.8
MAX_CELL_GAP = 2.5
"""Minimum height of brackets around several rows, minimum distance of these rows, and maximum white space between the
cells after a brace, in ems."""

_OPERATORS = frozenset("∑∏∐∫∬∭∮⋃⋂⋁⋀⨀⨁⨂⨄→⟶⇒⟹↦⟼=∼≈")
_NAME = re.compile(r"(?<![A-Za-z])(?:lim|max|min|sup|inf)")
_CLOSING = {"(": ")", "[": "]", "{": "}"}
_LETTER_LIKE = "∂∇"
_BUCKET = 20
"""Height of the parts of a page in which glyphs are looked for, in points."""


def with_formulas(glyphs: list[Glyph], rules: Sequence[Box]) -> list[Glyph]:
    """Move the parts of each formula to its baseline, next to each other in the order in which they are read.

    Args:
        glyphs: those of a page in the order of drawing.
        rules: thin horizontal rules; some are bars of fractions and lines over letters.
    """
    bars = sorted(rules, key=lambda rule: rule.x1 - rule.x0)
    bars = bars if len(bars) <= MAX_BARS else []
    formulas = _Formulas(with_accents(glyphs))
    formulas.add_underscores(bars)
    formulas.join_tables(bars)
    formulas.join_fractions(bars)
    formulas.join_limits()
    formulas.join_tables([])
    return formulas.glyphs


class _Formulas:
    """Glyphs of a page, found by their places."""

    def __init__(self, glyphs: list[Glyph]) -> None:
        self.glyphs = glyphs
        self._by_y: dict[int, list[Glyph]] = defaultdict(list)
        for glyph in glyphs:
            if glyph.text != " ":
                self._bucket(glyph.y).append(glyph)

    def _bucket(self, y: float) -> list[Glyph]:
        """Return the glyphs in the part of the page with a height; a change of the list changes it."""
        return self._by_y[int(y // _BUCKET)]

    def _near(self, x0: float, x1: float, y: float, reach: float) -> list[Glyph]:
        """Return the glyphs between two edges whose baselines are near a height."""
        near = []
        for bucket in range(
            int((y - reach) // _BUCKET), int((y + reach) // _BUCKET) + 1
        ):
            for glyph in self._by_y.get(bucket, ()):
                if glyph.x0 < x1 and x0 < glyph.x1 and abs(glyph.y - y) <= reach:
                    near.append(glyph)
        return near

    def add_underscores(self, rules: Iterable[Box]) -> None:
        """Add the underscores that TeX draws as rules on the baseline next to a letter."""
        for rule in sorted(rules, key=lambda rule: rule.x0):
            width = rule.x1 - rule.x0
            for glyph in self._near(rule.x0 - width, rule.x1 + width, rule.top, width):
                em = glyph.size
                gap = min(abs(glyph.x1 - rule.x0), abs(glyph.x0 - rule.x1))
                is_on_line = 0 <= glyph.y - rule.top < ON_LINE * em
                if is_on_line and gap < ON_LINE * em and width < MAX_UNDERSCORE * em:
                    underscore = replace(
                        glyph, text="_", x0=rule.x0, x1=rule.x1, parted=False
                    )
                    self._bucket(glyph.y).append(underscore)
                    after = glyph.x1 < rule.x1
                    self.glyphs.insert(self.glyphs.index(glyph) + after, underscore)
                    break

    def _put_in_line(
        self, parts: list[list[Glyph]], y: float, size: float, gap: float = 0.0
    ) -> None:
        """Move parts of a formula to a baseline, one after the other, squeezed into their width.

        Args:
            size: font size of the line.
            gap: white space between their rows before they are squeezed, in points.
        """
        x, end = _edges(itertools.chain.from_iterable(parts))
        rows = [*itertools.chain.from_iterable(map(find_rows, parts))]
        edges = [_edges(row.glyphs) for row in rows]
        width = sum(x1 - x0 + gap for x0, x1 in edges) - gap
        scale = (end - x) / width

        for row, (x0, x1) in zip(rows, edges, strict=True):
            ratio = size / row.size
            for glyph in row.glyphs:
                self._bucket(glyph.y).remove(glyph)
                shifted = y + (glyph.y - row.y) * ratio
                glyph.shift += shifted - glyph.y
                glyph.y = shifted
                glyph.x0 = x + (glyph.x0 - x0) * scale
                glyph.x1 = x + (glyph.x1 - x0) * scale
                glyph.size *= ratio
                self._bucket(glyph.y).append(glyph)
            x += (x1 - x0 + gap) * scale

    def join_fractions(self, rules: Sequence[Box]) -> None:
        """Put the denominator of each fraction after its numerator, and add a macron to the letters under other rules.

        Args:
            rules: from short to long.
        """
        for rule in rules:
            y = rule.top
            parts: tuple[list[Glyph], list[Glyph]] = [], []
            for glyph in self._near(rule.x0, rule.x1, y, 30):
                if rule.x0 < (glyph.x0 + glyph.x1) / 2 < rule.x1:
                    parts[glyph.y > y + 0.1 * glyph.size].append(glyph)
            above, below = (_grow(part, y) for part in parts)
            if not below or self._is_of_root(rule):
                continue

            if above and self._is_fraction(rule, above, below, rules):
                base = self._base(rule, _main(above + below))
                slash = replace(
                    base, text="/", x0=rule.x0, x1=rule.x0 + 0.3 * base.size
                )
                self._bucket(slash.y).append(slash)
                self.glyphs.insert(self.glyphs.index(above[-1]) + 1, slash)
                self._put_in_line([above, [slash], below], base.y, base.size)
            else:
                _overline(rule, below)

    def _is_of_root(self, rule: Box) -> bool:
        """Return whether a rule belongs to a root, whose sign may be unknown and hang from the rule."""
        for glyph in self._near(rule.x0 - 9, rule.x0 + 9, rule.top + 25, 30):
            is_next = abs(glyph.x1 - rule.x0) < 0.3 * glyph.size
            drop = (glyph.y - rule.top) / glyph.size
            is_unknown = not glyph.height and abs(drop) < 0.25
            if is_next and (is_unknown or (glyph.text == "√" and drop > 0.5)):
                return True
        return False

    def _is_fraction(
        self, rule: Box, above: list[Glyph], below: list[Glyph], rules: Sequence[Box]
    ) -> bool:
        """Return whether a rule is between a numerator and a denominator, and not between two lines of text."""
        em = _main(above).size
        rise = max((rule.top - glyph.y) / em for glyph in above if glyph.size == em)
        drop = (_main(below).y - rule.top) / _main(below).size
        is_nested = any(glyph.shift or glyph.text == "√" for glyph in above + below)
        most = NESTED if is_nested else SIMPLE
        most -= abs(rise - USUAL_RISE)
        is_near = MIN_RISE < rise < NUMERATOR and MIN_DROP < drop < most
        if not is_near or any(_touches(rule, other) for other in rules):
            return False

        em = max(_main(above).size, _main(below).size)
        widest = 0.0
        offsets = []
        rooms = []
        for part in (above, below):
            x0, x1 = _edges(part)
            widest = max(widest, x1 - x0)
            offsets.append(abs(x0 + x1 - rule.x0 - rule.x1) / 2)
            rooms.append(self._room(part, rules))
        is_fit = abs(widest - rule.x1 + rule.x0) < 2 * CENTRED * em
        return is_fit and max(offsets) < CENTRED * em and min(rooms) > MIN_ROOM

    def _room(self, part: list[Glyph], rules: Iterable[Box]) -> float:
        """Return the white space from a part of a fraction to text of its size that is at no other bar, in ems."""
        main = _main(part)
        em = main.size
        x0, x1 = _edges(part)
        room = math.inf

        for glyph in self._near(x0 - em, x1 + em, main.y, 0.05 * em):
            middle = (glyph.x0 + glyph.x1) / 2
            at_bar = any(
                rule.x0 < middle < rule.x1 and abs(rule.top - main.y) < 1.2 * em
                for rule in rules
            )
            gap = max(glyph.x0 - x1, x0 - glyph.x1) / em
            is_other = glyph not in part
            if glyph.size == em and is_other and (gap < MIN_ROOM / 2 or not at_bar):
                room = min(room, gap)
        return room

    def _base(self, rule: Box, part: Glyph) -> Glyph:
        """Return a glyph next to a fraction on its baseline, or one of its glyphs there."""
        em = part.size
        best = replace(part, y=rule.top + AXIS * em)
        for glyph in self._near(rule.x0 - em, rule.x1 + em, rule.top, em):
            is_beside = not rule.x0 < (glyph.x0 + glyph.x1) / 2 < rule.x1
            offset = abs(glyph.y - rule.top - AXIS * glyph.size)
            if is_beside and offset < 0.13 * glyph.size and glyph.size > best.size:
                best = glyph
        return best

    def join_limits(self) -> None:
        """Put the limits below and above each operator after it, and exponents after tall brackets."""
        operators = []
        for glyph in self.glyphs:
            is_tall = glyph.height > TALL * glyph.size and glyph.text in ")]}"
            if is_tall or glyph.text in _OPERATORS:
                operators.append([glyph])

        text = "".join([glyph.text[:1] for glyph in self.glyphs])
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
        x0, x1 = _edges(operator)
        em = operator[0].size
        half = max(operator[0].height / 2, CENTRED * em)
        y = operator[0].y - AXIS * em + side * half
        around = self._near(x0 - 6 * em, x1 + 6 * em, y, 1.6 * em)
        around = [glyph for glyph in around if glyph not in operator]
        over = []
        beside = []
        for glyph in around:
            if glyph.size >= LIMIT_SIZE * em:
                continue
            rise = side * (glyph.y - y) / em
            if glyph.x0 < x1 and x0 < glyph.x1 and 0 < rise < REACH:
                over.append(glyph)
            if abs(glyph.x0 - x1) < 2 * CENTRED * em and abs(rise) < 0.6:
                beside.append(glyph)

        if operator[0].text not in _CLOSING.values():
            piece = _grow(over, y, around, MAX_GAP)
            if _is_over(piece, operator):
                return piece
        return _beside(operator, beside, around, y)

    def join_tables(self, bars: Iterable[Box]) -> None:
        """Put the rows between tall brackets, or after a tall brace, next to each other.

        Args:
            bars: those of fractions; brackets around any are left.
        """
        for bracket in sorted(self.glyphs, key=lambda glyph: glyph.height):
            if bracket.height < TALL * bracket.size or bracket.text not in _CLOSING:
                continue
            middle = bracket.y - AXIS * bracket.size
            half = bracket.height / 2
            cells = _cells(bracket, self._near(bracket.x1, math.inf, middle, half))
            x0, x1 = _edges([bracket, *cells])
            has_bar = any(
                x0 < bar.x0 < x1 and abs(bar.top - middle) < half for bar in bars
            )
            if not has_bar and _has_rows(cells, bracket.y):
                self._put_in_line([cells], bracket.y, bracket.size, bracket.size)


def _edges(glyphs: Iterable[Glyph]) -> tuple[float, float]:
    """Return the left and the right edge of glyphs."""
    x0, x1 = zip(*[(glyph.x0, glyph.x1) for glyph in glyphs], strict=True)
    return min(x0), max(x1)


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
            is_level = abs(glyph.y - last.y) < 0.45 * max(glyph.size, last.size)
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
    left, right = _edges(letters)
    offset = max(abs(left - rule.x0), abs(right - rule.x1)) / main.size
    if offset < 0.2 and 0.35 < (main.y - rule.top) / main.size < 1 and len(letters) < 4:
        for glyph in letters:
            if glyph.text.isalpha() or glyph.text in _LETTER_LIKE:
                glyph.text = accented(glyph.text, MACRON)


def _has_rows(cells: Sequence[Glyph], y: float) -> bool:
    """Return whether glyphs between brackets on a baseline have several baselines, or all another one."""
    if not cells:
        return False
    em = _main(cells).size
    heights = [glyph.y for glyph in cells if glyph.size > LIMIT_SIZE * em]
    if not any(abs(height - y) < 0.2 * em for height in heights):
        heights = [glyph.y for glyph in cells]
    return max(heights) - min(heights) > MIN_LEADING * em


def _is_over(piece: list[Glyph], operator: list[Glyph]) -> bool:
    """Return whether all glyphs of a piece are small, and have the same middle as an operator."""
    em = operator[0].size
    if not piece or _main(piece).size >= LIMIT_SIZE * em:
        return False
    x0, x1 = _edges(operator)
    left, right = _edges(piece)
    is_short = right - left < x1 - x0 + MAX_LIMIT * em
    return is_short and abs(left + right - x0 - x1) / 2 < CENTRED * em


def _beside(
    operator: list[Glyph], seeds: list[Glyph], around: list[Glyph], y: float
) -> list[Glyph]:
    """Return the limit at the right edge of a tall operator, if it is no index of another glyph."""
    em = operator[0].size
    small = [glyph for glyph in around if glyph.size < LIMIT_SIZE * em]
    piece = _grow(seeds, y, small, SCRIPT_GAP)
    if not piece or not operator[0].height:
        return []

    left, _ = _edges(piece)
    for base in around:
        is_level = abs(base.y - piece[0].y) < 0.5 * em
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
        is_alike = abs(glyph.height - bracket.height) < 0.25 * em
        if glyph.text == _CLOSING[bracket.text] and is_alike:
            return cells
        is_level = abs(glyph.y - bracket.y) < 0.1 * em
        is_far = glyph.x0 - end > MAX_CELL_GAP * em
        is_open = is_open and not is_far and not (is_level and inside)
        cells.append(glyph)
        if is_open:
            inside.append(glyph)
        end = max(end, glyph.x1)
    return inside if bracket.text == "{" else []
