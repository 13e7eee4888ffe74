"""Blocks of text, such as paragraphs, headings and items, made from lines in reading order."""

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from ingest.layout.arrange import LARGE_PRINT, Arranged
from ingest.layout.line import (
    BOLD_SHARE,
    MONO_SHARE,
    OPERATORS,
    Line,
    PlacedLine,
    Word,
    leading_bold,
    print_of,
)
from ingest.paragraphs.beginnings import NOTE_NUMBER, group_lines, has_raised_number
from ingest.paragraphs.continuations import join_continuations
from ingest.paragraphs.habits import HEADING, TypesettingHabits, measure_habits
from ingest.paragraphs.hyphens import join_text
from ingest.paragraphs.line_group import LineGroup
from ingest.paragraphs.markers import is_bullet
from ingest.pdf.model import UNKNOWN
from quarry.course.sentences import names_statement
from quarry.languages.registry import LANGUAGES, alternatives, count_words

MAX_HEADING_LINES = 3
"""Maximum number of lines of a heading."""

MAX_HEADING_WORDS = 16
"""Maximum number of words of a heading."""

MIN_HEADING_LETTERS = 3
"""Minimum number of letters of a heading."""

MIN_CALL_WORDS = 5
"""Minimum number of words of a sentence with an exclamation mark that is no heading in bold print."""

MAX_INDEX_SIZE = 0.9
"""Maximum font size of an index, in sizes of its line."""

MIN_INDEX_RISE = 0.1
"""Minimum distance of an index or exponent from the baseline, in font sizes of its line."""

NO_CELL_ENDS = OPERATORS | set(".!?:;,")
"""Signs that end no text before a number in a row of a table."""

NEAR_BLOCKS = 3
"""Maximum distance of two items of a list, in blocks."""

_NAMES = alternatives(language.bibliographies for language in LANGUAGES)
"""Expression for a name of a bibliography."""

_BIBLIOGRAPHY = re.compile(rf"(?:\S+ ){{0,2}}{_NAMES}(?: \S+){{0,2}}:?", re.IGNORECASE)
"""Heading with the name of a bibliography among a few words."""

_NAME_ALONE = re.compile(
    rf"(?:[\dIVX][\dIVX.]* )?{_NAMES}(?: [/\\&] {_NAMES})?:?", re.IGNORECASE
)
"""Name of a bibliography alone, perhaps with the number of the section."""


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of text, such as a paragraph, with the features that decide its kind.

    Attributes:
        page: 1-based page on which it starts.
        heading: the heading of its section, "" if there is none.
        text: on one line, without bullet, hyphenation undone.
        footnote: whether it is at the foot of a page.
        is_heading: whether it is a heading.
        size_ratio: its font size divided by the size of the body.
        bold_share, mono_share: shares of its characters that are bold, and of fixed pitch, 0..1.
        unknown_share: share of its words with a character that the file does not explain, 0..1.
        n_title: number of characters of the bold name of a statement at the beginning of its text.
        n_first: number of characters up to a sentence that begins after a formula without a stop; 0 if none does.
        indices: words with a full stop that are indices of formulas on their lines.
        number: the bullet or number itself, "" if none.
        in_table: whether it is inside a table with rules, or a row of one without.
        in_data: whether it is inside a row of a table of data with rules.
        has_gaps: whether a line has wide gaps inside it, as between the cells of a table; those of formulas below text
            do not count.
        n_lines: number of its lines.
        indent: distance of its first line from the margin of the column, in font sizes.
        is_first: whether it is the first one of its page.
        in_list: whether it is an item, and another one is near.
        in_listing: whether it and the block before or after it are in a font of fixed width.
        introduces: whether an item follows it on its page.
        last_page: page on which it ends.
        page_breaks: offsets in the text at which a new page begins.
        display: the displayed formulas with which its last sentence ends; they say nothing about its kind.
    """

    page: int
    heading: str
    text: str
    footnote: bool = False
    is_heading: bool = False
    size_ratio: float = 1.0
    bold_share: float = 0.0
    mono_share: float = 0.0
    unknown_share: float = 0.0
    n_title: int = 0
    n_first: int = 0
    indices: tuple[str, ...] = ()
    number: str = ""
    in_table: bool = False
    in_data: bool = False
    has_gaps: bool = False
    n_lines: int = 1
    indent: float = 0.0
    is_first: bool = False
    in_list: bool = False
    in_listing: bool = False
    introduces: bool = False
    last_page: int = 0
    page_breaks: tuple[int, ...] = ()
    display: str = ""

    @property
    def is_numbered(self) -> bool:
        """Whether the number of the block has a digit, unlike a letter or a bullet."""
        return any(map(str.isdigit, self.number))

    @property
    def style(self) -> str:
        """Style of its bullet or number: "1." for "12.", "1()" for "(3)", "a." for "b.", or the bullet."""
        number = self.number
        if self.is_numbered:
            return "1" + re.sub(r"\d", "", number)
        return "a" + number[-1] if any(map(str.isalpha, number)) else number


def find_blocks(arranged: Arranged) -> Iterator[Block]:
    """Split a document into blocks in reading order, footnotes after the body of their page."""
    habits = measure_habits(arranged)
    body = []
    notes = []
    for line in itertools.chain.from_iterable(arranged.pages):
        if line.footnote:
            notes.append(line)
        else:
            body.append(line)

    blocks = []
    heading = ""
    name = ""  # of a bibliography, in the print of the text
    after_row = False
    for group in join_continuations(group_lines(body, habits), habits):
        block = _block_of(group, heading, habits)
        if name and block.is_numbered:
            heading = name
            block = replace(block, heading=name)
        name = block.text if is_bibliography(block.text, alone=True) else ""
        if _is_row(group, after_row):
            block = replace(block, in_table=True, has_gaps=True)
        after_row = block.in_table and block.has_gaps and group.is_prose
        blocks.append(block)
        if block.is_heading:
            heading = block.text
    for group in group_lines(notes, habits):
        blocks.append(_block_of(group, "", habits))

    blocks = [block for block in blocks if block.text]
    blocks.sort(key=lambda block: block.page)
    return _with_neighbours(blocks)


def is_bibliography(heading: str, alone: bool = False) -> bool:
    """Return whether a heading is that of a bibliography, such as "7 List of References".

    Args:
        alone: whether it must be the name of a bibliography without other words, such as "7 References".
    """
    pattern = _NAME_ALONE if alone else _BIBLIOGRAPHY
    return pattern.fullmatch(heading) is not None


def _with_neighbours(blocks: Sequence[Block]) -> Iterator[Block]:
    """Set the features of blocks that depend on the blocks before and after them."""
    styles = [block.style for block in blocks]
    pages = [block.page for block in blocks]
    mono = [block.mono_share > MONO_SHARE for block in blocks]

    for position, block in enumerate(blocks):
        n_mono = sum(mono[max(0, position - 1) : position + 2])
        following = slice(position + 1, position + 1 + NEAR_BLOCKS)
        near = styles[max(0, position - NEAR_BLOCKS) : position] + styles[following]
        yield replace(
            block,
            is_first=block.page not in pages[max(0, position - 1) : position],
            in_list=block.number != "" and styles[position] in near,
            in_listing=mono[position] and n_mono > 1,
            introduces=(
                position + 1 < len(blocks)
                and styles[position + 1] != ""
                and pages[position + 1] == block.page
            ),
        )


def _block_of(group: LineGroup, heading: str, habits: TypesettingHabits) -> Block:
    """Make a block of a group of lines under a heading."""
    lines = group.lines
    first = group.first
    n_marks = group.marker or has_raised_number(first, habits.body_size)
    text, page_breaks = join_text(lines, n_marks, habits.vocabulary)
    if first.footnote:
        text = NOTE_NUMBER.sub("", text)

    words = [word for line in lines for word in line.words]
    _, bold_share, mono_share = print_of(words)
    own = words[group.marker :]
    n_unknown = sum(_is_unknown(word.text) for word in own)
    block = Block(
        page=first.page,
        heading=heading,
        text=text,
        footnote=first.footnote,
        size_ratio=median(line.size for line in lines) / habits.body_size,
        bold_share=bold_share,
        mono_share=mono_share,
        unknown_share=n_unknown / max(1, len(own)),
        n_title=_title_length(first.words[group.marker :], text),
        n_first=_length_of_first(lines, n_marks, habits),
        indices=_indices(lines),
        number=first.first_text if group.marker else "",
        in_table=first.in_table,
        in_data=first.in_data,
        has_gaps=_has_gaps(lines),
        n_lines=len(lines),
        indent=first.indent,
        last_page=group.last.page,
        page_breaks=page_breaks,
        display=" ".join(
            join_text(part.lines, 0, habits.vocabulary)[0] for part in group.displays
        ),
    )
    page_size = habits.page_sizes.get(block.page, 0.0) / habits.body_size
    size_ratio = block.size_ratio / max(1.0, page_size)
    return replace(block, is_heading=_is_heading(block, group, size_ratio))


def _length_of_first(
    lines: Sequence[PlacedLine], n_marks: int, habits: TypesettingHabits
) -> int:
    """Return the length of the text above the first line that opens a sentence after a formula; 0 without one."""
    for position, line in enumerate(lines):
        if line.opens_sentence:
            text, _ = join_text(lines[:position], n_marks, habits.vocabulary)
            return len(text)
    return 0


def _indices(lines: Iterable[Line]) -> tuple[str, ...]:
    """Return the words with a full stop that are indices or exponents of formulas."""
    indices = []
    for line in lines:
        for word in line.words:
            is_raised = abs(word.raised) > MIN_INDEX_RISE * line.size
            is_small = word.size < MAX_INDEX_SIZE * line.size
            if word.text[-1] == "." and is_raised and is_small:
                indices.append(word.text)
    return tuple(indices)


def _has_gaps(lines: Sequence[PlacedLine]) -> bool:
    """Return whether a line has wide gaps; those of formulas below text do not count."""
    first, *others = lines
    texts = [line for line in others if not (line.is_formula and first.is_prose)]
    return any(line.n_gaps for line in (first, *texts))


def _is_unknown(word: str) -> bool:
    """Return whether a word has an unknown character, and is more than one sign or a sign with an unknown index."""
    n_unknown = word.count(UNKNOWN)
    return n_unknown > 1 or (n_unknown == 1 and len(word) > 2)


def _is_row(group: LineGroup, after_row: bool) -> bool:
    """Return whether a group is a row of a table without rules: three cells, or a text and a number at the end.

    Args:
        after_row: whether it is below such a row; then two cells are enough.
    """
    if is_bullet(group.first.first_text):
        return False
    *others, last = group.last.words
    is_number = group.last.n_gaps > 0 and last.text.isdecimal()
    if is_number and others[-1].text[-1] not in NO_CELL_ENDS:
        return True
    return all(line.n_gaps > (not after_row) for line in group.lines)


def _title_length(words: Sequence[Word], text: str) -> int:
    """Return the length of the bold name of a statement that begins a line and a text; 0 if there is none."""
    bold = leading_bold(words)
    title = " ".join([word.text for word in bold])
    has_text = len(bold) < len(words) and text.startswith(title)
    return len(title) if has_text and names_statement(title) else 0


def _is_heading(block: Block, group: LineGroup, size_ratio: float) -> bool:
    """Return whether a short text is in large or bold print, and no footnote, bold code or item with a bullet.

    Args:
        size_ratio: its font size divided by the size of the text of its page.
    """
    text = block.text
    if (
        is_bullet(block.number)
        or block.footnote
        or len(group.lines) > MAX_HEADING_LINES
    ):
        return False

    n_letters = sum(map(str.isalpha, text))
    n_words = count_words(text)
    if n_letters < MIN_HEADING_LETTERS or n_words > MAX_HEADING_WORDS:
        return False
    is_call = text.endswith("!") and n_words >= MIN_CALL_WORDS
    if is_call or text.endswith((".", ",", ";", "。", "，", "；")):
        return size_ratio > LARGE_PRINT and text.endswith((".", "!", "。"))
    is_bold = block.bold_share > BOLD_SHARE and block.mono_share <= MONO_SHARE
    return size_ratio > HEADING or is_bold
