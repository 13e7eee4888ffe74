"""Gaps in rows: rows cut at wide gaps, and at narrow ones between columns."""

import itertools
from collections import defaultdict
from collections.abc import Iterable, Sequence
from statistics import median

from ingest.layout.rows import SEGMENT_GAP, Row, visible_glyphs
from ingest.pdf.model import Glyph

MIN_GAP = 0.55
"""Minimum white space between two columns with other rows drawn in between, in ems."""

MIN_JUMP = 20
"""Minimum number of glyphs of other rows drawn between two columns."""

WORD_GAP = 0.145
"""Minimum white space between two words, in ems; kerning is narrower, thin spaces are wider."""

MAX_SPACE = 1.8
"""Maximum width of a space between two words of justified text, in ems."""

MIN_SPACES = 3
"""Minimum number of spaces that define the usual width of a space."""

STRETCH = 1.5
"""Maximum width of a space, as a multiple of the usual one."""

STRETCH_AFTER_STOP = 3.0
"""Maximum width of a space after a stop, as a multiple of the usual one; TeX stretches it three times as much (Knuth,
The TeXbook, chapter 12)."""

MIN_LETTER_SPACE, MAX_LETTER_SPACE = 0.1, 0.35
"""Range of the usual space between the letters of a text in spaced print, in ems."""

MIN_SPACED_PAIRS = 8
"""Minimum number of pairs of letters that define the usual space between them."""

TOUCHING_PAIRS = 5
"""In spaced print, fewer than one pair of letters in so many touch."""

SPACED_WORDS = 2.5
"""Minimum space between two words in spaced print, in usual spaces between letters."""

_STOPS = frozenset(".!?:")


def close_spaced_print(row: Row) -> None:
    """Widen the glyphs of words in spaced print up to the next ones, as the space is part of their advance."""
    spaces = _letter_spaces(row)
    if not spaces:
        return
    for left, right in itertools.pairwise(row.glyphs):
        space = spaces.get(left.font, 0.0)
        if space and " " not in (left.text, right.text):
            gap = right.x0 - left.x1
            left.x1 += gap if gap < SPACED_WORDS * space else space


def _letter_spaces(row: Row) -> dict[int, float]:
    """Return the usual space between letters, in points, by the fonts of a row that are in spaced print."""
    gaps: dict[int, list[float]] = defaultdict(list)
    for left, right in itertools.pairwise(row.glyphs):
        is_one_font = left.font == right.font
        if is_one_font and left.text.isalpha() and right.text.isalpha():
            gaps[left.font].append(right.x0 - left.x1)
    spaces = {font: _letter_space(widths, row.size) for font, widths in gaps.items()}
    return {font: space for font, space in spaces.items() if space}


def _letter_space(gaps: Sequence[float], size: float) -> float:
    """Return the usual one of the gaps between letters in spaced print, 0 in other print.

    In spaced print few letters touch, and wider gaps part words.
    """
    if len(gaps) < MIN_SPACED_PAIRS:
        return 0.0
    ordered = sorted(gaps)
    usual, narrow = median(ordered), ordered[len(ordered) // TOUCHING_PAIRS]
    is_usual = MIN_LETTER_SPACE < usual / size < MAX_LETTER_SPACE
    has_words = ordered[-1] > SPACED_WORDS * usual
    is_spaced = is_usual and has_words and 2 * narrow > MIN_LETTER_SPACE * size
    return usual if is_spaced else 0.0


def cut_at_gaps(row: Row, walls: Iterable[float] = ()) -> list[list[Glyph]]:
    """Cut the glyphs of a row at wide gaps, at rules, and at narrower gaps where the file draws other rows in between.

    Args:
        walls: places of the vertical rules across the row, in points.

    Returns:
        The pieces; each begins with a visible glyph.
    """
    usual = _usual_space(row)
    segment_gap = min(MAX_SPACE, max(SEGMENT_GAP, STRETCH * usual))
    sentence_gap = min(MAX_SPACE, max(SEGMENT_GAP, STRETCH_AFTER_STOP * usual))
    pieces: list[list[Glyph]] = []
    last = row.glyphs[0]
    for glyph in row.glyphs:
        if glyph.text != " ":
            gap = (glyph.x0 - last.x1) / row.size
            is_narrow = gap > MIN_GAP and _is_jump(row, last, glyph)
            is_parted = any(last.middle < wall < glyph.middle for wall in walls)

            widest = sentence_gap if last.text in _STOPS else segment_gap
            if not pieces or gap > widest or is_narrow or is_parted:
                pieces.append([])
            if glyph.x1 > last.x1 or last.text == " ":
                last = glyph
        if pieces:
            pieces[-1].append(glyph)
    return pieces


def _is_jump(row: Row, last: Glyph, glyph: Glyph) -> bool:
    """Return whether the file draws other rows between two glyphs of a row."""
    start, end = sorted((last.order, glyph.order))
    n_between = sum(start < other.order < end for other in row.glyphs)
    return end - start - n_between > MIN_JUMP


def _usual_space(row: Row) -> float:
    """Return the usual space between two words of a row, in ems; 0 if it has few."""
    spaces = []
    for glyph, following in itertools.pairwise(visible_glyphs(row.glyphs)):
        space = (following.x0 - glyph.x1) / row.size
        if space > WORD_GAP:
            spaces.append(space)
    return median(spaces) if len(spaces) >= MIN_SPACES else 0.0
