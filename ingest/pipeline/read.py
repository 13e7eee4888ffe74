"""Files -> readings, in worker processes: if a file hangs, crashes or takes too much memory, only this file fails.

Finished readings and vectors are staged in the user's cache, from which an interrupted ingest resumes.
"""

from __future__ import annotations

import contextlib
import functools
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import replace
from pathlib import Path
from typing import Any

import pebble
from tqdm.auto import tqdm

from quarry.configs.executors import Cluster, Workers, executor_of, result_of, run_all
from quarry.configs.places import cache
from quarry.configs.settings import IngestSettings, WorkerError
from quarry.configs.terminal import described
from quarry.ingest.errors import SourceError
from quarry.ingest.paragraph import Document, Reading
from quarry.ingest.pipeline.plan import Row, twin_of
from quarry.ingest.pipeline.read_document import read_pdf
from quarry.ingest.store.records import digest_of


class Staging:
    """Pickled values by key, in the user's cache; a value is written as a whole or not at all.

    Args:
        location: the location of the store.
        collection: the collection of the course.

    Attributes:
        n_found: number of values that `get` has found.
    """

    def __init__(self, location: str, collection: str) -> None:
        self._folder = cache() / "staged" / digest_of(location, collection)
        self.n_found = 0

    def get(self, *key: object) -> Any:
        """Return the value of a key, None if it is missing or damaged."""
        try:
            with (self._folder / digest_of(*key)).open("rb") as file:
                value = pickle.load(file)
        except Exception:  # missing, damaged, or of an older version
            return None
        self.n_found += 1
        return value

    def keep(self, value: object, *key: object) -> None:
        """Write a value; if that fails, an interrupted ingest is repeated as a whole."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            name = digest_of(*key)
            work = self._folder / f"{name}.{os.getpid()}"
            with work.open("wb") as file:
                pickle.dump(value, file)
            work.replace(self._folder / name)

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
) -> None:
    """Read the files of a plan; set the reading of each row, or the reason why it has failed.

    Args:
        rows: the rows of the plan.
        documents: the documents of the store; they may be the originals of duplicates.
        settings: the settings of the readers.
        staging: readings of an ingest that was interrupted, and where new ones are kept.
        progress: show a bar.
        workers: read the files.
    """
    to_read = [row for row in rows if row.action == "read" and row.reading is None]
    for row in to_read:
        row.reading = staging.get(*_key(row))
    if left := [row for row in to_read if row.reading is None]:
        workers = workers if isinstance(workers, Cluster) else min(workers, len(left))
        with executor_of(workers, apart=True) as executor:
            _read(left, settings, staging, progress, executor)
    for row in to_read:
        if row.reading is not None and row.source is not None:
            row.reading = row.source.sidecar.apply_to(row.reading)
    failed = {row.doc_id for row in to_read if row.reading is None}
    known = {**documents, **{row.doc_id: row.reading.document for row in rows if row.reading is not None}}
    for row in rows:
        if row.action == "twin" and row.source is not None and row.detail not in failed:
            row.reading = Reading(twin_of(known[row.detail], row.source, row.doc_id), (), ())
        elif row.action == "twin":
            row.action, row.detail = "fail", f"{row.path}: is the same file as {row.detail}, which failed"


def _key(row: Row) -> tuple[str, ...]:
    """Return what changes with what reading a file yields."""
    return row.doc_id, str(row.path), row.source.version if row.source else ""


def _read(rows: Sequence[Row], settings: IngestSettings, staging: Staging, progress: bool, executor: Executor) -> None:
    """Read files, each in a process that has a limit of time and of memory."""

    def submit(row: Row) -> Future[Reading]:
        read: Callable[..., Reading] = read_pdf
        if isinstance(executor, Cluster):
            read = functools.partial(read_bytes, read, row.path.read_bytes())
        content = row.source.content if row.source else ""
        limits: dict[str, Any] = {"timeout_s": settings.timeout_s, "memory_mb": settings.memory_mb}
        return executor.submit(read, row.path, row.doc_id, content, settings, **limits)

    bar = tqdm(run_all(executor, submit, rows), "reading", len(rows), unit="file", disable=not progress)
    for row, future in bar:
        result = _result(future, row, settings)
        if isinstance(result, Reading):
            row.reading = result
            staging.keep(result, *_key(row))
        else:
            row.action, row.detail = "fail", str(result)


def read_bytes(
    read: Callable[..., Reading], data: bytes, path: Path, doc_id: str, content: str, settings: IngestSettings
) -> Reading:
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
            reading = read(copy, doc_id, content, settings)
        except SourceError as error:
            raise SourceError(str(error).replace(str(copy), str(path))) from None
    return replace(reading, document=replace(reading.document, path=str(path)))


def _result(future: Future[Reading], row: Row, settings: IngestSettings) -> Reading | SourceError:
    """Return the reading of a file, or the reason why the file could not be read.

    Raises:
        WorkerError: workers cannot be started, or are lost.
    """
    memory = f"more than {settings.memory_mb} MB of memory (ingest.memory_mb)"
    try:
        return result_of(future)
    except TimeoutError:
        within = f"within {settings.timeout_s:g} s"
        return SourceError(f"{row.path}: must be readable {within}, was given up; raise ingest.timeout_s")
    except MemoryError:
        return SourceError(f"{row.path}: must be readable without {memory}; leave it out, or raise the limit")
    except SourceError as error:
        return error
    except WorkerError as error:
        if not isinstance(error.__cause__, pebble.ProcessExpired):
            raise
        code = error.__cause__.exitcode
        return SourceError(f"{row.path}: its reader died (exit code {code}); the file is damaged, or needs {memory}")
    except Exception as error:  # readers raise any exception on a damaged file
        return SourceError(f"{row.path}: must be a whole file, is damaged ({described(error)}); get the file again")
