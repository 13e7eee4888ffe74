"""Drop caps: large letters at the beginning of paragraphs, which are joined to the word that they begin.

A drop cap is as high as two lines or more; the first lines of the paragraph are indented next to it.
"""

from __future__ import annotations

from dataclasses import replace

from ingest.layout.extract import Page
from ingest.layout.lines import INITIAL, Line, Word, line_of

CAP_HEIGHT = 0.75
"""Maximal height of a capital above its baseline, in its font size."""

MAX_GAP = 2.0
"""Maximal white space between a drop cap and the lines next to it, in font sizes of the text."""

BELOW = 1.0
"""Maximal distance of the last baseline next to a drop cap below its own, in font sizes of the text."""

SPACE = 0.2
"""Minimal width of a space between a drop cap and the first line, in font sizes of the text."""


def with_drop_caps(page: Page) -> Page:
    """Join each drop cap of a page to the first line next to it, and move the start of these lines to the drop cap."""
    lines = list(page.lines)
    for line in page.lines:
        cap, *rest = line.words
        bare = cap.text.strip("\"'“‘„«")
        if len(cap.text) > 2 or len(bare) != 1 or not bare.isalpha():
            continue
        others = [other for other in lines if other is not line]
        if rest:
            after = line_of(rest, line.y, line.rtl)
            others.append(replace(after, bold=line.bold, mono=line.mono))
        adjacent = [
            other for other in others if _is_adjacent(other, cap, line.y, line.rtl)
        ]
        if len(adjacent) >= 2 and (not rest or others[-1] in adjacent):
            lines = [other for other in others if other not in adjacent]
            lines += _with_cap(adjacent, cap, line.rtl)

    lines.sort(key=lambda line: (line.y, line.x0))
    return replace(page, lines=tuple(lines))


def _is_adjacent(line: Line, cap: Word, baseline: float, rtl: bool) -> bool:
    """Return whether a line begins next to a drop cap, between its top and its baseline."""
    em = line.size
    is_level = baseline - CAP_HEIGHT * cap.size < line.y < baseline + BELOW * em
    is_near = -0.3 * em < _gap(line, cap, rtl) < MAX_GAP * em
    return is_level and is_near and cap.size >= INITIAL * em


def _gap(line: Line, cap: Word, rtl: bool) -> float:
    return cap.x0 - line.x1 if rtl else line.x0 - cap.x1


def _with_cap(adjacent: list[Line], cap: Word, rtl: bool) -> list[Line]:
    """Join a drop cap to the first of the lines next to it, and move their start to the drop cap."""
    first, *below = sorted(adjacent, key=lambda line: line.y)
    indent = min(_gap(line, cap, rtl) for line in below)
    start, *others = first.words
    small = replace(cap, size=start.size, raised=0.0)
    words = [small, start]
    if _gap(first, cap, rtl) - indent <= SPACE * first.size:
        x0, x1 = min(cap.x0, start.x0), max(cap.x1, start.x1)
        words = [replace(start, text=cap.text + start.text, x0=x0, x1=x1)]

    lines = [replace(first, words=(*words, *others)), *below]
    return [
        replace(line, x0=min(line.x0, cap.x0), x1=max(line.x1, cap.x1))
        for line in lines
    ]
