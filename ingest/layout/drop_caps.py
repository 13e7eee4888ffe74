"""Pages as extracted -> pages whose drop caps stand in the word that they begin.

A drop cap is a letter as high as two lines or more, beside which the first lines of a paragraph are indented.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from quarry.ingest.layout.lines import INITIAL, Line, Word
from quarry.ingest.pdf.extract import Page

CAP_HEIGHT = 0.75
"""Height of a capital above its baseline, in its font size, at most."""

MAX_GAP = 2.0
"""Font sizes of the text between a drop cap and the lines beside it, at most."""

BELOW = 1.0
"""Font sizes of the text by which the baseline of the last line beside it may stand below that of a drop cap."""

SPACE = 0.2
"""Font sizes of the text from which on its first line is set off from the drop cap by a space."""


def with_drop_caps(page: Page) -> Page:
    """The page with each drop cap made part of the first line beside it, and these lines begun where it begins."""
    candidates = [line for line in page.lines if _is_letter(line.words[0].text)]
    if not candidates:
        return page
    lines = list(page.lines)
    for line in candidates:
        cap = line.words[0]
        rest = _without_first(line)
        if rest is not None and cap.size < INITIAL * rest.size:
            continue
        others = [other for other in lines if other is not line] + ([rest] if rest else [])
        beside = [other for other in others if _is_beside(other, cap, line.y, line.rtl)]
        if len(beside) >= 2 and (rest is None or rest in beside):
            others = [other for other in others if other not in beside]
            lines = others + _with_cap(beside, cap, line.rtl)
        elif rest is not None and line in lines and _gap(rest, cap, line.rtl) < SPACE * rest.size:
            lines[lines.index(line)] = _with_raised_cap(line)
    lines.sort(key=lambda line: (line.y, line.x0))
    return replace(page, lines=tuple(lines))


def _with_raised_cap(line: Line) -> Line:
    """A line with its large first letter, which stands on its baseline, made part of its first word."""
    cap, start, *others = line.words
    whole = replace(start, text=cap.text + start.text, x0=min(cap.x0, start.x0), x1=max(cap.x1, start.x1))
    return replace(line, words=(whole, *others))


def _is_letter(text: str) -> bool:
    if len(text) > 2:
        return False
    bare = text.strip("\"'“‘„«")
    return len(bare) == 1 and bare.isalpha()


def _without_first(line: Line) -> Line | None:
    """The line without its first word, None if it has no other."""
    words = line.words[1:]
    if not words:
        return None
    sizes: Counter[float] = Counter()
    for word in words:
        sizes[word.size] += len(word.text)
    x0, x1 = min(word.x0 for word in words), max(word.x1 for word in words)
    return replace(line, words=words, x0=x0, x1=x1, size=round(sizes.most_common(1)[0][0], 1))


def _is_beside(line: Line, cap: Word, baseline: float, rtl: bool) -> bool:
    """Whether a line begins beside a drop cap, no lower than its baseline and no higher than its top."""
    level = baseline - CAP_HEIGHT * cap.size < line.y < baseline + BELOW * line.size
    near = -0.3 * line.size < _gap(line, cap, rtl) < MAX_GAP * line.size
    return level and near and cap.size >= INITIAL * line.size


def _gap(line: Line, cap: Word, rtl: bool) -> float:
    return cap.x0 - line.x1 if rtl else line.x0 - cap.x1


def _with_cap(beside: list[Line], cap: Word, rtl: bool) -> list[Line]:
    """The lines beside a drop cap as if it stood in the first of them."""
    first, *below = sorted(beside, key=lambda line: line.y)
    indent = min(_gap(line, cap, rtl) for line in below)
    start = first.words[0]
    small = replace(cap, size=start.size, raised=0.0)
    if _gap(first, cap, rtl) - indent > SPACE * first.size:
        words = (small, *first.words)
    else:
        joined = replace(start, text=cap.text + start.text, x0=min(cap.x0, start.x0), x1=max(cap.x1, start.x1))
        words = (joined, *first.words[1:])
    lines = [replace(first, words=words), *below]
    return [replace(line, x0=min(line.x0, cap.x0), x1=max(line.x1, cap.x1)) for line in lines]
