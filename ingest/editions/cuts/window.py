"""Pieces of a number of characters over the whole document, each cut at the end of a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

USUAL_CHARS = 2_000
"""Characters of a piece, unless the edition names another number."""


def cut(pages: Sequence[str], size: int) -> Iterator[tuple[int, int, str]]:
    """Yield pieces of at most `size` characters; the rest at the end of the document is too short for a piece."""
    size = size or USUAL_CHARS
    piece, first, last = "", 1, 1
    for number, text in enumerate(pages, start=1):
        for line in text.splitlines():
            if piece and len(piece) + len(line) > size:
                yield first, last, piece.strip()
                piece, first = "", number
            piece += f"{line}\n"
            last = number
