"""The cache of opened courses on this machine, and of indexes that are made of their paragraphs."""

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from configs.directories import cache, code_digest
from quarry import pickles
from quarry.course.paragraph import Alias, Document, Paragraph
from quarry.course.piece import Piece
from quarry.store.chroma import is_url
from quarry.store.records import FORMAT, Record, digest_of

CONTENTS = "course.pickle"
"""Name of the file with the fields of a course, except for its arrays."""

T = TypeVar("T")


class CachedParagraphs(tuple[Paragraph, ...]):
    """The paragraphs of a course that is in the cache.

    Attributes:
        folder: the folder of the course in the cache.
    """

    folder: Path


def folder_of(location: str, name: str, token: str) -> Path:
    """Return the folder in the cache of one generation of a course."""
    place = location if is_url(location) else str(Path(location).resolve())
    kinds = Record, Document, Alias, Paragraph, Piece
    fields = [kind.__annotations__ for kind in kinds]
    generation = digest_of(token, FORMAT, fields)
    return cache() / "courses" / f"{digest_of(place, name)}-{generation}"


def load_content(folder: Path) -> dict[str, Any] | None:
    """Return the fields of a Course, its arrays memory-mapped; None if they are missing, damaged or of another user."""
    try:
        content: dict[str, Any] = pickles.load(folder / CONTENTS)
        for name in content["arrays"]:
            mapped = np.load(folder / f"{name}.npy", mmap_mode="r")
            # slices of a memmap take longer
            content["arrays"][name] = mapped.view(np.ndarray)
        content["paragraphs"] = CachedParagraphs(content["paragraphs"])
        content["paragraphs"].folder = folder
    except Exception:  # a damaged file raises any error
        return None
    return content


def save_content(folder: Path, content: dict[str, Any]) -> None:
    """Write the fields of a Course; remove earlier generations of the course.

    Raises:
        OSError: the cache cannot be written.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    try:
        for name, array in content["arrays"].items():
            np.save(work / f"{name}.npy", array)
        unmapped = {**content, "arrays": dict.fromkeys(content["arrays"])}
        pickles.save(unmapped, work / CONTENTS)
        shutil.rmtree(folder, ignore_errors=True)  # a damaged one
        work.rename(folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)

    course = folder.name.partition("-")[0]
    for other in folder.parent.glob(f"{course}-*"):
        if other != folder:
            shutil.rmtree(other, ignore_errors=True)


def cached(paragraphs: Sequence[Paragraph], name: str, make: Callable[[], T]) -> T:
    """Return the result of `make`, from the cache if an earlier process has saved it there.

    Args:
        paragraphs: the paragraphs of a course; the result may hold this object, which is not saved with it.
        name: changes with everything else that the result depends on, except our code.
    """
    if not isinstance(paragraphs, CachedParagraphs):
        return make()
    key = digest_of(name)
    path = paragraphs.folder / f"{key}-{code_digest()}.pickle"
    with contextlib.suppress(Exception):  # not there yet, damaged, or of another user
        loaded: T = pickles.load(path, paragraphs)
        return loaded

    value = make()
    with contextlib.suppress(OSError):  # the disk is full or read-only
        pickles.save(value, path, paragraphs)
        for old in path.parent.glob(f"{key}-*"):  # of other code
            if old != path:
                old.unlink()
    return value
