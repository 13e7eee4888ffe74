"""Groups of lines that continue a paragraph, over displayed formulas and code, or across columns, pages and figures.

"The sum", a displayed formula and "is even." are three groups of one paragraph, and so are "The sum of two" at the foot
of a page and "even numbers is even." on the next one. First displays are joined to the text around them, then each
group to the last text before it that may go on.
"""

import itertools
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from ingest.layout.line import (
    CODE_ENDS,
    FLUSH,
    INDENTED,
    MAX_INDENT,
    OPERATORS,
    SMALL_PRINT,
    WIDE_SPACE,
    Line,
    PlacedLine,
    leading_bold,
)
from ingest.paragraphs.habits import HEADING, MAX_WIDE_LEADING, TypesettingHabits
from ingest.paragraphs.line_group import LineGroup, same_print
from ingest.pdf.model import UNKNOWN
from quarry.course.sentences import begins_sentence, names_statement
from quarry.languages.labels import (
    after_statement_label,
    begins_statement,
    caption_label,
    drawing_label,
)
from quarry.languages.registry import (
    LANGUAGES,
    OTHER_CLAUSES,
    UNSPACED,
    alternatives,
)

_ENDS_OPEN = re.compile(f"[,，、{UNSPACED}]$")
"""End of a line inside a sentence."""

DISPLAYED = 0.9
"""Minimum distance of a display from the margins of the text, in font sizes."""

MAX_MARGIN_SHIFT = 0.6
"""Maximum distance of a text from that before a display, in font sizes; it is no indent."""

MIN_OPEN_TEXT_WORDS = 6
"""Minimum number of words of a text that goes on elsewhere."""

MIN_FIRST_WORDS = 4
"""Minimum number of words of the line with which a text goes on elsewhere, unless it ends there."""

MAX_DISPLAYS = 6
"""Maximum number of displayed formulas inside a sentence."""

MAX_GROUPS_BETWEEN = 60
"""Maximum number of groups, such as figures and tables, between the two parts of a paragraph."""

WIDTH_TOLERANCE = 0.1
"""Maximum relative difference of the widths of two columns of one text."""

RELATIONS = frozenset("=≠<>≤≥⩽⩾≡≅≃≈∼≍∈∉∋⊂⊆⊃⊇→⟶↦⟼⇒⇔⟹⟺↪↔∝≜≔≪≫≺≻⪯⪰⊢⊨⊭⊩")
"""Signs of which a displayed formula has one, unlike a label of a figure."""

NO_ENDS = OPERATORS | {","}
"""Signs at the end of a formula with which no sentence ends."""

ELLIPSES = (". . .", "...", "…")
"""Dots at the end of a formula; its sentence may go on."""

_CLAUSES = [language.clauses for language in LANGUAGES if language.clauses]
"""Expressions for the words that begin clauses, of each language that has any."""

_CLAUSE = re.compile(alternatives([*_CLAUSES, OTHER_CLAUSES]) + r"\b")
"""Beginning of a clause, and of no sentence, below a displayed formula."""

_FORMULA_NUMBER = re.compile(r"\([\dA-Z]{1,3}(?:\.\d{1,3})*[a-z]?\)")
"""Number of a displayed formula, in brackets."""


def join_continuations(
    groups: Iterable[LineGroup], habits: TypesettingHabits
) -> list[LineGroup]:
    """Join the parts of each paragraph.

    Args:
        groups: in reading order; those that are joined or displayed are changed.
    """
    texts = _Texts(habits)
    for group in groups:
        texts.add(group)
    texts.close()

    paragraphs: list[LineGroup] = []
    for group in texts.groups:
        before = _find_beginning(paragraphs[-MAX_GROUPS_BETWEEN:], group, habits)
        if before is None:
            paragraphs.append(group)
        else:
            for part in (*before.displays, group):
                before.lines += part.lines
            before.displays = group.displays
    return paragraphs


class _Texts:
    """Texts in reading order, joined with the displayed formulas and the code between their parts.

    Attributes:
        groups: the texts so far; the last one may go on.
        displays: what is displayed below it and not yet part of it.
        has_ended: whether its last part is a display that ends its sentence.
        shares_element: whether its last part is a display in its element of the file's structure.
    """

    def __init__(self, habits: TypesettingHabits) -> None:
        self.groups: list[LineGroup] = []
        self.displays: list[LineGroup] = []
        self.has_ended = False
        self.shares_element = False
        self._habits = habits

    def add(self, group: LineGroup) -> None:
        """Add the next group: it continues the last text, is displayed below it, or is a text of its own.

        The number of a display of several lines may be alone between two of them, and is left out.
        """
        is_number = _FORMULA_NUMBER.fullmatch(group.first.text) is not None
        if self.displays and is_number and len(group.lines) == 1:
            return

        has_ended = shares_element = False
        if self._goes_on(group):
            self._join(group)
        elif self._shows(group):
            group.is_display = True
            group.lines = [_without_number(line) for line in group.lines]
            before = self.groups[-1]
            has_ended = _ends_sentence_of(before, self.displays, group)
            shares_element = _is_one_element(before, group, self._habits)
            if has_ended or shares_element:
                self._join(group)
            else:
                self.displays.append(group)
        else:
            self.close()
            self.groups.append(group)
        self.has_ended, self.shares_element = has_ended, shares_element

    def close(self) -> None:
        """Leave the displays out of the last text but for those that end its sentence; these are its `displays`."""
        if self.displays:
            before = self.groups[-1]
            before.displays = _needed_displays(before, self.displays, self._habits)
            self.groups += self.displays[len(before.displays) :]
        self.displays = []

    def _goes_on(self, group: LineGroup) -> bool:
        """Return whether a group continues the last text; a formula between its parts is displayed from now on."""
        if self.displays:
            before = self.groups[-1]
            return goes_on_after_displays(
                before, self.displays, group, self._habits.indented
            ) or _is_one_element(before, group, self._habits)
        n_formulas = _n_formulas_between(self.groups, group)
        if n_formulas:
            self.displays = self.groups[-n_formulas:]
            del self.groups[-n_formulas:]
            return True

        if not (self.has_ended or self.shares_element):
            return False
        before = self.groups[-1]
        if _goes_on_after_stop(before, before, group):
            return self.has_ended or group.first.initial.islower()
        if not self.has_ended:
            return False
        return _goes_on_in_item(before, group) or (
            self._habits.indented and _goes_on_flush(before, group)
        )

    def _shows(self, group: LineGroup) -> bool:
        """Return whether a group is displayed below the last text."""
        has_room = self.groups and len(self.displays) < MAX_DISPLAYS
        may_be_indented = self._habits.indented and bool(self.displays)
        return bool(has_room) and _is_display(group, self.groups[-1], may_be_indented)

    def _join(self, group: LineGroup) -> None:
        """Join the displays and a group to the last text."""
        lines = self.groups[-1].lines
        for part in self.displays:
            lines += part.lines
        if self.displays and _is_new_sentence(lines[-1], group.first):
            group.lines[0] = replace(group.first, opens_sentence=True)
        lines += group.lines
        self.displays = []


def _is_new_sentence(formula: PlacedLine, line: PlacedLine) -> bool:
    """Return whether a sentence begins below a displayed formula that ends without a stop, as in "Then"."""
    is_open = formula.text[-1] not in NO_ENDS and not formula.ends_clause
    is_capital = line.initial.isupper() and len(line.first_text) > 1
    opens = is_capital and begins_sentence(line.text)
    return formula.is_formula and is_open and opens


def _is_one_element(
    before: LineGroup, group: LineGroup, habits: TypesettingHabits
) -> bool:
    """Return whether a group without a number is in the element of the file's structure in which another one ends."""
    is_same = group.first.element == before.last.element > 0
    return habits.trusts_structure and is_same and not group.marker


def _needed_displays(
    before: LineGroup, displays: Sequence[LineGroup], habits: TypesettingHabits
) -> Sequence[LineGroup]:
    """Return the displayed formulas below a sentence that is open at its end.

    Return none if the sentence is not open, or what is displayed has no relation, as labels of a figure. A formula that
    begins with a word is a new sentence: "Let z = 4".
    """
    if before.last.ends_clause or not _is_body(before, habits):
        return ()
    needed: list[LineGroup] = []
    for part in displays:
        line = part.first
        is_equation = line.is_formula and not RELATIONS.isdisjoint(line.text)
        is_new = bool(needed) and _begins_with_new_word(line)
        if not is_equation or line.is_mono or is_new:
            break
        needed.append(part)
    return needed


def _is_display(group: LineGroup, before: LineGroup, may_be_indented: bool) -> bool:
    """Return whether every line of a group is displayed, apart from the margin of the text before it, or is code.

    Args:
        may_be_indented: whether a line of prose with an indent begins a paragraph.
    """
    last = before.last
    first = group.first
    is_at_margin = last.starts_at(last.left, before.margin)
    is_text = before.is_prose and (last.is_prose or is_at_margin)
    if not is_text or last.ends_sentence or last.is_bold:
        return False
    is_aside = group.last.column != last.column or first.from_right != last.from_right
    if (
        is_aside
        or _is_own_text(group)
        or _is_sentence(group)
        or _begins_indented(first, before, may_be_indented)
    ):
        return False
    if all(map(_is_code, group.lines)):
        return True

    edge = before.outermost + DISPLAYED * last.size
    for line in group.lines:
        # the number of a formula is one word
        n_skipped = int(_FORMULA_NUMBER.fullmatch(line.first_text) is not None)
        to_margin = min(line.right - line.end, line.size)
        is_short = to_margin > DISPLAYED * last.size
        if line.start_after(n_skipped) <= edge or not (line.is_formula or is_short):
            return False
    return True


def _is_sentence(group: LineGroup) -> bool:
    """Return whether a group is a sentence of several words, whole or of several lines."""
    line = group.first
    is_text = line.n_prose_words >= MIN_OPEN_TEXT_WORDS and not line.is_formula
    begins = line.begins_with_word and line.initial.isupper()
    return is_text and begins and (group.last.ends_sentence or len(group.lines) > 1)


def _is_own_text(group: LineGroup) -> bool:
    """Return whether a group is an item, a statement with a label, a caption or in a table."""
    first = group.first
    is_labelled = begins_statement(first.text) or caption_label(first.text) != ""
    return _is_item(group) or first.in_table or is_labelled


def _begins_indented(
    line: PlacedLine, before: LineGroup, may_be_indented: bool
) -> bool:
    """Return whether a line begins with a capital and an indent as a paragraph does, such as the one before it."""
    is_word = len(line.first_text) > 1 and line.first_text.isalpha()
    if line.is_mono or not is_word or not line.initial.isupper():
        return False
    is_usual = may_be_indented and line.is_prose and line.indent < MAX_INDENT
    return is_usual or line.starts_at(before.first.start)


def _ends_sentence_of(
    before: LineGroup, displays: Sequence[LineGroup], group: LineGroup
) -> bool:
    """Return whether a group ends an open sentence: a displayed formula, or a line whose first word did not fit above.

    Args:
        displays: the displayed formulas between `before` and the group.
    """
    last, first = before.last, group.first
    is_open = group.last.text.endswith(ELLIPSES)
    is_apart = last.is_mono or first.is_mono or _is_own_text(group)
    if last.ends_clause or not group.last.ends_sentence or is_open or is_apart:
        return False
    parts = [*displays, group]
    if any(UNKNOWN in line.text for part in parts for line in part.lines):
        return False
    if all(part.first.is_formula for part in parts):
        return True
    is_below = not displays and first.drop_from(last) < MAX_WIDE_LEADING
    return is_below and same_print(last, first) and not last.has_room_for(first)


def _is_item(group: LineGroup) -> bool:
    """Return whether a group begins with a number or bullet that is neither unknown nor the number of a formula."""
    first = group.first
    is_number = _FORMULA_NUMBER.fullmatch(first.first_text) and not first.is_prose
    is_known = first.text.strip(UNKNOWN + " ") != ""
    return group.marker > 0 and is_known and not is_number


def _without_number(line: PlacedLine) -> PlacedLine:
    """Remove the number in the right margin from a displayed formula."""
    is_numbered = _FORMULA_NUMBER.fullmatch(line.words[-1].text) is not None
    if is_numbered and line.is_formula and not line.is_mono and len(line.words) > 1:
        return replace(line.with_words(line.words[:-1]), n_gaps=0)
    return line


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
    is_clause = _are_formulas_or_code(displays) and _CLAUSE.match(line.text) is not None
    has_ended = _ends_list(last, displays[-1].last)
    is_new = has_ended and not (is_clause and line.begins_small)
    if is_new or not _may_go_on(group) or not same_print(last, line):
        return False
    if line.column != last.column:  # the formula is at the foot of a column
        return line.begins_small
    if line.is_inside_sentence or is_clause:
        return _begins_beside(before, line)
    is_at_margin = _is_at_margin_after(before, displays, line)
    return is_at_margin and _goes_on_at_margin(before, line, indented)


def _are_formulas_or_code(displays: Iterable[LineGroup]) -> bool:
    """Return whether each display begins with a formula or with code."""
    return all(part.first.is_formula or part.first.is_mono for part in displays)


def _ends_list(above: PlacedLine, formula: PlacedLine) -> bool:
    """Return whether a formula ends the list after a colon: with a stop, but not with dots of an open list."""
    is_end = formula.ends_sentence and not formula.text.endswith(ELLIPSES)
    return above.text.endswith(":") and is_end


def _is_at_margin_after(
    before: LineGroup, displays: Sequence[LineGroup], line: PlacedLine
) -> bool:
    """Return whether a line is at the margin of a text without a colon, below formulas or other displays but code."""
    is_after_list = before.last.text.endswith(":")
    has_code = any(part.first.is_mono for part in displays)
    if is_after_list or has_code:
        return False
    is_sure = _are_formulas_or_code(displays) or _is_below_no_title(displays, line)
    return is_sure and line.starts_at(before.margin, within=MAX_MARGIN_SHIFT)


def _is_below_no_title(displays: Iterable[LineGroup], line: PlacedLine) -> bool:
    """Return whether a line begins with a capital, or is below displays without a title among them."""
    has_title = any(_is_apart(part.last, line) for part in displays)
    return line.initial.isupper() or not has_title


def _is_apart(line: PlacedLine, below: PlacedLine) -> bool:
    """Return whether a line above another one ends a clause, or is in other print or direction, as a title is."""
    is_alike = same_print(line, below) and line.rtl == below.rtl
    return line.ends_clause or not is_alike


def _begins_beside(before: LineGroup, line: PlacedLine) -> bool:
    """Return whether a line begins at a margin of a text, or further out or in with a word without a capital."""
    shift = (line.start - before.margin) / line.size
    is_word = _begins_with_small_word(line) and not line.is_mono
    is_shifted = line.start < line.left or 0 < shift < MAX_INDENT
    edges = before.margin, before.first.start, line.left
    return line.starts_at(*edges, within=MAX_MARGIN_SHIFT) or (is_word and is_shifted)


def _is_code(line: PlacedLine) -> bool:
    """Return whether a line is in a font of fixed pitch, or is no prose and ends as code does."""
    return line.is_mono or (not line.is_prose and line.text.endswith(CODE_ENDS))


def _goes_on_after_stop(
    before: LineGroup, formula: LineGroup, group: LineGroup
) -> bool:
    """Return whether a text goes on with a small letter after the full stop of a displayed formula.

    Args:
        formula: the part of `before` above `group`, in its column; `before` may begin in another one.
    """
    line = group.first
    is_below = line.column == formula.last.column
    is_small = line.begins_small and _begins_with_small_word(line) and _may_go_on(group)
    return is_small and is_below and same_print(before.first, line)


def _goes_on_in_item(before: LineGroup, group: LineGroup) -> bool:
    """Return whether a text goes on below a displayed formula, at the start of the text of an item with an indent."""
    last, line = before.last, group.first
    is_inside = before.text_start - line.left > INDENTED * line.size
    at_text = line.starts_at(before.text_start) and line.column == last.column
    is_text = line.is_prose and _may_go_on(group) and same_print(before.first, line)
    return before.marker > 0 and is_inside and at_text and is_text


def _goes_on_flush(before: LineGroup, group: LineGroup) -> bool:
    """Return whether a text goes on at the margin below a displayed formula, where paragraphs have an indent."""
    last, line = before.last, group.first
    is_below = line.column == last.column and last.is_formula
    is_text = line.is_prose and _may_go_on(group) and same_print(before.first, line)
    return (
        is_below
        and is_text
        and line.starts_at(line.left, within=MAX_MARGIN_SHIFT)
        and not _has_label(line)
    )


def _has_label(line: Line) -> bool:
    """Return whether a line begins with a number, the label of a statement, or a word that ends in a stop."""
    first = line.first_text
    is_named = _has_title(line) or after_statement_label(line.text) != ""
    return is_named or first[0].isdigit() or first.endswith((".", ":"))


def _has_title(line: Line) -> bool:
    """Return whether a line begins with the label of a statement, or with a title in bold that ends in a stop."""
    bold = leading_bold(line.words[:-1])
    is_title = bool(bold) and bold[-1].text.endswith((".", ":"))
    return is_title or begins_statement(line.text)


def _n_formulas_between(groups: Sequence[LineGroup], group: LineGroup) -> int:
    """Return the number of displayed formulas after which a text that has ended its sentence goes on, 0 if it does not.

    A text of several lines goes on with a small letter after one formula, any sentence with a clause after several.

    Args:
        groups: those before `group`: the text and the formulas are the last ones.
    """
    is_clause = _CLAUSE.match(group.first.text) is not None
    last = itertools.islice(reversed(groups), MAX_DISPLAYS if is_clause else 1)
    n_formulas = sum(1 for _ in itertools.takewhile(_is_displayed_formula, last))
    if not 0 < n_formulas < len(groups) or groups[-1].last.ends_sentence:
        return 0

    before = groups[-n_formulas - 1]
    n_words = sum(line.n_words for line in before.lines)
    has_words = is_clause and n_words >= MIN_OPEN_TEXT_WORDS
    is_whole = has_words or len(before.lines) > 1 or before.marker > 0
    is_text = before.is_prose and is_whole and not before.is_display
    goes_on = is_text and _goes_on_after_stop(before, groups[-1], group)
    return n_formulas if goes_on else 0


def _is_displayed_formula(group: LineGroup) -> bool:
    """Return whether a group without a number is a formula apart from the margins."""
    line = group.first
    is_apart = line.indent > DISPLAYED and not line.is_prose
    return line.is_formula and is_apart and not (line.is_mono or group.marker)


def _goes_on_at_margin(before: LineGroup, line: Line, indented: bool) -> bool:
    """Return whether a line at the margin below a display may continue the sentence of `before`.

    A single line may be a title, unless it ends with a comma, or inside a sentence of Chinese or Japanese.
    """
    is_small = line.initial.isalpha() and not line.initial.isupper()
    is_open = _ENDS_OPEN.search(before.last.text) is not None
    if len(before.lines) == 1 and not (is_small and is_open and not line.words[0].bold):
        return False
    return indented or is_small


def _may_go_on(group: LineGroup) -> bool:
    """Return whether a group is text without number or bullet, outside tables, and not in bold or after "Proof."."""
    line = group.first
    is_worded = line.is_prose or _begins_with_small_word(line)
    is_apart = group.marker or line.in_table or line.is_bold
    return is_worded and not is_apart and not names_statement(line.first_text)


def _begins_with_small_word(line: Line) -> bool:
    """Return whether a line begins with a word without a capital: "since", or two letters alone on the line: "or"."""
    first = line.first_text.lstrip("(")
    least = 3 if len(line.words) > 1 else 2
    return len(first) >= least and first.isalpha() and not line.initial.isupper()


def _begins_with_new_word(line: Line) -> bool:
    """Return whether a line begins with a word of three letters or more that is neither small nor a term: "Let"."""
    first = line.words[0]
    is_word = len(first.text) > 2 and first.text.isalpha() and not first.is_term
    return is_word and not line.begins_small


def _find_beginning(
    groups: Sequence[LineGroup],
    group: LineGroup,
    habits: TypesettingHabits,
) -> LineGroup | None:
    """Return the one of `groups` that `group` continues, None if a new paragraph begins with it."""
    line = group.first
    begins = group.marker or caption_label(line.text) or not line.initial
    is_last = len(group.lines) == 1 and line.ends_sentence
    if (
        group.is_display
        or begins
        or (line.n_words < MIN_FIRST_WORDS and not is_last)
        or not group.is_prose
        or not _is_body(group, habits)
    ):
        return None
    between: list[LineGroup] = []
    for before in reversed(groups):
        is_near = before.last.page >= line.page - 1
        # as in a table or a caption between two parts of a text
        is_small = before.last.size < SMALL_PRINT * line.size
        if is_near and not is_small and _is_text(before, habits):
            goes_on = goes_on_across(before, between, group, habits)
            return before if goes_on and before.is_prose else None
        between.append(before)

    return None


def _begins_anew(group: LineGroup, habits: TypesettingHabits) -> bool:
    """Return whether a group is a heading, or an item in the size of the text, below which no earlier text goes on.

    Bold words in small print are those of a table.
    """
    line = group.first
    is_large = line.size > HEADING * habits.body_size and line.is_prose
    is_bold = line.is_bold and line.size > SMALL_PRINT * habits.body_size
    is_heading = (is_bold or is_large) and not caption_label(line.text)
    return is_heading or (group.marker > 0 and _is_body(group, habits))


def _is_text(group: LineGroup, habits: TypesettingHabits) -> bool:
    """Return whether a group is running text of six words or more, which may go on elsewhere, and no caption."""
    n_words = sum(line.n_words for line in group.lines)
    is_text = n_words >= MIN_OPEN_TEXT_WORDS and not drawing_label(group.first.text)
    return is_text and _is_body(group, habits)


def _is_body(group: LineGroup, habits: TypesettingHabits) -> bool:
    """Return whether the first lines of a group are prose in the size of the text, of the document or of the page."""
    return not any(
        _has_cells(line, habits) or line.in_table or not habits.is_body_size(line)
        for line in group.lines[:2]
    )


def _has_cells(line: PlacedLine, habits: TypesettingHabits) -> bool:
    """Return whether a line has wide gaps; in justified text one gap in a line from margin to margin is a space."""
    is_wide = line.is_flush and abs(line.room) < FLUSH and line.n_prose_words > 2
    is_whole = habits.justified and is_wide
    return line.n_gaps > is_whole


def goes_on_across(
    before: LineGroup,
    between: Sequence[LineGroup],
    group: LineGroup,
    habits: TypesettingHabits,
) -> bool:
    """Return whether a group continues a paragraph of another column or page, or above a figure with a caption."""
    last = before.last
    line = group.first
    if last.has_leaders or not same_print(last, line):
        return False
    if not _is_elsewhere(last, line, between) or _are_parted(
        last, line, between, habits
    ):
        return False
    wider = max(last.column_width, line.column_width)
    is_as_wide = abs(last.column_width - line.column_width) <= WIDTH_TOLERANCE * wider
    if len(before.lines) == 1 and not line.begins_small:  # such as a date
        return False

    indent = _indent_across(last, group)
    if abs(indent) < FLUSH and is_as_wide and _is_broken(before, line, between, habits):
        return True
    if last.ends_clause or (indent >= INDENTED and not line.begins_small):
        return False
    return line.begins_small or not last.has_room_for(line, WIDE_SPACE)


def _is_elsewhere(
    last: PlacedLine, line: PlacedLine, between: Iterable[LineGroup]
) -> bool:
    """Return whether a line is in another column, or begins in a small letter below a figure with a caption."""
    if last.column != line.column:
        return True
    return line.begins_small and any(drawing_label(part.first.text) for part in between)


def _are_parted(
    last: PlacedLine,
    line: PlacedLine,
    between: Sequence[LineGroup],
    habits: TypesettingHabits,
) -> bool:
    """Return whether a heading or an item in one of their columns, or the structure of the file, parts two lines.

    Word writes the parts of a paragraph on two pages as two elements.
    """
    is_known = last.element > 0 < line.element and last.page == line.page
    if habits.trusts_structure and is_known and last.element != line.element:
        return True
    columns = (last.column, line.column)
    return any(
        part.first.column in columns and _begins_anew(part, habits) for part in between
    )


def _indent_across(last: PlacedLine, group: LineGroup) -> float:
    """Return the indent of the first line of a group; in a box, with the inset of `last`, that from its other lines."""
    line = group.first
    if len(group.lines) > 1 and abs(line.indent - last.indent) < FLUSH:
        return (line.start - group.outermost) / line.size
    return line.indent


def _is_broken(
    before: LineGroup,
    line: PlacedLine,
    between: Sequence[LineGroup],
    habits: TypesettingHabits,
) -> bool:
    """Return whether a full line is before a figure or the end of a page: a new paragraph would have an indent."""
    in_column = all(group.first.column == line.column for group in between)
    is_certain = in_column if habits.indented else habits.justified and not between
    return is_certain and before.room < FLUSH and not _has_title(line)
