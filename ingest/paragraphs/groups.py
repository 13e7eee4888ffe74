"""Lines -> groups, each one paragraph, over displayed formulas and across columns, pages and figures."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from ingest.layout.line import Line
from ingest.paragraphs.decisions import (
    LineGroup,
    begins_paragraph,
    goes_on_across,
    goes_on_after_displays,
    is_body,
)
from ingest.paragraphs.habits import TypesettingHabits
from ingest.paragraphs.markers import marker_words, start_after
from quarry.course.sentences import ends_with_abbreviation
from quarry.languages.captions import caption_label

MAX_GROUPS_BETWEEN = 60
"""Maximal number of groups, such as figures and tables, between the two parts of a paragraph."""

MAX_DISPLAYS = 6
"""Maximal number of displayed formulas inside a sentence."""

HEADING = 1.08
"""Minimal size of a heading, in sizes of the text."""

_FORMULA_NUMBER = re.compile(r"\([\dA-Z]{1,3}(?:\.\d{1,3})*[a-z]?\)")


def groups_of(lines: Iterable[Line], habits: TypesettingHabits) -> Iterator[LineGroup]:
    """Group the lines of paragraphs that are in one piece; formulas are groups of their own."""
    group: LineGroup | None = None
    whole = _without_fragments(lines, habits.pitch)
    for line, following in itertools.zip_longest(whole, whole[1:]):
        if group is not None:
            if not begins_paragraph(group, line, following, habits):
                group.lines.append(line)
                continue
            yield group
        group = LineGroup([line], marker_words(line, following))
    if group is not None:
        yield group


def _without_fragments(lines: Iterable[Line], pitch: float) -> list[Line]:
    """Join pieces of a formula between two rows (tall brackets, limits) to the row above, and find abbreviations."""
    whole: list[Line] = []
    for line in lines:
        above = whole[-1] if whole else None
        if above is None:
            whole.append(line)
        elif _is_fragment(line, above, pitch):
            whole[-1] = replace(above, words=above.words + line.words)
        else:
            if ends_with_abbreviation(above.text, line.text):
                whole[-1] = replace(above, is_cut=True)
            whole.append(line)
    return whole


def _is_fragment(line: Line, above: Line, pitch: float) -> bool:
    return (
        len(line.words) <= 3
        and not line.n_words
        and 0 <= line.y - above.y < 0.75 * pitch * above.size
        and above.start < line.end
        and line.start < above.end + line.size
        and above.is_prose
    )


def joined(groups: Iterable[LineGroup], habits: TypesettingHabits) -> list[LineGroup]:
    """Join the parts of paragraphs, with displayed formulas between them, or across columns, pages and figures.

    Args:
        groups: in reading order.
    """
    whole: list[LineGroup] = []
    paragraph = part = LineGroup([])
    displays: list[LineGroup] = []
    for group in groups:
        if displays and goes_on_after_displays(part, displays, group, habits.indented):
            del whole[-len(displays) :]
            lines: list[Line] = []
            for display in displays:
                lines += map(_without_number, display.lines)
            lines += group.lines
            part.lines += lines
            if paragraph is not part:
                paragraph.lines += lines
            displays = []
        elif part.lines and len(displays) < MAX_DISPLAYS and _is_display(group, part):
            displays.append(group)
            whole.append(group)
        else:
            before = _open_before(whole[-MAX_GROUPS_BETWEEN:], group, habits)
            if before is None:
                whole.append(group)
            else:
                before.lines += group.lines
            paragraph = before or group
            part = group
            displays = []
    return whole


def _is_display(group: LineGroup, before: LineGroup) -> bool:
    """Return whether every line of a group is displayed, apart from the margin of the text before it, or is code."""
    last = before.last
    first = group.first
    if last.word_share <= 0.3 or last.ends_sentence or last.is_bold:
        return False
    is_number = _FORMULA_NUMBER.fullmatch(first.first) and not first.is_prose
    is_item = group.marker and not is_number
    if is_item or first.in_table or group.last.column != last.column:
        return False
    if all(line.is_mono for line in group.lines):
        return True

    edge = before.outermost + 0.9 * last.size
    for line in group.lines:
        n_numbers = bool(_FORMULA_NUMBER.fullmatch(line.first))
        room = min(line.right - line.end, line.size)
        is_short = room > 0.9 * last.size
        is_formula = line.word_share < 0.5
        if start_after(line, n_numbers) <= edge or not (is_formula or is_short):
            return False
    return True


def _without_number(line: Line) -> Line:
    """Remove the number in the right margin from a displayed formula."""
    if len(line.words) > 1 and _FORMULA_NUMBER.fullmatch(line.words[-1].text):
        return replace(line, words=line.words[:-1])
    return line


def _is_text(group: LineGroup, habits: TypesettingHabits) -> bool:
    """Return whether a group is running text of six words or more, which may go on elsewhere."""
    n_words = sum(len(line.words) for line in group.lines)
    n_letters = sum(map(str.isalpha, group.last.text))
    return n_words >= 6 and n_letters >= 3 and is_body(group, habits.body_size)


def _is_heading_above(above: Line, line: Line, habits: TypesettingHabits) -> bool:
    """Return whether a line begins anew under a heading."""
    is_heading = above.is_bold or above.size > HEADING * habits.body_size
    return is_heading and above.column == line.column and not line.goes_on


def _open_before(
    groups: Sequence[LineGroup],
    group: LineGroup,
    habits: TypesettingHabits,
) -> LineGroup | None:
    """Return the one of `groups` that `group` continues, None if a new paragraph begins with it."""
    line = group.first
    begins = group.marker or caption_label(line.text) or not line.initial
    if begins or len(line.words) < 4 or not is_body(group, habits.body_size):
        return None
    if groups and _is_heading_above(groups[-1].last, line, habits):
        return None

    between: list[LineGroup] = []
    for before in reversed(groups):
        is_near = before.last.page >= line.page - 1
        if is_near and _is_text(before, habits):
            goes_on = goes_on_across(before, between, group, habits)
            is_prose = any(line.is_prose for line in before.lines)
            return before if goes_on and is_prose else None
        between.append(before)
    return None
