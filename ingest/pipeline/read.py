"""Reading of files in worker processes: if a file hangs, crashes or takes too much memory, only this file fails.

Readings and vectors are staged in the user's cache, so that an interrupted ingest resumes.
"""

import contextlib
import functools
import hashlib
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
from quarry.terminal import describe_error

T = TypeVar("T")
Results = dict[str, Reading | SourceError]
"""The reading of each document, or the reason why its file has failed, by doc_id."""


class Staging:
    """Documents by key in the user's cache, which an interrupted ingest does not read or embed again.

    Args:
        location: location of the store.
        collection: collection of the course.

    Attributes:
        n_loaded: number of documents that `get` has returned.
    """

    def __init__(self, location: str, collection: str) -> None:
        self._folder = cache() / "staged" / short_digest(location, collection)
        self.n_loaded = 0

    def get(self, *key: object) -> StoredDocument | None:
        """Return the document of a key; None if it is missing or damaged."""
        try:
            with (self._folder / short_digest(*key)).open("rb") as file:
                (document,) = load_content(file, "").documents
        except Exception:  # missing, damaged, or of another version
            return None
        self.n_loaded += 1
        return document

    def keep(self, document: StoredDocument, *key: object) -> None:
        """Write a document; ignore a failure, after which an interrupted ingest makes the document again."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            write = functools.partial(save_content, Content((document,)))
            write_whole(self._folder / short_digest(*key), write)

    def clear(self) -> None:
        """Remove all documents, after the store holds them."""
        shutil.rmtree(self._folder, ignore_errors=True)


def short_digest(*key: object) -> str:
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
        unread = []
        for outcome in outcomes:
            if outcome.source is None or outcome.status == "same file":
                continue
            if outcome.source.book:
                results[outcome.doc_id] = outcome.source.book
            elif staged := self.staging.get(*_staging_key(outcome)):
                results[outcome.doc_id] = staged.reading
            else:
                unread.append(outcome)
        if unread:
            results |= self._read(unread)

        finished, readings = [], []
        for outcome in outcomes:
            if outcome.source is None:
                finished.append(outcome)
                continue
            if outcome.status == "same file":
                result = _read_copy(outcome, outcome.source, results, documents)
            else:
                result = results[outcome.doc_id]
                if isinstance(result, Reading):
                    document = outcome.source.sidecar.apply_to(result.document)
                    result = results[outcome.doc_id] = replace(
                        result, document=document
                    )
            if isinstance(result, SourceError):
                finished.append(Outcome.of_failure(outcome.path, result))
            else:
                readings.append(result)
                document, notes = result.document, result.notes
                finished.append(replace(outcome, document=document, notes=notes))
        return finished, readings

    def _read(self, outcomes: list[Outcome]) -> Results:
        """Read files and their other editions, and stage the readings; failed editions become a note."""
        workers, names = self.workers, self.settings.editions
        if not isinstance(workers, Cluster):
            workers = min(workers, len(outcomes))

        results: Results = {}
        readings: list[tuple[Outcome, Reading]] = []
        with open_executor(workers, apart=True) as executor:
            tasks: list[tuple[Any, ...]] = []
            for outcome in outcomes:
                content_hash = outcome.source and outcome.source.content_hash
                tasks.append((outcome, content_hash, self.settings))
            for task, reading in self._run(executor, "reading", read_pdf, tasks):
                outcome = task[0]
                if isinstance(reading, SourceError):
                    results[outcome.doc_id] = reading
                else:
                    document = replace(reading.document, path=str(outcome.path))
                    readings.append((outcome, replace(reading, document=document)))

            tasks = [(outcome, names) for outcome, _ in readings]
            label = "reading editions"
            editions = {}
            for (outcome, _), edition in self._run(
                executor, label, read_editions, tasks
            ):
                editions[outcome.doc_id] = edition

        for outcome, reading in readings:
            edition = editions[outcome.doc_id]
            if isinstance(edition, SourceError):
                edition = (), (f"Other editions are left out: {edition}",)
            pieces, notes = edition
            whole = replace(reading, pieces=pieces, notes=(*reading.notes, *notes))
            results[outcome.doc_id] = whole
            unembedded = StoredDocument(whole, NO_VECTORS)
            self.staging.keep(unembedded, *_staging_key(outcome))
        return results

    def _run(
        self,
        executor: TaskExecutor,
        label: str,
        read: Callable[..., T],
        tasks: list[tuple[Any, ...]],
    ) -> Iterator[tuple[tuple[Any, ...], T | SourceError]]:
        """Read files within limits of time and memory; yield each task with its result, in the order of completion.

        Args:
            executor: runs the reader.
            label: label of the progress bar.
            read: the reader.
            tasks: for each file, the outcome of the plan, and the arguments of `read` after the path and the doc_id.
        """
        is_remote = isinstance(executor, Cluster)

        def calls() -> Iterator[tuple[Any, ...]]:
            for outcome, *arguments in tasks:
                data = None
                if is_remote:
                    with contextlib.suppress(OSError):  # the worker names the file
                        data = outcome.path.read_bytes()
                yield (data, outcome.path, outcome.doc_id, *arguments)

        futures = run_all(
            executor,
            functools.partial(_call, read),
            calls(),
            timeout_s=self.settings.timeout_s,
            memory_mb=self.settings.memory_mb,
        )
        bar = tqdm(futures, label, len(tasks), unit="file", disable=not self.progress)
        for number, future in bar:
            result: T | SourceError = _result(future, tasks[number][0], self.settings)
            yield tasks[number], result


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

    document = (
        original.document if original is not None else documents[outcome.original]
    )
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
    return Reading(source.sidecar.apply_to(copy), (), ())


def _staging_key(outcome: Outcome) -> tuple[str, ...]:
    """Return a key that changes with the reading of a file."""
    return (
        outcome.doc_id,
        str(outcome.path),
        outcome.source.version if outcome.source else "",
    )


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


def _result(
    future: Future[T], outcome: Outcome, settings: IngestSettings
) -> T | SourceError:
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
    return SourceError(f"{outcome.path}: {why}")
