"""Files -> store: read in parallel, embedded, filed all at once; safe to repeat and to interrupt."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal, TypeVar

import filelock
import pebble
from tqdm import tqdm

from configs.settings import EmbedSettings, IngestSettings, Settings
from ingest.embed import (
    BUILT_IN,
    Embedder,
    TokenEmbedder,
    choose_spec,
    export_folder,
    load_embedder,
    readers_of,
    token_limit,
)
from ingest.errors import BadInputError, ReaderPoolError, SourceError, StoreError
from ingest.exports import EXPORT_S
from ingest.extract import count_pages
from ingest.near_identical import near_identical
from ingest.paragraph import Alias, Document, Paragraph, Reading
from ingest.reader import content_hash, read_paragraphs_file, read_pdf, version_of
from ingest.readers.ocr import languages
from ingest.sidecar import Sidecar, read_sidecar
from ingest.staging import Staging
from ingest.store import DEFAULT_COLLECTION, Filing, ParagraphStore, create_store, is_url, models_dir_of
from ingest.vectors import embed_aliases, embed_reading, no_vectors

PAGES_IN_TIME = 500
PAGES_SEEN_IN_TIME = 60
"""Pages that a file may have to be read within `ingest.timeout_s`; a longer one has more time in proportion. The second
holds where Tesseract is installed: a page that is an image takes it some seconds."""

T = TypeVar("T")

Status = Literal["added", "replaced", "unchanged", "same file", "embedded anew", "removed", "failed"]


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """What became of one document.

    Attributes:
        doc_id: its id; for a failed file the stem.
        path: the file it came from.
        kept: paragraphs in the store.
        rejected: how many were rejected, by reason.
        detail: the error of a failed file, or the document it is the same file as.
    """

    doc_id: str
    path: str
    status: Status
    kept: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    detail: str = ""


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """What one ingest did, and what the store holds after it."""

    outcomes: tuple[FileOutcome, ...]
    embedder: str
    n_documents: int
    n_paragraphs: int
    n_near_identical: int
    fingerprint: str

    @property
    def failed(self) -> tuple[FileOutcome, ...]:
        """The files that could not be read."""
        return tuple(outcome for outcome in self.outcomes if outcome.status == "failed")


def ingest(
    paths: Sequence[Path],
    location: str,
    settings: Settings,
    *,
    collection: str = DEFAULT_COLLECTION,
    drop: Sequence[str] = (),
    prune: bool = False,
    embedder_spec: str = "auto",
    progress: bool = True,
    notice: Callable[[str], None] = lambda _: None,
) -> IngestSummary:
    """Bring files into a store; those whose bytes it holds already are left as they are.

    Args:
        paths: PDF files, folders of them (searched through), or paragraphs.jsonl files.
        location: folder or URL of the store.
        settings: what reads and embeds.
        collection: name within the store.
        drop: doc_ids of documents to remove; `paths` may then be empty.
        prune: remove the documents whose files are gone; `paths` may then be empty.
        embedder_spec: SPEC; `auto` is the store's own, or chosen by script for a new one.
        progress: bars on standard error.
        notice: gets one line before a step that takes long without a bar.

    Raises:
        BadInputError: a path is not there, or a folder holds nothing to read.
        StoreError: the store cannot be opened or written, has another embedder, or another ingest is at work on it.
        EmbedderError: the model cannot be loaded.
    """
    files = expand(paths) if paths or not (drop or prune) else []
    if embedder_spec not in BUILT_IN and Path(embedder_spec).is_dir():
        embedder_spec = str(Path(embedder_spec).resolve())  # what the store remembers must hold from anywhere
    with _locked(location):
        store = create_store(location, collection)
        if embedder_spec != "auto":
            store.require_embedder(embedder_spec)
        staging = Staging(store.staging_dir)
        with _disk_errors(location):
            gone = _to_drop(store, drop, prune)
            outcomes, readings = _read_all(files, set(gone), store, settings.ingest, staging, progress)
        spec = _settle_spec(embedder_spec, store, readings)
        readers = readers_of(spec, settings.search.accuracy)
        changing = {reading.document.doc_id for reading in readings}
        removed = _missing_books(files, [*outcomes, *(_outcome(reading, store, set()) for reading in readings)], store)
        removed += [gone[doc_id] for doc_id in sorted(gone.keys() - changing)]
        left = changing | {outcome.doc_id for outcome in removed}
        outdated = _outdated(store, left, token_limit(spec, settings.embed), readers if files else ())
        readings += outdated
        anew = {reading.document.doc_id for reading in outdated}
        outcomes = [outcome for outcome in outcomes if outcome.status == "failed" or outcome.doc_id not in anew]
        if readings and (store.embedder_spec or any(reading.paragraphs for reading in readings)):
            models = _load_all(
                tuple(dict.fromkeys((spec, *readers))), models_dir_of(store, settings.embed), settings.embed, notice
            )
        else:
            models = []
        filed = [_outcome(reading, store, anew) for reading in readings]
        if readings or removed:
            with _disk_errors(location):
                filings = _embed_all(readings, store, models, readers, settings.embed, staging, progress)
            dropped = [outcome.doc_id for outcome in removed]
            store.change(filings, dropped, near_identical(_paragraphs_after(store, readings, dropped)))
        else:
            store.tidy()
        staging.clear()
        outcomes += [*filed, *removed]
        order = {str(path): row for row, path in enumerate(files)}
        outcomes.sort(key=lambda outcome: (order.get(outcome.path, len(order)), outcome.doc_id))
        return IngestSummary(
            outcomes=tuple(outcomes),
            embedder=store.embedder_spec,
            n_documents=len(store.documents),
            n_paragraphs=len(store.paragraphs),
            n_near_identical=sum(bool(paragraph.same_as) for paragraph in store.paragraphs),
            fingerprint=store.fingerprint,
        )


def expand(paths: Sequence[Path]) -> list[Path]:
    """The absolute paths of the files that `paths` name, folders searched through, each once, in order.

    Raises:
        BadInputError: a path is not there, a folder holds no PDF, or a file is neither .pdf nor .jsonl.
    """
    if not paths:
        raise BadInputError("PATH must name PDF files, folders or a paragraphs.jsonl, got none")
    files: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            found = sorted(file for file in path.rglob("*") if file.suffix.lower() == ".pdf" and file.is_file())
            if not found:
                raise BadInputError(
                    f"PATH must be a folder with PDF files in it, got {path}: none there; check the path"
                )
            files.update(dict.fromkeys(file.resolve() for file in found))
        elif path.is_file():
            if path.suffix.lower() not in {".pdf", ".jsonl"}:
                raise BadInputError(f"PATH must end in .pdf or .jsonl, got {path}; convert it first")
            files[path.resolve()] = None
        else:
            raise BadInputError(f"PATH must be a file or a folder, got {path}: not there; check the spelling")
    return list(files)


@contextlib.contextmanager
def _locked(location: str) -> Iterator[None]:
    """Hold the store for writing; another ingest on the same folder is told so at once."""
    if is_url(location):
        yield
        return
    folder = Path(location).resolve()  # one lock whatever way the folder is spelt; "." has no name to put it beside
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreError(f"--store must be a folder that can be written, got {location}: {error.strerror}") from error
    lock = filelock.FileLock(folder.with_name(f".{folder.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except filelock.Timeout as error:
        raise StoreError(f"{location}: another ingest is at work on it; wait until it ends") from error
    except OSError as error:
        raise StoreError(
            f"--store must be in a folder that can be written, got {location}: {error.strerror}"
        ) from error
    try:
        yield
    finally:
        lock.release()


@contextlib.contextmanager
def _disk_errors(location: str) -> Iterator[None]:
    """Say of a full disk that the store has lost nothing by it."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{location}: could not be written: {error}; nothing stored was lost") from error


@dataclass(frozen=True, slots=True)
class _Source:
    path: Path
    doc_id: str
    content: str
    sidecar: Sidecar


def _read_all(
    files: Sequence[Path],
    dropped: set[str],
    store: ParagraphStore,
    settings: IngestSettings,
    staging: Staging,
    progress: bool,
) -> tuple[list[FileOutcome], list[Reading]]:
    """Outcomes of the files that need no writing, and the readings of those that do, twins last."""
    stored = {document.doc_id: document for document in store.documents}
    sources, readings, outcomes = _name_all(files, store, settings)
    # what the files of this run are about to replace can be nobody's original any more
    changing = {source.doc_id for source in sources if _differs(stored.get(source.doc_id), source)} | dropped
    sources += _orphaned(stored.values(), changing, {source.doc_id for source in sources} | dropped)
    original_ids = {
        document.content_hash: document.doc_id
        for document in stored.values()
        if not document.same_as and document.doc_id not in changing
    }
    to_read: list[_Source] = []
    twins: list[tuple[_Source, str]] = []
    for source in sources:
        known = stored.get(source.doc_id)
        original_id = original_ids.get(source.content)
        if (
            known is not None
            and known.content_hash == source.content
            and known.version == version_of(source.content, settings)
            and known.same_as in ("", original_id)
            and known.sidecar == source.sidecar.digest
        ):
            outcomes.append(_unchanged(known, source.path))
        elif original_id not in (None, source.doc_id):
            twins.append((source, str(original_id)))
        else:
            to_read.append(source)
            original_ids[source.content] = source.doc_id
    failed = set()
    keys = {source: (source.doc_id, str(source.path), version_of(source.content, settings)) for source in to_read}
    staged = {source: reading for source in to_read if (reading := staging.reading(*keys[source]))}
    readings += [_laid_over(source, reading) for source, reading in staged.items()]
    for source, result in _read_pdfs([source for source in to_read if source not in staged], settings, progress):
        if isinstance(result, Reading):
            staging.keep_reading(result, *keys[source])
            readings.append(_laid_over(source, result))
        else:
            outcomes.append(_failed(source.path, result))
            failed.add(source.doc_id)
    in_force = stored | {reading.document.doc_id: reading.document for reading in readings}
    for source, original_id in twins:
        if original_id in failed:
            outcomes.append(_failed(source.path, f"{source.path}: is the same file as {original_id}, which failed"))
        else:
            readings.append(Reading(_twin(in_force[original_id], source, settings), (), ()))
    return outcomes, readings


def _laid_over(source: _Source, reading: Reading) -> Reading:
    return replace(reading, document=source.sidecar.over(reading.document))


def _name_all(
    files: Sequence[Path], store: ParagraphStore, settings: IngestSettings
) -> tuple[list[_Source], list[Reading], list[FileOutcome]]:
    """The PDFs with their ids, the readings of paragraphs files, and the outcomes of files that go no further."""
    sources: list[_Source] = []
    readings: list[Reading] = []
    outcomes: list[FileOutcome] = []
    names = {document.doc_id: document for document in store.documents}
    owners = {paragraph.paragraph_id: paragraph.doc_id for paragraph in store.paragraphs}
    for path in files:
        try:
            if _printable(path) != str(path):
                raise SourceError(f"{path}: the file's name must be UTF-8; rename it")
            content = content_hash(path)
            sidecar = read_sidecar(path)
            if path.suffix.lower() == ".jsonl":
                books = read_paragraphs_file(path, content, settings)
                _check_books(path, books, names, owners)
                for reading in books:
                    document = reading.document
                    known = names.get(document.doc_id)
                    if known is None or known.version != document.version:
                        readings.append(reading)
                        names[document.doc_id] = document
                        owners.update((paragraph.paragraph_id, document.doc_id) for paragraph in reading.paragraphs)
                    else:
                        outcomes.append(_again(known, path))
                continue
        except SourceError as error:
            outcomes.append(_failed(path, error))
            continue
        doc_id = _free_doc_id(path, content, names)
        known = names.get(doc_id)
        if known is not None and known.content_hash == content and _stands_elsewhere(known, path):
            outcomes.append(_again(known, path))
            continue
        sources.append(_Source(path, doc_id, content, sidecar))
        names[doc_id] = Document(doc_id, str(path), content, "", (), 0, 0)
    return sources, readings, outcomes


def _check_books(path: Path, books: Sequence[Reading], names: dict[str, Document], owners: dict[str, str]) -> None:
    """Pass if the books and paragraph ids of a paragraphs file are its own.

    Raises:
        SourceError: another file has one of them.
    """
    own = {reading.document.doc_id for reading in books}
    own |= {document.doc_id for document in names.values() if document.path == str(path)}
    for reading in books:
        document = reading.document
        known = names.get(document.doc_id)
        if known is not None and known.content_hash != document.content_hash and _stands_elsewhere(known, path):
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


def _stands_elsewhere(known: Document, path: Path) -> bool:
    return known.path != str(path) and Path(known.path).exists()


def _free_doc_id(path: Path, content: str, names: dict[str, Document]) -> str:
    """The id it has already, or the file stem; with its folder before it where another file has the stem."""
    for document in names.values():
        if document.path == str(path):
            return document.doc_id
    candidates = (path.stem, f"{path.parent.name}/{path.stem}")
    for doc_id in candidates:  # a file that was moved
        if doc_id in names and names[doc_id].content_hash == content:
            return doc_id
    for doc_id in candidates:
        if doc_id not in names or not _stands_elsewhere(names[doc_id], path):
            return doc_id
    return f"{path.parent.name}/{path.stem}-{content[:6]}"


def _differs(known: Document | None, source: _Source) -> bool:
    return known is not None and known.content_hash != source.content


def _orphaned(documents: Iterable[Document], changing: set[str], named: set[str]) -> list[_Source]:
    """Files not named in this run whose paragraphs the store keeps under a twin that is about to be replaced."""
    sources = []
    for document in documents:
        if document.same_as in changing and document.doc_id not in named:
            path = Path(document.path)
            with contextlib.suppress(SourceError):  # the file is gone, and its text with it
                sources.append(_Source(path, document.doc_id, content_hash(path), read_sidecar(path)))
    return sources


def _twin(original: Document, source: _Source, settings: IngestSettings) -> Document:
    """A document whose bytes are those of `original`: it has a name of its own, but no paragraphs."""
    twin = replace(
        original,
        doc_id=source.doc_id,
        path=str(source.path),
        version=version_of(source.content, settings),
        aliases=(Alias(source.path.stem, "stem"),),
        n_paragraphs=0,
        rejected={},
        same_as=original.doc_id,
    )
    return source.sidecar.over(twin)


@dataclass(frozen=True, slots=True)
class _Task:
    """A file that is being read: how many pages it has, and the seconds that it may take."""

    source: _Source
    n_pages: int
    limit_s: float
    future: Future[Reading]


def _read_pdfs(
    sources: Sequence[_Source], settings: IngestSettings, progress: bool
) -> Iterator[tuple[_Source, Reading | Exception]]:
    """Each source's reading or error; a file that hangs or crashes costs itself alone, and a long one has more time."""
    if not sources:
        return
    workers = min(len(sources), settings.workers or os.cpu_count() or 1)
    context = multiprocessing.get_context("spawn")
    with pebble.ProcessPool(max_workers=workers, context=context) as pool:
        try:
            counts = [
                (source, pool.schedule(count_pages, args=[source.path, settings.reader], timeout=settings.timeout_s))
                for source in sources
            ]
            tasks: list[_Task] = []
            for source, count in counts:
                n_pages = _result(count, source, settings.timeout_s)
                if isinstance(n_pages, SourceError):
                    yield source, n_pages
                    continue
                pages_in_time = min(PAGES_IN_TIME, PAGES_SEEN_IN_TIME) if languages() else PAGES_IN_TIME
                limit_s = settings.timeout_s * max(1.0, n_pages / pages_in_time)
                arguments = [source.path, source.doc_id, source.content, settings]
                future = pool.schedule(read_pdf, args=arguments, timeout=limit_s)
                tasks.append(_Task(source, n_pages, limit_s, future))
            total = sum(task.n_pages for task in tasks)
            with tqdm(total=total, desc="reading", unit="page", disable=not progress) as bar:
                for task in tasks:
                    result: Reading | SourceError = _result(task.future, task.source, task.limit_s)
                    yield task.source, result
                    bar.update(task.n_pages)
        except BaseException:  # the pool would otherwise wait for every file that is still to be read
            pool.stop()  # type: ignore[no-untyped-call]
            raise


def _result(future: Future[T], source: _Source, limit_s: float) -> T | SourceError:
    """What a worker process made of a file, or why it made nothing of it.

    Raises:
        ReaderPoolError: no process could be started.
    """
    try:
        return future.result()
    except TimeoutError:
        return SourceError(
            f"{source.path}: must be readable within {limit_s:g} s, was given up; raise ingest.timeout_s"
        )
    except pebble.ProcessExpired as error:
        return SourceError(f"{source.path}: its reader died (exit code {error.exitcode}); the file may be damaged")
    except SourceError as error:
        return error
    except BrokenExecutor as error:
        raise ReaderPoolError(
            f"processes that read PDFs must be able to start, they are not: {error}; free memory, or try --workers 1"
        ) from error
    except Exception as error:  # a damaged file makes readers raise whatever comes to them
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return SourceError(f"{source.path}: its reader failed ({reason}); the file may be damaged")


def _settle_spec(asked: str, store: ParagraphStore, readings: Sequence[Reading]) -> str:
    if asked != "auto":
        return asked
    if store.embedder_spec:
        return store.embedder_spec
    return choose_spec(paragraph.text for reading in readings for paragraph in reading.paragraphs)


def _load_all(
    specs: Sequence[str], models_dir: Path, settings: EmbedSettings, notice: Callable[[str], None]
) -> list[Embedder]:
    """The embedders of SPECs, exported first where need be."""
    models = []
    for spec in specs:
        if spec in EXPORT_S and not export_folder(spec, models_dir).exists():
            notice(f"exporting the embedding model {spec} to ONNX, once (about {EXPORT_S[spec]} s)")
        models.append(load_embedder(spec, models_dir, settings))
    return models


def _outdated(store: ParagraphStore, but: Collection[str], max_tokens: int, specs: Sequence[str]) -> list[Reading]:
    """The documents of a store, but for some, whose texts were cut at another limit or whose words were not read.

    Vectors of two limits do not mix, and words are of use where there are those of the whole course.
    """
    if not store.embedder_spec:
        return []
    return [
        store.reading(document.doc_id)
        for document in store.documents
        if document.doc_id not in but
        and (store.max_tokens != max_tokens or not all(store.holds_words(document.doc_id, spec) for spec in specs))
    ]


def _embed_all(
    readings: Sequence[Reading],
    store: ParagraphStore,
    models: Sequence[Embedder],
    readers: Sequence[str],
    settings: EmbedSettings,
    staging: Staging,
    progress: bool,
) -> Iterator[Filing]:
    """Each reading with its vectors, all of them worked out and on disk before the first one is handed on.

    Without a model none of them has paragraphs; the first one is the store's own. What the store holds in the same
    version is not embedded again.
    """
    if not models:
        return (Filing(reading, no_vectors(), "") for reading in readings)
    embedder = models[0]
    reading_words = [model for model in models if model.spec in readers and isinstance(model, TokenEmbedder)]
    spec, max_tokens = embedder.spec, token_limit(embedder.spec, settings)

    def key(reading: Reading) -> tuple[object, ...]:
        document = reading.document
        return document.doc_id, document.version, document.aliases, document.same_as, spec, max_tokens, readers

    total = sum(len(reading.paragraphs) for reading in readings)
    with tqdm(total=total, desc="embedding", unit="paragraph", disable=not progress) as bar:
        for reading in readings:
            if staging.vectors(*key(reading)) is None:
                if store.holds(Filing(reading, no_vectors(), spec, max_tokens)) and all(
                    store.holds_words(reading.document.doc_id, name) for name in readers
                ):
                    vectors = replace(no_vectors(), aliases=embed_aliases(reading, embedder))
                else:
                    vectors = embed_reading(reading, embedder, reading_words)
                staging.keep_vectors(vectors, *key(reading))
            bar.update(len(reading.paragraphs))
    return (Filing(reading, staging.vectors_kept(*key(reading)), spec, max_tokens) for reading in readings)


def _paragraphs_after(
    store: ParagraphStore, readings: Sequence[Reading], dropped: Sequence[str]
) -> Iterator[Paragraph]:
    """Every paragraph that the store will hold, by document, in reading order."""
    texts: dict[str, list[Paragraph]] = {}
    for paragraph in store.paragraphs:
        texts.setdefault(paragraph.doc_id, []).append(paragraph)
    for doc_id in dropped:
        texts.pop(doc_id, None)
    texts |= {reading.document.doc_id: list(reading.paragraphs) for reading in readings}
    for doc_id in sorted(texts):
        yield from texts[doc_id]


def _outcome(reading: Reading, store: ParagraphStore, anew: set[str]) -> FileOutcome:
    document = reading.document
    known = {known.doc_id for known in store.documents}
    status: Status = "replaced" if document.doc_id in known else "added"
    if document.same_as:
        status = "same file"
    elif document.doc_id in anew:
        status = "embedded anew"
    return FileOutcome(
        document.doc_id, document.path, status, len(reading.paragraphs), document.rejected, document.same_as
    )


def _to_drop(store: ParagraphStore, drop: Sequence[str], prune: bool) -> dict[str, FileOutcome]:
    """What becomes of the documents that the user drops, or whose files are gone, by doc_id.

    A copy of a dropped file goes with it if there is nothing left to read its text from.

    Raises:
        BadInputError: a document is not there.
    """
    documents = {document.doc_id: document for document in store.documents}
    for doc_id in drop:
        if doc_id not in documents:
            raise BadInputError(
                f"--drop must name documents of {store.location}, got {doc_id!r}; "
                f"run: python -m ingest --store {store.location} --list"
            )
    missing = {doc_id for doc_id, document in documents.items() if not Path(document.path).exists()}
    gone = dict.fromkeys(sorted(drop), "dropped")
    if prune:
        gone |= {doc_id: f"dropped, its file {documents[doc_id].path} is gone" for doc_id in sorted(missing - {*drop})}
    for doc_id in sorted(missing - gone.keys()):
        if documents[doc_id].same_as in gone:
            gone[doc_id] = f"dropped with {documents[doc_id].same_as}, of which it was a copy; its own file is gone"
    return {doc_id: FileOutcome(doc_id, documents[doc_id].path, "removed", detail=why) for doc_id, why in gone.items()}


def _missing_books(files: Sequence[Path], outcomes: Sequence[FileOutcome], store: ParagraphStore) -> list[FileOutcome]:
    """The books that a paragraphs file held at an earlier ingest and holds no more."""
    held = {(outcome.path, outcome.doc_id) for outcome in outcomes}
    whole = {str(path) for path in files if path.suffix.lower() == ".jsonl"}
    whole -= {outcome.path for outcome in outcomes if outcome.status == "failed"}
    return [
        FileOutcome(document.doc_id, document.path, "removed")
        for document in store.documents
        if document.path in whole and (document.path, document.doc_id) not in held
    ]


def _again(known: Document, path: Path) -> FileOutcome:
    """The outcome of a file that the store has already, under this path or another."""
    if _stands_elsewhere(known, path):
        return FileOutcome(known.doc_id, str(path), "same file", detail=known.doc_id)
    return _unchanged(known, path)


def _unchanged(document: Document, path: Path) -> FileOutcome:
    status: Status = "unchanged"
    return FileOutcome(document.doc_id, str(path), status, document.n_paragraphs, document.rejected, document.same_as)


def _failed(path: Path, error: Exception | str) -> FileOutcome:
    return FileOutcome(_printable(path.stem), _printable(path), "failed", detail=_printable(str(error)))


def _printable(text: str | Path) -> str:
    """The text with bytes that are not UTF-8, as in file names from old archives, written out."""
    return str(text).encode("utf-8", "backslashreplace").decode()


def rejected_in_all(outcomes: Sequence[FileOutcome]) -> dict[str, int]:
    """How many paragraphs were rejected over several files, by reason, most first."""
    total: Counter[str] = Counter()
    for outcome in outcomes:
        total.update(outcome.rejected)
    return dict(total.most_common())
