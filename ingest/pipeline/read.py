"""Files -> readings, in worker processes: if a file hangs, crashes or takes too much memory, only this file fails.

Finished readings and vectors are staged in the user's cache, from which an interrupted ingest resumes.
"""

from __future__ import annotations

import contextlib
import functools
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pebble
from tqdm.auto import tqdm

from configs.directories import cache
from configs.settings import IngestSettings, WorkerError
from ingest import pickles
from ingest.console.terminal import described
from ingest.editions.editions import read_edition, without_repeats
from ingest.editions.piece import Piece
from ingest.errors import SourceError
from ingest.executors import Cluster, Workers, executor_of, result_of, run_all
from ingest.paragraph import Document, Reading
from ingest.pipeline.plan import Row, Source, copy_of
from ingest.pipeline.read_document import read_pdf
from ingest.store.records import digest_of

S = TypeVar("S")
T = TypeVar("T")


class Staging:
    """Values by key, in the user's cache; a value is written as a whole or not at all.

    Args:
        location: the location of the store.
        collection: the collection of the course.

    Attributes:
        n_loaded: number of values that `get` has returned.
    """

    def __init__(self, location: str, collection: str) -> None:
        self._folder = cache() / "staged" / digest_of(location, collection)
        self.n_loaded = 0

    def get(self, *key: object) -> Any:
        """Return the value of a key, None if it is missing or damaged."""
        try:
            value = pickles.load(self._folder / digest_of(*key))
        except Exception:  # missing, damaged, or of an older version
            return None
        self.n_loaded += 1
        return value

    def keep(self, value: object, *key: object) -> None:
        """Write a value; if that fails, an interrupted ingest is repeated as a whole."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            pickles.save(value, self._folder / digest_of(*key))

    def clear(self) -> None:
        """Remove all values, once the store holds them."""
        shutil.rmtree(self._folder, ignore_errors=True)


def read_all(
    rows: Sequence[Row],
    documents: Mapping[str, Document],
    settings: IngestSettings,
    staging: Staging,
    progress: bool,
    workers: Workers,
) -> dict[str, Reading | SourceError]:
    """Read the files of a plan; return the reading of each document, or the reason why its file has failed.

    Args:
        rows: the rows of the plan.
        documents: the documents of the store; they may be the originals of duplicates.
        settings: the settings of the readers.
        staging: readings of an ingest that was interrupted, and where new ones are kept.
        progress: show a bar.
        workers: read the files.
    """
    to_read = [row for row in rows if row.action == "read"]
    readings: dict[str, Reading | SourceError] = {}
    unread = []
    for row in to_read:
        reading = row.reading or staging.get(*_key(row))
        if reading is None:
            unread.append(row)
        else:
            readings[row.doc_id] = reading
    if unread:
        readings |= _read(unread, settings, staging, progress, workers)

    for row in to_read:
        reading = readings[row.doc_id]
        if row.source is not None and isinstance(reading, Reading):
            readings[row.doc_id] = row.source.sidecar.apply_to(reading)
    for row in rows:
        if row.action == "copy" and row.source is not None:
            readings[row.doc_id] = _read_copy(row, row.source, readings, documents)
    return readings


def _read(
    rows: Sequence[Row],
    settings: IngestSettings,
    staging: Staging,
    progress: bool,
    workers: Workers,
) -> dict[str, Reading | SourceError]:
    """Read files with their editions, and stage the readings."""
    if not isinstance(workers, Cluster):
        workers = min(workers, len(rows))
    readings: dict[str, Reading | SourceError] = {}
    sound = []
    with executor_of(workers, apart=True) as executor:
        reader = _Reader(settings, executor, progress)
        for row, reading in reader.paragraphs(rows):
            readings[row.doc_id] = reading
            if isinstance(reading, Reading):
                sound.append(row)
        for row, reading in reader.editions(sound, readings):
            readings[row.doc_id] = reading
            staging.keep(reading, *_key(row))
    return readings


def _read_copy(
    row: Row,
    source: Source,
    readings: Mapping[str, Reading | SourceError],
    documents: Mapping[str, Document],
) -> Reading | SourceError:
    """Return the reading of a duplicate file, which has no paragraphs."""
    original = readings.get(row.detail)
    if isinstance(original, SourceError):
        return SourceError(
            f"{row.path}: is the same file as {row.detail}, which failed"
        )
    document = original.document if original is not None else documents[row.detail]
    return Reading(copy_of(document, source, row.doc_id), (), ())


def _key(row: Row) -> tuple[str, ...]:
    """Return what changes with what reading a file yields."""
    return row.doc_id, str(row.path), row.source.version if row.source else ""


class _Reader:
    """Reads files in processes that have a limit of time and of memory.

    Args:
        executor: runs the processes.
        progress: show bars.
    """

    def __init__(
        self, settings: IngestSettings, executor: Executor, progress: bool
    ) -> None:
        self._settings = settings
        self._executor = executor
        self._progress = progress

    def paragraphs(
        self, rows: Sequence[Row]
    ) -> Iterator[tuple[Row, Reading | SourceError]]:
        """Yield the readings of files as they are done."""

        def submit(row: Row) -> Future[Reading]:
            content = row.source.content if row.source else ""
            return self._submit(read_pdf, row.path, row.doc_id, content, self._settings)

        for row, future in self._run("reading", submit, rows):
            reading = _result(future, row, self._settings)
            if isinstance(reading, Reading):
                document = replace(reading.document, path=str(row.path))
                reading = replace(reading, document=document)
            yield row, reading

    def editions(
        self, rows: Sequence[Row], readings: Mapping[str, Reading | SourceError]
    ) -> Iterator[tuple[Row, Reading]]:
        """Yield the readings of files with their pieces in each edition; an edition that fails is a note."""
        tasks = [(row, name) for row in rows for name in self._settings.editions]
        pieces: dict[tuple[str, str], tuple[Piece, ...]] = {}
        notes: dict[str, tuple[str, ...]] = {}

        def submit(task: tuple[Row, str]) -> Future[tuple[Piece, ...]]:
            row, name = task
            return self._submit(read_edition, row.path, row.doc_id, name)

        for (row, name), future in self._run("reading editions", submit, tasks):
            result = _result(future, row, self._settings)
            if isinstance(result, SourceError):
                note = f"The edition {name} is left out: {result}"
                notes[row.doc_id] = (*notes.get(row.doc_id, ()), note)
            else:
                pieces[row.doc_id, name] = result

        for row in rows:
            reading = readings[row.doc_id]
            assert isinstance(reading, Reading)
            of_row: tuple[Piece, ...] = ()
            for name in self._settings.editions:
                of_row += pieces.get((row.doc_id, name), ())
            added = (*reading.notes, *notes.get(row.doc_id, ()))
            yield row, replace(reading, pieces=without_repeats(of_row), notes=added)

    def _submit(
        self, read: Callable[..., T], path: Path, *arguments: object
    ) -> Future[T]:
        """Read a file; the workers of a cluster get its bytes."""
        if isinstance(self._executor, Cluster):
            read = functools.partial(read_bytes, read, path.read_bytes())
        limits: dict[str, Any] = {
            "timeout_s": self._settings.timeout_s,
            "memory_mb": self._settings.memory_mb,
        }
        return self._executor.submit(read, path, *arguments, **limits)

    def _run(
        self, label: str, submit: Callable[[S], Future[T]], tasks: Sequence[S]
    ) -> Iterator[tuple[S, Future[T]]]:
        futures = run_all(self._executor, submit, tasks)
        return iter(
            tqdm(futures, label, len(tasks), unit="file", disable=not self._progress)
        )


def read_bytes(
    read: Callable[..., T], data: bytes, path: Path, *arguments: object
) -> T:
    """Read a file of another machine.

    Args:
        read: reads files.
        data: the bytes of the file.
        path: on the machine that has the file.
    """
    with tempfile.TemporaryDirectory(prefix="quarry-") as folder:
        copy = Path(folder, path.name)
        copy.write_bytes(data)
        try:
            return read(copy, *arguments)
        except SourceError as error:
            raise SourceError(str(error).replace(str(copy), str(path))) from None


def _result(future: Future[T], row: Row, settings: IngestSettings) -> T | SourceError:
    """Return what was read of a file, or the reason why the file could not be read.

    Raises:
        WorkerError: workers cannot be started, or are lost.
    """
    memory = f"more than {settings.memory_mb} MB of memory (ingest.memory_mb)"
    try:
        return result_of(future)
    except TimeoutError:
        within = f"within {settings.timeout_s:g} s"
        return SourceError(
            f"{row.path}: must be readable {within}, was given up; raise ingest.timeout_s"
        )
    except MemoryError:
        return SourceError(
            f"{row.path}: must be readable without {memory}; leave it out, or raise the limit"
        )
    except SourceError as error:
        return error
    except WorkerError as error:
        if not isinstance(error.__cause__, pebble.ProcessExpired):
            raise
        code = error.__cause__.exitcode
        return SourceError(
            f"{row.path}: its reader died (exit code {code}); the file is damaged, or needs {memory}"
        )
    except Exception as error:  # readers raise any exception on a damaged file
        return SourceError(
            f"{row.path}: must be a whole file, is damaged ({described(error)}); get the file again"
        )
