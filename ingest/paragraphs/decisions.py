"""Decisions where a paragraph begins, as tables of rules: within a column, after displays, and across breaks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ingest.layout.placed import PlacedLine, is_bullet
from ingest.paragraphs.habits import TypesettingHabits
from ingest.paragraphs.markers import marker_words

SIZE_TOLERANCE = 0.045
"""Maximal relative difference of the font sizes of two lines of one paragraph."""

TALL = 0.7
"""Maximal extra distance of two baselines because of a formula in a line, in font sizes."""

MAX_GAPS_IN_PROSE = 4
"""Maximal number of wide gaps in two lines of one sentence, as next to a formula in a narrow column."""

SLIGHT = 0.15
"""Extra white space that, after a short line, parts two paragraphs, in font sizes."""

SHORT = 0.8
"""Minimal distance between the margin and the last line of a paragraph in justified text, in font sizes."""

SAME_WIDTH = 0.1
"""Maximal relative difference of the widths of two columns of one text."""


@dataclass(slots=True)
class LineGroup:
    """Lines of one paragraph, with the number of words of its bullet or number, and the white space around it."""

    lines: list[PlacedLine]
    marker: int = 0
    gap_above: float = 0.0
    gap_below: float = 0.0
    text_start: float = 0.0

    @property
    def first(self) -> PlacedLine:
        """The first line."""
        return self.lines[0]

    @property
    def last(self) -> PlacedLine:
        """The last line."""
        return self.lines[-1]

    @property
    def margin(self) -> float:
        """Start of its outermost line."""
        return min(line.start for line in self.lines)

    @property
    def is_open(self) -> bool:
        """Whether its last line is prose that ends no sentence."""
        last = self.last
        return (
            last.n_letters >= 3
            and not last.ends_sentence
            and last.word_share > 0.3
            and not last.is_bold
        )

    @property
    def is_mono(self) -> bool:
        """Whether all of it is code."""
        return all(line.is_mono for line in self.lines)


@dataclass(frozen=True)
class Seam:
    """A group of lines and the line after it, which may belong to one paragraph.

    Attributes:
        following: the line after `line`, None at the end of the document.
    """

    group: LineGroup
    line: PlacedLine
    following: PlacedLine | None
    habits: TypesettingHabits

    @property
    def above(self) -> PlacedLine:
        """The last line of the group."""
        return self.group.last

    @cached_property
    def shift(self) -> float:
        """Distance between the starts of the two lines, in font sizes; positive for an indent."""
        return (self.line.start - self.above.start) / self.line.size

    @cached_property
    def distance(self) -> float:
        """Distance of the two baselines, in font sizes."""
        return (self.line.y - self.above.y) / self.line.size

    @cached_property
    def pitch(self) -> float:
        """Distance of the last two baselines of the group, in font sizes; 0 if they are in another column."""
        lines = self.group.lines
        if len(lines) == 1 or lines[-2].column != self.line.column:
            return 0.0
        return (lines[-1].y - lines[-2].y) / self.line.size

    @property
    def n_gaps(self) -> int:
        """Number of wide gaps in both lines."""
        return self.above.n_gaps + self.line.n_gaps

    @cached_property
    def is_mid_sentence(self) -> bool:
        """Whether the line continues the sentence of the full line above it, at any height."""
        line, above = self.line, self.above
        flush = abs(line.start - above.left) < 0.3 * line.size
        full = above.right - above.end < 3 * line.size
        return flush and full and line.first[0].islower() and not above.ends_clause


def begins_paragraph(seam: Seam) -> bool:
    """Return whether a new paragraph begins with the line of a seam."""
    for applies, begins in _DECISIONS:
        if applies(seam):
            return begins(seam)
    return not seam.above.is_full(seam.line)


def _always(_: Seam) -> bool:
    return True


def _never(_: Seam) -> bool:
    return False


def _changes_print(seam: Seam) -> bool:
    """Return whether a table, the font size, the weight or the pitch changes, with no sentence across."""
    above, line = seam.above, seam.line
    if line.in_table != above.in_table or not same_size(above, line):
        return True
    if line.is_mono != above.is_mono and not above.flows_into(line):
        return True
    weight_changes = line.is_bold != above.is_bold and min(above.bold, line.bold) < 0.5
    return (
        weight_changes
        and above.n_letters > 3
        and (above.is_bold or not above.is_full(line))
    )


def _is_row_of_table(seam: Seam) -> bool:
    """Return whether a wide gap in one of two lines parts cells, and is not a symbol that the file lacks."""
    above, line = seam.above, seam.line
    if not seam.n_gaps or (seam.n_gaps <= MAX_GAPS_IN_PROSE and seam.is_mid_sentence):
        return False
    at_margin = line.is_flush and above.start - line.left < 3.5 * line.size
    flush = abs(seam.shift) < 0.3 or at_margin
    full = above.right - above.end < 1.5 * line.size
    return not (
        seam.n_gaps == 1 and flush and full and above.is_prose and line.is_prose
    )


def _is_item(seam: Seam) -> bool:
    """Return whether the line begins an item, and is not prose that begins with a number or dash."""
    if not marker_words(seam.line, seam.following):
        return False
    first = seam.line.first
    is_sure = is_bullet(first) and first not in "-–—*·"
    return (
        is_sure
        or seam.group.marker > 0
        or seam.above.ends_clause
        or abs(seam.shift) > 0.5
    )


def _begins_elsewhere(seam: Seam) -> bool:
    """Return whether the line of another column begins a paragraph, as after a displayed formula."""
    above = seam.above
    is_display = above.indent > 0.9 and above.room > 0.9 and above.word_share < 0.5
    return is_display or not above.flows_into(seam.line)


def _is_far(seam: Seam) -> bool:
    """Return whether the line is above the group, or more white space than between two lines is between them."""
    limit = max(seam.habits.pitch + 0.33, 1.25 * seam.pitch)
    if seam.is_mid_sentence:
        limit += TALL
    return seam.distance < 0.3 or seam.distance > limit


def _continues_centred(seam: Seam) -> bool:
    """Return whether a sentence goes on in a shorter line with the same middle, as in a caption.

    A line that begins with a capital or in a script without capitals goes on below a full line only.
    """
    above, line = seam.above, seam.line
    shift = line.start + line.end - above.start - above.end
    return (
        abs(shift) < line.size
        and seam.shift > 0.7
        and (line.goes_on or above.is_full(line))
        and not above.ends_clause
        and above.is_prose
        and line.is_prose
    )


def _is_indented_second(seam: Seam) -> bool:
    return len(seam.group.lines) == 1 and not seam.group.marker and seam.shift > 0.7


def _does_not_hang(seam: Seam) -> bool:
    """Return whether two lines do not hang below an outdented first line of one sentence with them."""
    above, line, below = seam.above, seam.line, seam.following
    return (
        above.ends_clause
        or above.right - above.end > 3 * line.size
        or below is None
        or below.column != line.column
        or abs(below.start - line.start) >= 0.3 * line.size
    )


def _leaves_margin(seam: Seam) -> bool:
    """Return whether the line begins clearly to the right or to the left of the margin of the group."""
    if len(seam.group.lines) > 1:
        return abs(seam.shift) > 0.7
    if not seam.group.marker:
        return seam.shift < -3.5
    hang = (seam.group.text_start - seam.above.start) / seam.line.size
    outdented = 0.3 < seam.shift < hang - 1.2
    return seam.shift < -0.5 or (not outdented and seam.shift - hang > 0.7)


def _follows_last(seam: Seam) -> bool:
    """Return whether the line above is short and ends a sentence, as the last line of a justified paragraph."""
    above, habits = seam.above, seam.habits
    wider = seam.distance > max(habits.pitch, seam.pitch) + SLIGHT
    return (
        (habits.justified or wider)
        and above.room > SHORT
        and above.ends_sentence
        and bool(seam.line.initial)
        and not seam.line.goes_on
        and abs(above.size - habits.body_size) < 0.5
    )


_Rule = Callable[[Seam], bool]
_DECISIONS: tuple[tuple[_Rule, _Rule], ...] = (
    (_changes_print, _always),
    (lambda seam: seam.above.has_leaders, _always),
    (_is_row_of_table, _always),
    (_is_item, _always),
    (lambda seam: seam.line.column != seam.above.column, _begins_elsewhere),
    (_is_far, _always),
    (_continues_centred, _never),
    (_is_indented_second, _does_not_hang),
    (_leaves_margin, _always),
    (_follows_last, _always),
)
"""Rules in order: if the first one of a row applies, the second one decides whether a paragraph begins."""


def goes_on_after_displays(
    before: LineGroup, displays: Sequence[LineGroup], group: LineGroup, indented: bool
) -> bool:
    """Return whether a group continues the open sentence of `before` after displayed formulas or code.

    Args:
        indented: whether paragraphs begin with an indent, so that a group without one is a continuation.
    """
    last, line = before.last, group.first
    is_text = not (group.marker or line.footnote or line.in_table or line.is_bold)
    if not is_text or line.word_share < 0.3 or not _same_print(last, line):
        return False
    if line.column != last.column:  # the formula is at the foot of a column
        return line.first[0].islower() and abs(line.indent) < 0.6
    if not _is_aligned(before, line):
        return False
    if line.is_inside_sentence:
        return True

    is_uncased = line.initial.isalpha() and not line.initial.isupper()
    is_code = any(display.is_mono for display in displays)
    ends = last.text.endswith(":") or displays[-1].last.ends_sentence
    return (indented or is_uncased) and len(before.lines) > 1 and not ends | is_code


def _is_aligned(before: LineGroup, line: PlacedLine) -> bool:
    """Return whether a line begins at the margin of a group; inside a sentence also at its indent or unindented."""
    margins = [before.text_start if before.marker else before.margin]
    if line.is_inside_sentence:
        margins.append(before.first.start)
        if len(before.lines) == 1:
            margins.append(line.left)
    return any(abs(line.start - margin) < 0.6 * line.size for margin in margins)


def goes_on_across(
    before: LineGroup,
    between: Sequence[LineGroup],
    group: LineGroup,
    habits: TypesettingHabits,
) -> bool:
    """Return whether a group continues a paragraph of another column or page, over the groups between them."""
    last, line = before.last, group.first
    is_lone = len(before.lines) == 1 and not line.goes_on  # such as a date
    if (
        last.column == line.column
        or last.is_bold
        or last.has_leaders
        or not _same_print(last, line)
        or (is_lone and not _of_one_width(last, line))
    ):
        return False
    if _is_sentence_across(last, line):
        return True

    # a full line before a figure or the end of a page, where the paragraph would have begun with an indent
    flush = habits.justified and last.room < 0.1 and not between
    if before.marker or not (habits.indented or flush) or last.room >= 0.5:
        return False
    return line.is_flush and all(
        item.first.column == line.column and not is_body(item, habits.body_size)
        for item in between
    )


def _is_sentence_across(last: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a sentence of one column or page goes on in the next."""
    is_colon = last.text.endswith(":") and not (line.goes_on and line.word_share > 0.5)
    if last.ends_sentence or is_colon or not (line.indent < 0.6 or line.goes_on):
        return False
    is_begun = line.initial.isupper() or line.initial.isdigit()
    return not is_begun or last.text.endswith("-") or last.is_full(line)


def is_body(group: LineGroup, body_size: float) -> bool:
    """Return whether the first lines of a group are prose in the size of the text."""
    return not group.first.in_table and all(
        abs(line.size - body_size) < SIZE_TOLERANCE * body_size and not line.n_gaps
        for line in group.lines[:2]
    )


def same_size(one: PlacedLine, other: PlacedLine) -> bool:
    """Return whether two lines may be of one paragraph by their font sizes."""
    return abs(one.size - other.size) <= SIZE_TOLERANCE * max(one.size, other.size)


def _same_print(one: PlacedLine, other: PlacedLine) -> bool:
    return (
        same_size(one, other)
        and one.is_mono == other.is_mono
        and one.is_bold == other.is_bold
    )


def _of_one_width(one: PlacedLine, other: PlacedLine) -> bool:
    widths = one.right - one.left, other.right - other.left
    return abs(widths[0] - widths[1]) <= SAME_WIDTH * max(widths)
