"""Ingest of files into a store: plan, read, embed, and write everything at once; safe to repeat and to interrupt.

Nothing is locked while files are read. If two ingests change one store, the ingest that writes second starts again, and
uses the readings and vectors that it has already made.
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

from configs.settings import Settings
from ingest.editions.editions import require_edition
from ingest.errors import BadInputError
from ingest.layout.extract import READERS
from ingest.pipeline.plan import Names, Row, expand, look_at, plan, printable
from ingest.pipeline.read import Files, Staging
from quarry.arrays import Float32Array
from quarry.course.paragraph import Reading
from quarry.course.piece import Piece
from quarry.embed import (
    BUILT_IN,
    Embedder,
    Models,
    choose_spec,
    require_embedder,
    token_limit,
    word_models_of,
)
from quarry.embed.models import absolute_spec
from quarry.embed.relevance import Relevance, calibrate
from quarry.embed.vectors import (
    NO_VECTORS,
    ReadingVectors,
    embed_all,
    embed_on_worker,
    join_parts,
    models_of_worker,
    parts_of,
)
from quarry.errors import StoreChangedError
from quarry.languages.reading_order import in_reading_order
from quarry.parallel import (
    Cluster,
    InProcess,
    Tasks,
    Workers,
    executor_of,
    result_of,
    run_all,
)
from quarry.plugins import find
from quarry.store import DEFAULT_COLLECTION, Course, DocumentUpdate, Store, create_store
from quarry.store.records import packed, words_of
from quarry.terminal import pluralize

_log = logging.getLogger(__name__)

ATTEMPTS = 3
"""Number of times that an ingest is tried if other ones keep changing the store."""
MOST_EMBEDDING = 4
"""Maximum number of processes that embed unless the user names a number; each takes about 1 GB of memory."""
PASSAGES_A_WORKER = 200
"""Minimum number of passages for which another process pays: it starts in about 3 s and embeds 25 passages a second."""


@dataclass(frozen=True, slots=True)
class IngestSummary:
    """The results of one ingest.

    Attributes:
        outcomes: the result of each document.
        skipped: the reason why a file of a folder was not read, by path.
        course: the content of the store after it.
    """

    outcomes: tuple[Row, ...]
    skipped: dict[str, str]
    course: Course

    @property
    def failed(self) -> tuple[Row, ...]:
        """The files that could not be read."""
        return tuple(row for row in self.outcomes if row.status == "failed")

    @property
    def rejected(self) -> dict[str, int]:
        """Number of rejected paragraphs by reason, most first."""
        total: Counter[str] = Counter()
        for row in self.outcomes:
            total.update(row.rejected)
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
    """Ingest files into a store; files with bytes that the store holds already are left unchanged.

    Args:
        paths: PDF files, folders of them (searched through), or paragraphs.jsonl files.
        location: folder or URL of the store.
        settings: the settings of reading and embedding.
        collection: name within the store.
        drop: doc_ids of documents to remove; `paths` may then be empty.
        embedder_spec: SPEC; `auto` is the store's embedder, or is chosen by script for a new store.
        progress: bars on standard error, or in the notebook.
        workers: read and embed; 0 takes those of the settings.

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
    files, skipped = expand(paths) if paths or not drop else ([], {})
    n_cores = os.cpu_count() or 1
    workers = workers or settings.ingest.workers or 0
    run = _Ingest(
        files=files,
        drop=drop,
        settings=settings,
        spec="" if embedder_spec == "auto" else absolute_spec(embedder_spec),
        progress=progress,
        readers=workers or n_cores,
        embedders=workers or min(n_cores, MOST_EMBEDDING),
    )

    again = (
        "another ingest has changed %s meanwhile; starting again, nothing is read twice"
    )
    repeat = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(StoreChangedError),
        stop=tenacity.stop_after_attempt(ATTEMPTS),
        before_sleep=lambda _: _log.info(again, location),
        reraise=True,
    )
    course, outcomes = repeat(run.into, location, collection)
    order = {path: row for row, path in enumerate(files)}
    outcomes.sort(key=lambda row: (order.get(row.path, len(order)), row.doc_id))
    return IngestSummary(
        tuple(outcomes), {printable(path): why for path, why in skipped.items()}, course
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Ingest:
    """The request of the user.

    Attributes:
        files: absolute paths.
        drop: doc_ids of documents to remove.
        spec: SPEC of the embedder, "" for the store's or the one that fits the script.
        readers: read files.
        embedders: embed passages.
    """

    files: Sequence[Path]
    drop: Sequence[str]
    settings: Settings
    spec: str
    progress: bool
    readers: Workers
    embedders: Workers

    def into(self, location: str, collection: str) -> tuple[Course, list[Row]]:
        """Plan, read, embed and write; return the new course, and the outcome of each document.

        Raises:
            StoreChangedError: another ingest has changed the store meanwhile.
        """
        store = create_store(location, collection)
        course = store.course
        documents = course.documents_by_id
        staging = Staging(location, collection)
        if store.damage is not None:
            fact, _, _ = str(store.damage).partition(";")
            n_kept = pluralize(len(documents), "document")
            _log.info("%s; it is built again with %s from the cache", fact, n_kept)
        files = Files(
            settings=self.settings.ingest,
            staging=staging,
            progress=self.progress,
            workers=self.readers,
        )
        rows, readings = files.read_all(self._plan(store), documents)
        if staging.n_loaded:
            n_files = pluralize(staging.n_loaded, "file")
            _log.info("resumed: %s had been read before", n_files)

        spec = self.spec or course.embedder_spec
        if not spec:
            paragraphs = chain.from_iterable(item.paragraphs for item in readings)
            spec = choose_spec(paragraph.text for paragraph in paragraphs)
        accuracy = self.settings.search.accuracy
        embedding = _Embedding(
            run=self,
            staging=staging,
            spec=spec,
            max_tokens=token_limit(spec, self.settings.embed),
            word_specs=word_models_of(spec, accuracy) if self.files else (),
        )
        dropped = [row.doc_id for row in rows if row.status == "removed"]
        outdated = embedding.outdated(store, readings, dropped)
        for doc_id in outdated:
            document = documents[doc_id]
            path, same_as = Path(document.path), document.same_as
            anew = Row(path, doc_id, "embedded anew", same_as, document=document)
            replaced = doc_id, "unchanged"
            rows = [row for row in rows if (row.doc_id, row.status) != replaced]
            rows.append(anew)
            readings.append(course.reading(doc_id))
        if readings or dropped or store.damage is not None:
            embedding.write(store, readings, dropped)
            staging.clear()
        return store.course, rows

    def _plan(self, store: Store) -> list[Row]:
        """Return a row for each document that the ingest may change.

        Raises:
            BadInputError: a document that is to be dropped is not there.
        """
        documents = store.course.documents_by_id
        for doc_id in self.drop:
            if doc_id not in documents:
                raise BadInputError(
                    f"--drop {doc_id!r} is no document of {store.location}; "
                    f"run: quarry ingest --store {store.location} --list"
                )
        missing = set()
        for doc_id, document in documents.items():
            if not Path(document.path).exists():
                missing.add(doc_id)
        owners = {item.paragraph_id: item.doc_id for item in store.course.paragraphs}
        sources = [(path, look_at(path, self.settings.ingest)) for path in self.files]
        rows = plan(sources, Names(documents, owners, missing), self.drop)

        if self.spec:
            store.require_embedder(self.spec)
            if any(row.source for row in rows):
                require_embedder(self.spec, self.models.folder)
        return rows

    @property
    def models(self) -> Models:
        """The embedders of the user."""
        return Models(self.settings.embed, own=self.spec)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Embedding:
    """How documents are embedded.

    Attributes:
        run: the ingest.
        staging: vectors of an ingest that was interrupted, and where new ones are kept.
        spec: SPEC of the store's embedder.
        max_tokens: its token limit.
        word_specs: SPECs of the models of token vectors.
    """

    run: _Ingest
    staging: Staging
    spec: str
    max_tokens: int
    word_specs: Sequence[str]

    def outdated(
        self, store: Store, readings: list[Reading], dropped: list[str]
    ) -> list[str]:
        """Return the doc_ids of documents that do not change, and must be embedded again.

        Their database is damaged, their vectors have another token limit, or token vectors are missing. Vectors with
        different limits do not mix, and token vectors are used only if the whole course has them.
        """
        changing = {*dropped, *(reading.document.doc_id for reading in readings)}
        course = store.course
        is_same = course.max_tokens == self.max_tokens or not course.embedder_spec
        is_same &= store.damage is None
        outdated = []
        for doc_id, record in course.records.items():
            is_whole = all(record.holds_words(spec) for spec in self.word_specs)
            if not (is_same and is_whole) and doc_id not in changing:
                outdated.append(doc_id)
        return outdated

    def write(
        self,
        store: Store,
        readings: list[Reading],
        dropped: list[str],
    ) -> None:
        """Embed readings, and write them to the store."""
        course, relevance = store.course, None
        models: list[Embedder] = []
        has_text = course.embedder_spec or any(
            reading.paragraphs for reading in readings
        )
        if readings and has_text:
            # the store's embedder first
            for spec in dict.fromkeys((self.spec, *self.word_specs)):
                models.append(self.run.models.embedder(spec))
        updates = self._embed(readings, models)
        if models and self.spec not in BUILT_IN:
            relevance = _relevance(updates, dropped, course, models[0])
        store.change(updates, dropped, relevance)

    def _embed(
        self, readings: list[Reading], models: list[Embedder]
    ) -> list[DocumentUpdate]:
        """Return each reading with its vectors.

        Args:
            models: the store's embedder and the models of `word_specs`; [] if no reading has paragraphs.
        """
        if not models:
            return [DocumentUpdate(reading, NO_VECTORS, "") for reading in readings]
        parts = list(map(parts_of, readings))
        vectors = self._embed_parts(list(chain.from_iterable(parts)), models)
        updates = []
        for reading, of_reading in zip(readings, parts, strict=True):
            joined = join_parts(vectors[: len(of_reading)])
            del vectors[: len(of_reading)]  # joined parts are not in memory twice
            pieces = with_vectors(reading, joined.paragraphs, models[0])
            reading = replace(reading, pieces=pieces)
            updates.append(DocumentUpdate(reading, joined, self.spec, self.max_tokens))
        return updates

    def _embed_parts(
        self, parts: list[Reading], models: list[Embedder]
    ) -> list[ReadingVectors]:
        """Return the vectors of parts of documents; those of an interrupted ingest are not made again."""
        key = self.spec, self.max_tokens, words_of(self.word_specs)
        vectors, missing, n_staged = [], [], 0
        for row, part in enumerate(parts):
            staged = self.staging.get(part, *key)
            vectors.append(staged)
            if staged is None:
                missing.append(row)
            else:
                n_staged += len(part.paragraphs)
        if n_staged:
            n_passages = pluralize(n_staged, "passage")
            _log.info(
                "resumed: %s had been embedded before the interruption", n_passages
            )

        calls = [(parts[row],) for row in missing]
        total = sum(len(part.paragraphs) for (part,) in calls)
        workers = self.run.embedders
        if not isinstance(workers, Cluster):
            workers = max(1, min(workers, total // PASSAGES_A_WORKER))
        is_quiet = not self.run.progress
        bar = tqdm(total=total, desc="embedding", unit="passage", disable=is_quiet)
        with executor_of(workers) as executor, bar:
            embed = self._task(executor, models)
            for number, future in run_all(executor, embed, calls):
                made = vectors[missing[number]] = result_of(future)
                self.staging.keep(made, *calls[number], *key)
                bar.update(len(made.paragraphs))
        return vectors

    def _task(
        self, executor: Tasks, models: list[Embedder]
    ) -> Callable[[Reading], ReadingVectors]:
        """Return the function that embeds a part of a document, for the processes of an executor."""
        if isinstance(executor, InProcess):  # on all cores
            return functools.partial(embed_all, models, token_specs=self.word_specs)
        settings, threads = self.run.settings.embed, 1
        if not isinstance(executor, Cluster):
            cores_each = (os.cpu_count() or 1) // executor.n_workers
            threads = settings.threads or max(1, cores_each)
        specs = tuple(model.spec for model in models)
        settings = replace(settings, threads=threads, own=self.run.spec)
        if isinstance(executor, Cluster):
            executor.check(models_of_worker, specs, settings)
        return functools.partial(
            embed_on_worker, specs, settings, token_specs=self.word_specs
        )


def with_vectors(
    reading: Reading, passages: Float32Array, embedder: Embedder
) -> tuple[Piece, ...]:
    """Return the pieces of a reading with their vectors; pieces of several editions that begin a page share one.

    Args:
        passages: (n_passages, dim) vectors of its passages; their mean is subtracted.
    """
    keys = []
    texts: dict[tuple[int, int], str] = {}
    counts = Counter[tuple[str, int]]()
    for piece in reading.pieces:
        counts[piece.edition, piece.page] += 1
        key = piece.page, counts[piece.edition, piece.page]
        keys.append(key)
        text = in_reading_order(piece.text)
        # the one with the most blanks, since some readers print English without
        texts[key] = max(texts.get(key, ""), text, key=lambda text: text.count(" "))
    if not keys:
        return ()

    mean = passages.mean(axis=0) if len(passages) else np.float32(0.0)
    embedded = embedder.embed_passages([*texts.values()]) - mean
    vectors = dict(zip(texts, map(packed, embedded), strict=True))
    pieces = []
    for piece, key in zip(reading.pieces, keys, strict=True):
        pieces.append(replace(piece, vector=vectors[key]))
    return tuple(pieces)


def _relevance(
    updates: list[DocumentUpdate],
    dropped: list[str],
    course: Course,
    embedder: Embedder,
) -> Relevance | None:
    """Calibrate an embedder on all passages that the store will hold."""
    changing = {*dropped, *(update.reading.document.doc_id for update in updates)}
    texts, vectors = [], []
    for row, paragraph in enumerate(course.paragraphs):
        if paragraph.doc_id not in changing:
            texts.append(paragraph.text)
            vectors.append(course.vectors[row])
    for update in updates:
        texts += [paragraph.text for paragraph in update.reading.paragraphs]
        vectors += list(update.vectors.paragraphs)
    return calibrate(texts, np.array(vectors), embedder)
