"""Files -> store: what was found, a plan, readings, and all of it filed at once; safe to repeat and to interrupt."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from quarry.configs.imports import find
from quarry.configs.settings import IngestSettings, Settings
from quarry.ingest.embed import BUILT_IN, choose_spec, require_embedder, token_limit, word_models_of
from quarry.ingest.embed.models import fetch
from quarry.ingest.errors import SourceError, StoreError
from quarry.ingest.paragraph import Document, Reading
from quarry.ingest.pdf.extract import READERS
from quarry.ingest.pipeline.commit import commit, outdated
from quarry.ingest.pipeline.outcome import FileOutcome, IngestSummary, Status
from quarry.ingest.pipeline.plan import Held, Row, missing_books, plan, to_drop
from quarry.ingest.pipeline.read_files import read_all
from quarry.ingest.pipeline.sources import Source, expand, look_at, printable
from quarry.ingest.pipeline.staging import Staging
from quarry.ingest.store import DEFAULT_COLLECTION, Course, Store, store_to_change


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
        progress: bars on standard error, or in the notebook.
        notice: gets one line before a step that takes long without a bar.

    Raises:
        SettingsError: there is no such reader.
        BadInputError: a path is not there, or a folder holds nothing to read.
        StoreError: the store cannot be opened or written, has another embedder, or another ingest is at work on it.
        EmbedderError: the model cannot be loaded.
    """
    if settings.ingest.reader != "auto":
        find(READERS, settings.ingest.reader, "ingest.reader")
    files = expand(paths) if paths or not (drop or prune) else []
    if embedder_spec not in BUILT_IN and Path(embedder_spec).is_dir():
        embedder_spec = str(Path(embedder_spec).resolve())  # what the store remembers must hold from anywhere
    with store_to_change(location, collection) as store:
        if embedder_spec != "auto":
            store.require_embedder(embedder_spec)
        staging = Staging(store.staging_dir)
        held = _held(store.course)
        with _disk_errors(location):
            gone = to_drop(held, drop, prune, location)
            found = [(path, _look(path, settings.ingest)) for path in files]
            rows = plan(found, held, gone, lambda path: _look(path, settings.ingest))
            to_read = any(row.action in {"read", "take"} for row in rows)
            if to_read and embedder_spec != "auto":
                require_embedder(embedder_spec, store.models(settings.embed).folder)
            readings: list[Reading] = []
            failed: list[FileOutcome] = []
            for row, result in read_all(rows, held.documents, settings.ingest, staging, progress):
                if isinstance(result, Reading):
                    readings.append(result)
                else:
                    failed.append(_failed(row.path, result))
        spec = _settle_spec(embedder_spec, store.course, readings)
        word_models = word_models_of(spec, settings.search.accuracy)
        changing = {reading.document.doc_id for reading in readings}
        removed = [_removed(document) for document in missing_books(rows, held.documents)]
        removed += [_removed(held.documents[doc_id], gone[doc_id]) for doc_id in sorted(gone.keys() - changing)]
        left = changing | {outcome.doc_id for outcome in removed}
        again = outdated(store.course, left, token_limit(spec, settings.embed), word_models if files else ())
        anew = {reading.document.doc_id for reading in again}
        readings += again
        outcomes = [*_settled(rows, anew), *failed, *_filed(readings, held, anew), *removed]
        if readings or removed:
            models = store.models(settings.embed)
            if embedder_spec != "auto" and not to_read:
                fetch(embedder_spec)
            has_text = store.course.embedder_spec or any(reading.paragraphs for reading in readings)
            specs = dict.fromkeys((spec, *word_models)) if readings and has_text else ()
            embedders = [models.embedder(wanted, notice) for wanted in specs]
            dropped = [outcome.doc_id for outcome in removed]
            with _disk_errors(location):
                commit(store, readings, dropped, embedders, word_models, settings.embed, staging, progress)
        else:
            store.tidy()
        staging.clear()
        order = {str(path): row for row, path in enumerate(files)}
        outcomes.sort(key=lambda outcome: (order.get(outcome.path, len(order)), outcome.doc_id))
        return _summary(outcomes, store)


@contextlib.contextmanager
def _disk_errors(location: str) -> Iterator[None]:
    """Say of a full disk that the store has lost nothing by it."""
    try:
        yield
    except OSError as error:
        raise StoreError(f"{location}: could not be written: {error}; nothing stored was lost") from error


def _look(path: Path, settings: IngestSettings) -> Source | SourceError:
    try:
        return look_at(path, settings)
    except SourceError as error:
        return error


def _held(course: Course) -> Held:
    return Held(
        documents={document.doc_id: document for document in course.documents},
        owners={paragraph.paragraph_id: paragraph.doc_id for paragraph in course.paragraphs},
        missing={document.doc_id for document in course.documents if not Path(document.path).exists()},
    )


def _settle_spec(asked: str, course: Course, readings: Sequence[Reading]) -> str:
    if asked != "auto":
        return asked
    if course.embedder_spec:
        return course.embedder_spec
    return choose_spec(paragraph.text for reading in readings for paragraph in reading.paragraphs)


def _settled(rows: Sequence[Row], anew: set[str]) -> Iterator[FileOutcome]:
    """The outcomes of the files that need neither reading nor embedding."""
    for row in rows:
        if row.action == "fail":
            yield _failed(row.path, row.detail)
        elif row.stored is not None and row.doc_id not in anew:
            known, path = row.stored, str(row.path)
            if row.action == "same file":
                yield FileOutcome(known.doc_id, path, "same file", detail=known.doc_id)
            else:
                yield FileOutcome(known.doc_id, path, "unchanged", known.n_paragraphs, known.rejected, known.same_as)


def _filed(readings: Sequence[Reading], held: Held, anew: set[str]) -> Iterator[FileOutcome]:
    for reading in readings:
        document = reading.document
        status: Status = "replaced" if document.doc_id in held.documents else "added"
        if document.same_as:
            status = "same file"
        elif document.doc_id in anew:
            status = "embedded anew"
        yield FileOutcome(
            document.doc_id, document.path, status, len(reading.paragraphs), document.rejected, document.same_as
        )


def _removed(document: Document, why: str = "") -> FileOutcome:
    return FileOutcome(document.doc_id, document.path, "removed", detail=why)


def _failed(path: Path, error: str) -> FileOutcome:
    return FileOutcome(printable(path.stem), printable(path), "failed", detail=printable(error))


def _summary(outcomes: Sequence[FileOutcome], store: Store) -> IngestSummary:
    course = store.course
    return IngestSummary(
        outcomes=tuple(outcomes),
        embedder=course.embedder_spec,
        n_documents=len(course.documents),
        n_paragraphs=len(course.paragraphs),
        n_near_identical=sum(bool(paragraph.same_as) for paragraph in course.paragraphs),
        fingerprint=course.fingerprint,
    )
