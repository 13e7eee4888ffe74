"""Cuts of editions: each divides the text of a document's pages into pieces.

A cut is a function of the (n_pages,) texts and the number after its name, 0 without one. It yields the first and the
last page of a piece, from 1, and its text.
"""

from collections.abc import Callable, Iterator, Sequence

Stretches = Iterator[tuple[int, int, str]]
"""The first and the last page of each piece, from 1, and its text."""
Cut = Callable[[Sequence[str], int], Stretches]

MIN_WORDS, MAX_WORDS = 30, 200
"""Numbers of words of the pages that a referee chooses from."""
MIN_LETTERS = 0.4
"""Minimum share of letters among the characters of such a page."""

MIN_CHARS = 30
"""Number of characters up to which a page or piece is left out if pieces have a maximum size."""
MIN_CUT = 200
"""Minimum number of characters before a cut at the end of a line."""


def page(pages: Sequence[str], size: int) -> Stretches:
    """Yield whole pages, without a size those of usual length; with a size, longer pages are cut into pieces.

    Args:
        size: maximum number of characters of a piece; 0 takes whole pages.
    """
    for number, text in enumerate(pages, start=1):
        text = text.strip()
        if not size:
            if is_usual(text):
                yield number, number, text
        elif len(text) > MIN_CHARS:
            for piece in _pieces(text, size):
                if len(piece) > MIN_CHARS:
                    yield number, number, piece


def is_usual(text: str) -> bool:
    """Return whether a page has a usual number of words and enough letters."""
    n_letters = sum(map(str.isalpha, text))
    return MIN_WORDS <= len(
        text.split()
    ) <= MAX_WORDS and n_letters >= MIN_LETTERS * len(text)


def _pieces(text: str, size: int) -> Iterator[str]:
    """Yield pieces of at most `size` characters, each cut at a blank line, else at a line's end, else at a blank."""
    while len(text) > size:
        end = size
        for mark in ("\n\n", "\n", " "):
            at = text.rfind(mark, MIN_CUT, size)
            if at >= 0:
                end = at
                break
        yield text[:end].strip()
        text = text[end:].lstrip("\n \t")
    yield text


CUTS: dict[str, Cut] = {"page": page}
