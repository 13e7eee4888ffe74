"""Words and lines, with the features of a line that decide where paragraphs begin, each computed once."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

from ingest.pdf.model import Box, edges, space_between
from quarry.languages.quotation import CLOSING_MARKS, OPENING_MARKS
from quarry.languages.registry import begins_unspaced, count_words

PROSE_SHARE = 0.3
"""Minimum share of words in a line of prose with formulas."""

WORD_SHARE = 0.5
"""Minimum share of words in a line of prose without formulas."""

SMALL_PRINT = 0.94
"""Maximum font size of notes at the foot or in the margin of a page, in sizes of the text."""

FULL_SHARE = 0.6
"""Minimum share of the width of its column of a full line inside a clause."""

FULL_SHARE_BEFORE_CAPITAL = 0.85
"""Minimum share of the width of its column of a full line above a capital."""

CLAUSE_SPACE = 0.9
"""Width of a space in a full line that ends a clause, in font sizes."""

WIDE_SPACE = 1.5
"""Maximum width of a space in another full line, in font sizes."""

MAX_OPEN_ROOM = 2.0
"""Maximum room at the end of a line whose sentence goes on with a capital or a sign, in font sizes."""

BOLD_SHARE = 0.9
"""Minimum share of bold characters in bold text."""

MONO_SHARE = 0.6
"""Minimum share of characters of fixed pitch in code."""

BOLD_LINE = 0.95
"""Minimum share of bold characters in a bold line, which may end in other print."""

MONO_LINE = 0.8
"""Minimum share of characters of fixed pitch in a line of code, which may end in other print."""

FLUSH = 0.3
"""Maximum distance of two edges that are alike, in font sizes."""

INDENTED = 0.7
"""Minimum indent of a first line, in font sizes."""

MAX_INDENT = 3.5
"""Maximum indent of a first line, in font sizes."""

ITEM_GAP = 0.4
"""Minimum white space after the bullet or number of an item, in font sizes."""

APART = 1.3
"""Minimum white space after the bullet or number of an item, in other spaces of its line."""

MAX_SHIFT = 0.3
"""Maximum distance of a part of a formula from its baseline that leaves the distance of lines as it is, in font sizes.
"""

CODE_ENDS = (";", "{", "}")
"""Signs at the end of a line of code."""

OPERATORS = frozenset("=≠<>≤≥≡≅≃≈∼∈∉⊂⊆→↦×+−·⋅/∪∩∘")
"""Signs between two terms of a formula."""

LEADERS = re.compile(r"(?:\.\s?){5,}|(?:[·…]\s?){4,}")
"""Dots of a table of contents."""
PROOF_ENDS = "□■∎◻◼⋄◇◆♦"
"""Signs at the end of a proof or an example."""

_CLOSED = rf"[{re.escape(CLOSING_MARKS)}]*(?: [{PROOF_ENDS}]| \[\d{{1,3}}\])?$"
"""Expression for the signs that may follow the last stop of a text, such as brackets and the end of a proof."""

_STOPS = ".!?؟…。．！？☹☺\U0001f300-\U0001faff"
"""Stops, and faces and the like in place of one."""

_ENDS_CLAUSE = re.compile(rf"[:{_STOPS}]{_CLOSED}")
"""Stop or colon at the end of a text."""

ENDS_SENTENCE = re.compile(rf"(?:[{_STOPS}]|(?<![\d.])[.!?…。]\d{{1,3}}){_CLOSED}")
"""Stop at the end of a text, perhaps with the number of a note."""

UNSPACED_ROOM = 3.0
"""Minimum room at the end of a line for two letters without a space and the sign after them, in font sizes."""

_SHAPES = (
    range(0x25A0, 0x25B3),
    range(0x25B6, 0x25BD),
    range(0x25C6, 0x2776),
    range(0x2794, 0x27C0),
)
"""Codes of geometric shapes but triangles of formulas, and of ornaments but digits."""

BULLETS = "•‣⁃⤷↳⬤\u20dd" + "".join(map(chr, itertools.chain(*_SHAPES)))


@dataclass(frozen=True, slots=True)
class Word:
    """One word on the page, its text in logical order; lengths in points, y downwards from the top.

    Attributes:
        size: font size.
        raised: points above the baseline of its line, negative below.
        is_term: whether it has letters at several heights, as terms of formulas have.
    """

    text: str
    x0: float
    x1: float
    size: float
    raised: float
    bold: bool
    mono: bool
    is_term: bool = False

    @property
    def initial(self) -> str:
        """First character after opening brackets and quotation marks, "" if there is none."""
        return self.text.lstrip(OPENING_MARKS)[:1]


@dataclass(frozen=True)
class Line:
    """Words of one row, or of a part of it, in reading order; lengths in points, y downwards from the top.

    Attributes:
        y: the baseline.
        size: the font size of most of its characters.
        bold_share: share of its characters that are bold, 0..1.
        mono_share: share of its characters in a font of fixed pitch, 0..1.
        rtl: whether it reads from right to left.
        order: position of its first glyph among those of its page as they are drawn.
        rise, depth: how far parts of its formulas are above and below the baseline.
        element: number of its element in the structure of the page, such as a paragraph; 0 if it has none or several.
    """

    words: tuple[Word, ...]
    x0: float
    x1: float
    y: float
    size: float
    bold_share: float = 0.0
    mono_share: float = 0.0
    rtl: bool = False
    order: int = 0
    rise: float = 0.0
    depth: float = 0.0
    element: int = 0

    @cached_property
    def text(self) -> str:
        """Text of the words, with single spaces between."""
        return " ".join([word.text for word in self.words])

    @cached_property
    def n_words(self) -> int:
        """Number of words; two letters of a script without spaces between words are one."""
        return count_words(self.text)

    @property
    def n_chars(self) -> int:
        """Number of characters without spaces."""
        return sum(len(word.text) for word in self.words)

    @property
    def n_alphanumeric(self) -> int:
        """Number of letters and digits."""
        return sum(map(str.isalnum, self.text))

    @property
    def first_text(self) -> str:
        """Text of the first word."""
        return self.words[0].text

    @cached_property
    def initial(self) -> str:
        """The initial of its first word."""
        return self.words[0].initial

    @property
    def begins_small(self) -> bool:
        """Whether the line begins with a small letter, as inside a sentence."""
        return self.initial.islower()

    @property
    def begins_with_word(self) -> bool:
        """Whether the line begins with letters alone, but for a comma or a stop after them."""
        return self.first_text.rstrip(",.;:!?").isalpha()

    @property
    def is_inside_sentence(self) -> bool:
        """Whether the line begins with the mark after a formula, or is not Hebrew and begins with a small letter."""
        is_small = self.begins_small and not self.rtl
        return is_small or (self.initial != "" and self.initial in ",.;:")

    @property
    def spaces(self) -> list[float]:
        """Widths of the white space after each word but the last, in points."""
        return list(itertools.starmap(space_between, itertools.pairwise(self.words)))

    def is_in(self, box: Box) -> bool:
        """Return whether the middle of its baseline is inside a rectangle."""
        return box.holds((self.x0 + self.x1) / 2, self.y)

    def with_words(self, words: tuple[Word, ...]) -> Self:
        """Return the same line with other words."""
        x0, x1 = edges(words)
        return replace(self, words=words, x0=x0, x1=x1)

    def drop_from(self, above: Line) -> float:
        """Return the distance of its baseline from that of the line above it, in font sizes.

        Parts of formulas that are far from their baseline make room for themselves.
        """
        room = max(0.0, above.depth - MAX_SHIFT * above.size)
        room += max(0.0, self.rise - MAX_SHIFT * self.size)
        return (self.y - above.y - room) / self.size

    @property
    def is_tall(self) -> bool:
        """Whether parts of the line's formulas are far from its baseline."""
        return max(self.rise, self.depth) > MAX_SHIFT * self.size

    @property
    def is_bold(self) -> bool:
        """Whether nearly all of the line is bold."""
        return self.bold_share > BOLD_LINE

    @property
    def is_mono(self) -> bool:
        """Whether most of the line is in a font of fixed pitch, as code is."""
        return self.mono_share > MONO_LINE

    @cached_property
    def has_leaders(self) -> bool:
        """Whether the line has a row of dots, as in a table of contents."""
        return bool(LEADERS.search(self.text))

    @cached_property
    def n_prose_words(self) -> int:
        """Number of words with three letters or more."""
        return sum(map(_is_word, self.words))

    @cached_property
    def n_unbroken(self) -> int:
        """Number of words of the formula with which a line of prose begins, as few programs break it; otherwise 1."""
        n_words = 1
        if self.is_prose:
            n_last = len(self.words) - 1
            signs = [word.text for word in self.words[1::2]]
            # a map has two signs: f : A → B
            if signs[1:] and signs[0] == ":" and signs[1] in OPERATORS:
                n_words += 2
            while n_words < n_last and self.words[n_words].text in OPERATORS:
                n_words += 2
        return n_words

    @cached_property
    def word_sizes(self) -> frozenset[float]:
        """Font sizes of the words with three letters or more; those of a formula may differ."""
        return frozenset(round(word.size, 1) for word in filter(_is_word, self.words))

    @property
    def word_share(self) -> float:
        """Share of words with three letters or more; it is low in a formula."""
        return self.n_prose_words / len(self.words)

    @property
    def is_formula(self) -> bool:
        """Whether fewer than half of its words are words of prose."""
        return self.word_share < WORD_SHARE

    @property
    def is_prose(self) -> bool:
        """Whether the line has enough words to be prose, perhaps with formulas."""
        return self.word_share > PROSE_SHARE or self.n_prose_words > 2


@dataclass(frozen=True, kw_only=True)
class PlacedLine(Line):
    """A row of a column of its page.

    Attributes:
        page: 1-based.
        column: number of the column within the document; lines of one column follow each other from top to bottom.
        from_right: whether the document reads from right to left, so that `start`, `end` and the margins are negative.
        left, right: margins of its column; like `start` and `end` they grow in reading direction.
        n_gaps: number of wide gaps inside it, as between the cells of a table.
        in_table: whether it is inside a table with rules.
        in_data: whether it is inside a row of a table of data.
        footnote: whether it belongs to the notes at the foot of a column.
        is_cut: whether it ends with an abbreviation, and its sentence goes on in the next line.
        opens_sentence: whether a sentence begins with it though the line above it has no stop.
    """

    page: int
    column: int
    from_right: bool
    left: float
    right: float
    n_gaps: int
    in_table: bool
    in_data: bool = False
    footnote: bool = False
    is_cut: bool = False
    opens_sentence: bool = False

    @property
    def start(self) -> float:
        """Its first edge in reading direction."""
        return -self.x1 if self.from_right else self.x0

    @property
    def end(self) -> float:
        """Its last edge in reading direction."""
        return -self.x0 if self.from_right else self.x1

    def start_after(self, n_words: int) -> float:
        """Return the start of its text after some words, such as a bullet; of the whole line if nothing follows."""
        if not 0 < n_words < len(self.words):
            return self.start
        word = self.words[n_words]
        return -word.x1 if self.from_right else word.x0

    @property
    def indent(self) -> float:
        """Distance of its start from the margin of the column, in font sizes."""
        return (self.start - self.left) / self.size

    @property
    def room(self) -> float:
        """Distance of its end from the margin of the column, in font sizes."""
        return (self.right - self.end) / self.size

    def starts_at(self, *edges: float, within: float = FLUSH) -> bool:
        """Return whether the line starts at one of some edges, in points in reading direction.

        Args:
            within: maximum distance, in font sizes.
        """
        return any(abs(self.start - edge) < within * self.size for edge in edges)

    def shift_from(self, above: PlacedLine) -> float:
        """Return how far its start is from that of the line above it, in font sizes; positive for an indent."""
        return (self.start - above.start) / self.size

    @property
    def column_width(self) -> float:
        """Width of the column."""
        return self.right - self.left

    @property
    def is_flush(self) -> bool:
        """Whether the line begins at the margin of the column."""
        return self.starts_at(self.left)

    @cached_property
    def ends_clause(self) -> bool:
        """Whether the line ends with a full stop, a colon or the like."""
        return not self.is_cut and bool(_ENDS_CLAUSE.search(self.text))

    @cached_property
    def ends_sentence(self) -> bool:
        """Whether the line ends with a full stop or the like and perhaps the number of a note, but not with a colon."""
        return not self.is_cut and bool(ENDS_SENTENCE.search(self.text))

    def is_full(self, following: Line) -> bool:
        """Return whether the line is full, as inside a paragraph: wide, or without room for the next line's word."""
        if self.ends_clause:
            return not self.has_room_for(following, CLAUSE_SPACE)
        # a Latin word or a formula may begin a line of Hebrew
        begins = following.first_text[0].isupper() and not following.rtl
        enough = FULL_SHARE_BEFORE_CAPITAL if begins else FULL_SHARE
        is_wide = self.end - self.start > enough * max(1.0, self.column_width)
        return is_wide or not self.has_room_for(following, WIDE_SPACE)

    def has_room_for(self, following: Line, space: float = 1.0) -> bool:
        """Return whether the beginning of the next line would fit at its end after a space, in font sizes.

        That is the first word; inside a sentence it is the whole formula with which the line begins. A text without
        spaces between words is broken between any letters, but not before a stop or bracket.
        """
        if begins_unspaced(following.first_text):
            return self.right - self.end >= UNSPACED_ROOM * following.size
        n_words = 1 if self.ends_clause else following.n_unbroken
        x0, x1 = edges(following.words[:n_words])
        return self.right - self.end >= x1 - x0 + space * following.size

    def flows_into(self, following: Line) -> bool:
        """Return whether the text of the line continues in the next line, in another column or print."""
        if not following.initial or self.ends_sentence:
            return False
        if self.text.endswith(":"):
            return following.begins_small and following.word_share > WORD_SHARE
        if self.text.endswith("-") or following.begins_small:
            return True
        is_full = self.right - self.end < MAX_OPEN_ROOM * following.size
        return is_full and not following.initial.isdigit()


def _is_word(word: Word) -> bool:
    """Return whether a word has three letters or more and is no term or product, unlike most parts of a formula."""
    has_letters = sum(map(str.isalpha, word.text)) > 2
    return has_letters and not word.is_term and ")(" not in word.text


def leading_bold(words: Iterable[Word]) -> list[Word]:
    """Return the bold words at the beginning of words."""
    return list(itertools.takewhile(lambda word: word.bold, words))


def is_item_gap(gap: float, size: float, usual: float) -> bool:
    """Return whether the white space after the bullet or number of an item sets it apart from the text.

    Args:
        gap: in points.
        size: font size.
        usual: width of the other spaces of the line, in points; 0 if unknown.
    """
    return gap > max(ITEM_GAP * size, APART * usual)


def print_of(words: Iterable[Word]) -> tuple[float, float, float]:
    """Return the font size of most characters of words, and the shares that are bold and of fixed pitch."""
    sizes: Counter[float] = Counter()
    n_bold = 0
    n_mono = 0
    for word in words:
        length = len(word.text)
        sizes[word.size] += length
        n_bold += length * word.bold
        n_mono += length * word.mono

    size, _ = sizes.most_common(1)[0]
    n_chars = sizes.total()
    return round(size, 1), n_bold / n_chars, n_mono / n_chars


def make_line(words: Sequence[Word], y: float, rtl: bool, order: int) -> Line:
    """Make a line of words in reading order."""
    x0, x1 = edges(words)
    size, bold_share, mono_share = print_of(words)
    return Line(
        words=tuple(words),
        x0=x0,
        x1=x1,
        y=y,
        size=size,
        bold_share=bold_share,
        mono_share=mono_share,
        rtl=rtl,
        order=order,
    )
