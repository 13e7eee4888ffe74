"""Continuations of paragraphs: after displayed formulas, and in the next column or page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from quarry.ingest.layout.arrange import PlacedLine
from quarry.ingest.paragraphs.breaks import (
    LEADERS,
    SIZE_TOLERANCE,
    TERMINAL,
    LineGroup,
    TypesettingHabits,
    ends_full,
    is_set_apart,
    n_letters,
    start_after,
    word_share,
)

MAX_GROUPS_BETWEEN = 60
"""Maximal number of groups, such as figures and tables, between the two parts of a paragraph."""

SAME_WIDTH = 0.1
"""Maximal relative difference of the widths of two columns of one text."""

MAX_DISPLAYS = 6
MAX_DISPLAY_LINES = 8
"""Maximal number of displayed formulas inside a sentence, and of the lines of each."""

_FORMULA_NUMBER = re.compile(r"\([\dA-Z]{1,3}(?:\.\d{1,3})*[a-z]?\)")


def joined_over_displays(groups: Iterable[LineGroup], indented: bool) -> Iterator[LineGroup]:
    """Join the parts of paragraphs with displayed formulas, and the formulas.

    Args:
        groups: in reading order.
        indented: whether paragraphs begin with an indent, so that a group without one is a continuation.
    """
    held: list[LineGroup] = []
    for group in groups:
        if held and _goes_on_after_displays(held, group, indented):
            held[0].lines.extend(_without_number(line) for display in held[1:] for line in display.lines)
            held[0].lines.extend(group.lines)
            held[0].gap_below = group.gap_below
            del held[1:]
        elif held and len(held) <= MAX_DISPLAYS and _is_display(group, held[0]):
            held.append(group)
        else:
            yield from held
            held = [group]
    yield from held


def _goes_on_after_displays(held: Sequence[LineGroup], group: LineGroup, indented: bool) -> bool:
    """Return whether a group continues the sentence of `held[0]` after the displays in the rest of `held`."""
    before, last, line = held[0], held[0].lines[-1], group.lines[0]
    if len(held) == 1 or not _is_sentence_open(before) or group.marker or line.footnote or line.in_table:
        return False
    if abs(last.size - line.size) > SIZE_TOLERANCE * line.size or (last.mono > 0.8) != (line.mono > 0.8):
        return False
    if line.bold > 0.95 or word_share(line) < 0.3:
        return False
    if line.column != last.column:  # the formula is at the foot of a column
        return line.words[0].text[0].islower() and abs(line.start - line.left) < 0.6 * line.size
    margin = before.text_start if before.marker else min(item.start for item in before.lines)
    start = line.words[0].text.lstrip("([\"'“‘„")[:1]
    is_open = start.islower() or start in ",.;:"
    indented_anew = is_open and abs(line.start - before.lines[0].start) < 0.6 * line.size
    unindented = is_open and len(before.lines) == 1 and abs(line.start - line.left) < 0.6 * line.size
    if not abs(line.start - margin) < 0.6 * line.size and not indented_anew and not unindented:
        return False
    if is_open:
        return True
    if last.text.endswith(":") or any(_is_code(display) for display in held[1:]):
        return False
    is_uncased = start.lower() == start.upper() and start.isalpha()
    return (indented or is_uncased) and len(before.lines) > 1 and not TERMINAL.search(held[-1].lines[-1].text)


def _is_sentence_open(group: LineGroup) -> bool:
    """Return whether the last line of a group is prose that ends no sentence."""
    last = group.lines[-1]
    return n_letters(last) >= 3 and not TERMINAL.search(last.text) and word_share(last) > 0.3 and last.bold < 0.95


def _is_display(group: LineGroup, before: LineGroup) -> bool:
    """Return whether every line of a group is displayed, apart from the margin of the text before it, or is code."""
    first = before.lines[-1]
    is_marked = group.marker and not _is_number_of_formula(group.lines[0])
    if is_marked or len(group.lines) > MAX_DISPLAY_LINES or not _is_sentence_open(before):
        return False
    if _is_code(group):
        return all(line.column == first.column and not line.in_table for line in group.lines)
    margin = min(item.start for item in before.lines)
    return all(
        line.column == first.column
        and start_after(line, _is_number_of_formula(line)) - margin > 0.9 * first.size
        and line.mono < 0.8
        and not line.in_table
        and (word_share(line) < 0.5 or (line.right - line.end > 0.9 * first.size and line.size > 0.9 * first.size))
        for line in group.lines
    )


def _is_code(group: LineGroup) -> bool:
    return all(line.mono > 0.8 for line in group.lines)


def _is_number_of_formula(line: PlacedLine) -> bool:
    """Return whether a line begins with the number of a formula, in brackets in the margin."""
    return len(line.words) > 1 and bool(_FORMULA_NUMBER.fullmatch(line.words[0].text)) and is_set_apart(line)


def _without_number(line: PlacedLine) -> PlacedLine:
    """Remove the number in the margin from a displayed formula."""
    words = line.words
    if len(words) < 2 or line.rtl:
        return line
    if _FORMULA_NUMBER.fullmatch(words[-1].text) and words[-1].x0 - words[-2].x1 > line.size:
        return replace(line, words=words[:-1])
    if _FORMULA_NUMBER.fullmatch(words[0].text) and words[1].x0 - words[0].x1 > line.size:
        return replace(line, words=words[1:])
    return line


def joined_across_breaks(groups: Iterable[LineGroup], habits: TypesettingHabits) -> Iterator[LineGroup]:
    """Join the parts of paragraphs across columns and pages, and across figures and tables."""
    recent: list[LineGroup] = []
    for group in groups:
        open_group = _open_before(recent, group, habits)
        if open_group is not None:
            open_group.lines.extend(group.lines)
            continue
        recent.append(group)
        if len(recent) > MAX_GROUPS_BETWEEN:
            yield recent.pop(0)
    yield from recent


def _open_before(groups: Sequence[LineGroup], group: LineGroup, habits: TypesettingHabits) -> LineGroup | None:
    """Return the one of `groups` that `group` continues, None if a new paragraph begins with it."""
    body_size = habits.body_size
    line = group.lines[0]
    start = line.words[0].text.lstrip("([\"'“‘„")
    if (
        group.marker
        or line.in_table
        or not start
        or not _is_prose_size(group, body_size)
        or len(group.lines[0].words) < 4
    ):
        return None
    for row in reversed(range(len(groups))):
        earlier = groups[row]
        last = earlier.lines[-1]
        if last.page < line.page - 1 or not _is_prose_size(earlier, body_size):
            continue
        if n_letters(last) < 3 or sum(len(item.words) for item in earlier.lines) < 6:
            continue
        if last.column == line.column:
            return None
        if len(earlier.lines) == 1 and not start[0].islower() and not _of_one_width(last, line):
            return None  # a line by itself, such as a date
        at_edge = line.start - line.left < 0.6 * line.size or start[0].islower()
        if LEADERS.search(last.text):
            return None
        goes_on = start[0].islower() and word_share(line) > 0.5
        open_end = not TERMINAL.search(last.text) and (not last.text.endswith(":") or goes_on)
        same = (
            abs(last.size - line.size) < SIZE_TOLERANCE * line.size
            and (last.mono > 0.8) == (line.mono > 0.8)
            and (last.bold > 0.95) == (line.bold > 0.95)
        )
        cased = start[0].islower() or not (start[0].isupper() or start[0].isdigit())
        if (
            open_end
            and at_edge
            and same
            and (cased or last.text.endswith("-") or ends_full(last, line))
            and last.bold < 0.95
        ):
            return earlier
        between = groups[row + 1 :]
        flush = habits.justified and last.right - last.end < 0.1 * last.size and not habits.indented
        floats = all(item.lines[0].column == line.column and not _is_prose_size(item, body_size) for item in between)
        full = floats and last.right - last.end < 0.5 * last.size
        if (
            (habits.indented or (flush and not between))
            and full
            and same
            and abs(line.start - line.left) < 0.3 * line.size
            and not earlier.marker
            and last.bold < 0.95
        ):
            return earlier
        return None
    return None


def _of_one_width(one: PlacedLine, other: PlacedLine) -> bool:
    widths = one.right - one.left, other.right - other.left
    return abs(widths[0] - widths[1]) <= SAME_WIDTH * max(widths)


def _is_prose_size(group: LineGroup, body_size: float) -> bool:
    return all(
        abs(line.size - body_size) < SIZE_TOLERANCE * body_size and not line.n_gaps and not line.in_table
        for line in group.lines[:2]
    )
