"""Reading of files in worker processes: if a file hangs, crashes or takes too much memory, only this file fails.

Readings and vectors are staged in the user's cache, so that an interrupted ingest resumes.
"""

import contextlib
import functools
import hashlib
import logging
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

import pebble
from tqdm.auto import tqdm

from configs.directories import cache
from configs.errors import WorkerError
from configs.settings import IngestSettings
from ingest.editions.editions import read_editions
from ingest.errors import SourceError
from ingest.pipeline.plan import Outcome, Source
from ingest.pipeline.read_document import read_pdf
from quarry.course.paragraph import Alias, Document, Reading
from quarry.embed.vectors import NO_VECTORS
from quarry.files import write_whole
from quarry.parallel import (
    Cluster,
    TaskExecutor,
    Workers,
    open_executor,
    run_all,
    task_result,
)
from quarry.store.content import Content, StoredDocument, load_content, save_content
from quarry.terminal import describe_error, pluralize

_log = logging.getLogger(__name__)

T = TypeVar("T")
Results = dict[str, Reading | SourceError]
"""The reading of each document, or the reason why its file has failed, by doc_id."""


class Staging:
    """Documents by key in the user's cache, which an interrupted ingest does not read or embed again.

    Args:
        location: location of the store.
        collection: collection of the course.
    """

    def __init__(self, location: str, collection: str) -> None:
        self._folder = cache() / "staged" / _short_digest(location, collection)

    def get(self, *key: object) -> StoredDocument | None:
        """Return the document of a key; None if it is missing or damaged."""
        try:
            with (self._folder / _short_digest(*key)).open("rb") as file:
                return load_content(file, "").documents[0]
        except Exception:  # missing, damaged, or of another version
            return None

    def keep(self, document: StoredDocument, *key: object) -> None:
        """Write a document; ignore a failure, after which an interrupted ingest makes the document again."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write = functools.partial(save_content, Content((document,)))
            write_whole(self._folder / _short_digest(*key), write)

    def clear(self) -> None:
        """Remove all documents, after the store holds them."""
        shutil.rmtree(self._folder, ignore_errors=True)


def _short_digest(*key: object) -> str:
    """Return a digest of a key, 12 hexadecimal digits."""
    return hashlib.sha256(repr(key).encode()).hexdigest()[:12]


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReader:
    """The step that reads files.

    Attributes:
        settings: settings of the readers.
        staging: readings of an interrupted ingest; new readings are added.
        progress: whether a progress bar is shown.
        workers: workers that read files.
    """

    settings: IngestSettings
    staging: Staging
    progress: bool
    workers: Workers

    def read_all(
        self, outcomes: list[Outcome], documents: Mapping[str, Document]
    ) -> tuple[list[Outcome], list[Reading]]:
        """Read the files of a plan; return its outcomes with their results, and the readings.

        Args:
            outcomes: outcomes of the plan.
            documents: documents of the store by doc_id, which may be originals of copies.
        """
        results: Results = {}
        unread: dict[str, Source] = {}
        n_staged = 0
        for outcome in outcomes:
            source, doc_id = outcome.source, outcome.doc_id
            if source is None or outcome.status == "same file":
                continue
            if source.book:
                results[doc_id] = source.book
            elif staged := self.staging.get(doc_id, source.path, source.version):
                results[doc_id] = staged.reading
                n_staged += 1
            else:
                unread[doc_id] = source
        if unread:
            results |= self._read(unread)
        if n_staged:
            n_files = pluralize(n_staged, "file")
            _log.info("resumed: %s had been read before", n_files)

        finished, readings = [], []
        for outcome in outcomes:
            source = outcome.source
            if source is None:
                finished.append(outcome)
                continue
            if outcome.status == "same file":
                result = _read_copy(outcome, source, results, documents)
            else:
                result = results[outcome.doc_id]
            if isinstance(result, SourceError):
                finished.append(Outcome.of_failure(outcome.path, result))
                continue

            document = source.sidecar.apply_to(result.document)
            reading = replace(result, document=document)
            results[outcome.doc_id] = reading
            readings.append(reading)
            finished.append(replace(outcome, document=document, notes=reading.notes))
        return finished, readings

    def _read(self, unread: Mapping[str, Source]) -> Results:
        """Read files and their other editions, and stage the readings; failed editions become a note."""
        workers, settings = self.workers, self.settings
        if not isinstance(workers, Cluster):
            workers = min(workers, len(unread))
        with open_executor(workers, apart=True) as executor:
            calls: list[tuple[Any, ...]] = []
            for doc_id, source in unread.items():
                calls.append((source.path, doc_id, source.content_hash, settings))
            results = self._run(executor, "reading", read_pdf, calls)

            readings, calls = {}, []
            for doc_id, result in results.items():
                if isinstance(result, Reading):
                    readings[doc_id] = result
                    calls.append((unread[doc_id].path, doc_id, settings.editions))
            label = "reading editions"
            editions = self._run(executor, label, read_editions, calls)

        for doc_id, reading in readings.items():
            source, edition = unread[doc_id], editions[doc_id]
            if isinstance(edition, SourceError):
                edition = (), (f"Other editions are left out: {edition}",)
            pieces, notes = edition
            document = replace(reading.document, path=str(source.path))
            notes = (*reading.notes, *notes)
            whole = replace(reading, document=document, pieces=pieces, notes=notes)
            results[doc_id] = whole
            unembedded = StoredDocument(whole, NO_VECTORS)
            self.staging.keep(unembedded, doc_id, source.path, source.version)
        return results

    def _run(
        self,
        executor: TaskExecutor,
        label: str,
        read: Callable[..., T],
        calls: list[tuple[Any, ...]],
    ) -> dict[str, T | SourceError]:
        """Read files within limits of time and memory; return the results by doc_id.

        Args:
            executor: runs the reader.
            label: label of the progress bar.
            read: the reader.
            calls: the arguments of `read` for each file; the first two are its path and doc_id.
        """

        def with_bytes() -> Iterator[tuple[Any, ...]]:
            for path, *arguments in calls:
                data = None
                if isinstance(executor, Cluster):
                    with contextlib.suppress(OSError):  # the worker names the file
                        data = path.read_bytes()
                yield (data, path, *arguments)

        futures = run_all(
            executor,
            functools.partial(_call, read),
            with_bytes(),
            timeout_s=self.settings.timeout_s,
            memory_mb=self.settings.memory_mb,
        )
        bar = tqdm(futures, label, len(calls), unit="file", disable=not self.progress)
        results: dict[str, T | SourceError] = {}
        for number, future in bar:
            path, doc_id, *_ = calls[number]
            result: T | SourceError = _result(future, path, self.settings)
            results[doc_id] = result
        return results


def _read_copy(
    outcome: Outcome,
    source: Source,
    results: Results,
    documents: Mapping[str, Document],
) -> Reading | SourceError:
    """Return the reading of a copy, which has names of its own but no paragraphs."""
    original = results.get(outcome.original)
    if isinstance(original, SourceError):
        return SourceError(
            f"{outcome.path}: is the same file as {outcome.original}, which failed"
        )

    document = original.document if original else documents[outcome.original]
    copy = replace(
        document,
        doc_id=outcome.doc_id,
        path=str(outcome.path),
        version=source.version,
        aliases=(Alias(outcome.path.stem, "stem"),),
        n_paragraphs=0,
        rejected={},
        same_as=document.doc_id,
    )
    return Reading(copy, (), ())


def _call(
    read: Callable[..., T],
    data: bytes | None,
    path: Path,
    *arguments: Any,
) -> T:
    """Call a reader; the bytes of a file from another machine are first written to a temporary file."""
    if data is None:
        return read(path, *arguments)
    with tempfile.TemporaryDirectory(prefix="quarry-") as folder:
        copy = Path(folder, path.name)
        copy.write_bytes(data)
        try:
            return read(copy, *arguments)
        except SourceError as error:
            raise SourceError(str(error).replace(str(copy), str(path))) from None


def _result(future: Future[T], path: Path, settings: IngestSettings) -> T | SourceError:
    """Return the result of reading a file, or the error of an unreadable one.

    Raises:
        WorkerError: workers cannot be started, or are lost.
    """
    memory = f"more than {settings.memory_mb} MB of memory (ingest.memory_mb)"

    try:
        return task_result(future)
    except SourceError as error:
        return error
    except TimeoutError:
        why = f"not read within {settings.timeout_s:g} s; raise ingest.timeout_s"
    except MemoryError:
        why = f"its reading needs {memory}; leave it out, or raise the limit"
    except WorkerError as error:
        if not isinstance(error.__cause__, pebble.ProcessExpired):
            raise
        code = error.__cause__.exitcode
        why = f"its reader died (exit code {code}); the file is damaged, or needs {memory}"
    except Exception as error:  # readers raise any exception on a damaged file
        why = f"the file is damaged ({describe_error(error)}); get it again"
    return SourceError(f"{path}: {why}")
