"""Glyphs of a page -> rows -> lines of words in reading order.

The order of the text is rebuilt from where the glyphs stand, not from the order in which the file draws them, so that
right-to-left text comes out the same from producers that store it in logical (LibreOffice) and visual order (LuaTeX).
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from quarry.ingest.layout.bidi import Cluster, has_rtl_letter, logical_text
from quarry.ingest.layout.small_print import (
    ACCENTS,
    NOTE_SIGNS,
    SMALL,
    raise_superiors,
    with_accents,
    with_fractions,
    without_marks,
    without_signs,
)
from quarry.ingest.pdf.model import UNKNOWN, Fonts, Glyph

SOFT_HYPHEN = "\u00ad"

WORD_GAP = 0.16
"""Ems of white space from which on two glyphs belong to two words; kerning stays below, word spaces above."""

WORD_GAP_HINTED = 0.05
"""The same where a space is stored, or PDFium sees one: italics lean over it, and a line's last may stand anywhere."""

SEGMENT_GAP = 1.1
"""Ems of white space from which on a row is cut in two lines: table cells, columns. Layout joins what is one."""

MAX_STRETCHED, MIN_STRETCHED, LEAST_SPACE, LETTERS_IN_PROSE = 2.5, 3, 0.25, 0.6
"""Ems of the spaces of a stretched line at most, how many it has at least, the ems from which on they count, and the
share of letters in it from which on it is prose."""

EVEN, AFTER_STOP = 1.6, 3.4
"""Medians of the spaces of a stretched line that one of them may be wide, and one after a stop."""
_STOPS = frozenset(".,;:?!")

ALLEY_GAP = 0.55
"""The same where nearly all rows of a page have a gap at one place."""

ALLEY_GLYPHS, MIN_ALLEY_ROWS, ALLEY_SHARE, MIN_COLUMN = 8, 10, 0.75, 90
"""Glyphs on both sides of an alley, rows that it cuts at least, their share of those it crosses, points between two."""

MAX_COLUMNS = 5
"""Places at which most rows of a page begin that may be the edges of columns."""

MIN_KNOWN_ROWS = 2
"""Rows with text on both sides that an alley of the page before must part, all of them."""

NOTE_GAP = 0.6
"""The same where the size of the print changes: a note in the margin stands nearer to the text than a column."""

NOTE_GLYPHS = 6
"""Glyphs from which on print of another size is no index or exponent any more."""

INITIAL = 1.6
"""Sizes of the text from which on a letter is an initial, and a word by itself until it is known whose."""

IN_NUMBER = 0.2
"""Ems between the point of a number and its next figure at most; a space after a sentence is wider."""

STACK_REACH = 0.65
"""Ems of white space beside a fraction at most; a note in the margin stands farther away."""

SMALL_CAPITALS = 0.6, 0.88
"""Sizes of small capitals in those of the capitals beside them."""

MAX_STACK, MAX_STACKED = 0.95, 24
"""Ems between a line and what stands over or under a gap of it, as a fraction does; glyphs of that."""

MAX_INDEX_RISE, MAX_INDEX_GLYPHS, INDEX_REACH, INDEX_SIZE = 0.62, 12, 0.4, 0.75
"""Ems between a row and its indices, glyphs of these at most, ems of white space beside them, and their size in that of
the row."""

NEAR_ROWS = 3
"""Rows above and below, those of other columns among them, in which what stands alone may be an index."""

USUAL_F, USUAL_I = 0.31, 0.28
"""Ems that f and i are wide in fonts for text; for a font in which they were not seen."""

KERNED = (0.94, 0.89)
"""Width of a ligature of two letters and of three, in those of its letters; fonts for text have 0.85 to 1.03."""

LIGATURE_TOLERANCE = 0.1
"""Share of its expected width by which a ligature may be wider or narrower."""


@dataclass(frozen=True, slots=True)
class Word:
    """One word as it stands on the page, its text in logical order; lengths in points, y downwards from the top.

    Attributes:
        size: font size.
        raised: points by which it stands above the baseline of its line, negative below.
        n_unsure: how many of its glyphs the file does not tell.
    """

    text: str
    x0: float
    x1: float
    size: float
    raised: float
    bold: bool
    mono: bool
    n_unsure: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """Words of one row in reading order, without a wide gap between them; lengths in points, y downwards from the top.

    Attributes:
        y: the baseline.
        size: the font size of most of its characters.
        bold: share of its characters that are bold, 0..1.
        mono: share of its characters in a font of fixed pitch, 0..1.
        rtl: whether it reads from right to left.
    """

    words: tuple[Word, ...]
    x0: float
    x1: float
    y: float
    size: float
    bold: float
    mono: float
    rtl: bool

    @property
    def text(self) -> str:
        """The words with single spaces between."""
        return " ".join(word.text for word in self.words)


@dataclass(slots=True)
class Row:
    """Glyphs that stand beside each other, from left to right; the baseline and size of the largest piece of it."""

    y: float
    size: float
    glyphs: list[Glyph]


def rows_of(glyphs: list[Glyph], fonts: Fonts) -> list[Row]:
    """The rows of a page from top to bottom; raised and lowered small glyphs stand in the row they belong to."""
    if fonts.drawn:
        raise_superiors(glyphs, fonts.widest_figures)
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
    for span in waiting:  # what they touch may have come after them
        _put(span, _row_of(span, by_y)[0], rows, by_y)
    rows.sort(key=lambda row: row.y)
    for row in rows:
        row.glyphs.sort(key=lambda glyph: glyph.x0)
    return _with_indices(_with_stacked(_rejoined(rows)))


def _row_of(span: Sequence[Glyph], by_y: dict[int, list[Row]]) -> tuple[Row | None, bool]:
    """The row that glyphs belong to, None if to none yet; and whether a better one may come.

    That is so where they are as small and near as an index of a row that they do not touch, or stand a little higher
    or lower than one, which may be of the next column.
    """
    y, size = span[0].y, span[0].size
    x0, x1 = min(g.x0 for g in span), max(g.x1 for g in span)
    mark = not any(glyph.text.isalnum() for glyph in span) and len(span) <= 3
    reach = 2.5 if mark else 0.5
    best: Row | None = None
    best_distance = math.inf
    is_index = is_near = False
    bucket = int(y // 20)
    for row in (row for near in (bucket - 1, bucket, bucket + 1) for row in by_y[near]):
        rise = (row.y - y) / row.size
        level = abs(row.y - y) < 0.12 * min(row.size, size)
        beside = abs(rise) < 0.25 and size > 0.87 * row.size
        if (level or beside) and ((size > 0.5 * row.size and level) or _touches(row, x0, x1, 1.0)):
            small = size < 0.87 * row.size and not _touches(row, x0, x1, 0.5)
            distance = abs(rise) + (2 if small else 0)  # an index of the next column stands on many a baseline
        elif -0.5 < rise < 0.62 and (size < 0.87 * row.size or mark):
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
    """Add glyphs to a row, to one of their own if there is none."""
    if row is None:
        row = Row(span[0].y, span[0].size, [])
        rows.append(row)
        by_y[int(row.y // 20)].append(row)
    row.glyphs.extend(span)


def _with_stacked(rows: list[Row]) -> list[Row]:
    """Rows, what stands over and under a gap of the one between made a small fraction in that gap."""
    kept = list(rows)
    for above, row, below in zip(rows, rows[1:], rows[2:], strict=False):
        near = max(row.y - above.y, below.y - row.y) < MAX_STACK * row.size
        if not near or max(len(above.glyphs), len(below.glyphs)) > MAX_STACKED or len(row.glyphs) < 3:
            continue
        upper, lower = _pieces(above), _pieces(below)
        if len(upper) != len(lower) or not all(map(_is_over, upper, lower)):
            continue
        if not all(_touches(row, x0, x1, STACK_REACH) for x0, x1 in upper):  # two lines in a margin, beside the row
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
    """Rows, what stands a little over or under gaps of a row made indices in it, whatever its size says."""
    merged: set[int] = set()
    for position, small in enumerate(rows):
        glyphs = [glyph for glyph in small.glyphs if glyph.text != " "]
        if len(glyphs) > MAX_INDEX_GLYPHS:
            continue
        beside = (*rows[max(0, position - NEAR_ROWS) : position], *rows[position + 1 : position + 1 + NEAR_ROWS])
        for large in sorted(beside, key=lambda row: abs(row.y - small.y)):
            if (
                abs(large.y - small.y) < MAX_INDEX_RISE * large.size
                and len(large.glyphs) > len(glyphs)
                and small.size < 1.05 * large.size  # and no drop cap
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
    """Left and right edges of the runs of glyphs in a row."""
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
    """Whether two runs stand over each other, centred."""
    widest = max(upper[1] - upper[0], lower[1] - lower[0])
    return abs(sum(upper) - sum(lower)) / 2 < 0.25 * widest


def _fills(row: Row, glyph: Glyph) -> bool:
    """Whether a glyph stands over or under one of a row."""
    middle = (glyph.x0 + glyph.x1) / 2
    return any(other.x0 < middle < other.x1 and other.text != " " for other in row.glyphs)


def _rejoined(rows: list[Row]) -> list[Row]:
    """Rows whose halves stand a little apart in height, as where the font changes, made one."""
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
    room = reach * row.size
    return any(glyph.x0 - room < x1 and x0 < glyph.x1 + room for glyph in row.glyphs)


def alleys_of(rows: Sequence[Row], known: Sequence[float] = ()) -> list[float]:
    """Where columns are parted although the white space between them is no wider than some between words.

    At such an x nearly every row that has text on both sides has a gap; between the words of a text the gaps of
    different rows fall in different places.

    Args:
        rows: of a page.
        known: alleys of the page before, which hold for the few rows of a last page too.
    """
    found: list[float] = []
    crossing = [(row, _gaps(row)) for row in rows if len(row.glyphs) > 2 * ALLEY_GLYPHS]
    places = Counter(x for _, gaps in crossing for left, right in gaps for x in range(math.ceil(left), int(right) + 1))
    for x, count in places.most_common():
        if count < MIN_ALLEY_ROWS:
            break
        if any(abs(x - other) < MIN_COLUMN for other in found):
            continue
        n_across = sum(
            row.glyphs[0].x0 < x < row.glyphs[-1].x1 and not any(left <= x <= right for left, right in gaps)
            for row, gaps in crossing
        )
        if count > ALLEY_SHARE * (count + n_across):
            found.append(float(x))
    for start, count in Counter(round(row.glyphs[0].x0) for row in rows).most_common(MAX_COLUMNS):
        edge = start - 1.0
        if count >= MIN_ALLEY_ROWS and all(abs(edge - other) >= MIN_COLUMN for other in found) and _is_edge(edge, rows):
            found.append(edge)
    return found or [alley for alley in known if _parts_all(alley, crossing)]


def _is_edge(x: float, rows: Sequence[Row]) -> bool:
    """Whether a column begins at x: many rows end before it, and hardly any runs across."""
    n_before = n_across = n_parted = 0
    for row in rows:
        if row.glyphs[-1].x1 <= x:
            n_before += len(row.glyphs) > ALLEY_GLYPHS
        elif row.glyphs[0].x0 < x:
            parted = any(left <= x <= right for left, right in _gaps(row))
            n_parted += parted
            n_across += not parted
    return n_before >= MIN_ALLEY_ROWS and n_across <= (1 - ALLEY_SHARE) * (n_before + n_parted)


def _parts_all(x: float, rows: Sequence[tuple[Row, Sequence[tuple[float, float]]]]) -> bool:
    """Whether every row that has text on both sides of x has a gap there, and there are such rows."""
    both = [gaps for row, gaps in rows if row.glyphs[0].x0 < x < row.glyphs[-1].x1]
    return len(both) >= MIN_KNOWN_ROWS and all(any(left <= x <= right for left, right in gaps) for gaps in both)


def _gaps(row: Row) -> list[tuple[float, float]]:
    """The gaps of a row that may be a part of an alley, with text on both sides."""
    glyphs = [glyph for glyph in row.glyphs if glyph.text != " "]
    gaps = []
    right = -math.inf
    for position, glyph in enumerate(glyphs):
        if glyph.x0 - right > ALLEY_GAP * row.size and ALLEY_GLYPHS <= position <= len(glyphs) - ALLEY_GLYPHS:
            gaps.append((right, glyph.x0))
        right = max(right, glyph.x1)
    return gaps


def lines_of(row: Row, fonts: Fonts, rtl: bool, mirrored: bool, alleys: Sequence[float] = ()) -> list[Line]:
    """A row cut at its wide gaps and at the alleys of its page, each part in reading order."""
    parts: list[list[Glyph]] = []
    for side in _sides(row, alleys):
        segment_gap = _segment_gap(side, row.size)
        right = -math.inf
        for position, glyph in enumerate(side):
            if glyph.text != " ":
                gap = (glyph.x0 - right) / row.size
                if gap > segment_gap or (gap > NOTE_GAP and _is_other_print(parts[-1], side[position:])):
                    parts.append([])
                right = max(right, glyph.x1)
            parts[-1].append(glyph)
    lines = [_line(part, row, fonts, rtl, mirrored) for part in parts]
    return [line for line in lines if line.words]


def _sides(row: Row, alleys: Sequence[float]) -> list[list[Glyph]]:
    """The glyphs of a row cut at the alleys of its page; each run begins with one that can be seen."""
    sides: list[list[Glyph]] = []
    right = -math.inf
    for glyph in row.glyphs:
        if glyph.text != " ":
            is_alley = glyph.x0 - right > ALLEY_GAP * row.size and any(right <= x <= glyph.x0 for x in alleys)
            if is_alley or not sides:
                sides.append([])
            right = max(right, glyph.x1)
        if sides:
            sides[-1].append(glyph)
    return sides


def _segment_gap(glyphs: Sequence[Glyph], size: float) -> float:
    """Ems of white space that cut glyphs of a row: more where all its spaces are wide, to fill a narrow column.

    What is wider than a row's other spaces parts cells; after a stop some typesetters stretch them more.
    """
    glyphs = [glyph for glyph in glyphs if glyph.text != " "]
    spaces = [
        ((right.x0 - left.x1) / size, left.text in _STOPS)
        for left, right in itertools.pairwise(glyphs)
        if right.x0 - left.x1 > LEAST_SPACE * size
    ]
    if len(spaces) < MIN_STRETCHED or not SEGMENT_GAP < max(spaces)[0] < MAX_STRETCHED:
        return SEGMENT_GAP
    usual = median(space for space, _ in spaces)
    is_even = all(space < (AFTER_STOP if stop else EVEN) * usual for space, stop in spaces)
    n_letters = sum(glyph.text[:1].isalpha() for glyph in glyphs)
    return MAX_STRETCHED if is_even and n_letters > LETTERS_IN_PROSE * len(glyphs) else SEGMENT_GAP


def _is_other_print(before: Sequence[Glyph], after: Sequence[Glyph]) -> bool:
    """Whether the size of the print changes for good between two runs of glyphs, as between a text and a note."""
    left = [glyph.size for glyph in before if glyph.text != " "]
    right = [glyph.size for glyph in after if glyph.text != " "]
    if min(len(left), len(right)) < NOTE_GLYPHS:
        return False
    return max(left) < 0.85 * min(right) or max(right) < 0.85 * min(left)


def _line(glyphs: list[Glyph], row: Row, fonts: Fonts, rtl: bool, mirrored: bool) -> Line:
    while glyphs[-1].text == " ":
        glyphs.pop()
    text = "".join(glyph.text for glyph in glyphs)
    if not text.isascii() and not ACCENTS.isdisjoint(text):
        glyphs = with_accents(glyphs)
    glyph_sizes = [glyph.size for glyph in glyphs]
    has_small = min(glyph_sizes) < SMALL * row.size
    is_uneven = min(glyph_sizes) < SMALL * max(glyph_sizes)
    if has_small:
        glyphs = with_fractions(glyphs, row.y, row.size)
    spelt: list[list[Glyph]] = [[]]
    right = glyphs[0].x0
    spaced = False
    for glyph in glyphs:
        if glyph.text == " ":
            spaced = True
            continue
        gap = glyph.x0 - right
        hinted = spaced or glyph.parted
        least = (WORD_GAP_HINTED if hinted else WORD_GAP) * min(glyph.size, row.size)
        before = spelt[-1][-1] if spelt[-1] else glyph
        if spelt[-1] and (
            (gap > least and not (hinted and _is_in_number(spelt[-1], glyph, gap)))
            or (glyph.size != before.size and _is_initial(before, glyph))
        ):
            spelt.append([])
        spaced = False
        spelt[-1].append(glyph)
        right = max(right, glyph.x1)
    line_rtl = False
    if has_rtl_letter(text):
        line_rtl = rtl
        spelt = _reordered(spelt, rtl, mirrored)
    if has_small:
        spelt = without_marks(spelt)
    elif not NOTE_SIGNS.isdisjoint(text):
        spelt = [without_signs(word) for word in spelt]
    words = [_word(members, row, fonts) for members in spelt if members]
    n_chars = n_bold = n_mono = 0
    sizes: Counter[float] = Counter()
    for word in words:
        length = len(word.text)
        n_chars += length
        n_bold += length * word.bold
        n_mono += length * word.mono
        sizes[word.size] += length
    return Line(
        words=tuple(words),
        x0=min(word.x0 for word in words),
        x1=max(word.x1 for word in words),
        y=row.y,
        size=round(_size_of(glyphs, sizes.most_common(1)[0][0]) if is_uneven else sizes.most_common(1)[0][0], 1),
        bold=n_bold / n_chars,
        mono=n_mono / n_chars,
        rtl=line_rtl,
    )


def _is_in_number(word: Sequence[Glyph], glyph: Glyph, gap: float) -> bool:
    """Whether a figure goes on with a number after its point, which some formulas set a little apart."""
    return (
        gap < IN_NUMBER * glyph.size
        and len(word) > 1
        and word[-1].text in ".,"
        and word[-2].text.isdecimal()
        and glyph.text.isdecimal()
    )


def _size_of(glyphs: Sequence[Glyph], usual: float) -> float:
    """The font size of a line in which most words have the size `usual`: that of its capitals if these are small ones.

    Browsers make small capitals by setting capitals of the same font smaller.
    """
    largest = max((glyph for glyph in glyphs if glyph.text != " "), key=lambda glyph: glyph.size)
    if not SMALL_CAPITALS[0] < usual / largest.size < SMALL_CAPITALS[1]:
        return usual
    same = [glyph for glyph in glyphs if glyph.font == largest.font and abs(glyph.y - largest.y) < 0.05 * usual]
    n_letters = sum(glyph.text[:1].isalpha() for glyph in glyphs)
    return largest.size if sum(glyph.text[:1].isalpha() for glyph in same) > 0.8 * n_letters else usual


def _is_initial(left: Glyph, right: Glyph) -> bool:
    """Whether one of two letters is the large initial of a paragraph, and the other one neither that nor an index."""
    if 1 / INITIAL < left.size / right.size < INITIAL or abs(left.y - right.y) > 0.1 * min(left.size, right.size):
        return False
    return left.text[:1].isalpha() and right.text[:1].isalpha()


def _reordered(spelt: list[list[Glyph]], rtl: bool, mirrored: bool) -> list[list[Glyph]]:
    """Words from left to right -> words in reading order."""
    members: list[Glyph] = []
    clusters: list[Cluster] = []
    for word in spelt:
        if clusters:
            clusters.append(Cluster(" ", -1))
        for glyph in word:
            clusters.append(Cluster(glyph.text, len(members)))
            members.append(glyph)
    reordered: list[list[Glyph]] = [[]]
    for cluster in logical_text(clusters, rtl, mirrored):
        if cluster.text == " ":
            reordered.append([])
        else:
            members[cluster.source].text = cluster.text
            reordered[-1].append(members[cluster.source])
    return reordered


def _word(members: list[Glyph], row: Row, fonts: Fonts) -> Word:
    text = "".join([glyph.text for glyph in members])
    if SOFT_HYPHEN in text:  # seen at a line end only
        text = text[:-1].replace(SOFT_HYPHEN, "") + text[-1].replace(SOFT_HYPHEN, "-")
    if UNKNOWN in text:
        text = "".join(_restored(position, members, fonts) for position in range(len(members)))
    largest = members[0]
    x0, x1 = largest.x0, largest.x1
    n_unsure = 0
    for glyph in members:
        n_unsure += not glyph.sure or glyph.text == UNKNOWN
        if glyph.size > largest.size:
            largest = glyph
        x0 = min(x0, glyph.x0)
        x1 = max(x1, glyph.x1)
    bold, mono = fonts.bold[largest.font], fonts.mono(largest.font)
    return Word(text, x0, x1, largest.size, row.y - largest.y, bold, mono, n_unsure)


def _restored(position: int, members: list[Glyph], fonts: Fonts) -> str:
    """A glyph's text; an unknown one inside a Latin word is an f-ligature, told by its width and what follows."""
    text = members[position].text
    if text != UNKNOWN or position == 0:
        return text
    before, glyph = members[position - 1], members[position]
    after = members[position + 1].text[:1] if position + 1 < len(members) else ""
    if (
        not ("a" <= before.text[-1:].lower() <= "z")
        or abs(glyph.size - before.size) > 0.05 * before.size
        or abs(glyph.y - before.y) > 0.1 * before.size
        or (after and not "a" <= after <= "z")
        or glyph.font not in (before.font, members[position + 1].font if after else before.font)
    ):
        return text
    return _ligature((glyph.x1 - glyph.x0) / glyph.size, after, fonts, glyph.font) or text


def _ligature(width: float, after: str, fonts: Fonts, font: int) -> str:
    """The f-ligature that is `width` ems wide in a font, "" if none is; `after` is the letter that follows.

    Each is a little narrower than its letters. i and l are equally narrow: a vowel follows fl more often than fi.
    """
    f = fonts.width(font, "f") or USUAL_F
    i = min(fonts.width(font, "i") or USUAL_I, 0.9 * f)  # fonts without a name share their widths
    letter = "l" if after and after in "aeiouy" else "i"
    expected = {"ff": 2 * f * KERNED[0], f"f{letter}": (f + i) * KERNED[0], f"ff{letter}": (2 * f + i) * KERNED[1]}
    best = min(expected, key=lambda text: abs(expected[text] - width))
    return best if abs(expected[best] - width) < LIGATURE_TOLERANCE * expected[best] else ""
