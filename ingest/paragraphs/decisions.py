"""Decisions where a paragraph begins, and whether it goes on after displays, columns and pages."""

from collections.abc import Sequence
from dataclasses import dataclass

from ingest.layout.line import Line
from ingest.paragraphs.habits import MAX_SPACED, TypesettingHabits, is_indented
from ingest.paragraphs.markers import is_bullet, is_set_apart, marker_words, start_after
from quarry.languages.captions import caption_label

SIZE_TOLERANCE = 0.045
"""Maximal relative difference of the font sizes of two lines of one paragraph."""

SLIGHT = 0.15
"""Extra white space that, after a short line, parts two paragraphs, in font sizes."""

SHORT = 0.8
"""Minimal distance between the margin and the last line of a paragraph in justified text, in font sizes."""

SAME_WIDTH = 0.1
"""Maximal relative difference of the widths of two columns of one text."""


@dataclass(slots=True)
class LineGroup:
    """Lines of one paragraph, with the number of words of its bullet or number."""

    lines: list[Line]
    marker: int = 0

    @property
    def first(self) -> Line:
        """The first line."""
        return self.lines[0]

    @property
    def last(self) -> Line:
        """The last line."""
        return self.lines[-1]

    @property
    def text_start(self) -> float:
        """Start of the first line after its bullet or number."""
        return start_after(self.first, self.marker)

    @property
    def outermost(self) -> float:
        """Start of its outermost line."""
        return min(line.start for line in self.lines)

    @property
    def margin(self) -> float:
        """Start of its text: after its bullet or number, or else of its outermost line."""
        return self.text_start if self.marker else self.outermost

    @property
    def pitch(self) -> float:
        """Distance of its last two baselines, in font sizes; 0 if they are in two columns."""
        above = self.lines[-2:][0]
        is_below = above.column == self.last.column
        return (
            self.last.drop_from(above) if is_below and above is not self.last else 0.0
        )

    @property
    def room(self) -> float:
        """Distance of its last line from the right edge, in font sizes; a box has the same margin on both sides."""
        room = self.last.room
        inset = max(0.0, self.last.indent)
        # the only line of a paragraph may be indented
        in_box = len(self.lines) > 1 or abs(room - inset) < 0.1
        return room - inset if in_box and not self.marker else room


def begins_paragraph(
    group: LineGroup,
    line: Line,
    following: Line | None,
    habits: TypesettingHabits,
) -> bool:
    """Return whether a new paragraph begins with the line after a group: the first rule that applies decides.

    Args:
        following: the line after `line`, None at the end of the document.
    """
    above = group.last
    if (
        _changes_print(group, line)
        or above.has_leaders
        or _is_row_of_table(group, line)
        or _is_item(group, line, following)
    ):
        return True
    if line.column != above.column:
        return _begins_column(above, line)
    if _is_far(group, line, habits) or (
        habits.indented and _is_first(above, line, following)
    ):
        return True
    if _continues_centred(above, line):
        return False
    if line.shift_from(above) > 0.7 and len(group.lines) == 1 and not group.marker:
        return not _hangs(above, line, following)
    if _leaves_margin(group, line) or not above.is_full(line):
        return True
    return _is_over(group, line, habits)


def _begins_column(above: Line, line: Line) -> bool:
    """Return whether a paragraph begins at the top of a column, after a cell, a display formula or a whole text."""
    is_cell = 2 * above.column_width < line.column_width and not line.goes_on
    is_display = above.indent > 0.9 and above.word_share < 0.5
    return is_cell or is_display or not above.flows_into(line)


def _is_over(group: LineGroup, line: Line, habits: TypesettingHabits) -> bool:
    """Return whether the line above ends a sentence short of the margin, where lines are justified or drop further."""
    above = group.last
    pitch = max(habits.pitch, group.pitch)
    is_wide = line.drop_from(above) > pitch + SLIGHT
    is_body_size = abs(above.size - habits.body_size) < 0.5
    is_short = above.ends_sentence and group.room > SHORT and is_body_size
    return is_short and (is_wide or habits.justified)


def _changes_print(group: LineGroup, line: Line) -> bool:
    """Return whether a table, the font size, the pitch or the weight changes, with no sentence across."""
    above = group.last
    if line.in_table != above.in_table:
        return True
    if _meet_in_sentence(above, line):
        return False
    if not same_size(above, line):
        return True
    is_below = line.column == above.column
    if line.is_mono != above.is_mono and not (is_below and above.flows_into(line)):
        return True
    if line.is_bold == above.is_bold:
        return False

    is_clear = min(above.bold, line.bold) < 0.5
    is_text = line.goes_on or not group.first.is_bold
    is_inside = is_below and is_text and above.is_full(line)
    return is_clear and not is_inside


def _meet_in_sentence(above: Line, line: Line) -> bool:
    """Return whether a full line ends, and the next one begins, in one print and inside a sentence."""
    last, first = above.words[-1], line.words[0]
    is_one_size = last.size == first.size or not line.n_words
    is_one_print = last.bold == first.bold and last.mono == first.mono and is_one_size
    return is_one_print and above.is_full(line) and not above.ends_clause


def _is_mid_sentence(group: LineGroup, line: Line) -> bool:
    """Return whether a line continues the sentence of the full line above it, at any height."""
    above = group.last
    shifts = [
        abs(line.start - edge) for edge in (above.left, above.start, group.text_start)
    ]
    word = line.words[0]
    is_full = above.room < max(4, (word.x1 - word.x0) / line.size + 1)
    is_flush = min(shifts) < 0.3 * line.size
    return is_full and is_flush and line.goes_on and not above.ends_clause


def _is_row_of_table(group: LineGroup, line: Line) -> bool:
    """Return whether a wide gap in one of two lines parts cells, and is not a symbol that the file lacks."""
    above = group.last
    n_gaps = above.n_gaps + line.n_gaps
    if not n_gaps or _is_mid_sentence(group, line):
        return False
    at_margin = line.is_flush and above.start - line.left < 3.5 * line.size
    at_end = above.right - above.end < 1.5 * line.size
    is_one_text = (
        n_gaps == 1
        and (at_margin or abs(line.shift_from(above)) < 0.3)
        and (at_end or (above.is_full(line) and not above.ends_clause))
        and line.is_prose
    )
    return not is_one_text


def _is_item(group: LineGroup, line: Line, following: Line | None) -> bool:
    """Return whether a line begins an item, and is not prose that begins with a number or dash."""
    above = group.last
    if not marker_words(line, following):
        label = caption_label(line.text).rstrip()
        is_next = label.endswith(":") and line.first == group.first.first
        is_apart = above.ends_sentence or above.column != line.column
        return is_next or (is_apart and label != "")
    is_sure = is_bullet(line.first) and (
        line.first not in "-–—*·" or is_set_apart(line)
    )
    is_apart = above.ends_clause or abs(line.shift_from(above)) > 0.5
    if above is group.first:
        is_apart = (is_apart or group.marker > 0) and not _is_second(group, line)
    return is_sure or is_apart


def _is_second(group: LineGroup, line: Line) -> bool:
    """Return whether a line begins where the second line of a group does, and its first word did not fit above."""
    above = group.last
    word = line.words[0]
    is_flush = line.start <= above.start
    if group.marker:
        is_flush = abs(line.start - group.text_start) < 0.3 * line.size
    is_full = above.room < (word.x1 - word.x0) / line.size + 1
    return is_flush and is_full and not above.ends_clause


def _is_far(group: LineGroup, line: Line, habits: TypesettingHabits) -> bool:
    """Return whether a line is above a group, or more white space than between two lines is between them."""
    above = group.last
    limit = max(habits.pitch, group.pitch) + 0.33
    is_after_formula = above.is_tall and line.goes_on and not above.ends_clause
    if is_after_formula or _is_mid_sentence(group, line):
        limit = MAX_SPACED
    return not 0.3 <= line.drop_from(above) <= limit


def _is_first(above: Line, line: Line, following: Line | None) -> bool:
    """Return whether a full line between the end of a sentence and a line at the margin is indented."""
    return (
        following is not None
        and is_indented(line, following)
        and not marker_words(following)
        and line.is_full(following)
        and above.ends_sentence
    )


def _continues_centred(above: Line, line: Line) -> bool:
    """Return whether a sentence goes on in a shorter line with the same middle, as in a caption.

    A line that begins with a capital or in a script without capitals goes on below a full line only.
    """
    offset = line.start + line.end - above.start - above.end
    return (
        abs(offset) < line.size
        and line.shift_from(above) > 0.7
        and not above.ends_clause
        and (line.goes_on or above.is_full(line))
    )


def _hangs(above: Line, line: Line, below: Line | None) -> bool:
    """Return whether two lines hang below an outdented first line of one sentence with them."""
    return (
        below is not None
        and above.room <= (0.3 if above.ends_clause else 3)
        and abs(below.start - line.start) < 0.3 * line.size
    )


def _leaves_margin(group: LineGroup, line: Line) -> bool:
    """Return whether a line begins clearly to the right or to the left of the margin of a group."""
    shift = line.shift_from(group.last)
    if len(group.lines) > 1:
        return abs(shift) > 0.7
    if not group.marker:
        return shift < -3.5
    hang = (group.text_start - group.last.start) / line.size
    return not -0.7 <= shift <= hang + (0.7 if group.last.ends_clause else 2)


def goes_on_after_displays(
    before: LineGroup,
    displays: Sequence[LineGroup],
    group: LineGroup,
    indented: bool,
) -> bool:
    """Return whether a group continues the open sentence of `before` after displayed formulas or code.

    Args:
        indented: whether paragraphs begin with an indent, so that a group without one is a continuation.
    """
    last = before.last
    line = group.first
    is_text = not (group.marker or line.in_table or line.is_bold)
    if not is_text or line.word_share < 0.3 or not _same_print(last, line):
        return False
    if line.column != last.column:  # the formula is at the foot of a column
        return line.goes_on

    if line.is_inside_sentence:
        return _begins_at(line, before.margin, before.first.start, line.left)
    if len(before.lines) == 1 or not _begins_at(line, before.margin):
        return False
    has_code = any(display.first.is_mono for display in displays)
    if has_code or last.text.endswith(":") or displays[-1].last.ends_sentence:
        return False
    return indented or (line.initial.isalpha() and not line.initial.isupper())


def _begins_at(line: Line, *edges: float) -> bool:
    return any(abs(line.start - edge) < 0.6 * line.size for edge in edges)


def goes_on_across(
    before: LineGroup,
    between: Sequence[LineGroup],
    group: LineGroup,
    habits: TypesettingHabits,
) -> bool:
    """Return whether a group continues a paragraph of another column or page, over the groups between them."""
    last = before.last
    line = group.first
    if last.column == line.column or last.has_leaders or not _same_print(last, line):
        return False
    wider = max(last.column_width, line.column_width)
    is_as_wide = abs(last.column_width - line.column_width) <= SAME_WIDTH * wider
    if len(before.lines) == 1 and not (line.goes_on or is_as_wide):  # such as a date
        return False

    indent = _indent_across(last, group)
    if abs(indent) < 0.3 and is_as_wide and _is_broken(before, line, between, habits):
        return True
    if last.ends_clause or (indent >= 0.6 and not line.goes_on):
        return False
    return not line.initial.isupper() or last.is_full(line)


def _indent_across(last: Line, group: LineGroup) -> float:
    """Return the indent of the first line of a group; in a box, with the inset of `last`, that from its other lines."""
    line = group.first
    if len(group.lines) > 1 and abs(line.indent - last.indent) < 0.3:
        return (line.start - group.outermost) / line.size
    return line.indent


def _is_broken(
    before: LineGroup,
    line: Line,
    between: Sequence[LineGroup],
    habits: TypesettingHabits,
) -> bool:
    """Return whether a full line is before a figure or the end of a page: a new paragraph would have an indent."""
    if not habits.indented:
        return habits.justified and before.room < 0.1 and not between
    in_column = all(group.first.column == line.column for group in between)
    return in_column and before.room < 0.5


def is_body(group: LineGroup, body_size: float) -> bool:
    """Return whether the first lines of a group are prose in the size of the text."""
    for line in group.lines[:2]:
        is_other_size = abs(line.size - body_size) >= SIZE_TOLERANCE * body_size
        if is_other_size or line.n_gaps or line.in_table:
            return False
    return True


def same_size(one: Line, other: Line) -> bool:
    """Return whether two lines may be of one paragraph by their font sizes."""
    larger = max(one.size, other.size)
    is_alike = abs(one.size - other.size) <= SIZE_TOLERANCE * larger
    return is_alike or not one.word_sizes.isdisjoint(other.word_sizes)


def _same_print(one: Line, other: Line) -> bool:
    return (
        one.is_mono == other.is_mono
        and one.is_bold == other.is_bold
        and same_size(one, other)
    )
