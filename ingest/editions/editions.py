"""Editions by name: "READER:CUT" or "READER:CUT:SIZE", and the pieces that they make of a file."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path

from configs.errors import SettingsError
from ingest.editions.cuts import CUTS, Cut
from ingest.editions.readers import READERS, Reader
from quarry.course.piece import Piece
from quarry.plugins import find
from quarry.terminal import described

SETTING = "ingest.editions"
MAX_PIECES = 20_000
"""Maximum number of pieces of a file and edition; a file with more is no lecture."""


def require_edition(edition: str) -> tuple[Reader, Cut, int]:
    """Return reader, cut and size of an edition.

    Raises:
        SettingsError: the edition has another form, or its reader or cut is unknown.
    """
    reader, cut, size = [*edition.split(":", 2), "", ""][:3]
    if not cut or (size and not size.isdecimal()):
        raise SettingsError(
            f"{SETTING} is {edition!r}; write READER:CUT or READER:CUT:SIZE, such as pymupdf:page:2000"
        )
    read = find(READERS, reader, SETTING)
    return read, find(CUTS, cut, SETTING), int(size or 0)


def read_edition(path: Path, doc_id: str, edition: str) -> tuple[Piece, ...]:
    """Return the pieces of a file in one edition, in order. Readers raise any exception on a damaged file.

    Raises:
        SettingsError: the edition is unknown.
    """
    read, cut, size = require_edition(edition)
    pieces = []
    stretches = cut(list(read(path)), size)
    for first, last, text in islice(stretches, MAX_PIECES):
        pieces.append(Piece(edition, doc_id, first, last, text))
    return tuple(pieces)


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
            notes.append(f"The edition {edition} is left out: {described(error)}")
    return tuple(pieces), tuple(notes)
