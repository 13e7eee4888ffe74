"""The plan: a table of what happens to each document, worked out from what was found and what the store holds.

Nothing here reads or writes a file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, TypeGuard

from quarry.ingest.errors import BadInputError, SourceError
from quarry.ingest.paragraph import Alias, Document, Reading
from quarry.ingest.pipeline.sources import Source

Action = Literal["read", "take", "twin", "keep", "same file", "fail"]


@dataclass(frozen=True, slots=True)
class Row:
    """What happens to one document.

    Attributes:
        path: of its file.
        doc_id: its id; "" for a file that failed.
        action: `read` its PDF, `take` what a paragraphs file holds, file it as the `twin` of another document, `keep`
            it as it is stored, count it once as the `same file` as one that is stored, or `fail`.
        source: of what is to be read, or filed as a twin.
        reading: of what is to be taken.
        stored: of what is kept, or the same file.
        detail: the doc_id of a twin's original, or why it failed.
    """

    path: Path
    doc_id: str
    action: Action
    source: Source | None = None
    reading: Reading | None = None
    stored: Document | None = None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Held:
    """What a store holds before an ingest.

    Attributes:
        documents: by doc_id.
        owners: doc_id by paragraph_id.
        missing: doc_ids of documents whose files are gone.
    """

    documents: Mapping[str, Document]
    owners: Mapping[str, str]
    missing: Collection[str]


def plan(
    found: Sequence[tuple[Path, Source | SourceError]],
    held: Held,
    dropped: Collection[str] = (),
    look: Callable[[Path], Source | SourceError] = lambda path: SourceError(f"{path}: not looked at"),
) -> list[Row]:
    """What happens to each file, and to those whose text the store keeps under one that is about to be replaced.

    Args:
        found: each path of the user's, and what stands there.
        held: what the store holds.
        dropped: doc_ids that go.
        look: what stands at a path that the user did not name.
    """
    names = dict(held.documents)
    owners = dict(held.owners)
    rows: list[Row] = []
    named: list[tuple[Source, str]] = []
    for path, source in found:
        if isinstance(source, SourceError):
            rows.append(Row(path, "", "fail", detail=str(source)))
        elif source.books is not None:
            rows += _of_books(path, source.books, names, owners, held.missing)
        else:
            doc_id = _free_doc_id(path, source.content, names, held.missing)
            known = names.get(doc_id)
            if _stands_elsewhere(known, path, held.missing) and known.content_hash == source.content:
                rows.append(Row(path, doc_id, "same file", stored=known))
                continue
            named.append((source, doc_id))
            names[doc_id] = Document(doc_id, str(path), source.content, "", (), 0, 0)
    # what the files of this run are about to replace can be nobody's original any more
    changing = {doc_id for source, doc_id in named if _differs(held.documents.get(doc_id), source)} | {*dropped}
    for document in _orphaned(held.documents, changing, {doc_id for _, doc_id in named} | {*dropped}):
        source = look(Path(document.path))
        if isinstance(source, Source):  # else the file is gone, and its text with it
            named.append((source, document.doc_id))
    return [*rows, *_of_pdfs(named, held.documents, changing)]


def to_drop(held: Held, drop: Sequence[str], prune: bool, location: str) -> dict[str, str]:
    """Why documents go that the user drops, or whose files are gone, by doc_id.

    A copy of a dropped file goes with it if there is nothing left to read its text from.

    Raises:
        BadInputError: a document is not there.
    """
    for doc_id in drop:
        if doc_id not in held.documents:
            raise BadInputError(
                f"--drop must name documents of {location}, got {doc_id!r}; "
                f"run: python -m ingest --store {location} --list"
            )
    gone = dict.fromkeys(sorted(drop), "dropped")
    if prune:
        left = sorted({*held.missing} - {*drop})
        gone |= {doc_id: f"dropped, its file {held.documents[doc_id].path} is gone" for doc_id in left}
    for doc_id in sorted(held.missing - gone.keys()):
        original = held.documents[doc_id].same_as
        if original in gone:
            gone[doc_id] = f"dropped with {original}, of which it was a copy; its own file is gone"
    return gone


def missing_books(rows: Sequence[Row], documents: Mapping[str, Document]) -> list[Document]:
    """The books that a paragraphs file held at an earlier ingest and holds no more."""
    stays = {(str(row.path), row.doc_id) for row in rows}
    whole = {str(row.path) for row in rows if row.path.suffix.lower() == ".jsonl"}
    whole -= {str(row.path) for row in rows if row.action == "fail"}
    return [
        document
        for document in documents.values()
        if document.path in whole and (document.path, document.doc_id) not in stays
    ]


def twin_of(original: Document, source: Source, doc_id: str) -> Document:
    """A document whose bytes are those of `original`: it has a name of its own, but no paragraphs."""
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


def _of_pdfs(
    named: Sequence[tuple[Source, str]], documents: Mapping[str, Document], changing: Collection[str]
) -> Iterator[Row]:
    originals = {
        document.content_hash: document.doc_id
        for document in documents.values()
        if not document.same_as and document.doc_id not in changing
    }
    for source, doc_id in named:
        known = documents.get(doc_id)
        original = originals.get(source.content)
        if (
            known is not None
            and known.content_hash == source.content
            and known.version == source.version
            and known.same_as in ("", original)
            and known.sidecar == source.sidecar.digest
        ):
            yield Row(source.path, doc_id, "keep", source, stored=known)
        elif original not in (None, doc_id):
            yield Row(source.path, doc_id, "twin", source, detail=str(original))
        else:
            yield Row(source.path, doc_id, "read", source)
            originals[source.content] = doc_id


def _of_books(
    path: Path,
    books: Sequence[Reading],
    names: dict[str, Document],
    owners: dict[str, str],
    missing: Collection[str],
) -> list[Row]:
    """What happens to the books of a paragraphs file; what is taken is added to `names` and `owners`."""
    try:
        _check_books(path, books, names, owners, missing)
    except SourceError as error:
        return [Row(path, "", "fail", detail=str(error))]
    rows = []
    for reading in books:
        document = reading.document
        known = names.get(document.doc_id)
        if known is None or known.version != document.version:
            rows.append(Row(path, document.doc_id, "take", reading=reading))
            names[document.doc_id] = document
            owners.update((paragraph.paragraph_id, document.doc_id) for paragraph in reading.paragraphs)
        else:
            elsewhere = _stands_elsewhere(known, path, missing)
            rows.append(Row(path, known.doc_id, "same file" if elsewhere else "keep", stored=known))
    return rows


def _check_books(
    path: Path,
    books: Sequence[Reading],
    names: Mapping[str, Document],
    owners: Mapping[str, str],
    missing: Collection[str],
) -> None:
    """Pass if the books and paragraph ids of a paragraphs file are its own.

    Raises:
        SourceError: another file has one of them.
    """
    own = {reading.document.doc_id for reading in books}
    own |= {document.doc_id for document in names.values() if document.path == str(path)}
    for reading in books:
        document = reading.document
        known = names.get(document.doc_id)
        if _stands_elsewhere(known, path, missing) and known.content_hash != document.content_hash:
            raise SourceError(
                f"{path}: book_name must be of one file, got {document.doc_id!r}, which is of {known.path}; rename it"
            )
        for paragraph in reading.paragraphs:
            owner = owners.get(paragraph.paragraph_id)
            if owner is not None and owner not in own:
                raise SourceError(
                    f"{path}: paragraph_id must be unique in the store, got {paragraph.paragraph_id!r}, "
                    f"which is of {owner!r}; rename it"
                )


def _stands_elsewhere(known: Document | None, path: Path, missing: Collection[str]) -> TypeGuard[Document]:
    return known is not None and known.path != str(path) and known.doc_id not in missing


def _free_doc_id(path: Path, content: str, names: Mapping[str, Document], missing: Collection[str]) -> str:
    """The id it has already, or the file stem; with its folder before it where another file has the stem."""
    for document in names.values():
        if document.path == str(path):
            return document.doc_id
    candidates = (path.stem, f"{path.parent.name}/{path.stem}")
    for doc_id in candidates:  # a file that was moved
        if doc_id in names and names[doc_id].content_hash == content:
            return doc_id
    for doc_id in candidates:
        if doc_id not in names or not _stands_elsewhere(names[doc_id], path, missing):
            return doc_id
    return f"{path.parent.name}/{path.stem}-{content[:6]}"


def _differs(known: Document | None, source: Source) -> bool:
    return known is not None and known.content_hash != source.content


def _orphaned(documents: Mapping[str, Document], changing: Collection[str], named: Collection[str]) -> list[Document]:
    """Documents not named in this run whose text the store keeps under a twin that is about to be replaced."""
    return [item for item in documents.values() if item.same_as in changing and item.doc_id not in named]
