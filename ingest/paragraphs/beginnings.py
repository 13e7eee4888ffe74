"""Lines -> groups: where a paragraph, a heading, an item or a display begins on a page.

`RULES` is a table: the first rule that applies to a line and the group above it decides whether a paragraph begins.
`python -m tools.paragraph_breaks lecture.pdf 3` prints the lines of page 3, each with the rule that decided.
"""

import itertools
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from ingest.layout.line import (
    CODE_ENDS,
    FLUSH,
    INDENTED,
    MAX_INDENT,
    OPERATORS,
    PROOF_ENDS,
    SMALL_PRINT,
    WORD_SHARE,
    Line,
    PlacedLine,
    leading_bold,
)
from ingest.paragraphs.habits import (
    CLEAR_SPACE,
    MAX_WIDE_LEADING,
    TypesettingHabits,
    is_indented,
    is_of_size,
)
from ingest.paragraphs.line_group import LineGroup, same_size
from ingest.paragraphs.markers import (
    clean_start,
    is_bullet,
    is_next_label,
    is_set_apart,
    marker_words,
    split_items,
)
from ingest.pdf.model import edges
from quarry.course.sentences import ends_with_abbreviation, names_statement
from quarry.languages.labels import (
    after_statement_label,
    begins_statement,
    caption_label,
)
from quarry.languages.registry import words_of_all

MAX_FRAGMENT_WORDS = 3
"""Maximum number of words of a piece of a formula between two rows."""

FRAGMENT_DROP = 0.75
"""Maximum distance of a piece of a formula from the upper row, in distances of rows."""

MIN_SENTENCE_WORDS = 5
"""Minimum number of words of a line inside a sentence."""

MIN_OPEN_LINE_WORDS = 4
"""Minimum number of longer words of a line whose sentence goes on with a small letter."""

MIN_LINE_DROP = 0.3
"""Minimum distance of two baselines of a paragraph, in font sizes."""

SLIGHT_SPACE = 0.15
"""Extra white space that parts two paragraphs after a short line, in font sizes."""

MAX_ROOM = 4.0
"""Maximum room at the end of a line inside a sentence, in font sizes."""

EVEN = 0.05
"""Maximum difference of the distances of evenly spaced lines, as a share of the distance."""

MAX_ROOM_ABOVE_HANGING = 3.0
"""Maximum room at the end of a line inside a sentence above hanging lines, in font sizes."""

MAX_TAB = 5.0
"""Maximum indent of a first line whose sentence goes on at the margin, in font sizes: half an inch in small print."""

MAX_HANG = 2.0
"""Maximum distance of the second line of an item from the start of its text, in font sizes."""

NOTE_NUMBER = re.compile(r"^\d{1,3}(?=[^\W\d_])")
"""Number at the beginning of a footnote, joined to its first word."""

_DASH = re.compile(r"[-–—](?:$|[^\W\d_]{2})")
"""Dash before an item, alone or joined to its first word."""

_NAME = re.compile(r"(?!\w+://)[^\W\d_]\S*(?: \S+){0,2}(?<=\w) ?:(?:$| )")
"""Name of one to three words before a colon."""

_OPEN_ENDS = words_of_all("open_ends")
"""Words with which no paragraph ends."""

_EXPLAINED_LETTER = re.compile(r"\w ?: ")
"""Letter that a line explains, as in "f : the force"."""

MIN_JUSTIFIED_LINES = 2
"""Minimum number of lines that end at one edge in justified text."""

SHORT = 0.8
"""Minimum distance between the margin and the last line of a paragraph in justified text, in font sizes."""


@dataclass(frozen=True, slots=True)
class Break:
    """A line break at which a new paragraph may begin.

    Attributes:
        group: the lines above it.
        line: the line below it.
        following: the line after that, None at the end of the document.
    """

    group: LineGroup
    line: PlacedLine
    following: PlacedLine | None
    habits: TypesettingHabits

    @property
    def above(self) -> PlacedLine:
        """The line above it."""
        return self.group.last

    @property
    def in_one_column(self) -> bool:
        """Whether both lines are in one column."""
        return self.line.column == self.above.column


def group_lines(
    lines: Iterable[PlacedLine], habits: TypesettingHabits
) -> list[LineGroup]:
    """Group the lines of paragraphs that are in one piece; formulas are groups of their own."""
    groups: list[LineGroup] = []
    whole = _join_fragments(lines, habits.leading)
    for line, following in itertools.zip_longest(whole, whole[1:]):
        begins = True
        if groups:
            _, begins = deciding_rule(Break(groups[-1], line, following, habits))
        if begins:
            groups.append(LineGroup([line], marker_words(line, following)))
        else:
            groups[-1].lines.append(line)
    return groups


def _join_fragments(lines: Iterable[PlacedLine], leading: float) -> list[PlacedLine]:
    """Split items in columns, join pieces of a formula between two rows to the row above, and find abbreviations."""
    whole: list[PlacedLine] = []
    items = map(split_items, map(clean_start, lines))
    for line in itertools.chain.from_iterable(items):
        if whole and _is_fragment(line, whole[-1], leading):
            whole[-1] = replace(whole[-1], words=whole[-1].words + line.words)
            continue
        if whole and ends_with_abbreviation(whole[-1].text, line.text):
            whole[-1] = replace(whole[-1], is_cut=True)
        whole.append(line)
    return whole


def _is_fragment(line: PlacedLine, above: PlacedLine, leading: float) -> bool:
    """Return whether a line is a piece of a formula below the row above it."""
    return (
        len(line.words) <= MAX_FRAGMENT_WORDS
        and not line.n_prose_words
        and 0 <= line.y - above.y < FRAGMENT_DROP * leading * above.size
        and above.start < line.end
        and line.start < above.end + above.size
        and above.is_prose
    )


def deciding_rule(line_break: Break) -> tuple[str, bool]:
    """Return the name of the first rule that applies to a line break, and whether a paragraph begins there.

    The name is "" if no rule applies: then the paragraph goes on.
    """
    for applies, begins in RULES:
        if applies(line_break):
            return applies.__name__, begins
    return "", GOES_ON


def breaks_word(line_break: Break) -> bool:
    """Return whether a word that ends with a hyphen goes on in the line below it."""
    above, line = line_break.above, line_break.line
    is_alike = line_break.in_one_column and same_size(above, line)
    has_hyphen = above.text[-1] == "-" and above.text[-2:-1].isalpha()
    is_word = line.begins_small and not marker_words(line, line_break.following)
    return has_hyphen and is_word and is_alike and not line.n_gaps


def begins_element(line_break: Break) -> bool:
    """Return whether another element of the file's structure begins, or an item or white space parts one.

    A line that an author has broken inside a sentence goes on in the next element, and a wrapped line at any height; a
    capital further out is a new beginning.
    """
    above, line = line_break.above, line_break.line
    if not _is_structured(line_break):
        return False
    if line.element == above.element:
        is_parted = has_extra_space(line_break) and not _is_wrapped(above, line)
        return goes_on_in_element(line_break) and (begins_item(line_break) or is_parted)
    is_outside = line_break.in_one_column and line.shift_from(above) < -INDENTED
    is_new = is_outside and line.initial.isupper()
    is_new |= _extra_space(line_break) > CLEAR_SPACE and not line.begins_small
    is_open = _is_broken_inside(line_break) and not above.ends_clause and not is_new
    return not is_open or marker_words(line, line_break.following) > 0


def _is_broken_inside(line_break: Break) -> bool:
    """Return whether a line is wrapped, or goes on with a small letter below a full line or an open sentence."""
    above, line = line_break.above, line_break.line
    is_wrapped = not above.has_room_for(line)
    is_below_full = line.begins_small and above.is_full(line)
    is_below_open = _is_open(line_break) and line.starts_at(above.start)
    return is_wrapped or is_below_full or is_below_open


def goes_on_in_element(line_break: Break) -> bool:
    """Return whether two lines are in one element of the file's structure, and no author ended the upper one."""
    above, line = line_break.above, line_break.line
    in_one_element = line.element == above.element and line_break.in_one_column
    if not (in_one_element and _is_structured(line_break)):
        return False
    # beside a picture lines end alike
    is_beside = abs(line.end - above.end) < FLUSH * line.size
    is_ended = above.ends_clause and above.has_room_for(line) and not is_beside
    is_new = _begins_with_own_label(above, line) or _is_title_above(above, line)
    return not (is_ended or is_new)


def _is_title_above(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a bold line with room for the first word of the next one is above regular print."""
    is_regular = not line.words[0].bold and not line.is_bold
    return above.is_bold and is_regular and above.has_room_for(line)


def _is_structured(line_break: Break) -> bool:
    """Return whether the structure of the file has an element for both lines, and no indent contradicts it."""
    has_elements = line_break.above.element > 0 < line_break.line.element
    is_known = line_break.habits.trusts_structure and has_elements
    return is_known and not has_first_indent(line_break)


def begins_note(line_break: Break) -> bool:
    """Return whether a footnote begins, with its number joined to its first word or raised before it."""
    line, body_size = line_break.line, line_break.habits.body_size
    is_note = line.footnote or has_raised_number(line_break.group.first, body_size)
    is_joined = is_note and NOTE_NUMBER.match(line.text) is not None
    return is_joined or has_raised_number(line, body_size)


def has_raised_number(line: PlacedLine, body_size: float) -> bool:
    """Return whether the first word of a line in small print is raised and a number, as that of a footnote."""
    first = line.words[0]
    is_number = first.text.isdecimal() and len(line.words) > 1
    is_raised = first.size < line.size and first.raised > 0
    return is_number and is_raised and line.size < SMALL_PRINT * body_size


def ends_contents(line_break: Break) -> bool:
    """Return whether the line above is an entry of a table of contents."""
    return line_break.above.has_leaders


def ends_proof(line_break: Break) -> bool:
    """Return whether the line above ends a proof with a sign after its sentence."""
    above = line_break.above
    return above.ends_sentence and above.text[-1] in PROOF_ENDS


def changes_print(line_break: Break) -> bool:
    """Return whether a table, the font size, the pitch or the weight changes, with no sentence across."""
    above, line = line_break.above, line_break.line
    if line.in_table != above.in_table or _parts_title_from_label(above, line):
        return True
    if _meet_in_sentence(above, line):
        return False
    if not same_size(above, line):
        return True

    in_one_column = line_break.in_one_column
    is_code = line.text.endswith(CODE_ENDS)
    flows = in_one_column and above.flows_into(line) and not is_code
    if line.is_mono != above.is_mono and not flows:
        return True
    if line.is_bold == above.is_bold:
        return False
    return not (in_one_column and _goes_on_in_other_weight(line_break))


def _goes_on_in_other_weight(line_break: Break) -> bool:
    """Return whether a text goes on in a line of another weight: in a sentence, or below a full line but in a title."""
    above, line = line_break.above, line_break.line
    is_one_weight = line.words[0].bold == above.words[-1].bold
    is_inside = is_one_weight and line.begins_small and not above.ends_clause
    is_open = line.is_bold and not above.ends_clause
    if is_inside or (is_open and goes_on_in_item(line_break)):
        return True
    is_text = line.begins_small or not line_break.group.first.is_bold
    is_word = line.begins_small and line.begins_with_word and len(line.first_text) > 2
    is_title = _is_title_above(above, line) and not is_word
    is_title |= _is_title_below(line_break)
    return is_text and above.is_full(line) and not is_title


def _is_title_below(line_break: Break) -> bool:
    """Return whether a bold line without a stop is below a sentence, and the next line begins in regular print.

    The next line has another beginning, or its first word would fit at the end of the bold one.
    """
    above, line, following = line_break.above, line_break.line, line_break.following
    is_title = line.is_bold and line.initial.isupper() and not line.ends_clause
    if following is None or not (is_title and above.ends_sentence):
        return False
    is_text = not (following.is_bold or following.begins_small)
    return is_text and line.has_room_for(following)


def _parts_title_from_label(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a bold line, such as a centred title, is above a bold label with a colon at another edge."""
    is_label = _has_bold_label(line) and _ends_label_with_colon(line)
    is_apart = line.initial.isupper() and not line.starts_at(above.start)
    return above.is_bold and is_label and is_apart


def _meet_in_sentence(above: PlacedLine, line: Line) -> bool:
    """Return whether a full line ends, and the next one begins, in one print and inside a sentence."""
    last, first = above.words[-1], line.words[0]
    is_one_size = last.size == first.size or not line.n_prose_words
    is_one_print = last.bold == first.bold and last.mono == first.mono and is_one_size
    return is_one_print and above.is_full(line) and not above.ends_clause


def is_row_of_table(line_break: Break) -> bool:
    """Return whether a wide gap in one of two lines parts cells, and is not a symbol that the file lacks."""
    above, line = line_break.above, line_break.line
    n_gaps = above.n_gaps + line.n_gaps
    is_cells = above.n_gaps > 1 and marker_words(line) > 0
    if not n_gaps or (_is_mid_sentence(line_break) and not is_cells):
        return False
    if _hangs_after_term(above, line):
        return False

    at_margin = line.is_flush and above.start - line.left < MAX_INDENT * line.size
    # the spaces of a justified line may be as wide as gaps
    is_stretched = (
        line_break.habits.justified and above.room < FLUSH and not line.n_gaps
    )
    is_one_text = (
        (n_gaps == 1 or (is_stretched and above.n_prose_words >= MIN_SENTENCE_WORDS))
        and (at_margin or line.starts_at(above.start, line_break.group.text_start))
        and above.is_full(line)
        and line.is_prose
    )
    return not is_one_text


def _hangs_after_term(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a wrapped line begins below the text after a term, which a wide gap parts from it."""
    if above.n_gaps != 1 or line.n_gaps or not _is_wrapped(above, line):
        return False
    spaces = above.spaces
    n_words = spaces.index(max(spaces)) + 1
    return line.begins_small and line.starts_at(above.start_after(n_words))


def begins_item(line_break: Break) -> bool:
    """Return whether a line begins an item or a caption, and is not prose that begins with a number or dash."""
    group, above, line = line_break.group, line_break.above, line_break.line
    if _repeats_dash(group.first, line):
        return True
    if not marker_words(line, line_break.following):
        return _is_caption(above, line)
    if _is_star_in_item(line_break):
        return False
    is_next = is_next_label(group.first.first_text, line.first_text)
    if is_next and line.starts_at(group.first.start):
        return True
    if is_bullet(line.first_text) and _is_sure_bullet(group.first, above, line):
        return True

    is_apart = above.ends_clause or not line.starts_at(above.start)
    is_apart |= _is_forced_item(above, line)
    if above is group.first:
        return (is_apart or group.marker > 0) and not _is_second(group, line)
    return is_apart


def _is_sure_bullet(first: PlacedLine, above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether the bullet of a line is no sign of a formula at the beginning of a wrapped line."""
    is_usual = line.first_text in ("•", first.first_text)
    is_dash = line.first_text in "-–—*·"
    is_sure = (is_usual or above.has_room_for(line)) and not is_dash
    return is_sure or is_set_apart(line)


def _is_star_in_item(line_break: Break) -> bool:
    """Return whether an open sentence of an item goes on with an asterisk."""
    group, above, line = line_break.group, line_break.above, line_break.line
    is_open = group.marker > 0 and not above.ends_clause and above.is_full(line)
    return is_open and line.first_text == "*" and line.starts_at(group.text_start)


def _repeats_dash(first: PlacedLine, line: PlacedLine) -> bool:
    """Return whether two lines begin at one edge with a dash, as items of one list do."""
    dashes = [_DASH.match(one.first_text) for one in (first, line)]
    return all(dashes) and line.starts_at(first.start)


def _is_caption(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a line begins with the label of a caption, "Figure 3:", after a sentence or in another column."""
    is_apart = above.ends_sentence or above.column != line.column
    return is_apart and caption_label(line.text) != ""


def _is_forced_item(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a number and a capital begin a line, though they would fit at the end of the line above."""
    first = line.words[:2]
    x0, x1 = edges(first)
    has_room = above.right - above.end > x1 - x0 + line.size
    return has_room and first[-1].text[0].isupper()


def _is_second(group: LineGroup, line: PlacedLine) -> bool:
    """Return whether a line begins where the second line of a group does, and its first word did not fit above.

    The second line of an item begins below its text, or below a bullet that is drawn inside the text.
    """
    above = group.last
    if above.has_room_for(line) or above.ends_clause:
        return False
    is_flush = line.start <= above.start
    if not group.marker:
        return is_flush
    is_below_bullet = is_flush and is_bullet(above.first_text)
    return is_below_bullet or line.starts_at(group.text_start)


def begins_column(line_break: Break) -> bool:
    """Return whether a paragraph begins at the top of a column, after a cell, a display formula or a whole text.

    No paragraph leaves its first line alone at the foot of a page, unless a small letter shows that it goes on, or it
    is a full line of right-to-left or justified text.
    """
    if not is_in_next_column(line_break):
        return False
    above, line = line_break.above, line_break.line
    is_cell = 2 * above.column_width < line.column_width
    is_alone = (is_cell or len(line_break.group.lines) == 1) and not line.begins_small
    is_display = _is_indented_formula(above) or _is_indented_formula(line)
    is_new = is_display or not above.flows_into(line)
    return is_new or (is_alone and not _fills_foot(line_break))


def _fills_foot(line_break: Break) -> bool:
    """Return whether a full line of right-to-left or justified text goes on at the top of the next page.

    Some programs leave the first line of a paragraph alone at the foot of a page.
    """
    above, line = line_break.above, line_break.line
    is_body = is_of_size(above, line_break.habits.body_size) and not above.is_bold
    is_long = above.n_words >= MIN_SENTENCE_WORDS and not above.is_formula
    is_text = is_long and above.text[-1].isalpha() and not line_break.group.marker
    is_as_wide = abs(above.right - line.right) < line.size
    is_level = is_as_wide and line.starts_at(above.start)
    is_next = above.page < line.page and is_level
    is_justified = line_break.habits.justified and abs(above.room) < FLUSH
    is_full = (line.rtl or is_justified) and _is_wrapped(above, line)
    may_go_on = is_full and not line.is_formula
    return is_body and is_text and is_next and may_go_on


def is_in_next_column(line_break: Break) -> bool:
    """Return whether the two lines are in two columns."""
    return not line_break.in_one_column


def _is_indented_formula(line: PlacedLine) -> bool:
    """Return whether a line is a formula apart from the margin."""
    return line.indent > INDENTED and line.is_formula


def has_extra_space(line_break: Break) -> bool:
    """Return whether a line is above the last one, or more space is between them than between lines of a paragraph."""
    above, line = line_break.above, line_break.line
    drop = line.drop_from(above)
    is_after_formula = above.is_tall and line.begins_small and not above.ends_clause
    if is_after_formula or _is_mid_sentence(line_break):
        return not MIN_LINE_DROP <= drop <= MAX_WIDE_LEADING
    return drop < MIN_LINE_DROP or _extra_space(line_break) > CLEAR_SPACE


def _is_mid_sentence(line_break: Break) -> bool:
    """Return whether a line continues the sentence of the full line above it, at any height.

    It does so below text that ends in an operator or in a word such as "of", before a term that did not fit there. In a
    script without capitals that is sure only if the first word did not fit below a line of several words.
    """
    above, line = line_break.above, line_break.line
    is_flush = line.starts_at(above.left, above.start, line_break.group.text_start)
    if above.ends_clause or not is_flush:
        return False
    is_full = not above.has_room_for(line)
    if line.begins_small:
        is_short = above.room < MAX_ROOM or _is_evenly_spaced(line_break)
        return is_full or is_short

    if above.is_prose and above.words[-1].text in OPERATORS:
        return is_full
    is_named = names_statement(line.first_text) or _has_bold_label(line)
    return is_full and not is_named and _may_be_inside(above, line)


def _may_be_inside(above: PlacedLine, line: Line) -> bool:
    """Return whether a sentence may go on: after "of", or in a script without capitals below several words."""
    has_no_case = line.initial.isalpha() and not line.initial.isupper()
    is_text = above.is_prose and above.n_words >= MIN_SENTENCE_WORDS
    return _is_unfinished(above) or (has_no_case and is_text)


def _is_evenly_spaced(line_break: Break) -> bool:
    """Return whether an open sentence goes on in a line as far from the line above it as from the one below it."""
    above, line, following = line_break.above, line_break.line, line_break.following
    if following is None or not following.starts_at(line.start):
        return False
    below = following.drop_from(line)
    is_even = abs(below - line.drop_from(above)) < EVEN * below
    return is_even and _is_open(line_break)


def has_first_indent(line_break: Break) -> bool:
    """Return whether a full line above a line at the margin has a first line's indent, and no sentence goes on in it.

    The line above ends a sentence, or has room for a word before a capital, as a heading has.
    """
    above, line, following = line_break.above, line_break.line, line_break.following
    if not line_break.habits.indented or following is None or marker_words(following):
        return False
    is_new = line.initial.isupper() and above.has_room_for(line)
    is_first = is_indented(line, following) and line.is_full(following)
    return is_first and (above.ends_sentence or is_new)


def continues_centred(line_break: Break) -> bool:
    """Return whether a sentence goes on in a shorter line with the same middle or the same end.

    A line that begins with a capital or in a script without capitals goes on below a full line only.
    """
    above, line = line_break.above, line_break.line
    end_shift = line.end - above.end
    middle_shift = (line.start - above.start + end_shift) / 2
    has_same_end = abs(end_shift) < FLUSH * line.size
    is_aligned = abs(middle_shift) < line.size / 2 or (
        has_same_end and _is_set_at_right(line_break)
    )
    return (
        is_aligned
        and line.shift_from(above) > INDENTED
        and not above.ends_clause
        and (line.begins_small or above.is_full(line))
    )


def _is_set_at_right(line_break: Break) -> bool:
    """Return whether a line with the end of the line above is in a caption, or goes on in a sentence set at the right.

    A line at the left margin of the sentence shows that it is not set at the right.
    """
    above, line, following = line_break.above, line_break.line, line_break.following
    if caption_label(above.text):
        return True
    is_sentence = line_break.group.first.initial.isupper() and line.begins_small
    is_word = line.begins_with_word and line.is_prose and not line.is_mono
    is_last = following is None or not following.starts_at(above.start)
    return is_sentence and is_word and is_last


def hangs(line_break: Break) -> bool:
    """Return whether a line hangs below the first one of a paragraph, which begins further out.

    Two lines that begin at one edge do, and so does one that ends a sentence or follows a bold label.
    """
    group, above, line = line_break.group, line_break.above, line_break.line
    is_first = len(group.lines) == 1 and not group.marker
    if not is_first or line.shift_from(above) <= INDENTED:
        return False
    if line.begins_small and line.word_share > WORD_SHARE and _is_wrapped(above, line):
        return True

    is_open = not above.ends_clause or line.end < above.end
    is_sure = _has_bold_label(above) or (line.is_prose and _is_unfinished(above))
    if is_open and is_sure and not above.has_room_for(line):
        return True
    return (
        line_break.following is not None
        and above.room <= (FLUSH if above.ends_clause else MAX_ROOM_ABOVE_HANGING)
        and line.starts_at(line_break.following.start)
    )


def begins_with_label(line_break: Break) -> bool:
    """Return whether a line begins with the label of a statement below a sentence or alone, or with a bold label.

    A bold label is below that of a group, or has a colon and is not wrapped. Labels in an item belong to it.
    """
    first, above, line = line_break.group.first, line_break.above, line_break.line
    is_after_sentence = above.ends_sentence and not line_break.group.marker
    if is_after_sentence and line.is_prose and begins_statement(line.text):
        return True
    is_alone = len(line.words) == 1 and begins_statement(line.text)
    if is_alone and (line.is_bold or above.ends_clause):
        return True

    if _is_next_named(line_break):
        return True
    if not _has_bold_label(line):
        return False
    if is_after_sentence and after_statement_label(line.text):
        return True
    at_text = line.starts_at(above.start, line_break.group.text_start)
    if at_text and _begins_with_own_label(above, line):
        return True
    is_inside = above.words[-1].bold or not line.initial.isupper()
    is_inside |= _is_unfinished(above)
    return _has_bold_label(first) and line.starts_at(first.start) and not is_inside


def _is_next_named(line_break: Break) -> bool:
    """Return whether a line and its group begin with names before colons, and its first word would fit above it."""
    first, line = line_break.group.first, line_break.line
    is_forced = line.starts_at(first.start) and line_break.above.has_room_for(line)
    return is_forced and all(_NAME.match(one.text) for one in (first, line))


def _begins_with_own_label(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a bold label with a colon is below a sentence, or below a line with room for its first word."""
    if not _has_bold_label(line):
        return False
    is_forced = above.has_room_for(line) and not above.words[-1].bold
    return _ends_label_with_colon(line) and (above.ends_sentence or is_forced)


def _ends_label_with_colon(line: Line) -> bool:
    """Return whether the bold words at the beginning of a line end with a colon."""
    return leading_bold(line.words)[-1].text.endswith(":")


def _has_bold_label(line: PlacedLine) -> bool:
    """Return whether a line begins in bold and goes on in regular print."""
    return line.words[0].bold and not line.words[-1].bold


def goes_on_in_item(line_break: Break) -> bool:
    """Return whether a line goes on in an item, below its text; in an open one, a small letter may hang elsewhere."""
    group, above, line = line_break.group, line_break.above, line_break.line
    if not group.marker or not line.is_prose or line.is_mono or marker_words(line):
        return False

    at_text = line.starts_at(group.text_start)
    if above.is_formula:
        is_word = len(line.first_text) > 1
        return at_text and is_word and line.begins_small and not above.ends_clause
    if above.ends_sentence:
        is_new = line.is_flush or ends_justified_text(line_break)
        return at_text and not (is_new or line.text.endswith(":"))
    if len(group.lines) > 1:
        at_text = line.starts_at(above.start)
    elif not at_text:
        at_text = INDENTED < line.shift_from(above) <= MAX_INDENT
    return at_text and line.begins_small and not above.ends_clause


def _is_wrapped(above: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a line of text continues the sentence of the line above, in which its first word did not fit."""
    is_code = line.is_mono or line.rtl != line.from_right
    is_word = len(line.first_text) > 1 or line.n_unbroken > 1
    is_text = not is_code and (is_word or above.words[-1].text in OPERATORS)
    return is_text and not above.has_room_for(line) and _meet_in_sentence(above, line)


def leaves_margin(line_break: Break) -> bool:
    """Return whether a line begins clearly to the right or to the left of the margin of a group."""
    group, above, line = line_break.group, line_break.above, line_break.line
    shift = line.shift_from(above)
    if len(group.lines) > 1:
        return abs(shift) > INDENTED
    if not group.marker:
        is_near = _extra_space(line_break) <= CLEAR_SPACE
        signs = _is_wrapped(above, line), is_near and _is_open(line_break)
        if line.is_flush and shift < 0 and all(signs):
            return False
        is_tab = line.is_flush and above.is_prose and any(signs)
        return not -(MAX_TAB if is_tab else MAX_INDENT) <= shift <= INDENTED

    may_hang_out = line.is_flush or is_bullet(above.first_text)
    hangs_out = may_hang_out and -MAX_INDENT < shift < 0
    if hangs_out and (_is_wrapped(above, line) or _is_open(line_break)):
        return False
    hang = (group.text_start - above.start) / line.size
    return (
        not -INDENTED <= shift <= hang + (INDENTED if above.ends_clause else MAX_HANG)
    )


def has_no_full_line(line_break: Break) -> bool:
    """Return whether the line above ends short, but for a sentence that surely goes on: after a comma, or in a box."""
    above, line = line_break.above, line_break.line
    is_after_comma = above.text.endswith(",") and not line.initial.isupper()
    return not (
        above.is_full(line)
        or is_after_comma
        or _is_unfinished(above)
        or _is_open(line_break)
    )


def _is_unfinished(line: PlacedLine) -> bool:
    """Return whether a line of several words ends with one that needs another, such as "of"."""
    last = line.words[-1]
    is_text = line.is_prose and line.n_words >= MIN_SENTENCE_WORDS
    is_word = not (last.is_term or last.mono)
    return is_text and is_word and last.text.casefold() in _OPEN_ENDS


def _is_open(line_break: Break) -> bool:
    """Return whether a sentence of several words goes on with a small letter, as in a narrow box on a slide.

    Below a bullet or number begins another text.
    """
    group, above, line = line_break.group, line_break.above, line_break.line
    is_below_marker = group.marker > 0 and line.starts_at(group.first.start)
    is_sentence = group.begins_with_capital and not (
        above.ends_clause or is_below_marker
    )
    is_word = line.begins_with_word and line.begins_small and line.is_prose
    is_text = is_word and not _EXPLAINED_LETTER.match(line.text)
    return is_sentence and is_text and above.n_prose_words >= MIN_OPEN_LINE_WORDS


def ends_justified_text(line_break: Break) -> bool:
    """Return whether the line above ends a sentence, short of the edge of two or more other lines of its group."""
    *others, last = line_break.group.lines
    is_end = last.ends_sentence and last.has_room_for(line_break.line)
    if not is_end or len(others) < MIN_JUSTIFIED_LINES or last.is_formula:
        return False
    ends = [line.end for line in others]
    edge = min(ends)
    return max(ends) - edge < FLUSH * last.size and edge - last.end > SHORT * last.size


def is_parted_sentence(line_break: Break) -> bool:
    """Return whether more white space is above a sentence on a line of its own."""
    return is_sentence_alone(line_break) and _extra_space(line_break) > SLIGHT_SPACE


def is_sentence_alone(line_break: Break) -> bool:
    """Return whether a sentence without number or label begins on a line of its own, where space parts paragraphs.

    With a word processor such a line of right-to-left text is a paragraph, with TeX it may follow a forced break.
    Between several lines and several more it is the beginning of a paragraph.
    """
    above, line, habits = line_break.above, line_break.line, line_break.habits
    has_number = len(line.first_text.strip("().-")) < 2
    is_named = names_statement(line.first_text) or _has_bold_label(line)
    is_labelled = has_number or ":" in line.text or is_named
    is_text = above.is_prose and line.is_prose and not is_labelled
    is_new = above.ends_sentence and line.starts_at(above.start)
    may_be_forced = habits.typeset or not line.rtl
    is_ragged = habits.spaced and not habits.justified
    is_alone = is_ragged and may_be_forced and is_text and is_new
    return is_alone and not _parts_long_texts(line_break)


def _parts_long_texts(line_break: Break) -> bool:
    """Return whether several lines end short above a line break, and a full line below it goes on in another one."""
    line, following = line_break.line, line_break.following
    if len(line_break.group.lines) == 1 or following is None:
        return False
    is_same_text = following.column == line.column and following.starts_at(line.start)
    is_short = line_break.above.has_room_for(line)
    return is_short and is_same_text and line.is_full(following)


def ends_paragraph(line_break: Break) -> bool:
    """Return whether the line above ends a sentence short of the margin, where lines are justified or drop further."""
    above, habits = line_break.above, line_break.habits
    return (
        above.ends_sentence
        and line_break.group.room > SHORT
        and (
            (habits.justified and is_of_size(above, habits.body_size))
            or _extra_space(line_break) > SLIGHT_SPACE
        )
    )


def _extra_space(line_break: Break) -> float:
    """Return how much farther a line is below a group than lines of one paragraph are, in font sizes."""
    line, group = line_break.line, line_break.group
    usual = max(line_break.habits.leading_of(line.size), group.leading / line.size)
    return line.drop_from(group.last) - usual


BEGINS, GOES_ON = True, False
"""Decisions of the rules: a paragraph begins, or the one above goes on."""

RULES: Sequence[tuple[Callable[[Break], bool], bool]] = (
    (breaks_word, GOES_ON),
    # what authors said, in a tagged PDF
    (begins_element, BEGINS),
    (goes_on_in_element, GOES_ON),
    # what looks different
    (changes_print, BEGINS),
    (ends_contents, BEGINS),
    (ends_proof, BEGINS),
    (is_row_of_table, BEGINS),
    (begins_item, BEGINS),
    (begins_note, BEGINS),
    # the top of a column
    (begins_column, BEGINS),
    (is_in_next_column, GOES_ON),
    # white space and indents
    (begins_with_label, BEGINS),
    (has_extra_space, BEGINS),
    (has_first_indent, BEGINS),
    (continues_centred, GOES_ON),
    (hangs, GOES_ON),
    (goes_on_in_item, GOES_ON),
    (leaves_margin, BEGINS),
    # how the line above ends
    (ends_justified_text, BEGINS),
    (is_parted_sentence, BEGINS),
    (is_sentence_alone, GOES_ON),
    (has_no_full_line, BEGINS),
    (ends_paragraph, BEGINS),
)
"""Rules in the order in which they are asked, each with what follows if it applies; otherwise the paragraph goes on."""
