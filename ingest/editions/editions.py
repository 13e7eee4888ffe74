"""Editions by name, "READER:CUT" or "READER:CUT:SIZE", and the pieces that they make of a file.

A cut divides the text of a document's pages into pieces. It is a function of the (n_pages,) texts and the number after
its name, 0 without one. It yields the first and the last page of a piece, from 1, and its text.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path

from configs.errors import SettingsError
from ingest.editions.readers import EDITION_READERS, Reader
from quarry.course.piece import Piece
from quarry.plugins import find
from quarry.terminal import describe_error

MAX_PIECES = 20_000
"""Maximum number of pieces of a file and edition; a file with more is no lecture."""
Stretches = Iterator[tuple[int, int, str]]
"""The first and the last page of each piece, from 1, and its text."""
Cut = Callable[[Sequence[str], int], Stretches]

MIN_PAGE_WORDS = 30
"""Minimum number of words of a page that a referee chooses."""
MAX_PAGE_WORDS = 200
"""Maximum number of words of a page that a referee chooses."""
MIN_PAGE_LETTERS = 0.4
"""Minimum share of letters among the characters of such a page."""

MIN_PIECE_CHARS = 30
"""Number of characters up to which a page or piece is left out if pieces have a maximum size."""
MIN_CUT = 200
"""Minimum number of characters before a cut, half of the size of pieces if it is less."""


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
        elif len(text) > MIN_PIECE_CHARS:
            for piece in _pieces(text, size):
                if len(piece) > MIN_PIECE_CHARS:
                    yield number, number, piece


def is_usual(text: str) -> bool:
    """Return whether a page has a usual number of words and enough letters."""
    n_letters = sum(map(str.isalpha, text))
    has_words = MIN_PAGE_WORDS <= len(text.split()) <= MAX_PAGE_WORDS
    return has_words and n_letters >= MIN_PAGE_LETTERS * len(text)


def _pieces(text: str, size: int) -> Iterator[str]:
    """Yield pieces of at most `size` characters, each cut at a blank line, else at a line's end, else at a blank."""
    while len(text) > size:
        end = size
        for mark in ("\n\n", "\n", " "):
            at = text.rfind(mark, min(MIN_CUT, size // 2), size)
            if at >= 0:
                end = at
                break
        yield text[:end].strip()
        text = text[end:].lstrip("\n \t")
    yield text


CUTS: dict[str, Cut] = {"page": page}


def require_edition(edition: str) -> tuple[Reader, Cut, int]:
    """Return reader, cut and size of an edition.

    Raises:
        SettingsError: the edition has another form, or its reader or cut is unknown.
    """
    reader, cut, size = [*edition.split(":", 2), "", ""][:3]
    if not cut or (size and not size.isdecimal()):
        raise SettingsError(
            f"edition {edition!r} is no READER:CUT or READER:CUT:SIZE, such as pymupdf:page:2000"
        )
    read = find(EDITION_READERS, reader, "the reader of an edition")
    return read, find(CUTS, cut, "the cut of an edition"), int(size or 0)


def read_edition(path: Path, doc_id: str, edition: str) -> tuple[Piece, ...]:
    """Return the pieces of a file in one edition, in order. Readers raise any exception on a damaged file.

    Raises:
        SettingsError: the edition is unknown.
    """
    read, cut, size = require_edition(edition)
    stretches = islice(cut(list(read(path)), size), MAX_PIECES)
    return tuple(Piece(edition, doc_id, *stretch) for stretch in stretches)


def read_editions(
    path: Path, doc_id: str, editions: Sequence[str]
) -> tuple[tuple[Piece, ...], tuple[str, ...]]:
    """Return the pieces of a file in all its editions, and a note for each edition that its reader cannot read."""
    pieces: list[Piece] = []
    notes = []
    for edition in editions:
        try:
            pieces += read_edition(path, doc_id, edition)
        except Exception as error:  # readers raise any exception on a damaged file
            notes.append(f"The edition {edition} is left out: {describe_error(error)}")
    return tuple(pieces), tuple(notes)
