"""The plan of an ingest: the files that are read, and an action for each document."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeGuard

from configs.settings import IngestSettings
from ingest.errors import BadInputError, SourceError
from ingest.paragraph import Alias, Document, Reading
from ingest.pipeline.read_document import content_hash, read_paragraphs_file, version_of
from ingest.pipeline.sidecar import SUFFIXES, Sidecar, read_sidecar

Action = Literal["read", "copy", "keep", "same file", "drop", "fail"]


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


@dataclass(frozen=True, slots=True)
class Row:
    """The planned action for one document.

    Attributes:
        path: the path of its file.
        doc_id: its id; "" for a file that cannot be used.
        action: `read` its file, store it as the `copy` of another document, `keep` it unchanged, skip it as the
            `same file` as a stored one, `drop` it, or `fail`.
        source: the file to read, or the copy.
        stored: the document in the store, None if there is none.
        reading: the content of a book of a paragraphs file; other files are read later.
        detail: the doc_id of a copy's original, or the reason why the document is dropped or has failed.
    """

    path: Path
    doc_id: str
    action: Action
    source: Source | None = None
    stored: Document | None = None
    reading: Reading | None = None
    detail: str = ""


class Names:
    """The names that are in use: in the store, and by the files of this ingest so far.

    Attributes:
        documents: by doc_id.
        owners: doc_id by paragraph_id.
        missing: doc_ids of documents with files that do not exist any more.
    """

    def __init__(
        self,
        documents: Mapping[str, Document],
        owners: Mapping[str, str] | None = None,
        missing: Collection[str] = (),
    ) -> None:
        self.documents = dict(documents)
        self.owners = dict(owners or {})
        self.missing = missing

    def is_elsewhere(
        self, document: Document | None, path: Path
    ) -> TypeGuard[Document]:
        """Return whether a document is there and comes from another file, which still exists."""
        return (
            document is not None
            and document.path != str(path)
            and document.doc_id not in self.missing
        )

    def row_of_same_file(self, path: Path, source: Source) -> Row | None:
        """Return the row of a file whose bytes are stored under its name from another place, else None."""
        doc_id = self.free_doc_id(path, source.content)
        stored = self.documents.get(doc_id)
        if self.is_elsewhere(stored, path) and stored.content_hash == source.content:
            return Row(path, doc_id, "same file", stored=stored, detail=doc_id)
        return None

    def free_doc_id(self, path: Path, content: str) -> str:
        """Return the id that a file has already, else its stem, with its folder if another file has the stem."""
        for document in self.documents.values():
            if document.path == str(path):
                return document.doc_id
        candidates = (path.stem, f"{path.parent.name}/{path.stem}")
        for doc_id in candidates:  # a file that was moved
            if (
                doc_id in self.documents
                and self.documents[doc_id].content_hash == content
            ):
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
        return [self._row_of_book(path, reading) for reading in books]

    def _row_of_book(self, path: Path, reading: Reading) -> Row:
        document = reading.document
        doc_id = document.doc_id
        stored = self.documents.get(doc_id)
        if stored is not None and stored.version == document.version:
            if self.is_elsewhere(stored, path):
                return Row(path, doc_id, "same file", stored=stored, detail=doc_id)
            return Row(path, doc_id, "keep", stored=stored)
        self.documents[doc_id] = document
        for paragraph in reading.paragraphs:
            self.owners[paragraph.paragraph_id] = doc_id
        return Row(path, doc_id, "read", stored=stored, reading=reading)

    def _require_free(self, path: Path, books: Sequence[Reading]) -> None:
        """Pass if no other file has the books and paragraph ids of a paragraphs file.

        Raises:
            SourceError: another file has one of them.
        """
        of_file = {reading.document.doc_id for reading in books}
        for document in self.documents.values():
            if document.path == str(path):
                of_file.add(document.doc_id)

        for reading in books:
            document = reading.document
            other = self.documents.get(document.doc_id)
            if (
                self.is_elsewhere(other, path)
                and other.content_hash != document.content_hash
            ):
                raise SourceError(
                    f"{path}: book_name must be of one file, got {document.doc_id!r}, which is of {other.path}; "
                    "rename it"
                )
            for paragraph in reading.paragraphs:
                owner = self.owners.get(paragraph.paragraph_id)
                if owner is not None and owner not in of_file:
                    raise SourceError(
                        f"{path}: paragraph_id must be unique in the store, got {paragraph.paragraph_id!r}, "
                        f"which is of {owner!r}; rename it"
                    )


def plan(
    files: Sequence[tuple[Path, Source | SourceError]],
    names: Names,
    dropped: Collection[str] = (),
) -> list[Row]:
    """Return a row for each file, and for each document that is dropped.

    Args:
        files: each path of the user's, and its source.
        names: of the content of the store; those of the files are added.
        dropped: doc_ids that the user drops.
    """
    stored = dict(names.documents)
    rows: list[Row] = []
    pdfs: list[tuple[Source, str]] = []
    whole_files = set()
    for path, source in files:
        if isinstance(source, SourceError):
            rows.append(Row(path, "", "fail", detail=str(source)))
        elif source.books is not None:
            books = names.rows_of_books(path, source.books)
            rows += books
            if any(row.action != "fail" for row in books):
                whole_files.add(str(path))
        elif (row := names.row_of_same_file(path, source)) is not None:
            rows.append(row)
        else:
            doc_id = names.free_doc_id(path, source.content)
            pdfs.append((source, doc_id))
            names.documents[doc_id] = Document(
                doc_id, str(path), source.content, "", (), 0, 0
            )

    # documents that are about to be replaced or dropped cannot be the original of a copy
    changing = {*dropped, *_replaced(pdfs, stored)}
    rows += _rows_of_pdfs(pdfs, stored, changing)
    planned = {row.doc_id for row in rows}
    for document in stored.values():
        why = _why_dropped(document, dropped, changing, whole_files)
        if why and document.doc_id not in planned:
            path = Path(document.path)
            rows.append(Row(path, document.doc_id, "drop", stored=document, detail=why))
    return rows


def _replaced(
    pdfs: Sequence[tuple[Source, str]], stored: Mapping[str, Document]
) -> Iterator[str]:
    """Yield the doc_ids of stored documents whose files have changed."""
    for source, doc_id in pdfs:
        if doc_id in stored and stored[doc_id].content_hash != source.content:
            yield doc_id


def _why_dropped(
    document: Document,
    dropped: Collection[str],
    changing: Collection[str],
    whole_files: Collection[str],
) -> str:
    """Return the reason why a document that no file brings is dropped, "" to leave it.

    Args:
        dropped: doc_ids that the user drops.
        changing: doc_ids that are dropped or replaced.
        whole_files: paragraphs files of this ingest, which bring all of their books.
    """
    if document.doc_id in dropped:
        return "dropped"
    if document.same_as in changing:
        return f"it was a copy of {document.same_as}, which is dropped or changed; ingest it again to have it"
    if document.path in whole_files:
        return f"no longer in {document.path}"
    return ""


def copy_of(original: Document, source: Source, doc_id: str) -> Document:
    """Return the document of a duplicate file: it has its own names, but no paragraphs."""
    copy = replace(
        original,
        doc_id=doc_id,
        path=str(source.path),
        version=source.version,
        aliases=(Alias(source.path.stem, "stem"),),
        n_paragraphs=0,
        rejected={},
        same_as=original.doc_id,
    )
    return source.sidecar.over(copy)


def _rows_of_pdfs(
    pdfs: Sequence[tuple[Source, str]],
    documents: Mapping[str, Document],
    changing: Collection[str],
) -> Iterator[Row]:
    """Yield a row for each file but paragraphs files; the first file with certain bytes is read, others are copies."""
    originals = {
        document.content_hash: document.doc_id
        for document in documents.values()
        if not document.same_as and document.doc_id not in changing
    }

    for source, doc_id in pdfs:
        stored = documents.get(doc_id)
        original = originals.get(source.content)
        if stored is not None and _is_current(stored, source, original):
            yield Row(source.path, doc_id, "keep", source, stored)
        elif original not in (None, doc_id):
            yield Row(source.path, doc_id, "copy", source, stored, detail=str(original))
        else:
            yield Row(source.path, doc_id, "read", source, stored)
            originals[source.content] = doc_id


def _is_current(stored: Document, source: Source, original: str | None) -> bool:
    """Return whether a stored document is what its file yields today."""
    return (
        stored.content_hash == source.content
        and stored.version == source.version
        and stored.sidecar == source.sidecar.digest
        and stored.same_as in ("", original)
    )


def expand(paths: Sequence[Path]) -> tuple[list[Path], dict[Path, str]]:
    """Return the absolute paths of the files in `paths`, each once, in order, and the reasons why others are skipped.

    Folders are searched recursively.

    Raises:
        BadInputError: a path does not exist, a folder holds no lecture, or a file has another type.
    """
    if not paths:
        raise BadInputError(
            "PATH must name PDF files, folders of them, or a paragraphs.jsonl; name one"
        )
    files: dict[Path, None] = {}
    skipped: dict[Path, str] = {}

    for path in paths:
        if path.is_dir():
            lectures, others = _lectures_in(path)
            files.update(dict.fromkeys(map(_absolute, lectures)))
            skipped |= others
        elif not path.is_file():
            raise BadInputError(f"{path} does not exist.")
        elif path.suffix.lower() in (".pdf", ".jsonl"):
            files[_absolute(path)] = None
        else:
            raise BadInputError(
                f"{path} is neither .pdf nor .jsonl; save it as PDF first."
            )

    skipped = {
        path: why for path, why in skipped.items() if _absolute(path) not in files
    }
    return list(files), skipped


def _absolute(path: Path) -> Path:
    """Return the absolute path of a file; a link keeps its own name, since the suffix decides how the file is read."""
    return path.parent.resolve() / path.name


def _lectures_in(folder: Path) -> tuple[list[Path], dict[Path, str]]:
    """Return the lectures of a folder and its subfolders, and why other files are skipped, except for hidden ones.

    Raises:
        BadInputError: there are none.
    """
    lectures, skipped = [], {}
    for file in sorted(filter(Path.is_file, folder.rglob("*"))):
        suffix = file.suffix.lower()
        is_hidden = any(part[0] in ".~" for part in file.relative_to(folder).parts)
        if suffix == ".pdf":
            lectures.append(file)
        elif suffix == ".jsonl" and not is_hidden:
            skipped[file] = "read only if it is named"
        elif suffix not in SUFFIXES and not is_hidden:
            skipped[file] = "not a type that is read"
    if not lectures:
        raise BadInputError(f"{folder} holds no PDF files; check the path.")
    return lectures, skipped


def look_at(path: Path, settings: IngestSettings) -> Source | SourceError:
    """Return the source of a file, without reading a PDF, or the error with which the file cannot be used."""
    if printable(path) != str(path):
        return SourceError(f"{path}: the file's name must be UTF-8; rename it")
    try:
        content = content_hash(path)
        books = None
        if path.suffix.lower() == ".jsonl":
            books = tuple(read_paragraphs_file(path, content, settings))
        version = version_of(content, settings)
        return Source(path, content, version, read_sidecar(path), books)
    except SourceError as error:
        return error


def printable(text: str | Path) -> str:
    """Return the text with bytes that are not UTF-8, as in file names from old archives, as escapes."""
    return str(text).encode("utf-8", "backslashreplace").decode()
