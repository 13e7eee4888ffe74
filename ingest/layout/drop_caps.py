"""Drop caps: large letters at the beginning of paragraphs, which are joined to the word that they begin.

A drop cap is as high as two lines or more; the first lines of the paragraph are indented next to it.
"""

from dataclasses import replace

from ingest.layout.extract import Page
from ingest.layout.line import Line, Word, print_of
from ingest.layout.lines import MIN_INITIAL
from ingest.layout.rows import MAX_GLYPH_OVERLAP
from ingest.pdf.model import edges
from quarry.languages.quotation import OPENING_MARKS

CAP_HEIGHT = 0.75
"""Maximum height of a capital above its baseline, in its font size."""

CAP_GAP = 2.0
"""Maximum white space between a drop cap and the lines next to it, in font sizes of the text."""

CAP_DROP = 1.0
"""Maximum distance of the last baseline next to a drop cap below its own, in font sizes of the text."""

CAP_SPACE = 0.2
"""Minimum width of a space between a drop cap and the first line, in font sizes of the text."""


def with_drop_caps(page: Page) -> Page:
    """Join each drop cap of a page to the first line next to it, and move the start of these lines to the drop cap.

    A large initial before small letters is joined to them, though no other line is next to it.
    """
    lines = list(page.lines)
    for line in page.lines:
        cap, *rest = line.words
        letter = cap.text.strip(OPENING_MARKS)
        is_letter = len(letter) == 1 and letter.isalpha()
        if not is_letter:
            continue
        others = [other for other in lines if other is not line]
        if rest:
            size, _, _ = print_of(rest)
            others.append(replace(line.with_words(tuple(rest)), size=size))

        adjacent = []
        apart = []
        for other in others:
            if _is_adjacent(other, cap, line):
                adjacent.append(other)
            else:
                apart.append(other)
        has_rest = not rest or others[-1] in adjacent
        is_initial = bool(rest) and has_rest and rest[0].text[0].islower()
        if has_rest and (len(adjacent) >= 2 or is_initial):
            lines = apart + _with_cap(adjacent, cap, line.rtl)

    lines.sort(key=lambda line: (line.y, line.x0))
    return replace(page, lines=lines)


def _is_adjacent(other: Line, cap: Word, line: Line) -> bool:
    """Return whether a line begins next to a drop cap, the first word of `line`, between its top and its baseline."""
    em = other.size
    top = line.y - CAP_HEIGHT * cap.size
    return (
        cap.size >= MIN_INITIAL * em
        and top < other.y < line.y + CAP_DROP * em
        and -MAX_GLYPH_OVERLAP * em < _gap(other, cap, line.rtl) < CAP_GAP * em
    )


def _gap(line: Line, cap: Word, rtl: bool) -> float:
    """Return the white space between a drop cap and a line next to it, in points."""
    return cap.x0 - line.x1 if rtl else line.x0 - cap.x1


def _with_cap(adjacent: list[Line], cap: Word, rtl: bool) -> list[Line]:
    """Join a drop cap to the first of the lines next to it, and move their start to the drop cap."""
    first, *below = sorted(adjacent, key=lambda line: line.y)
    indent = min((_gap(line, cap, rtl) for line in below), default=0.0)
    start, *others = first.words
    words = [replace(cap, size=start.size, raised=0.0), start]
    if _gap(first, cap, rtl) - indent <= CAP_SPACE * first.size:
        x0, x1 = edges([cap, start])
        words = [replace(start, text=cap.text + start.text, x0=x0, x1=x1)]

    moved = []
    for line in (replace(first, words=(*words, *others)), *below):
        x0, x1 = edges([line, cap])
        moved.append(replace(line, x0=x0, x1=x1))
    return moved
