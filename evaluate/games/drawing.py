"""Draws secrets as referees' programs do: pieces of lectures in another edition, which still need hints."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluate.errors import GamesError
from ingest.editions.editions import read_edition, require_edition
from player.round import Json
from quarry.course.openings import content_sentences, opening_by_rule
from quarry.course.text import one_line
from quarry.terminal import describe_error


def draw_secrets(
    paths: Sequence[Path], edition: str, n: int, seed: int
) -> Iterator[Json]:
    """Draw n pieces by chance, and yield them as games without hints.

    Args:
        paths: PDF files.
        edition: "READER:CUT" of the program.
        n: number of pieces.
        seed: seed of the draw.

    Raises:
        SettingsError: the edition is unknown.
        GamesError: a file cannot be read, or no file has a piece.
    """
    require_edition(edition)
    drawable = []
    for path in paths:
        try:
            pieces = read_edition(path, path.stem, edition)
        except Exception as error:  # readers raise any exception on a damaged file
            raise GamesError(
                f"{path} cannot be read as {edition}: {describe_error(error)}; leave it out"
            ) from error
        drawable += [(path, piece) for piece in pieces]

    if not drawable:
        raise GamesError(
            f"{edition} keeps no piece of these lectures; give the cut a size, such as page:2000"
        )
    sample = random.Random(seed).sample(drawable, min(n, len(drawable)))

    for number, (path, piece) in enumerate(sample, start=1):
        text = piece.text
        opening = (
            opening_by_rule(text) if piece.is_page else next(content_sentences(text))
        )
        opening = one_line(opening)
        yield {
            "game_id": f"{edition.replace(':', '-')}-{seed}-{number:03d}",
            "pdf": _name_among(path, paths),
            "page": piece.page,
            "reader": piece.reader,
            "cut": piece.cut,
            "book_name": path.stem,
            "hint": "",
            "association_domain": "",
            "associative_word": "",
            "opening_sentence": opening,
            "paragraph": text,
        }


def _name_among(path: Path, paths: Sequence[Path]) -> str:
    """Return the name of a file, with that of its folder if other files have the same name."""
    n_files = sum(other.name == path.name for other in paths)
    return path.name if n_files == 1 else f"{path.parent.resolve().name}/{path.name}"
