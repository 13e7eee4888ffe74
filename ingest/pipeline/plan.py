"""The plan of an ingest: the sources in the files, and what happens to each document."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from configs.faults import fault_and_remedy
from configs.settings import IngestSettings
from ingest.errors import BadInputError, SourceError
from ingest.pipeline.read_document import (
    content_hash,
    paragraphs_version,
    read_paragraphs_file,
)
from ingest.pipeline.sidecar import SUFFIXES, Sidecar, read_sidecar
from quarry.course.paragraph import Document, Reading

HIDDEN = (".", "~")
"""First characters of the names of hidden files and folders, which a search of a folder leaves out."""

Status = Literal["added", "replaced", "unchanged", "same file", "removed", "failed"]


@dataclass(frozen=True, slots=True)
class Source:
    """A lecture in a file, or a book of a paragraphs file.

    Attributes:
        path: path of the file.
        content_hash: SHA-256 of its bytes, hexadecimal.
        version: version of its paragraphs with the current settings.
        sidecar: the sidecar of the file.
        book: the reading of a book; None for a lecture, which is read later.
    """

    path: Path
    content_hash: str
    version: str
    sidecar: Sidecar = field(default_factory=Sidecar)
    book: Reading | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The plan for one document, and later its result.

    Attributes:
        path: path of its file.
        doc_id: its id; for a failed file, the stem.
        status: what happens to the document.
        detail: the error of a failed file, or the reason why the document is removed.
        original: doc_id of the document of which it is a copy; "" for no copy.
        source: source of a document that is written: `added`, `replaced`, or the `same file` under another name.
        document: the document in the store; None before the source is read, or if there is none.
        notes: a line for each kind of omission and doubt.
    """

    path: Path
    doc_id: str
    status: Status
    detail: str = ""
    original: str = ""
    source: Source | None = None
    document: Document | None = None
    notes: tuple[str, ...] = ()

    @classmethod
    def of_failure(cls, path: Path, error: SourceError) -> Outcome:
        """Build the outcome of a file that cannot be used."""
        return cls(path, printable(path.stem), "failed", printable(str(error)))

    @property
    def kept(self) -> int:
        """Number of its paragraphs in the store."""
        return self.document.n_paragraphs if self.document else 0

    @property
    def rejected(self) -> dict[str, int]:
        """Number of its rejected paragraphs, by reason."""
        return self.document.rejected if self.document else {}


class _Names:
    """The names in use, in the store and by the files of this ingest so far.

    Args:
        documents: documents of the store by doc_id.
        owners: doc_ids by paragraph_id; those of the files are added.
    """

    def __init__(
        self, documents: Mapping[str, Document], owners: dict[str, str]
    ) -> None:
        self._holders: dict[str, Document | Source] = dict(documents)
        self._owners = owners

    def _held_by(self, path: Path) -> list[str]:
        """Return the doc_ids that a file has."""
        return [
            doc_id
            for doc_id, holder in self._holders.items()
            if str(holder.path) == str(path)
        ]

    def _elsewhere(self, doc_id: str, path: Path) -> Document | Source | None:
        """Return the holder of a doc_id, if it is another file that exists."""
        holder = self._holders.get(doc_id)
        if holder is None or str(holder.path) == str(path):
            return None
        return holder if Path(holder.path).exists() else None

    def take(self, source: Source) -> tuple[str, bool]:
        """Name a source; return its doc_id, and whether another file has the same content under that name."""
        book = source.book
        doc_id = book.document.doc_id if book else self._free_doc_id(source)
        holder = self._elsewhere(doc_id, source.path)
        if holder is not None and holder.content_hash == source.content_hash:
            return doc_id, True

        self._holders[doc_id] = source
        for paragraph in book.paragraphs if book else ():
            self._owners[paragraph.paragraph_id] = doc_id
        return doc_id, False

    def _free_doc_id(self, source: Source) -> str:
        """Return the doc_id that a file already has; else its stem, after its folder if another file has the stem."""
        path = source.path
        held = self._held_by(path)
        if held:
            return held[0]

        candidates = (path.stem, f"{path.parent.name}/{path.stem}")
        for doc_id in candidates:  # a file that was moved
            same_name = self._holders.get(doc_id)
            if same_name and same_name.content_hash == source.content_hash:
                return doc_id
        for doc_id in candidates:
            if self._elsewhere(doc_id, path) is None:
                return doc_id
        return f"{path.parent.name}/{path.stem}-{source.content_hash[:6]}"

    def require_free(self, sources: Sequence[Source]) -> None:
        """Check that no other file has a book or a paragraph_id of the file with these sources.

        Raises:
            SourceError: another file has one of them.
        """
        path = sources[0].path
        books = [source.book for source in sources if source.book]
        file_doc_ids = {book.document.doc_id for book in books}
        file_doc_ids.update(self._held_by(path))

        for book in books:
            doc_id = book.document.doc_id
            other = self._elsewhere(doc_id, path)
            if other and other.content_hash != book.document.content_hash:
                raise SourceError(
                    f"{path}: the book_name {doc_id!r} is also in {other.path}; rename it"
                )
            for paragraph in book.paragraphs:
                owner = self._owners.get(paragraph.paragraph_id)
                if owner is not None and owner not in file_doc_ids:
                    raise SourceError(
                        f"{path}: the paragraph_id {paragraph.paragraph_id!r} is also in {owner!r}; rename it"
                    )


def plan_ingest(
    files: Sequence[Sequence[Source]],
    stored: Mapping[str, Document],
    owners: dict[str, str],
    dropped: Collection[str],
) -> list[Outcome]:
    """Return an outcome for each document of the files, and for each document that is removed.

    Args:
        files: the sources of each file.
        stored: documents of the store by doc_id.
        owners: doc_ids of the store by paragraph_id; those of the files are added.
        dropped: doc_ids that the user drops.
    """
    names = _Names(stored, owners)
    outcomes: list[Outcome] = []
    named_sources: list[tuple[str, Source]] = []
    for sources in files:
        try:
            names.require_free(sources)
        except SourceError as error:
            outcomes.append(Outcome.of_failure(sources[0].path, error))
            continue
        for source in sources:
            doc_id, is_elsewhere = names.take(source)
            if is_elsewhere:
                outcomes.append(
                    Outcome(source.path, doc_id, "same file", original=doc_id)
                )
            else:
                named_sources.append((doc_id, source))

    # documents that are about to be replaced or dropped cannot be the original of a copy
    changing = set(dropped)
    for doc_id, source in named_sources:
        if doc_id in stored and stored[doc_id].content_hash != source.content_hash:
            changing.add(doc_id)
    return [
        *outcomes,
        *_plan_sources(named_sources, stored, changing),
        *_plan_removals(named_sources, stored, dropped, changing),
    ]


def _plan_sources(
    named_sources: Sequence[tuple[str, Source]],
    stored: Mapping[str, Document],
    changing: Collection[str],
) -> Iterator[Outcome]:
    """Yield the outcome of each source; of several with the same content the first is read, others are copies."""
    originals = {}
    for document in stored.values():
        if not document.same_as and document.doc_id not in changing:
            originals[document.content_hash] = document.doc_id

    for doc_id, source in named_sources:
        existing = stored.get(doc_id)
        original = originals.get(source.content_hash, "")
        if (
            existing is not None
            and existing.version == source.version
            and existing.sidecar == source.sidecar.digest
            and existing.same_as in ("", original)
        ):
            document = replace(existing, path=str(source.path))  # it may have moved
            yield Outcome(
                source.path,
                doc_id,
                "unchanged",
                original=existing.same_as,
                document=document,
            )
        elif original not in ("", doc_id):
            yield Outcome(
                source.path, doc_id, "same file", original=original, source=source
            )
        else:
            status: Status = "added" if existing is None else "replaced"
            yield Outcome(source.path, doc_id, status, source=source)
            originals[source.content_hash] = doc_id


def _plan_removals(
    named_sources: Sequence[tuple[str, Source]],
    stored: Mapping[str, Document],
    dropped: Collection[str],
    changing: Collection[str],
) -> Iterator[Outcome]:
    """Yield the outcomes of stored documents that are removed."""
    planned = {doc_id for doc_id, _ in named_sources}
    book_files = {str(source.path) for _, source in named_sources if source.book}
    for doc_id, document in stored.items():
        if doc_id in planned:
            continue
        why = ""
        if doc_id in dropped:
            why = "dropped"
        elif document.same_as in changing:
            why = f"it was a copy of {document.same_as}, which is dropped or changed; ingest it again to have it"
        elif document.path in book_files:
            why = f"no longer in {document.path}"
        if why:
            yield Outcome(Path(document.path), doc_id, "removed", why)


def sources_in(path: Path, settings: IngestSettings) -> list[Source]:
    """Return the sources in a file, without reading a PDF.

    Raises:
        SourceError: the file cannot be used.
    """
    if printable(path) != str(path):
        raise SourceError(f"{path}: the file's name is not UTF-8; rename it")
    content = content_hash(path)
    if path.suffix.lower() != ".jsonl":
        version = paragraphs_version(content, settings)
        return [Source(path, content, version, read_sidecar(path))]

    sources = []
    for book in read_paragraphs_file(path, content, settings):
        document = book.document
        source = Source(path, document.content_hash, document.version, book=book)
        sources.append(source)
    return sources


def find_lectures(paths: Sequence[Path]) -> tuple[list[Path], dict[str, str]]:
    """Find the lectures in files and folders; return their absolute paths, and the reasons why other files are skipped.

    Folders are searched recursively. Each lecture is returned once.

    Raises:
        BadInputError: a path does not exist, a folder holds no lecture, or a file has another type.
    """
    if not paths:
        raise BadInputError(
            "PATH is missing; name PDF files, folders of them, or a paragraphs.jsonl"
        )
    files: dict[Path, None] = {}
    skipped: dict[Path, str] = {}
    for path in paths:
        if path.is_dir():
            lectures = _lectures_in(path, skipped)
        elif not path.exists():
            raise BadInputError(f"{path} does not exist.")
        elif not path.is_file():
            raise BadInputError(
                f"{path} is not a regular file; name a PDF, a folder or a paragraphs.jsonl"
            )
        elif path.suffix.lower() in (".pdf", ".jsonl"):
            lectures = [path]
        else:
            raise BadInputError(
                f"{path} is neither .pdf nor .jsonl; save it as PDF first."
            )
        files.update(dict.fromkeys(map(_absolute, lectures)))

    reasons = {}
    for path, why in skipped.items():
        if _absolute(path) not in files:
            reasons[printable(path)] = why
    return list(files), reasons


def _absolute(path: Path) -> Path:
    """Return the absolute path of a file; a link keeps its own name, since the suffix selects the reader."""
    return path.parent.resolve() / path.name


def _lectures_in(folder: Path, skipped: dict[Path, str]) -> list[Path]:
    """Return the lectures of a folder and its subfolders; add the reasons why other files are not read to `skipped`.

    Raises:
        BadInputError: the folder has no lectures, or cannot be read.
    """
    unreadable = {}

    def note(error: OSError) -> None:
        path = Path(error.filename or folder)
        unreadable[path] = f"cannot be read: {fault_and_remedy(error)}"

    files: list[Path] = []
    for parent, folders, names in os.walk(folder, onerror=note):
        folders[:] = [name for name in folders if not name.startswith(HIDDEN)]
        for path in map(Path(parent).joinpath, folders):
            if path.is_symlink():
                unreadable[path] = "is a link to a folder; name it to read it"
        files += [Path(parent, name) for name in names if not name.startswith(HIDDEN)]
    skipped |= unreadable

    lectures = []
    for file in sorted(filter(Path.is_file, files)):
        suffix = file.suffix.lower()
        if suffix == ".pdf":
            lectures.append(file)
        elif suffix == ".jsonl":
            skipped[file] = "read only if it is named"
        elif suffix not in SUFFIXES:
            skipped[file] = "not a type that is read"
    if not lectures:
        none = folder, "holds no PDF files; check the path."
        path, why = next(iter(unreadable.items()), none)
        raise BadInputError(f"{path} {why}")
    return lectures


def printable(text: str | Path) -> str:
    """Escape the bytes of a text that are not UTF-8, as in file names from old archives."""
    return str(text).encode("utf-8", "backslashreplace").decode()
