"""Lines -> groups, each one paragraph, over displayed formulas and across columns, pages and figures."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ingest.layout.placed import PlacedLine, is_bullet
from ingest.paragraphs.decisions import (
    LineGroup,
    Seam,
    begins_paragraph,
    goes_on_across,
    goes_on_after_displays,
    is_body,
)
from ingest.paragraphs.habits import TypesettingHabits
from ingest.paragraphs.markers import is_set_apart, marker_words, start_after

MAX_GROUPS_BETWEEN = 60
"""Maximal number of groups, such as figures and tables, between the two parts of a paragraph."""

MAX_DISPLAYS = 6
MAX_DISPLAY_LINES = 8
"""Maximal number of displayed formulas inside a sentence, and of the lines of each."""

_FORMULA_NUMBER = re.compile(r"\([\dA-Z]{1,3}(?:\.\d{1,3})*[a-z]?\)")


def groups_of(
    lines: Iterable[PlacedLine], habits: TypesettingHabits
) -> Iterator[LineGroup]:
    """Group the lines of paragraphs that are in one piece; formulas are groups of their own."""
    group: LineGroup | None = None
    whole = _without_fragments(lines, habits.pitch)
    for line, following in itertools.zip_longest(whole, whole[1:]):
        if group is not None:
            if not begins_paragraph(Seam(group, line, following, habits)):
                group.lines.append(line)
                continue
            group.gap_below = _gap(group.last, line)
            yield group

        marker = marker_words(line, following)
        above = group.gap_below if group is not None else 0.0
        group = LineGroup([line], marker, above, 0.0, start_after(line, marker))
    if group is not None:
        yield group


def _gap(above: PlacedLine, line: PlacedLine) -> float:
    """Return the distance of two baselines in font sizes, and a large one between columns."""
    distance = line.y - above.y if line.column == above.column else 10 * line.size
    return distance / max(line.size, above.size)


def _without_fragments(lines: Iterable[PlacedLine], pitch: float) -> list[PlacedLine]:
    """Join pieces of a formula between two rows (tall brackets, limits) to the row above."""
    whole: list[PlacedLine] = []
    for line in lines:
        if whole and _is_fragment(line, whole[-1], pitch):
            whole[-1] = replace(whole[-1], words=whole[-1].words + line.words)
        else:
            whole.append(line)
    return whole


def _is_fragment(line: PlacedLine, above: PlacedLine, pitch: float) -> bool:
    is_symbols = len(line.words) <= 3 and not line.n_words
    return (
        is_symbols
        and 0 <= line.y - above.y < 0.75 * pitch * above.size
        and line.start < above.end + line.size
        and line.end > above.start
        and line.column == above.column
        and above.is_prose
        and not is_bullet(line.first)
    )


def joined_over_displays(
    groups: Iterable[LineGroup], indented: bool
) -> Iterator[LineGroup]:
    """Join the parts of paragraphs with displayed formulas, and the formulas.

    Args:
        groups: in reading order.
        indented: whether paragraphs begin with an indent, so that a group without one is a continuation.
    """
    before: LineGroup | None = None
    displays: list[LineGroup] = []
    for group in groups:
        if before is None:
            before = group
        elif displays and goes_on_after_displays(before, displays, group, indented):
            for display in displays:
                before.lines.extend(map(_without_number, display.lines))
            before.lines.extend(group.lines)
            before.gap_below = group.gap_below
            displays = []
        elif len(displays) < MAX_DISPLAYS and _is_display(group, before):
            displays.append(group)
        else:
            yield from (before, *displays)
            before, displays = group, []

    if before is not None:
        yield from (before, *displays)


def _is_display(group: LineGroup, before: LineGroup) -> bool:
    """Return whether every line of a group is displayed, apart from the margin of the text before it, or is code."""
    last = before.last
    is_marked = group.marker and not _is_number_of_formula(group.first)
    if (
        is_marked
        or not before.is_open
        or group.first.in_table
        or len(group.lines) > MAX_DISPLAY_LINES
        or any(line.column != last.column for line in group.lines)
    ):
        return False
    if group.is_mono:
        return True
    edge = before.margin + 0.9 * last.size
    return all(_is_displayed(line, edge, last.size) for line in group.lines)


def _is_displayed(line: PlacedLine, edge: float, em: float) -> bool:
    """Return whether a line begins right of an edge, and is no prose or ends before the margin."""
    is_short = line.right - line.end > 0.9 * em and line.size > 0.9 * em
    return (
        start_after(line, _is_number_of_formula(line)) > edge
        and not line.is_mono
        and (line.word_share < 0.5 or is_short)
    )


def _is_number_of_formula(line: PlacedLine) -> bool:
    """Return whether a line begins with the number of a formula, in brackets in the margin."""
    return (
        len(line.words) > 1
        and bool(_FORMULA_NUMBER.fullmatch(line.first))
        and is_set_apart(line)
    )


def _without_number(line: PlacedLine) -> PlacedLine:
    """Remove the number in the margin from a displayed formula."""
    words = line.words
    if len(words) < 2 or line.rtl:
        return line
    for number, left, right in ((-1, -2, -1), (0, 0, 1)):
        is_number = _FORMULA_NUMBER.fullmatch(words[number].text)
        if is_number and words[right].x0 - words[left].x1 > line.size:
            others = [word for word in words if word is not words[number]]
            return replace(line, words=tuple(others))
    return line


def joined_across_breaks(
    groups: Iterable[LineGroup], habits: TypesettingHabits
) -> Iterator[LineGroup]:
    """Join the parts of paragraphs across columns and pages, and across figures and tables."""
    recent: list[LineGroup] = []
    for group in groups:
        before = _open_before(recent, group, habits)
        if before is not None:
            before.lines.extend(group.lines)
            continue
        recent.append(group)
        if len(recent) > MAX_GROUPS_BETWEEN:
            yield recent.pop(0)
    yield from recent


def _open_before(
    groups: Sequence[LineGroup], group: LineGroup, habits: TypesettingHabits
) -> LineGroup | None:
    """Return the one of `groups` that `group` continues, None if a new paragraph begins with it."""
    line = group.first
    is_text = not group.marker and line.initial and len(line.words) >= 4
    if not is_text or not is_body(group, habits.body_size):
        return None
    between: list[LineGroup] = []
    for before in reversed(groups):
        if _is_text_near(before, line.page, habits.body_size):
            goes_on = goes_on_across(before, between, group, habits)
            return before if goes_on else None
        between.append(before)
    return None


def _is_text_near(group: LineGroup, page: int, body_size: float) -> bool:
    """Return whether a group is text that ends on a page or on the one before it."""
    return (
        group.last.page >= page - 1
        and is_body(group, body_size)
        and group.last.n_letters >= 3
        and sum(len(line.words) for line in group.lines) >= 6
    )
