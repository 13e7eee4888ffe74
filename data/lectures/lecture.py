"""What a lecture consists of, and the errors of building one.

The text of a block is what the PDF prints, character for character: in English the straight quotes and apostrophes of
the source become typographic ones when it is read, not in the typesetter; in Hebrew, where gershayim and quotes share a
key, they stay straight. `--`, `---` and `...` become dashes and an ellipsis in both.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

MIN_PLAYABLE_WORDS: Mapping[str, int] = {"en": 50, "he": 45}
MAX_PLAYABLE_WORDS = 140
MIN_UNCLEAR_WORDS = 40  # from here to the minimum above a paragraph is neither noise nor playable


_MATH_CHARACTERS = {">=": "≥", "<=": "≤", "!=": "≠", "->": "→", '"': ""}
_MATH_CHARACTERS |= {r"\btimes\b": "×", r"\bdots\b": "…", r"\bapprox\b": "≈", r"\bdot\b": "⋅"}


class LectureError(Exception):
    """Whatever stops the lectures from being built."""


class SourceError(LectureError, ValueError):
    """A lecture source that does not follow the format; the message is one line with file, line and remedy."""

    def __init__(self, path: Path, line: int, message: str) -> None:
        super().__init__(f"{path.name}:{line}: {message}")
        self.path = path
        self.line = line


@dataclass(frozen=True, slots=True)
class Span:
    """A run of text in one style; of kind `footnote`, `text` is the footnote's number as a decimal."""

    kind: Literal["text", "code", "math", "footnote", "sentence_end"]
    text: str = ""
    strong: bool = False
    emphasis: bool = False


Spans = tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading; one that is not `listed` is left out of the table of contents."""

    line: int
    level: int
    spans: Spans
    numbered: bool = True
    listed: bool = True


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A running paragraph; `abstract` where it stands under that heading."""

    line: int
    spans: Spans
    abstract: bool = False


@dataclass(frozen=True, slots=True)
class Item:
    """One item of a list; `blocks` holds nested lists and further paragraphs."""

    line: int
    spans: Spans
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True)
class ItemList:
    """A bulleted or numbered list, or the references."""

    line: int
    items: tuple[Item, ...]
    ordered: bool
    start: int = 1
    references: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """A box: a definition, a theorem, a remark."""

    line: int
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Code:
    """A listing."""

    line: int
    language: str
    text: str


@dataclass(frozen=True, slots=True)
class Formula:
    """A displayed formula."""

    line: int
    text: str  # Typst mathematics


@dataclass(frozen=True, slots=True)
class Table:
    """A table; `rows[0]` is the header, `caption` begins with its number ("Table 1: ") and is empty if it has none."""

    line: int
    caption: Spans
    rows: tuple[tuple[Spans, ...], ...]
    alignments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn figure; `values` is empty for boxes."""

    line: int
    kind: str
    caption: Spans
    labels: tuple[str, ...]
    values: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Contents:
    """The table of contents."""

    line: int


@dataclass(frozen=True, slots=True)
class PageBreak:
    """A page break."""

    line: int


Block = Heading | Paragraph | ItemList | Quote | Code | Formula | Table | Figure | Contents | PageBreak


@dataclass(frozen=True, slots=True)
class Lecture:
    """One lecture.

    `pdf_title` is None unless the source overrides the title of the PDF's metadata; `footnotes` stand in the order of
    their marks, without those in `unused_footnotes`, the labels to which nothing refers.
    """

    path: Path
    title: str
    subtitle: str
    authors: tuple[str, ...]
    course: str
    number: int
    date: datetime.date | str
    lang: str
    layout: str
    running_head: str
    pdf_title: str | None
    blocks: tuple[Block, ...]
    footnotes: tuple[Spans, ...]
    unused_footnotes: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The file's stem, which is the document's name everywhere."""
        return self.path.stem


def plain(spans: Spans) -> str:
    """The characters a reader sees: no styles, no footnote marks, maths in plain characters."""
    return "".join(plain_math(span.text) if span.kind == "math" else span.text for span in spans if is_printed(span))


def is_printed(span: Span) -> bool:
    """Whether the span stands in the line itself, unlike footnotes and marks."""
    return span.kind in ("text", "code", "math")


def plain_math(source: str) -> str:
    """Simple Typst maths as plain characters: `n >= 10` becomes `n ≥ 10`, quoted words lose their quotes."""
    for pattern, character in _MATH_CHARACTERS.items():
        source = re.sub(pattern, character, source)
    return source


def n_words(text: str) -> int:
    """How many words, counted as runs without white space."""
    return len(text.split())
