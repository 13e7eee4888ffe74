"""Paths -> what stands there: a look at each file, before anything is decided about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from quarry.configs.settings import IngestSettings
from quarry.ingest.errors import BadInputError, SourceError
from quarry.ingest.paragraph import Reading
from quarry.ingest.pdf.text_files import OFFICE, READERS
from quarry.ingest.pipeline.read_document import content_hash, read_paragraphs_file, version_of
from quarry.ingest.pipeline.sidecar import Sidecar, read_sidecar


@dataclass(frozen=True, slots=True)
class Source:
    """One file that can be read.

    Attributes:
        content: SHA-256 of its bytes, hexadecimal.
        version: what its paragraphs are filed under by the present settings.
        sidecar: what the user says beside it.
        books: what a paragraphs file holds; None for a PDF, which is read later.
    """

    path: Path
    content: str
    version: str
    sidecar: Sidecar
    books: tuple[Reading, ...] | None = None


def expand(paths: Sequence[Path]) -> list[Path]:
    """The absolute paths of the files that `paths` name, folders searched through, each once, in order.

    Raises:
        BadInputError: a path is not there, a folder holds no lecture, or a file is of a kind that is not read.
    """
    if not paths:
        raise BadInputError("PATH must name lectures (PDF, PPTX, DOCX, ...), folders or a paragraphs.jsonl, got none")
    files: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found = _lectures_in(path) or [corpus for corpus in [path / "corpus.jsonl"] if corpus.is_file()]
            if not found:
                raise BadInputError(
                    f"PATH must be a folder with PDF, PPTX or DOCX files in it, got {path}: none there; check the path"
                )
            files.update(dict.fromkeys(file.resolve() for file in found))
        elif path.is_file():
            if path.suffix.lower() not in {".pdf", ".jsonl", *READERS}:
                ends = ", ".join((".pdf", *READERS))
                raise BadInputError(f"PATH must end in {ends} or .jsonl, got {path}; save it as PDF first")
            files[path.resolve()] = None
        else:
            raise BadInputError(f"PATH must be a file or a folder, got {path}: not there; check the spelling")
    return list(files)


def _lectures_in(folder: Path) -> list[Path]:
    """The PDFs of a folder and all below it, and what an office made and has no PDF of its name beside it."""
    files = sorted(file for file in folder.rglob("*") if file.suffix.lower() in {".pdf", *OFFICE} and file.is_file())
    printed = {file.with_suffix("") for file in files if file.suffix.lower() == ".pdf"}
    return [
        file
        for file in files
        if file.suffix.lower() == ".pdf" or (file.with_suffix("") not in printed and not file.name.startswith("~$"))
    ]


def look_at(path: Path, settings: IngestSettings) -> Source:
    """What a file holds, as far as it can be told without reading a PDF.

    Raises:
        SourceError: it cannot be used.
    """
    if printable(path) != str(path):
        raise SourceError(f"{path}: the file's name must be UTF-8; rename it")
    content = content_hash(path)
    sidecar = read_sidecar(path)
    books = tuple(read_paragraphs_file(path, content, settings)) if path.suffix.lower() == ".jsonl" else None
    return Source(path, content, version_of(content, settings), sidecar, books)


def printable(text: str | Path) -> str:
    """The text with bytes that are not UTF-8, as in file names from old archives, written out."""
    return str(text).encode("utf-8", "backslashreplace").decode()
