"""Files -> readings, in worker processes: a file that hangs or crashes costs itself alone."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import pebble
from tqdm.auto import tqdm

from quarry.configs.settings import IngestSettings
from quarry.ingest.errors import ReaderPoolError, SourceError
from quarry.ingest.paragraph import Document, Reading
from quarry.ingest.pdf.extract import count_pages
from quarry.ingest.pdf.ocr import languages
from quarry.ingest.pdf.text_files import read_text_file
from quarry.ingest.pipeline.memory_cap import OVER_CAP, keep_below
from quarry.ingest.pipeline.plan import Row, twin_of
from quarry.ingest.pipeline.read_document import read_pdf
from quarry.ingest.pipeline.sources import Source
from quarry.ingest.pipeline.staging import Staging

PAGES_IN_TIME = 500
PAGES_SEEN_IN_TIME = 60
"""Pages that a file may have to be read within `ingest.timeout_s`; a longer one has more time in proportion. The second
holds where Tesseract is installed: a page that is an image takes it some seconds."""


T = TypeVar("T")


def read_all(
    rows: Sequence[Row],
    documents: Mapping[str, Document],
    settings: IngestSettings,
    staging: Staging,
    progress: bool,
) -> Iterator[tuple[Row, Reading | str]]:
    """The reading of each row that wants one, or why it has none; twins last.

    Args:
        documents: of the store, among which the originals of twins may be.
    """
    in_force = dict(documents)
    failed = set()
    for row, result in _originals(rows, settings, staging, progress):
        if isinstance(result, Reading):
            in_force[row.doc_id] = result.document
        else:
            failed.add(row.doc_id)
        yield row, result
    for row in rows:
        if row.action == "twin" and row.source is not None:
            if row.detail in failed:
                yield row, f"{row.path}: is the same file as {row.detail}, which failed"
            else:
                yield row, Reading(twin_of(in_force[row.detail], row.source, row.doc_id), (), ())


def _originals(
    rows: Sequence[Row], settings: IngestSettings, staging: Staging, progress: bool
) -> Iterator[tuple[Row, Reading | str]]:
    """What is taken, what an ingest that died has read, and what is read now."""
    unread: list[_Task] = []
    for row in rows:
        if row.reading is not None:
            yield row, row.reading
        elif row.action == "read" and row.source is not None:
            staged = staging.reading(row.doc_id, str(row.path), row.source.version)
            if staged is None:
                unread.append(_Task(row, row.source))
            else:
                yield row, _laid_over(row.source, staged)
    for task, result in _read_pdfs(unread, settings, progress):
        if isinstance(result, Reading):
            staging.keep_reading(result, task.row.doc_id, str(task.row.path), task.source.version)
            yield task.row, _laid_over(task.source, result)
        else:
            yield task.row, str(result)


def _laid_over(source: Source, reading: Reading) -> Reading:
    return source.sidecar.laid_over(reading)


@dataclass(frozen=True, slots=True)
class _Task:
    """A file that is to be read."""

    row: Row
    source: Source


@dataclass(frozen=True, slots=True)
class _Running:
    """A file that is being read: how many pages it has, and the seconds that it may take."""

    task: _Task
    n_pages: int
    limit_s: float
    future: Future[Reading]


def _read_pdfs(
    tasks: Sequence[_Task], settings: IngestSettings, progress: bool
) -> Iterator[tuple[_Task, Reading | SourceError]]:
    """Each file's reading or error; a long file has more time."""
    if not tasks:
        return
    workers = min(len(tasks), settings.workers or os.cpu_count() or 1)
    context = multiprocessing.get_context("spawn")
    with pebble.ProcessPool(
        max_workers=workers, context=context, initializer=keep_below, initargs=[settings.memory_mb]
    ) as pool:
        try:
            counts = [
                (task, pool.schedule(_n_pages, args=[task.row.path, settings.reader], timeout=settings.timeout_s))
                for task in tasks
            ]
            running: list[_Running] = []
            for task, count in counts:
                n_pages = _result(count, task, settings.timeout_s, settings.memory_mb)
                if isinstance(n_pages, SourceError):
                    yield task, n_pages
                    continue
                pages_in_time = min(PAGES_IN_TIME, PAGES_SEEN_IN_TIME) if languages() else PAGES_IN_TIME
                limit_s = settings.timeout_s * max(1.0, n_pages / pages_in_time)
                arguments = [task.row.path, task.row.doc_id, task.source.content, settings]
                read = read_pdf if task.row.path.suffix.lower() == ".pdf" else read_text_file
                future = pool.schedule(read, args=arguments, timeout=limit_s)
                running.append(_Running(task, n_pages, limit_s, future))
            total = sum(item.n_pages for item in running)
            with tqdm(total=total, desc="reading", unit="page", disable=not progress) as bar:
                for item in running:
                    limits = item.limit_s, settings.memory_mb
                    result: Reading | SourceError = _result(item.future, item.task, *limits)
                    yield item.task, result
                    bar.update(item.n_pages)
        except BaseException:  # the pool would otherwise wait for every file that is still to be read
            pool.stop()  # type: ignore[no-untyped-call]
            raise


def _n_pages(path: Path, reader: str) -> int:
    """Pages of a PDF; one for a file that has none."""
    return count_pages(path, reader) if path.suffix.lower() == ".pdf" else 1


def _result(future: Future[T], task: _Task, limit_s: float, memory_mb: int) -> T | SourceError:
    """What a worker process made of a file, or why it made nothing of it.

    Raises:
        ReaderPoolError: no process could be started.
    """
    try:
        return future.result()
    except TimeoutError:
        return SourceError(
            f"{task.row.path}: must be readable within {limit_s:g} s, was given up; raise ingest.timeout_s"
        )
    except MemoryError:
        return _over_cap(task, memory_mb)
    except pebble.ProcessExpired as error:
        if error.exitcode == OVER_CAP:
            return _over_cap(task, memory_mb)
        return SourceError(f"{task.row.path}: its reader died (exit code {error.exitcode}); the file may be damaged")
    except SourceError as error:
        return error
    except BrokenExecutor as error:
        raise ReaderPoolError(
            f"processes that read PDFs must be able to start, they are not: {error}; free memory, or try --workers 1"
        ) from error
    except Exception as error:  # a damaged file makes readers raise whatever comes to them
        reason = f"{type(error).__name__}: {' '.join(str(error).split())[:200]}"
        return SourceError(f"{task.row.path}: its reader failed ({reason}); the file may be damaged")


def _over_cap(task: _Task, memory_mb: int) -> SourceError:
    return SourceError(
        f"{task.row.path}: must be readable within {memory_mb} MB of memory, took more; leave it out, or raise "
        "ingest.memory_mb"
    )
