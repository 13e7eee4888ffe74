"""Files -> readings, in worker processes: if a file hangs, crashes or takes too much memory, only this file fails.

Finished readings and vectors are staged in the user's cache, from which an interrupted ingest resumes.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
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
from ingest.executors import Cluster, Tasks, Workers, executor_of, result_of, run_all
from ingest.paragraph import Document, Reading
from ingest.pipeline.plan import Row, Source, copy_of
from ingest.pipeline.read_document import read_pdf
from ingest.store.records import digest_of

T = TypeVar("T")
Results = dict[str, Reading | SourceError]
"""The reading of each document, or the reason why its file has failed, by doc_id."""


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
) -> tuple[list[Row], list[Reading]]:
    """Read the files of a plan; return its rows with their results, and the readings.

    Args:
        rows: the rows of the plan.
        documents: the documents of the store; they may be the originals of duplicates.
        settings: the settings of the readers.
        staging: readings of an ingest that was interrupted, and where new ones are kept.
        progress: show a bar.
        workers: read the files.
    """
    results: Results = {}
    unread = []
    for row in rows:
        if row.source is None or row.status == "same file":
            continue
        if reading := row.source.book or staging.get(*_key(row)):
            results[row.doc_id] = reading
        else:
            unread.append(row)
    if unread:
        results |= _read(unread, settings, staging, progress, workers)

    finished, readings = [], []
    for row in rows:
        if row.source is None:
            finished.append(row)
            continue
        if row.status == "same file":
            result = _read_copy(row, row.source, results, documents)
        else:
            result = results[row.doc_id]
            if isinstance(result, Reading):
                result = results[row.doc_id] = row.source.sidecar.apply_to(result)
        if isinstance(result, SourceError):
            finished.append(Row.of_failure(row.path, result))
        else:
            readings.append(result)
            finished.append(replace(row, document=result.document, notes=result.notes))
    return finished, readings


def _read(
    rows: Sequence[Row],
    settings: IngestSettings,
    staging: Staging,
    progress: bool,
    workers: Workers,
) -> Results:
    """Read files with their editions, and stage the readings; an edition that fails is a note."""
    if not isinstance(workers, Cluster):
        workers = min(workers, len(rows))
    results: Results = {}
    pieces: dict[tuple[str, str], tuple[Piece, ...]] = {}
    notes: defaultdict[str, list[str]] = defaultdict(list)
    with executor_of(workers, apart=True) as executor:
        run = functools.partial(_run, executor, settings, progress)
        tasks: list[tuple[Any, ...]]
        tasks = [(row, row.source.content, settings) for row in rows if row.source]
        for (row, *_), reading in run("reading", read_pdf, tasks):
            if isinstance(reading, Reading):
                document = replace(reading.document, path=str(row.path))
                reading = replace(reading, document=document)
            results[row.doc_id] = reading

        sound = [row for row in rows if isinstance(results[row.doc_id], Reading)]
        tasks = [*itertools.product(sound, settings.editions)]
        for (row, name), edition in run("reading editions", read_edition, tasks):
            if isinstance(edition, SourceError):
                note = f"The edition {name} is left out: {edition}"
                notes[row.doc_id].append(note)
            else:
                pieces[row.doc_id, name] = edition

    for row in rows:
        reading = results[row.doc_id]
        if isinstance(reading, Reading):
            in_order = [
                pieces.get((row.doc_id, name), ()) for name in settings.editions
            ]
            reading = replace(
                reading,
                pieces=without_repeats(itertools.chain.from_iterable(in_order)),
                notes=(*reading.notes, *notes[row.doc_id]),
            )
            results[row.doc_id] = reading
            staging.keep(reading, *_key(row))
    return results


def _read_copy(
    row: Row, source: Source, results: Results, documents: Mapping[str, Document]
) -> Reading | SourceError:
    """Return the reading of a duplicate file, which has no paragraphs."""
    original = results.get(row.detail)
    if isinstance(original, SourceError):
        return SourceError(
            f"{row.path}: is the same file as {row.detail}, which failed"
        )
    document = original.document if original is not None else documents[row.detail]
    return Reading(copy_of(document, source, row.doc_id), (), ())


def _key(row: Row) -> tuple[str, ...]:
    """Return what changes with what reading a file yields."""
    return row.doc_id, str(row.path), row.source.version if row.source else ""


def _run(
    executor: Tasks,
    settings: IngestSettings,
    progress: bool,
    label: str,
    read: Callable[..., T],
    tasks: Sequence[tuple[Any, ...]],
) -> Iterator[tuple[tuple[Any, ...], T | SourceError]]:
    """Read files within limits of time and memory; yield each task with its result, as they are done.

    Args:
        tasks: a row of the plan each, and the arguments of `read` after the path and the doc_id.
    """
    is_far = isinstance(executor, Cluster)

    def calls() -> Iterator[tuple[Any, ...]]:
        for row, *arguments in tasks:
            data = row.path.read_bytes() if is_far else None
            yield (data, row.path, row.doc_id, *arguments)

    futures = run_all(
        executor,
        functools.partial(_call, read),
        calls(),
        timeout_s=settings.timeout_s,
        memory_mb=settings.memory_mb,
    )
    bar = tqdm(futures, label, len(tasks), unit="file", disable=not progress)
    for number, future in bar:
        result: T | SourceError = _result(future, tasks[number][0], settings)
        yield tasks[number], result


def _call(read: Callable[..., T], data: bytes | None, path: Path, *arguments: Any) -> T:
    """Call a reader; a file of another machine comes as its bytes."""
    if data is None:
        return read(path, *arguments)
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
    except SourceError as error:
        return error
    except TimeoutError:
        within = f"within {settings.timeout_s:g} s"
        why = f"must be readable {within}, was given up; raise ingest.timeout_s"
    except MemoryError:
        why = f"must be readable without {memory}; leave it out, or raise the limit"
    except WorkerError as error:
        if not isinstance(error.__cause__, pebble.ProcessExpired):
            raise
        code = error.__cause__.exitcode
        why = f"its reader died (exit code {code}); the file is damaged, or needs {memory}"
    except Exception as error:  # readers raise any exception on a damaged file
        why = (
            f"must be a whole file, is damaged ({described(error)}); get the file again"
        )
    return SourceError(f"{row.path}: {why}")
