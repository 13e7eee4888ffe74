"""Ingest of files into a store: plan, read, embed, and write everything at once. It may be repeated and interrupted.

Nothing is locked while files are read. If two ingests change one store, the second one to write starts again, with the
readings and vectors that it already has.
"""

import functools
import logging
import os
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
import tenacity
from tqdm.auto import tqdm

from configs.directories import DEFAULT_COLLECTION
from configs.settings import Settings
from ingest.editions.editions import require_edition
from ingest.editions.readers import WITHOUT_PYMUPDF, has_pymupdf
from ingest.errors import BadInputError, SourceError
from ingest.layout.extract import READERS
from ingest.pipeline.plan import Outcome, find_lectures, plan_ingest, sources_in
from ingest.pipeline.read import FileReader, Staging
from quarry.course.course import EmbedderFit
from quarry.course.paragraph import Reading
from quarry.embed import (
    BUILT_IN,
    Embedder,
    Models,
    choose_spec,
    require_embedder,
)
from quarry.embed.embedder_fit import fit_embedder
from quarry.embed.models import absolute_spec
from quarry.embed.vectors import (
    NO_VECTORS,
    ReadingVectors,
    center_pieces,
    embed_on_worker,
    embed_reading,
    embedder_of_worker,
    join,
    split_reading,
)
from quarry.errors import StoreChangedError
from quarry.parallel import (
    Cluster,
    InProcess,
    TaskExecutor,
    Workers,
    open_executor,
    run_all,
    task_result,
)
from quarry.plugins import find
from quarry.store import Course, Store, StoredDocument
from quarry.terminal import pluralize

_log = logging.getLogger(__name__)

INGEST_ATTEMPTS = 3
"""Maximum number of attempts if other ingests keep changing the store."""
MAX_EMBEDDING = 4
"""Default maximum number of processes that embed; each takes about 1 GB of memory."""
PARAGRAPHS_A_WORKER = 200
"""Minimum number of paragraphs for each process; a process starts in about 3 s and embeds 25 paragraphs a second."""


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """The results of one ingest.

    Attributes:
        outcomes: the result of each document.
        skipped: reasons why files of folders were not read, by path.
        course: content of the store after the ingest.
        advice: a line with advice to the user, or "".
    """

    outcomes: tuple[Outcome, ...]
    skipped: dict[str, str]
    course: Course
    advice: str = ""

    @property
    def failed(self) -> tuple[Outcome, ...]:
        """The files that could not be read."""
        return tuple(item for item in self.outcomes if item.status == "failed")

    @property
    def kept(self) -> int:
        """Number of paragraphs of all documents of the ingest."""
        return sum(outcome.kept for outcome in self.outcomes)

    @property
    def rejected(self) -> dict[str, int]:
        """Number of rejected paragraphs by reason, the most frequent first."""
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
    workers: Workers = 0,
) -> IngestSummary:
    """Ingest files into a store; files whose bytes the store already holds are left unchanged.

    Args:
        paths: PDF files, folders of them (also subfolders), or paragraphs.jsonl files.
        location: folder or URL of the store.
        settings: settings of reading and embedding.
        collection: name within the store.
        drop: doc_ids of documents to remove; `paths` may then be empty.
        embedder_spec: SPEC; `auto` takes the store's embedder, and chooses one by script for a new store.
        progress: whether progress bars are shown on standard error, or in the notebook.
        workers: processes or cluster; 0 takes all cores to read, and at most `MAX_EMBEDDING` to embed.

    Raises:
        SettingsError: the reader is unknown.
        BadInputError: a path does not exist, or a folder holds no lectures.
        StoreError: the store cannot be opened or written, or has another embedder.
        EmbedderError: the model cannot be loaded.
        WorkerError: workers cannot do the work.
    """
    find(READERS, settings.ingest.reader, "ingest.reader")
    for edition in settings.ingest.editions:
        require_edition(edition)
    files, skipped = find_lectures(paths) if paths or not drop else ([], {})
    own_spec = "" if embedder_spec == "auto" else absolute_spec(embedder_spec)
    again = (
        "another ingest has changed %s meanwhile; starting again, nothing is read twice"
    )
    attempts = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(StoreChangedError),
        stop=tenacity.stop_after_attempt(INGEST_ATTEMPTS),
        before_sleep=lambda _: _log.info(again, location),
        reraise=True,
    )
    for attempt in attempts:
        with attempt:
            run = _Ingest(
                store=Store(location, collection),
                staging=Staging(location, collection),
                files=files,
                drop=drop,
                settings=settings,
                embedder_spec=own_spec,
                models=Models(settings.embed, own=own_spec),
                progress=progress,
                workers=workers,
            )
            outcomes = run.run()

    order = {path: position for position, path in enumerate(files)}
    outcomes.sort(key=lambda item: (order.get(item.path, len(order)), item.doc_id))
    advice = _advice(outcomes, settings.ingest.editions)
    return IngestSummary(tuple(outcomes), skipped, run.store.course, advice)


def _advice(outcomes: Sequence[Outcome], editions: Sequence[str]) -> str:
    """Return the advice to install PyMuPDF if an edition needs it; "" if it is installed or not needed."""
    if has_pymupdf() or not any(name.startswith("pymupdf:") for name in editions):
        return ""
    for outcome in outcomes:
        has_editions = outcome.path.suffix.lower() != ".jsonl"
        if has_editions and outcome.status in ("added", "replaced"):
            return WITHOUT_PYMUPDF
    return ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ingest:
    """One attempt at an ingest, as the user requested it.

    Attributes:
        store: the store.
        staging: readings and vectors of an interrupted ingest; new ones are added.
        files: absolute paths of the files.
        drop: doc_ids of documents to remove.
        settings: settings of reading and embedding.
        embedder_spec: SPEC of the embedder; "" takes the store's, or chooses one by script.
        models: the loader of embedders.
        progress: whether progress bars are shown.
        workers: processes or cluster; 0 takes as many processes as `ingest` says.
    """

    store: Store
    staging: Staging
    files: Sequence[Path]
    drop: Sequence[str]
    settings: Settings
    embedder_spec: str
    models: Models
    progress: bool
    workers: Workers

    def run(self) -> list[Outcome]:
        """Plan, read, embed, and write to the store; return the outcome of each document.

        Raises:
            StoreChangedError: another ingest has changed the store meanwhile.
        """
        store = self.store
        if store.damage is not None:
            fact, _, _ = str(store.damage).rpartition("; run:")
            _log.warning("%s; it is made again with its documents", fact)
        reader = FileReader(
            settings=self.settings.ingest,
            staging=self.staging,
            progress=self.progress,
            workers=self.workers or os.cpu_count() or 1,
        )
        documents = store.course.documents_by_id
        outcomes, readings = reader.read_all(self._plan(), documents)

        dropped, moved = [], []
        for outcome in outcomes:
            if outcome.status == "removed":
                dropped.append(outcome.doc_id)
            elif outcome.status == "unchanged" and outcome.document:
                stored = store.documents[outcome.doc_id]
                reading = replace(stored.reading, document=outcome.document)
                if reading.document != stored.reading.document:
                    moved.append(replace(stored, reading=reading))
        if readings or dropped or moved or store.damage:
            self._write(readings, dropped, moved)
            self.staging.clear()
        return outcomes

    def _plan(self) -> list[Outcome]:
        """Plan the ingest: return the planned outcome of each document that it may change.

        Raises:
            BadInputError: the store does not hold a document to drop.
        """
        store = self.store
        documents = store.course.documents_by_id
        for doc_id in self.drop:
            if doc_id not in documents:
                raise BadInputError(
                    f"--drop {doc_id!r} is no document of {store.location}; "
                    f"run: quarry ingest --store {store.location} --list"
                )
        outcomes, sources = [], []
        for path in self.files:
            try:
                sources.append(sources_in(path, self.settings.ingest))
            except SourceError as error:
                outcomes.append(Outcome.of_failure(path, error))
        owners = {item.paragraph_id: item.doc_id for item in store.course.paragraphs}
        outcomes += plan_ingest(sources, documents, owners, self.drop)

        if self.embedder_spec:
            store.require_embedder(self.embedder_spec)
            if any(outcome.source for outcome in outcomes):
                require_embedder(self.embedder_spec, self.models.folder)
        return outcomes

    def _write(
        self,
        readings: list[Reading],
        dropped: list[str],
        moved: list[StoredDocument],
    ) -> None:
        """Embed readings, and write them to the store, with the documents whose files have moved.

        Raises:
            BadInputError: two documents have the same paragraph_id.
        """
        course = self.store.course
        embedder_fit = course.embedder_fit
        embedder_spec = self.embedder_spec or course.embedder_spec
        changing = {*dropped, *(reading.document.doc_id for reading in readings)}
        documents = self.store.documents.values()
        kept = [document for document in documents if document.doc_id not in changing]
        _require_unique_ids([*(document.reading for document in kept), *readings])

        paragraphs = list(chain.from_iterable(item.paragraphs for item in readings))
        if readings and (paragraphs or course.embedder_spec):
            embedder_spec = embedder_spec or choose_spec(
                item.text for item in paragraphs
            )
            embedder = self.models.embedder(embedder_spec)
            updates = self._embed(readings, embedder_spec, embedder)
            if embedder_spec not in BUILT_IN:
                embedder_fit = _fit_embedder([*kept, *updates], embedder)
        else:
            updates = [StoredDocument(reading, NO_VECTORS) for reading in readings]
        updates += moved
        self.store.change(
            updates, dropped, embedder_spec=embedder_spec, embedder_fit=embedder_fit
        )

    def _embed(
        self, readings: list[Reading], embedder_spec: str, embedder: Embedder
    ) -> list[StoredDocument]:
        """Embed readings."""
        parts = list(map(split_reading, readings))
        vectors = self._embed_parts(
            list(chain.from_iterable(parts)), embedder_spec, embedder
        )
        updates = []
        for reading, reading_parts in zip(readings, parts, strict=True):
            document_vectors = center_pieces(join(vectors[: len(reading_parts)]))
            # joined parts are not in memory twice
            del vectors[: len(reading_parts)]
            updates.append(StoredDocument(reading, document_vectors))
        return updates

    def _embed_parts(
        self, parts: list[Reading], embedder_spec: str, embedder: Embedder
    ) -> list[ReadingVectors]:
        """Embed parts of documents, except those that an interrupted ingest has embedded."""
        vectors = [NO_VECTORS] * len(parts)
        unstaged, n_staged = [], 0
        for row, part in enumerate(parts):
            if staged := self.staging.get(part, embedder_spec):
                vectors[row] = staged.vectors
                n_staged += len(part.paragraphs)
            else:
                unstaged.append(row)
        if n_staged:
            n_paragraphs = pluralize(n_staged, "paragraph")
            _log.info(
                "resumed: %s had been embedded before the interruption", n_paragraphs
            )

        calls = [(parts[row],) for row in unstaged]
        total = sum(len(part.paragraphs) for (part,) in calls)
        workers = self.workers or min(os.cpu_count() or 1, MAX_EMBEDDING)
        if not isinstance(workers, Cluster):
            workers = max(1, min(workers, total // PARAGRAPHS_A_WORKER))
        is_quiet = not self.progress
        bar = tqdm(total=total, desc="embedding", unit="paragraph", disable=is_quiet)

        with open_executor(workers) as executor, bar:
            embed = self._task(executor, embedder_spec, embedder)
            for number, future in run_all(executor, embed, calls):
                row = unstaged[number]
                part, vectors[row] = parts[row], task_result(future)
                self.staging.keep(
                    StoredDocument(part, vectors[row]), part, embedder_spec
                )
                bar.update(len(part.paragraphs))
        return vectors

    def _task(
        self, executor: TaskExecutor, embedder_spec: str, embedder: Embedder
    ) -> Callable[[Reading], ReadingVectors]:
        """Return the function that embeds a part of a document, for the processes of an executor."""
        if isinstance(executor, InProcess):  # on all cores
            return functools.partial(embed_reading, embedder=embedder)
        settings, threads = self.settings.embed, 1
        if not isinstance(executor, Cluster):
            cores_each = (os.cpu_count() or 1) // executor.n_workers
            threads = settings.threads or max(1, cores_each)
        settings = replace(settings, threads=threads, own=self.embedder_spec)
        executor.check(embedder_of_worker, embedder_spec, settings)
        return functools.partial(embed_on_worker, spec=embedder_spec, settings=settings)


def _require_unique_ids(readings: Sequence[Reading]) -> None:
    """Check that no two documents have the same paragraph_id.

    Args:
        readings: all documents that the store will hold.

    Raises:
        BadInputError: two of them have it.
    """
    owners: dict[str, str] = {}
    for item in chain.from_iterable(reading.paragraphs for reading in readings):
        owner = owners.setdefault(item.paragraph_id, item.doc_id)
        if owner != item.doc_id:
            raise BadInputError(
                f"the paragraph_id {item.paragraph_id!r} is in {owner!r} and in {item.doc_id!r}; "
                "rename it in the paragraphs file"
            )


def _fit_embedder(
    documents: Sequence[StoredDocument], embedder: Embedder
) -> EmbedderFit | None:
    """Fit the embedder to all paragraphs that the store will hold."""
    texts, vectors = [], []
    for document in documents:
        texts += [paragraph.text for paragraph in document.reading.paragraphs]
        vectors += list(document.vectors.paragraphs)
    return fit_embedder(texts, np.array(vectors), embedder)
