"""The command `ingest`: adds lectures to a store, or lists its content."""

import functools
import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Group, Parameter
from cyclopts.validators import mutually_exclusive

from configs.errors import SettingsError
from ingest.pipeline.pipeline import IngestSummary
from ingest.pipeline.pipeline import ingest as ingest_files
from ingest.pipeline.plan import printable
from quarry.cli import AsJson, ParsedOverrides, StoreOptions, WorkerOptions
from quarry.interrupts import on_interrupt_print
from quarry.store import Course
from quarry.terminal import visible, visible_json

_log = logging.getLogger(__name__)
VIEW = Group(validator=mutually_exclusive)
"""Options that show or remove something, of which only one may be set."""
Lines = Callable[[Any], Iterator[str]]
"""A function that yields the lines of a JSON document in words."""


def ingest(
    *paths: Path,
    at: StoreOptions = StoreOptions(),
    embedder: Literal["auto", "minilm", "e5"] | str = "auto",
    work: WorkerOptions = WorkerOptions(),
    list_documents: Annotated[bool, Parameter("--list", group=VIEW)] = False,
    rejected: Annotated[bool, Parameter(group=VIEW)] = False,
    paragraphs: Annotated[bool, Parameter(group=VIEW)] = False,
    prose: Annotated[bool, Parameter(group=VIEW)] = False,
    drop: Annotated[tuple[str, ...], Parameter(group=VIEW, consume_multiple=True)] = (),
    as_json: AsJson = False,
    overrides: ParsedOverrides,
) -> int:
    """Ingest, or show a store; return 1 if some file failed, and 2 if all did.

    Args:
        paths: PDF files, folders of them, or paragraphs.jsonl.
        embedder: The embedding model, which may also be a sentence-transformers folder or hub id.
        list_documents: Show the documents of the store.
        rejected: Show every rejected paragraph with its reason.
        paragraphs: Show every kept paragraph.
        prose: Show every kept paragraph of prose.
        drop: Remove these documents (their names: --list).
    """
    on_interrupt_print(
        "quarry ingest: interrupted; the store is as it was before, run it again to finish"
    )
    settings = overrides.load()
    options = {
        "list": list_documents,
        "rejected": rejected,
        "paragraphs": paragraphs,
        "prose": prose,
    }
    view = next(filter(options.get, options), "")
    if paths and (view or drop):
        raise SettingsError(
            f"{paths[0]} is not read to show what a store holds or to drop documents; leave PATH out"
        )
    if view:
        as_document, to_lines = STORE_VIEWS[view]
        _print(as_document(at.open(all_rejected_ok=True)), to_lines, as_json)
        return 0
    if drop:
        at.open(all_rejected_ok=True)  # refuses a missing store

    with work.start() as workers:
        summary = ingest_files(
            paths,
            at.location,
            settings,
            collection=at.collection,
            drop=drop,
            embedder_spec=embedder,
            workers=workers,
        )
    to_lines = functools.partial(_summary_lines, location=at.location)
    _print(_summary(summary), to_lines, as_json)
    for outcome in summary.failed:
        _log.error("%s", outcome.detail)
    if not summary.failed:
        return 0
    return 2 if len(summary.failed) == len(summary.outcomes) else 1


def _print(document: Any, to_lines: Lines, as_json: bool) -> None:
    """Print a document as JSON or in words."""
    if as_json:
        print(visible_json(document))
        return
    for line in to_lines(document):
        print(visible(line))


def _fields(item: object, names: str) -> dict[str, Any]:
    """Return attributes of an object by name; `names` are separated by blanks."""
    return {name: getattr(item, name) for name in names.split()}


def _documents(course: Course) -> dict[str, Any]:
    n_same: Counter[str] = Counter()
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for paragraph in course.paragraphs:
        n_same[paragraph.doc_id] += bool(paragraph.same_as)
        kinds[paragraph.doc_id][paragraph.kind] += 1

    documents = []
    for document in course.documents:
        names = "rejected same_as authors date lecture_number reader"
        record = {
            "document": document.doc_id,
            "path": document.path,
            "aliases": [asdict(alias) for alias in document.aliases],
            "pages": document.n_pages,
            "kept": document.n_paragraphs,
            "kinds": dict(kinds[document.doc_id]),
            "near_identical": n_same[document.doc_id],
            **_fields(document, names),
        }
        documents.append(record)
    return {
        "store": course.location,
        "embedder": course.embedder_spec,
        "fingerprint": course.fingerprint,
        "n_paragraphs": len(course.paragraphs),
        "n_near_identical": n_same.total(),
        "prose": _count_prose(course),
        "documents": documents,
    }


def _document_lines(document: dict[str, Any]) -> Iterator[str]:
    for item in document["documents"]:
        counts = f"{item['pages']} pages, {item['kept']} kept"
        same_as = f", same file as {item['same_as']}" if item["same_as"] else ""
        yield f"{item['document']}: {counts}, {_left_out(item['rejected'])}{same_as}"
        for alias in item["aliases"]:
            yield f"    {alias['source']:9}{alias['text']}"

    n_documents, n_paragraphs = len(document["documents"]), document["n_paragraphs"]
    yield _totals(document, n_documents, n_paragraphs, document["n_near_identical"])


def _rejected(course: Course) -> list[dict[str, Any]]:
    return [
        {"document": item.doc_id, **_fields(item, "page reason text")}
        for item in course.rejected
    ]


def _rejected_lines(items: list[dict[str, Any]]) -> Iterator[str]:
    for item in items:
        yield "{document} p{page} [{reason}] {text}".format(**item)


def _paragraphs(course: Course) -> list[dict[str, Any]]:
    names = "page heading section opening_sentence text same_as kind"
    paragraphs = []
    for item in course.paragraphs:
        ids = {"paragraph_id": item.paragraph_id, "document": item.doc_id}
        paragraphs.append({**ids, **_fields(item, names)})
    return paragraphs


def _prose(course: Course) -> list[dict[str, Any]]:
    return [item for item in _paragraphs(course) if item["kind"] == PROSE]


def _count_prose(course: Course) -> int:
    return sum(item.kind == PROSE for item in course.paragraphs)


def _paragraph_lines(items: list[dict[str, Any]]) -> Iterator[str]:
    for item in items:
        same_as = f" (near-identical to {item['same_as']})" if item["same_as"] else ""
        yield "{paragraph_id} [{heading}] {text}".format(**item) + same_as


PROSE = "prose"
"""Kind of ordinary paragraphs, unlike headings, items, captions and other short passages."""
STORE_VIEWS: dict[str, tuple[Callable[[Course], Any], Lines]] = {
    "list": (_documents, _document_lines),
    "rejected": (_rejected, _rejected_lines),
    "paragraphs": (_paragraphs, _paragraph_lines),
    "prose": (_prose, _paragraph_lines),
}
"""Views of a store by option: functions that make the JSON document, and its lines in words."""


def _summary(summary: IngestSummary) -> dict[str, Any]:
    course, files = summary.course, []
    for outcome in summary.outcomes:
        record = {"document": outcome.doc_id, "path": printable(outcome.path)}
        record["detail"] = outcome.detail or outcome.original
        names = "status kept rejected original notes"
        files.append({**record, **_fields(outcome, names)})

    return {
        "files": files,
        "skipped": [
            {"path": path, "why": why} for path, why in summary.skipped.items()
        ],
        "kept": sum(outcome.kept for outcome in summary.outcomes),
        "rejected": summary.rejected,
        "failed": len(summary.failed),
        "embedder": course.embedder_spec,
        "documents": len(course.documents),
        "paragraphs": len(course.paragraphs),
        "near_identical": sum(bool(item.same_as) for item in course.paragraphs),
        "prose": _count_prose(course),
        "fingerprint": course.fingerprint,
        "advice": summary.advice,
    }


def _summary_lines(summary: dict[str, Any], location: str) -> Iterator[str]:
    for item in summary["files"]:
        result = item["detail"] or f"{item['kept']} kept, {_left_out(item['rejected'])}"
        if item["original"]:
            result = f"same file as {item['original']}, counted once"
        yield f"{item['status']:10} {item['document']}: {result}"
        for note in item["notes"]:
            yield f"{'':10} {item['document']}: {note}"
    for item in summary["skipped"]:
        yield f"{'skipped':10} {item['path']}: {item['why']}"
    yield f"kept {summary['kept']}, {_left_out(summary['rejected'])}, failed {summary['failed']}"
    counts = summary["documents"], summary["paragraphs"], summary["near_identical"]
    yield _totals({"store": location, **summary}, *counts)
    if summary["advice"]:
        yield summary["advice"]


def _totals(
    document: dict[str, Any], n_documents: int, n_paragraphs: int, n_same: int
) -> str:
    """Write the line with the content of a store; near-identical paragraphs are counted separately, except as prose."""
    counts = f"{n_paragraphs} paragraphs"
    if n_same:
        counts = f"{n_paragraphs - n_same} paragraphs and {n_same} near-identical to one of them"
    content = f"{document['store']}: {n_documents} documents, {counts}, {document['prose']} prose"
    embedder = document["embedder"] or "none yet"
    return f"{content}, embedder {embedder}, fingerprint {document['fingerprint']}"


def _left_out(rejected: dict[str, int]) -> str:
    """Write the number of rejected paragraphs, in total and by reason."""
    if not rejected:
        return "0 left out"
    most_first = sorted(rejected.items(), key=lambda item: (-item[1], item[0]))
    reasons = ", ".join(f"{reason} {count}" for reason, count in most_first)
    return f"{sum(rejected.values())} left out ({reasons})"
