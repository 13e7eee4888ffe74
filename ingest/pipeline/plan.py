"""The plan of an ingest: the files that are read, and an action for each document."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeGuard

from quarry.configs.settings import IngestSettings
from quarry.ingest.errors import BadInputError, SourceError
from quarry.ingest.paragraph import Alias, Document, Reading
from quarry.ingest.pipeline.read_document import content_hash, read_paragraphs_file, version_of
from quarry.ingest.pipeline.sidecar import SUFFIXES, Sidecar, read_sidecar

Action = Literal["read", "twin", "keep", "same file", "embed", "drop", "fail"]


@dataclass(frozen=True, slots=True)
class Source:
    """One file that can be read.

    Attributes:
        content: SHA-256 of its bytes, hexadecimal.
        version: the version of its paragraphs with the present settings.
        sidecar: the sidecar of the file.
        books: content of a paragraphs file; None for other files, which are read later.
    """

    path: Path
    content: str
    version: str
    sidecar: Sidecar
    books: tuple[Reading, ...] | None = None


@dataclass(slots=True)
class Row:
    """The action for one document, and its result.

    Attributes:
        path: the path of its file.
        doc_id: its id; "" for a file that failed.
        action: `read` its file, store it as the `twin` (copy) of another document, `keep` it unchanged, skip it as the
            `same file` as a stored one, `embed` it anew, `drop` it, or `fail`.
        source: the file to read, or the copy.
        stored: the document in the store, None if there is none.
        reading: to be stored; None until the file has been read.
        detail: the doc_id of a copy's original, or the reason why the document is dropped or has failed.
    """

    path: Path
    doc_id: str
    action: Action
    source: Source | None = None
    stored: Document | None = None
    reading: Reading | None = None
    detail: str = ""


class Held:
    """The names that are in use: in the store, and by the files of this ingest so far.

    Attributes:
        documents: by doc_id.
        owners: doc_id by paragraph_id.
        missing: doc_ids of documents with files that do not exist any more.
    """

    def __init__(
        self, documents: Mapping[str, Document], owners: Mapping[str, str] | None = None, missing: Collection[str] = ()
    ) -> None:
        self.documents = dict(documents)
        self.owners = dict(owners or {})
        self.missing = missing

    def is_elsewhere(self, known: Document | None, path: Path) -> TypeGuard[Document]:
        """Return whether a document is there and comes from another file, which still exists."""
        return known is not None and known.path != str(path) and known.doc_id not in self.missing

    def free_doc_id(self, path: Path, content: str) -> str:
        """Return the id that a file has already, else its stem, with its folder if another file has the stem."""
        for document in self.documents.values():
            if document.path == str(path):
                return document.doc_id
        candidates = (path.stem, f"{path.parent.name}/{path.stem}")
        for doc_id in candidates:  # a file that was moved
            if doc_id in self.documents and self.documents[doc_id].content_hash == content:
                return doc_id
        for doc_id in candidates:
            if not self.is_elsewhere(self.documents.get(doc_id), path):
                return doc_id
        return f"{path.parent.name}/{path.stem}-{content[:6]}"

    def rows_of_books(self, path: Path, books: Sequence[Reading]) -> list[Row]:
        """Return a row for each book of a paragraphs file, and take its names; one row if the file fails."""
        try:
            self._require_free(path, books)
        except SourceError as error:
            return [Row(path, "", "fail", detail=str(error))]
        rows = []
        for reading in books:
            document = reading.document
            known = self.documents.get(document.doc_id)
            if known is None or known.version != document.version:
                rows.append(Row(path, document.doc_id, "read", stored=known, reading=reading))
                self.documents[document.doc_id] = document
                self.owners.update((paragraph.paragraph_id, document.doc_id) for paragraph in reading.paragraphs)
            elif self.is_elsewhere(known, path):
                rows.append(Row(path, known.doc_id, "same file", stored=known, detail=known.doc_id))
            else:
                rows.append(Row(path, known.doc_id, "keep", stored=known))
        return rows

    def _require_free(self, path: Path, books: Sequence[Reading]) -> None:
        """Pass if no other file has the books and paragraph ids of a paragraphs file.

        Raises:
            SourceError: another file has one of them.
        """
        own = {reading.document.doc_id for reading in books}
        own |= {document.doc_id for document in self.documents.values() if document.path == str(path)}
        for reading in books:
            document = reading.document
            known = self.documents.get(document.doc_id)
            if self.is_elsewhere(known, path) and known.content_hash != document.content_hash:
                raise SourceError(
                    f"{path}: book_name must be of one file, got {document.doc_id!r}, which is of {known.path}; "
                    "rename it"
                )
            for paragraph in reading.paragraphs:
                owner = self.owners.get(paragraph.paragraph_id)
                if owner is not None and owner not in own:
                    raise SourceError(
                        f"{path}: paragraph_id must be unique in the store, got {paragraph.paragraph_id!r}, "
                        f"which is of {owner!r}; rename it"
                    )


def plan(found: Sequence[tuple[Path, Source | SourceError]], held: Held, dropped: Collection[str] = ()) -> list[Row]:
    """Return a row for each file, and for each document that is dropped.

    Args:
        found: each path of the user's, and its source.
        held: content of the store; the names of the files are added.
        dropped: doc_ids that the user drops.
    """
    stored = dict(held.documents)
    rows: list[Row] = []
    pdfs: list[tuple[Source, str]] = []
    for path, source in found:
        if isinstance(source, SourceError):
            rows.append(Row(path, "", "fail", detail=str(source)))
        elif source.books is not None:
            rows += held.rows_of_books(path, source.books)
        else:
            doc_id = held.free_doc_id(path, source.content)
            known = held.documents.get(doc_id)
            if held.is_elsewhere(known, path) and known.content_hash == source.content:
                rows.append(Row(path, doc_id, "same file", stored=known, detail=doc_id))
            else:
                pdfs.append((source, doc_id))
                held.documents[doc_id] = Document(doc_id, str(path), source.content, "", (), 0, 0)
    whole = {str(row.path) for row in rows if row.action != "fail" and row.path.suffix.lower() == ".jsonl"}
    # documents that are about to be replaced or dropped cannot be the original of a copy
    changing = {*dropped}
    for source, doc_id in pdfs:
        if doc_id in stored and stored[doc_id].content_hash != source.content:
            changing.add(doc_id)
    rows += _rows_of_pdfs(pdfs, stored, changing)
    present = {row.doc_id for row in rows}
    for document in stored.values():
        if document.doc_id in present:
            continue
        if document.doc_id in dropped:
            why = "dropped"
        elif document.same_as in changing:
            why = f"it was a copy of {document.same_as}, which is dropped or changed; ingest it again to have it"
        elif document.path in whole:
            why = f"no longer in {document.path}"
        else:
            continue
        rows.append(Row(Path(document.path), document.doc_id, "drop", stored=document, detail=why))
    return rows


def twin_of(original: Document, source: Source, doc_id: str) -> Document:
    """Return the document of a duplicate file: it has its own names, but no paragraphs."""
    twin = replace(
        original,
        doc_id=doc_id,
        path=str(source.path),
        version=source.version,
        aliases=(Alias(source.path.stem, "stem"),),
        n_paragraphs=0,
        rejected={},
        same_as=original.doc_id,
    )
    return source.sidecar.over(twin)


def _rows_of_pdfs(
    pdfs: Sequence[tuple[Source, str]], documents: Mapping[str, Document], changing: Collection[str]
) -> Iterator[Row]:
    """Yield a row for each file but paragraphs files; the first file with certain bytes is read, others are copies."""
    originals = {
        document.content_hash: document.doc_id
        for document in documents.values()
        if not document.same_as and document.doc_id not in changing
    }
    for source, doc_id in pdfs:
        known = documents.get(doc_id)
        original = originals.get(source.content)
        if (
            known is not None
            and (known.content_hash, known.version) == (source.content, source.version)
            and known.same_as in ("", original)
            and known.sidecar == source.sidecar.digest
        ):
            yield Row(source.path, doc_id, "keep", source, stored=known)
        elif original not in (None, doc_id):
            yield Row(source.path, doc_id, "twin", source, known, detail=str(original))
        else:
            yield Row(source.path, doc_id, "read", source, known)
            originals[source.content] = doc_id


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


def look_at(path: Path, settings: IngestSettings) -> Source | SourceError:
    """Return the source of a file, without reading a PDF, or the error with which the file cannot be used."""
    if printable(path) != str(path):
        return SourceError(f"{path}: the file's name must be UTF-8; rename it")
    try:
        content = content_hash(path)
        books = tuple(read_paragraphs_file(path, content, settings)) if path.suffix.lower() == ".jsonl" else None
        return Source(path, content, version_of(content, settings), read_sidecar(path), books)
    except SourceError as error:
        return error


def printable(text: str | Path) -> str:
    """Return the text with bytes that are not UTF-8, as in file names from old archives, as escapes."""
    return str(text).encode("utf-8", "backslashreplace").decode()
