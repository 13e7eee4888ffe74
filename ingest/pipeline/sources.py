"""The files of an ingest: which of them are read, and the data of each that are known before reading."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quarry.configs.settings import IngestSettings
from quarry.ingest.errors import BadInputError, SourceError
from quarry.ingest.paragraph import Reading
from quarry.ingest.pipeline.read_document import content_hash, read_paragraphs_file, version_of
from quarry.ingest.pipeline.sidecar import SUFFIXES, Sidecar, read_sidecar


@dataclass(frozen=True, slots=True)
class Source:
    """One file that can be read.

    Attributes:
        content: SHA-256 of its bytes, hexadecimal.
        version: of its paragraphs with the present settings.
        sidecar: of the file.
        books: content of a paragraphs file; None for other files, which are read later.
    """

    path: Path
    content: str
    version: str
    sidecar: Sidecar
    books: tuple[Reading, ...] | None = None


def expand(paths: Sequence[Path]) -> tuple[list[Path], dict[Path, str]]:
    """Return the absolute paths of the files in `paths`, each once, in order, and the reasons why others are skipped.

    Folders are searched recursively.

    Raises:
        BadInputError: a path does not exist, a folder holds no lecture, or a file has another type.
    """
    if not paths:
        raise BadInputError("PATH must name PDF files, folders of them, or a paragraphs.jsonl; name one")
    files: dict[Path, None] = {}
    skipped: dict[Path, str] = {}
    for path in paths:
        if path.is_dir():
            found, others = _lectures_in(path)
            if not found:
                raise BadInputError(f"PATH must be a folder with PDF files, got {path}: none there; check the path")
            files.update(dict.fromkeys(map(_absolute, found)))
            skipped |= others
        elif path.is_file():
            if path.suffix.lower() not in (".pdf", ".jsonl"):
                raise BadInputError(f"PATH must end in .pdf or .jsonl, got {path}; save it as PDF first")
            files[_absolute(path)] = None
        else:
            raise BadInputError(f"PATH must be a file or a folder, got {path}: not there; check the spelling")
    return list(files), {path: why for path, why in skipped.items() if _absolute(path) not in files}


def _absolute(path: Path) -> Path:
    """Return the absolute path of a file; a link keeps its own name, since the suffix decides how the file is read."""
    return path.parent.resolve() / path.name


def _lectures_in(folder: Path) -> tuple[list[Path], dict[Path, str]]:
    """Return the lectures of a folder and its subfolders, and why other files are skipped, except for hidden ones."""
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    found, skipped = [], {}
    for file in files:
        suffix = file.suffix.lower()
        is_hidden = any(part[0] in ".~" for part in file.relative_to(folder).parts)
        if suffix == ".pdf":
            found.append(file)
        elif not is_hidden and suffix not in SUFFIXES:
            skipped[file] = "read only if it is named" if suffix == ".jsonl" else "not a type that is read"
    return found, skipped


def look_at(path: Path, settings: IngestSettings) -> Source:
    """Return the source of a file, without reading a PDF.

    Raises:
        SourceError: the file cannot be used.
    """
    if printable(path) != str(path):
        raise SourceError(f"{path}: the file's name must be UTF-8; rename it")
    content = content_hash(path)
    sidecar = read_sidecar(path)
    books = tuple(read_paragraphs_file(path, content, settings)) if path.suffix.lower() == ".jsonl" else None
    return Source(path, content, version_of(content, settings), sidecar, books)


def printable(text: str | Path) -> str:
    """Return the text with bytes that are not UTF-8, as in file names from old archives, as escapes."""
    return str(text).encode("utf-8", "backslashreplace").decode()
