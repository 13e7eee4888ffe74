"""Cuts of editions: each divides the text of a document's pages into pieces.

A cut is a function of the (n_pages,) texts and the number after its name, 0 without one. It yields the first and the
last page of a piece, from 1, and its text.
"""

from collections.abc import Callable, Iterator, Sequence

Stretches = Iterator[tuple[int, int, str]]
"""The first and the last page of each piece, from 1, and its text."""
Cut = Callable[[Sequence[str], int], Stretches]

MIN_WORDS = 30
"""Referees skip pages and blocks with fewer words."""

USUAL_CHARS = 2_000
"""Characters of a window, unless the edition names another number."""


def page(pages: Sequence[str], _: int) -> Stretches:
    """Yield the pages that have enough words."""
    for number, text in enumerate(pages, start=1):
        if len(text.split()) >= MIN_WORDS:
            yield number, number, text


def blank(pages: Sequence[str], _: int) -> Stretches:
    """Yield the blocks between blank lines that have enough words."""
    for number, text in enumerate(pages, start=1):
        for block in text.replace("\r", "").split("\n\n"):
            if len(block.split()) >= MIN_WORDS:
                yield number, number, block.strip()


def window(pages: Sequence[str], size: int) -> Stretches:
    """Yield pieces of at most `size` characters over the whole document, each cut at the end of a line.

    The rest at the end of the document is too short for a piece.
    """
    size = size or USUAL_CHARS
    piece, first, last = "", 1, 1
    for number, text in enumerate(pages, start=1):
        for line in text.splitlines():
            if piece and len(piece) + len(line) > size:
                yield first, last, piece.strip()
                piece, first = "", number
            piece += f"{line}\n"
            last = number


CUTS: dict[str, Cut] = {"page": page, "window": window, "blank": blank}
