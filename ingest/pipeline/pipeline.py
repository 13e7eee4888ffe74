"""Ingest of files into a store: plan, read, embed, and write everything at once; safe to repeat and to interrupt.

Nothing is locked while files are read. If two ingests change one store, the ingest that writes second starts again, and
uses the readings and vectors that it has already made.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

import numpy as np
from tqdm.auto import tqdm

from quarry.configs.executors import Cluster, InProcess, Workers, executor_of, result_of, run_all
from quarry.configs.imports import find
from quarry.configs.settings import EmbedSettings, Settings
from quarry.configs.terminal import pluralize
from quarry.ingest.embed import BUILT_IN, Embedder, Models, choose_spec, require_embedder, token_limit, word_models_of
from quarry.ingest.embed.relevance import Relevance, calibrate
from quarry.ingest.embed.vectors import (
    ReadingVectors,
    embed_all,
    embed_on_worker,
    join_parts,
    models_of_worker,
    no_vectors,
    parts_of,
)
from quarry.ingest.errors import BadInputError, StoreChangedError
from quarry.ingest.layout.extract import READERS
from quarry.ingest.paragraph import Reading
from quarry.ingest.pipeline.plan import Held, Row, expand, look_at, plan, printable
from quarry.ingest.pipeline.read import Staging, read_all
from quarry.ingest.store import DEFAULT_COLLECTION, Course, DocumentUpdate, Store, create_store
from quarry.ingest.store.records import words_of

Status = Literal["added", "replaced", "unchanged", "same file", "embedded anew", "removed", "failed"]

ATTEMPTS = 3
"""Number of times that an ingest is tried if other ones keep changing the store."""
MOST_EMBEDDING = 4
"""Most processes that embed unless the user names a number; each takes about 1 GB of memory."""
PASSAGES_A_WORKER = 200
"""Another process pays from this number of passages: it takes about 3 s to start, and embeds 25 passages a second."""


@dataclass(frozen=True, slots=True)
class FileOutcome:
    """The result of one document.

    Attributes:
        doc_id: its id; for a failed file the stem.
        path: the file it came from.
        kept: paragraphs in the store.
        rejected: number of rejected paragraphs, by reason.
        detail: the error of a failed file, or the document of which it is a copy.
        notes: a line for each kind of omission, doubt or correction.
    """

    doc_id: str
    path: str
    status: Status
    kept: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    detail: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """The results of one ingest, and the content of the store after it.

    Attributes:
        skipped: the reason why a file of a folder was not read, by path.
    """

    outcomes: tuple[FileOutcome, ...]
    skipped: dict[str, str]
    embedder: str
    n_documents: int
    n_paragraphs: int
    n_near_identical: int
    fingerprint: str

    @property
    def failed(self) -> tuple[FileOutcome, ...]:
        """The files that could not be read."""
        return tuple(outcome for outcome in self.outcomes if outcome.status == "failed")

    @property
    def rejected(self) -> dict[str, int]:
        """Number of rejected paragraphs by reason, most first."""
        total: Counter[str] = Counter()
        for outcome in self.outcomes:
            total.update(outcome.rejected)
        return dict(total.most_common())


def ingest(
    paths: Sequence[Path],
    location: str,
    settings: Settings,
    *,
    collection: str = DEFAULT_COLLECTION,
    drop: Sequence[str] = (),
    embedder_spec: str = "auto",
    progress: bool = True,
    notice: Callable[[str], None] = lambda _: None,
    cluster: Cluster | None = None,
) -> IngestSummary:
    """Ingest files into a store; files with bytes that the store holds already are left unchanged.

    Args:
        paths: PDF files, folders of them (searched through), or paragraphs.jsonl files.
        location: folder or URL of the store.
        settings: the settings of reading and embedding.
        collection: name within the store.
        drop: doc_ids of documents to remove; `paths` may then be empty.
        embedder_spec: SPEC; `auto` is the store's embedder, or is chosen by script for a new store.
        progress: bars on standard error, or in the notebook.
        notice: called with one line before a long step without a bar, and when an interrupted ingest is resumed.
        cluster: reads and embeds in place of this machine.

    Raises:
        SettingsError: the reader is unknown.
        BadInputError: a path does not exist, or a folder holds no lectures.
        StoreError: the store cannot be opened or written, or has another embedder.
        EmbedderError: the model cannot be loaded.
        WorkerError: workers cannot do the work.
    """
    if settings.ingest.reader != "auto":
        find(READERS, settings.ingest.reader, "ingest.reader")
    files, skipped = expand(paths) if paths or not drop else ([], {})
    if embedder_spec not in BUILT_IN and Path(embedder_spec).is_dir():
        embedder_spec = str(Path(embedder_spec).resolve())  # the store keeps an absolute path
    for left in reversed(range(ATTEMPTS)):
        store = create_store(location, collection)
        if embedder_spec != "auto":
            store.require_embedder(embedder_spec)
        try:
            rows = _ingest(files, store, settings, drop, embedder_spec, progress, notice, cluster)
        except StoreChangedError:
            if not left:
                raise
            notice(f"another ingest has changed {location} meanwhile; starting again, nothing is read twice")
        else:
            break
    order = {str(path): row for row, path in enumerate(files)}
    outcomes = sorted(map(_outcome, rows), key=lambda item: (order.get(item.path, len(order)), item.doc_id))
    course = store.course
    return IngestSummary(
        outcomes=tuple(outcomes),
        skipped={printable(path): why for path, why in skipped.items()},
        embedder=course.embedder_spec,
        n_documents=len(course.documents),
        n_paragraphs=len(course.paragraphs),
        n_near_identical=sum(bool(paragraph.same_as) for paragraph in course.paragraphs),
        fingerprint=course.fingerprint,
    )


def _ingest(
    files: Sequence[Path],
    store: Store,
    settings: Settings,
    drop: Sequence[str],
    embedder_spec: str,
    progress: bool,
    notice: Callable[[str], None],
    cluster: Cluster | None,
) -> list[Row]:
    """Plan, read, embed and write; return the row of each document."""
    course, staging = store.course, Staging(store.location, store.collection)
    documents = {document.doc_id: document for document in course.documents}
    for doc_id in drop:
        if doc_id not in documents:
            raise BadInputError(
                f"--drop must name documents of {store.location}, got {doc_id!r}; "
                f"run: python -m ingest --store {store.location} --list"
            )
    held = Held(
        documents=documents,
        owners={paragraph.paragraph_id: paragraph.doc_id for paragraph in course.paragraphs},
        missing={document.doc_id for document in course.documents if not Path(document.path).exists()},
    )
    rows = plan([(path, look_at(path, settings.ingest)) for path in files], held, drop)
    models = Models.of(settings.embed)
    if embedder_spec != "auto" and any(row.action == "read" for row in rows):
        require_embedder(embedder_spec, models.folder)
    n_cores = os.cpu_count() or 1
    read_all(rows, documents, settings.ingest, staging, progress, cluster or settings.ingest.workers or n_cores)
    if staging.n_found:
        notice(f"resumed: {pluralize(staging.n_found, 'file')} had been read before")
    texts = (paragraph.text for row in rows if row.reading for paragraph in row.reading.paragraphs)
    spec = embedder_spec if embedder_spec != "auto" else course.embedder_spec or choose_spec(texts)
    max_tokens, word_models = token_limit(spec, settings.embed), word_models_of(spec, settings.search.accuracy)
    _embed_outdated(rows, course, max_tokens, word_models if files else ())
    readings = [row.reading for row in rows if row.reading is not None]
    dropped = [row.doc_id for row in rows if row.action == "drop"]
    if readings or dropped:
        has_text = course.embedder_spec or any(reading.paragraphs for reading in readings)
        specs = dict.fromkeys((spec, *word_models)) if readings and has_text else ()
        embedders = [models.embedder(wanted, notice) for wanted in specs]
        of_all = embedders, word_models, max_tokens, settings.embed
        workers: Workers = cluster or settings.ingest.workers or min(n_cores, MOST_EMBEDDING)
        updates = _embedded(readings, *of_all, staging, progress, notice, workers)
        relevance = _relevance(updates, dropped, course, embedders[0]) if embedders and spec not in BUILT_IN else None
        store.change(updates, dropped, relevance)
        staging.clear()
    return rows


def _embed_outdated(rows: list[Row], course: Course, max_tokens: int, word_models: Sequence[str]) -> None:
    """Mark documents to be embedded again if their vectors have another token limit, or token vectors are missing.

    Vectors with different limits do not mix, and token vectors are used only if the whole course has them.
    """
    changing = {row.doc_id for row in rows if row.reading is not None or row.action == "drop"}
    kept = {row.doc_id: row for row in rows if row.action == "keep"}
    for doc_id, record in course.records.items():
        is_whole = course.max_tokens == max_tokens and all(record.holds_words(spec) for spec in word_models)
        if course.embedder_spec and doc_id not in changing and not is_whole:
            if doc_id not in kept:
                kept[doc_id] = Row(Path(record.document.path), doc_id, "embed")
                rows.append(kept[doc_id])
            kept[doc_id].action, kept[doc_id].reading = "embed", course.reading(doc_id)


def _embedded(
    readings: Sequence[Reading],
    models: Sequence[Embedder],
    word_models: Sequence[str],
    max_tokens: int,
    settings: EmbedSettings,
    staging: Staging,
    progress: bool,
    notice: Callable[[str], None],
    workers: Workers,
) -> list[DocumentUpdate]:
    """Return each reading with its vectors.

    Args:
        models: the store's embedder first; () if no reading has paragraphs.
        word_models: SPECs of the models of token vectors.
        max_tokens: token limit of the store's embedder.
    """
    if not models:
        return [DocumentUpdate(reading, no_vectors(), "") for reading in readings]
    spec, forms = models[0].spec, words_of(word_models)
    parts = [part for reading in readings for part in parts_of(reading)]
    sizes = [len(part.paragraphs) for part in parts]
    vectors = [staging.get(part, spec, max_tokens, forms) for part in parts]
    left = [number for number, found in enumerate(vectors) if found is None]
    n_left = sum(sizes[number] for number in left)
    if n_left < sum(sizes):
        notice(f"resumed: {pluralize(sum(sizes) - n_left, 'passage')} had been embedded before the interruption")
    if not isinstance(workers, Cluster):
        workers = max(1, min(workers, n_left // PASSAGES_A_WORKER))
    with executor_of(workers) as executor:
        embed = functools.partial(embed_all, models, token_specs=word_models)  # in this process, on all cores
        if not isinstance(executor, InProcess):
            threads = (settings.threads or max(1, (os.cpu_count() or 1) // workers)) if isinstance(workers, int) else 1
            of_worker = tuple(model.spec for model in models), replace(settings, threads=threads)
            embed = functools.partial(embed_on_worker, *of_worker, token_specs=word_models)
            if isinstance(executor, Cluster):
                executor.check(models_of_worker, *of_worker)
        with tqdm(total=n_left, desc="embedding", unit="passage", disable=not progress) as bar:
            for number, future in run_all(executor, lambda number: executor.submit(embed, parts[number]), left):
                vectors[number] = result_of(future)
                staging.keep(vectors[number], parts[number], spec, max_tokens, forms)
                bar.update(sizes[number])
    of_document: dict[str, list[ReadingVectors]] = {}
    for part, found in zip(parts, vectors, strict=True):
        of_document.setdefault(part.document.doc_id, []).append(found)
    del vectors  # what is joined is not kept twice
    return [DocumentUpdate(r, join_parts(of_document.pop(r.document.doc_id)), spec, max_tokens) for r in readings]


def _relevance(
    updates: Sequence[DocumentUpdate], dropped: Sequence[str], course: Course, embedder: Embedder
) -> Relevance | None:
    """Calibrate an embedder on all passages that the store will hold."""
    gone = {*dropped, *(update.reading.document.doc_id for update in updates)}
    kept = [row for row, paragraph in enumerate(course.paragraphs) if paragraph.doc_id not in gone]
    texts = [course.paragraphs[row].text for row in kept]
    texts += [paragraph.text for update in updates for paragraph in update.reading.paragraphs]
    vectors = [update.vectors.paragraphs for update in updates if update.reading.paragraphs]
    return calibrate(texts, np.concatenate([*([course.vectors[kept]] if kept else []), *vectors]), embedder)


def _outcome(row: Row) -> FileOutcome:
    """Return the result of a document."""
    document = row.reading.document if row.reading is not None else row.stored
    if row.action == "fail" or document is None:
        return FileOutcome(printable(row.path.stem), printable(row.path), "failed", detail=printable(row.detail))
    if row.action in ("drop", "same file"):
        status: Status = "removed" if row.action == "drop" else "same file"
        return FileOutcome(row.doc_id, str(row.path), status, detail=row.detail)
    statuses: dict[str, Status] = {"keep": "unchanged", "embed": "embedded anew", "twin": "same file"}
    status = statuses.get(row.action, "replaced" if row.stored else "added")
    n_kept, notes = document.n_paragraphs, row.reading.notes if row.reading is not None else ()
    return FileOutcome(row.doc_id, str(row.path), status, n_kept, document.rejected, document.same_as, notes)
