"""A line in its column, with the features that decide where paragraphs begin, each computed once."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

from ingest.layout.lines import Line

PROSE_SHARE = 0.3
"""Minimal share of words in a line of prose."""

LEADERS = re.compile(r"(?:\.\s?){5,}|(?:[·…]\s?){4,}")
"""Dots of a table of contents."""
_CLAUSE_END = re.compile(r"""[.!?:…。][)\]"'”’»׳״]*$""")
_SENTENCE_END = re.compile(r"""[.!?…。][)\]"'”’»׳״\d]*$""")
OPENING = "([\"'“‘„"


@dataclass(frozen=True)
class PlacedLine(Line):
    """A line in its column; lengths in points; `start`, `end` and the margins grow in reading direction.

    Attributes:
        page: 1-based.
        column: number of the column within the document; lines of one column follow each other from top to bottom.
        start, end: its first and last edge.
        left, right: margins of its column, in the same direction.
        n_gaps: number of wide gaps inside it, as between the cells of a table.
        footnote: whether it belongs to the notes at the foot of a column.
        in_table: whether it is inside a table with rules.
    """

    page: int
    column: int
    start: float
    end: float
    n_gaps: int
    in_table: bool
    left: float = 0.0
    right: float = 0.0
    footnote: bool = False

    @property
    def first(self) -> str:
        """Text of the first word."""
        return self.words[0].text

    @cached_property
    def initial(self) -> str:
        """First character after opening brackets and quotation marks, "" if there is none."""
        return self.first.lstrip(OPENING)[:1]

    @property
    def goes_on(self) -> bool:
        """Whether it begins with a small letter, as inside a sentence."""
        return self.initial.islower()

    @property
    def is_inside_sentence(self) -> bool:
        """Whether it begins with a small letter or the mark after a formula."""
        return self.goes_on or self.initial in ",.;:"

    @property
    def indent(self) -> float:
        """Distance of its start from the margin of the column, in font sizes."""
        return (self.start - self.left) / self.size

    @property
    def room(self) -> float:
        """Distance of its end from the margin of the column, in font sizes."""
        return (self.right - self.end) / self.size

    @property
    def column_width(self) -> float:
        """Width of the column."""
        return self.right - self.left

    @property
    def is_flush(self) -> bool:
        """Whether it begins at the margin of the column."""
        return abs(self.indent) < 0.3

    @property
    def is_bold(self) -> bool:
        """Whether nearly all of it is bold."""
        return self.bold > 0.95

    @property
    def is_mono(self) -> bool:
        """Whether most of it is in a font of fixed pitch, as code is."""
        return self.mono > 0.8

    @cached_property
    def ends_clause(self) -> bool:
        """Whether it ends with a full stop, a colon or the like."""
        return bool(_CLAUSE_END.search(self.text))

    @cached_property
    def ends_sentence(self) -> bool:
        """Whether it ends with a full stop or the like, perhaps with the number of a note, but not with a colon."""
        return bool(_SENTENCE_END.search(self.text))

    @cached_property
    def has_leaders(self) -> bool:
        """Whether it has a row of dots, as in a table of contents."""
        return bool(LEADERS.search(self.text))

    @cached_property
    def n_letters(self) -> int:
        """Number of letters."""
        return sum(map(str.isalpha, self.text))

    @cached_property
    def n_words(self) -> int:
        """Number of words with three letters or more."""
        count = 0
        for word in self.words:
            count += sum(map(str.isalpha, word.text)) > 2
        return count

    @property
    def word_share(self) -> float:
        """Share of words with three letters or more; it is low in a formula."""
        return self.n_words / len(self.words)

    @property
    def is_prose(self) -> bool:
        """Whether it has enough words to be prose, perhaps with formulas."""
        return self.word_share > PROSE_SHARE or self.n_words > 2

    def is_full(self, following: PlacedLine) -> bool:
        """Return whether the first word of the next line would not have fitted into it."""
        slack = 0.9
        if not self.ends_clause:
            slack = 1.5
            # a Latin word or a formula may begin a line of Hebrew
            begins = following.first[0].isupper() and not following.rtl
            enough = 0.85 if begins else 0.6
            fill = (self.end - self.start) / max(1.0, self.column_width)
            if fill > enough:
                return True
        word = following.words[0]
        return self.right - self.end < word.x1 - word.x0 + slack * following.size

    def flows_into(self, following: PlacedLine) -> bool:
        """Return whether its text continues in the next line, in another column or print."""
        if not following.initial or self.ends_sentence:
            return False
        if self.text.endswith(":"):
            return following.goes_on and following.word_share > 0.5
        if self.text.endswith("-") or following.goes_on:
            return True
        is_full = self.right - self.end < 2 * following.size
        return is_full and not following.initial.isdigit()
