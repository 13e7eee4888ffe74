"""Lines -> groups: where a paragraph, a heading, an item or a display begins on a page.

`begins_paragraph` asks in this order, and the first question with an answer decides, unless a word is broken:

1. Does the structure of the file say that a paragraph begins or goes on? It decides, but for items, white space and
   broken lines.
2. Does the print change, or is there a row of a table, an entry of contents above, the bullet of an item or the number
   of a footnote? A paragraph begins.
3. Is the line at the top of a column? A paragraph begins unless the sentence goes on.
4. Is there a bold label below another one, more white space than between two lines, or the indent of a first line? A
   paragraph begins.
5. Is the line centred below the one above it, does it hang below a first line, or go on in an item? The paragraph
   goes on.
6. Is the line away from the margin, or does the line above end a sentence before the edge of all lines above it? A
   paragraph begins.
7. Does a sentence begin without more white space, where white space parts paragraphs? The paragraph goes on.
8. Was there room for its first word above? A paragraph begins.
9. Does the line above end a sentence before the margin of justified text? A paragraph begins.
"""

import itertools
import re
from collections.abc import Iterable
from dataclasses import replace

from ingest.layout.line import (
    FLUSH,
    INDENTED,
    MAX_INDENT,
    WORD_SHARE,
    Line,
    PlacedLine,
    leading_bold,
)
from ingest.paragraphs.habits import (
    CLEAR_SPACE,
    MAX_SPACED,
    TypesettingHabits,
    is_indented,
    is_of_size,
)
from ingest.paragraphs.line_group import LineGroup, same_size
from ingest.paragraphs.markers import (
    is_bullet,
    is_next_label,
    is_set_apart,
    marker_words,
    split_items,
)
from quarry.course.sentences import ends_with_abbreviation, names_statement
from quarry.languages.captions import caption_label

MAX_FRAGMENT_WORDS = 3
FRAGMENT_DROP = 0.75
"""Maximum number of words of a piece of a formula between two rows, and its maximum distance from the upper row, in
distances of rows."""

MIN_SENTENCE_WORDS = 5
"""Minimum number of words of a line that ends early inside a sentence."""

MIN_LINE_DROP = 0.3
"""Minimum distance of two baselines of a paragraph, in font sizes."""

SLIGHT_SPACE = 0.15
"""Extra white space that parts two paragraphs after a short line, in font sizes."""

MAX_ROOM = 4.0
MAX_ROOM_ABOVE_HANGING = 3.0
"""Maximum room at the end of a line inside a sentence, and of one above hanging lines, in font sizes."""

MAX_TAB = 5.0
"""Maximum indent of a first line whose sentence goes on at the margin, in font sizes: half an inch in small print."""

MAX_HANG = 2.0
"""Maximum distance of the second line of an item from the start of its text, in font sizes."""

NOTE_NUMBER = re.compile(r"^\d{1,3}(?=[^\W\d_])")
"""Number at the beginning of a footnote, joined to its first word."""

MIN_JUSTIFIED_LINES = 2
"""Minimum number of lines that end at one edge in justified text."""

CODE_ENDS = (";", "{", "}")
"""Signs at the end of a line of code."""

SHORT = 0.8
"""Minimum distance between the margin and the last line of a paragraph in justified text, in font sizes."""


def group_lines(
    lines: Iterable[PlacedLine], habits: TypesettingHabits
) -> list[LineGroup]:
    """Group the lines of paragraphs that are in one piece; formulas are groups of their own."""
    groups: list[LineGroup] = []
    whole = _join_fragments(lines, habits.pitch)
    for line, following in itertools.zip_longest(whole, whole[1:]):
        if groups and not begins_paragraph(groups[-1], line, following, habits):
            groups[-1].lines.append(line)
        else:
            groups.append(LineGroup([line], marker_words(line, following)))
    return groups


def _join_fragments(lines: Iterable[PlacedLine], pitch: float) -> list[PlacedLine]:
    """Join pieces of a formula between two rows (tall brackets, limits) to the row above, and find abbreviations."""
    whole: list[PlacedLine] = []
    for line in itertools.chain.from_iterable(map(split_items, lines)):
        if whole and _is_fragment(line, whole[-1], pitch):
            whole[-1] = replace(whole[-1], words=whole[-1].words + line.words)
            continue
        if whole and ends_with_abbreviation(whole[-1].text, line.text):
            whole[-1] = replace(whole[-1], is_cut=True)
        whole.append(line)
    return whole


def _is_fragment(line: PlacedLine, above: PlacedLine, pitch: float) -> bool:
    """Return whether a line is a piece of a formula below the row above it."""
    return (
        len(line.words) <= MAX_FRAGMENT_WORDS
        and not line.n_prose_words
        and 0 <= line.y - above.y < FRAGMENT_DROP * pitch * above.size
        and above.start < line.end
        and line.start < above.end + line.size
        and above.is_prose
    )


def begins_paragraph(
    group: LineGroup,
    line: PlacedLine,
    following: PlacedLine | None,
    habits: TypesettingHabits,
) -> bool:
    """Return whether a new paragraph begins with the line after a group: the first rule that applies decides.

    Args:
        following: the line after `line`, None at the end of the document.
    """
    above = group.last
    if _breaks_word(above, line):
        return False
    by_structure = _begins_by_structure(group, line, following, habits)
    if by_structure is not None:
        return by_structure
    if (
        _changes_print(group, line)
        or above.has_leaders
        or _is_row_of_table(group, line)
        or _is_item(group, line, following)
        or _is_note(line)
    ):
        return True

    if line.column != above.column:
        return _begins_column(group, line)

    if (
        _is_described_next(group, line)
        or _is_apart(group, line, habits)
        or (habits.indented and _begins_with_indent(above, line, following))
    ):
        return True
    if (
        _continues_centred(above, line)
        or _hangs(group, line, following)
        or _goes_on_in_item(group, line)
    ):
        return False
    ends_short = above.ends_sentence and above.has_room_for(line, 1)
    if _leaves_margin(group, line) or (ends_short and _is_justified(group)):
        return True
    if habits.spaced and not habits.justified and _is_forced_break(above, line):
        return _extra_space(group, line, habits) > SLIGHT_SPACE
    goes_on = _goes_on_below(above, line) or _is_open(group, line)
    return not goes_on or _ends_paragraph(group, line, habits)


def _breaks_word(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a word that ends with a hyphen goes on in the line below it."""
    is_below = above.column == line.column and same_size(above, line)
    has_hyphen = above.text[-1] == "-" and above.text[-2:-1].isalpha()
    return has_hyphen and line.goes_on and is_below and not line.n_gaps


def _begins_by_structure(
    group: LineGroup,
    line: PlacedLine,
    following: PlacedLine | None,
    habits: TypesettingHabits,
) -> bool | None:
    """Return whether a paragraph begins by the structure of the file, None if it does not decide."""
    above = group.last
    is_known = habits.trusts_structure and above.element and line.element
    if not is_known or (
        habits.indented and _begins_with_indent(above, line, following)
    ):
        return None
    if _is_other_element(above, line, following):
        return True
    if _goes_on_in_element(above, line):
        return _is_item(group, line, following) or _is_apart(group, line, habits)
    return None


def _is_other_element(
    above: PlacedLine, line: PlacedLine, following: PlacedLine | None
) -> bool:
    """Return whether an element of the file's structure begins, and no line that an author has broken goes on."""
    is_full = not above.has_room_for(line, 1)
    is_broken = is_full or (line.goes_on and above.is_full(line))
    is_open = is_broken and not above.ends_clause and not marker_words(line, following)
    return line.element != above.element and not is_open


def _goes_on_in_element(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether two lines are in one element of the file's structure, and no author ended the upper one."""
    is_below = line.element == above.element and line.column == above.column
    return is_below and not (above.ends_clause and above.has_room_for(line, 1))


def _is_note(line: PlacedLine) -> bool:
    """Return whether a footnote begins, with its number joined to its first word."""
    return line.footnote and NOTE_NUMBER.match(line.text) is not None


def _changes_print(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a table, the font size, the pitch or the weight changes, with no sentence across."""
    above = group.last
    if line.in_table != above.in_table:
        return True
    if _meet_in_sentence(above, line):
        return False
    if not same_size(above, line):
        return True
    is_below = line.column == above.column
    flows = is_below and above.flows_into(line) and not line.text.endswith(CODE_ENDS)
    if line.is_mono != above.is_mono and not flows:
        return True
    if line.is_bold == above.is_bold:
        return False

    is_text = line.goes_on or not group.first.is_bold
    return not (is_below and is_text and above.is_full(line))


def _meet_in_sentence(above: PlacedLine, line: Line) -> bool:
    """Return whether a full line ends, and the next one begins, in one print and inside a sentence."""
    last, first = above.words[-1], line.words[0]
    is_one_size = last.size == first.size or not line.n_prose_words
    is_one_print = last.bold == first.bold and last.mono == first.mono and is_one_size
    return is_one_print and above.is_full(line) and not above.ends_clause


def _is_row_of_table(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a wide gap in one of two lines parts cells, and is not a symbol that the file lacks."""
    above = group.last
    n_gaps = above.n_gaps + line.n_gaps
    is_cells = above.n_gaps > 1 and marker_words(line) > 0
    if not n_gaps or (_is_mid_sentence(group, line) and not is_cells):
        return False
    at_margin = line.is_flush and above.start - line.left < MAX_INDENT * line.size
    is_one_text = (
        n_gaps == 1
        and (at_margin or line.starts_at(above.start))
        and above.is_full(line)
        and line.is_prose
    )
    return not is_one_text


def _is_item(group: LineGroup, line: PlacedLine, following: PlacedLine | None) -> bool:
    """Return whether a line begins an item, and is not prose that begins with a number or dash."""
    above = group.last
    if not marker_words(line, following):
        return _is_caption(group, line)

    is_sure = is_bullet(line.first_text) and (
        line.first_text not in "-–—*·" or is_set_apart(line)
    )
    is_sure |= is_next_label(group.first.first_text, line.first_text) and (
        line.starts_at(group.first.start)
    )
    is_apart = above.ends_clause or not line.starts_at(above.start)
    if above is group.first:
        is_apart = (is_apart or group.marker > 0) and not _is_second(group, line)
    return is_sure or is_apart


def _is_caption(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a line begins with the label of a caption, "Figure 3:", after a sentence or in another column."""
    above = group.last
    is_apart = above.ends_sentence or above.column != line.column
    return is_apart and caption_label(line.text) != ""


def _is_second(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a line begins where the second line of a group does, and its first word did not fit above.

    The second line of an item begins below its text, or below a bullet that is drawn inside the text.
    """
    above = group.last
    is_flush = line.start <= above.start
    if group.marker:
        is_flush = is_flush and is_bullet(above.first_text)
        is_flush = is_flush or line.starts_at(group.text_start)
    return is_flush and not (above.has_room_for(line, 1) or above.ends_clause)


def _begins_column(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a paragraph begins at the top of a column, after a cell, a display formula or a whole text.

    No paragraph leaves its first line alone at the foot of a page, unless a small letter shows that it goes on.
    """
    above = group.last
    is_cell = 2 * above.column_width < line.column_width
    is_alone = (is_cell or len(group.lines) == 1) and not line.goes_on
    is_display = _is_indented_formula(above) or _is_indented_formula(line)
    return is_alone or is_display or not above.flows_into(line)


def _is_indented_formula(line: PlacedLine) -> bool:
    """Return whether a line is a formula apart from the margin."""
    return line.indent > INDENTED and line.is_formula


def _is_apart(group: LineGroup, line: PlacedLine, habits: TypesettingHabits) -> bool:
    """Return whether a line is above a group, or more white space than between two lines is between them."""
    above = group.last
    drop = line.drop_from(above)
    is_after_formula = above.is_tall and line.goes_on and not above.ends_clause
    if is_after_formula or _is_mid_sentence(group, line):
        return not MIN_LINE_DROP <= drop <= MAX_SPACED
    return drop < MIN_LINE_DROP or _extra_space(group, line, habits) > CLEAR_SPACE


def _is_mid_sentence(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a line continues the sentence of the full line above it, at any height."""
    above = group.last
    is_full = above.room < MAX_ROOM or not above.has_room_for(line, 1)
    is_flush = line.starts_at(above.left, above.start, group.text_start)
    return is_full and is_flush and line.goes_on and not above.ends_clause


def _begins_with_indent(
    above: PlacedLine, line: PlacedLine, following: PlacedLine | None
) -> bool:
    """Return whether a full line between the end of a sentence and a line at the margin is indented."""
    return (
        following is not None
        and is_indented(line, following)
        and not marker_words(following)
        and line.is_full(following)
        and above.ends_sentence
    )


def _continues_centred(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a sentence goes on in a shorter line with the same middle, or the same end in a caption.

    A line that begins with a capital or in a script without capitals goes on below a full line only.
    """
    end_shift = line.end - above.end
    middle_shift = (line.start - above.start + end_shift) / 2
    has_same_end = abs(end_shift) < FLUSH * line.size
    is_aligned = abs(middle_shift) < line.size / 2 or (
        has_same_end and caption_label(above.text) != ""
    )
    return (
        is_aligned
        and line.shift_from(above) > INDENTED
        and not above.ends_clause
        and (line.goes_on or above.is_full(line))
    )


def _hangs(group: LineGroup, line: PlacedLine, below: PlacedLine | None) -> bool:
    """Return whether two lines, the end of a sentence, or a line after a bold label hang below an outdented one."""
    above = group.last
    is_first = len(group.lines) == 1 and not group.marker
    if not is_first or line.shift_from(above) <= INDENTED:
        return False
    if line.goes_on and line.word_share > WORD_SHARE and _is_wrapped(above, line):
        return True
    is_open = not above.ends_clause and not above.has_room_for(line, 1)
    if is_open and _has_bold_label(above):
        return True
    return (
        below is not None
        and above.room <= (FLUSH if above.ends_clause else MAX_ROOM_ABOVE_HANGING)
        and line.starts_at(below.start)
    )


def _is_described_next(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a line begins with a bold label below that of a group, or with a colon below a sentence."""
    first, above = group.first, group.last
    if not _has_bold_label(line):
        return False
    has_colon = leading_bold(line.words)[-1].text.endswith(":")
    if has_colon and above.ends_sentence and line.starts_at(above.start):
        return True
    is_inside = above.words[-1].bold or not line.initial.isupper()
    return _has_bold_label(first) and line.starts_at(first.start) and not is_inside


def _has_bold_label(line: PlacedLine) -> bool:
    """Return whether a line begins in bold and goes on in regular print."""
    return line.words[0].bold and not line.words[-1].bold


def _goes_on_in_item(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a line goes on in an item, below its text; in an open one, a small letter may hang elsewhere."""
    above = group.last
    if not group.marker or not line.is_prose or above.is_formula:
        return False
    if line.is_mono or marker_words(line):
        return False

    is_below = line.starts_at(group.text_start)
    if above.ends_sentence:
        return is_below and not line.is_flush and not line.text.endswith(":")
    if len(group.lines) > 1:
        is_below = line.starts_at(above.start)
    elif not is_below:
        is_below = INDENTED < line.shift_from(above) <= MAX_INDENT
    return is_below and line.goes_on and not above.ends_clause


def _is_wrapped(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a line of text continues the sentence of the line above, in which its first word did not fit."""
    is_code = line.is_mono or line.rtl != line.from_right
    is_text = len(line.first_text) > 1 and not is_code
    return (
        is_text and not above.has_room_for(line, 1) and _meet_in_sentence(above, line)
    )


def _leaves_margin(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a line begins clearly to the right or to the left of the margin of a group."""
    shift = line.shift_from(group.last)
    if len(group.lines) > 1:
        return abs(shift) > INDENTED
    if not group.marker:
        last = group.last
        is_tab = line.is_flush and last.is_prose and _is_wrapped(last, line)
        return not -(MAX_TAB if is_tab else MAX_INDENT) <= shift <= INDENTED

    may_hang_out = line.is_flush or is_bullet(group.first.first_text)
    if may_hang_out and -MAX_INDENT < shift < 0 and _is_wrapped(group.last, line):
        return False
    hang = (group.text_start - group.last.start) / line.size
    return (
        not -INDENTED
        <= shift
        <= hang + (INDENTED if group.last.ends_clause else MAX_HANG)
    )


def _goes_on_below(above: PlacedLine, line: Line) -> bool:
    """Return whether a line is full, or ends with a comma before text without a capital."""
    is_after_comma = above.text.endswith(",") and not line.initial.isupper()
    return above.is_full(line) or is_after_comma


def _is_open(group: LineGroup, line: Line) -> bool:
    """Return whether a sentence of several words goes on with a small letter, as in a narrow box on a slide."""
    above = group.last
    is_sentence = group.first.initial.isupper() and not above.ends_clause
    is_word = line.first_text.isalpha() and line.goes_on and line.is_prose
    return is_sentence and is_word and above.n_prose_words >= MIN_SENTENCE_WORDS


def _is_justified(group: LineGroup) -> bool:
    """Return whether all lines of a group but its last one, two at least, end at one edge, and this one short of it."""
    *others, last = group.lines
    if len(others) < MIN_JUSTIFIED_LINES or last.is_formula:
        return False
    ends = [line.end for line in others]
    edge = min(ends)
    return max(ends) - edge < FLUSH * last.size and edge - last.end > SHORT * last.size


def _is_forced_break(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a new sentence without a number or label begins on a line of its own, below another sentence."""
    has_number = len(line.first_text.strip("().-")) < 2
    is_named = names_statement(line.first_text) or _has_bold_label(line)
    is_labelled = has_number or ":" in line.text or is_named
    is_text = above.is_prose and line.is_prose and not is_labelled
    return is_text and above.ends_sentence and line.starts_at(above.start)


def _ends_paragraph(group: LineGroup, line: Line, habits: TypesettingHabits) -> bool:
    """Return whether the line above ends a sentence short of the margin, where lines are justified or drop further."""
    above = group.last
    return (
        above.ends_sentence
        and group.room > SHORT
        and (
            (habits.justified and is_of_size(above, habits.body_size))
            or _extra_space(group, line, habits) > SLIGHT_SPACE
        )
    )


def _extra_space(group: LineGroup, line: Line, habits: TypesettingHabits) -> float:
    """Return how much farther a line is below a group than lines of one paragraph are, in font sizes."""
    usual = max(habits.pitch_of(line.size), group.pitch / line.size)
    return line.drop_from(group.last) - usual
