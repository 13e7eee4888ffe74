"""What a reader of files without printed pages yields: pieces of text in order, each with what it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["paragraph", "heading", "item", "code", "table"]


@dataclass(frozen=True, slots=True)
class Piece:
    """One piece of text.

    Attributes:
        text: on one line.
        level: of a heading, 1 the outermost; 0 for anything else.
        page: 1-based slide that it stands on, 1 in a file without slides.
    """

    text: str
    kind: Kind = "paragraph"
    level: int = 0
    page: int = 1


@dataclass(frozen=True, slots=True)
class TextFile:
    """What a file without printed pages holds.

    Attributes:
        title: as the file has it, "" if it has none.
        date: ISO date on which it was made, "" if it does not tell.
        n_pages: slides, 0 in a file without any.
        reader: the library that read it.
    """

    pieces: tuple[Piece, ...]
    reader: str
    title: str = ""
    date: str = ""
    n_pages: int = 0


def on_one_line(text: str) -> str:
    """A text with single spaces and without soft hyphens."""
    return " ".join(text.replace("\u00ad", "").split())
