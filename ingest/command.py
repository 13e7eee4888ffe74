"""The command `ingest`: adds lectures to a store, or lists its content."""

import logging
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
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
from quarry.course.paragraph import Paragraph, RejectedParagraph
from quarry.interrupts import on_interrupt_print
from quarry.store import Course
from quarry.terminal import visible, visible_json

_log = logging.getLogger(__name__)
VIEW = Group(validator=mutually_exclusive)
"""Options that show or remove something, of which only one may be set."""


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
    is_view = list_documents or rejected or paragraphs or prose
    if paths and (is_view or drop):
        raise SettingsError(
            f"{paths[0]} is not read to show what a store holds or to drop documents; leave PATH out"
        )
    if is_view:
        course = at.open(all_rejected_ok=True)
        if list_documents:
            _print(_documents_json(course), _document_lines(course), as_json)
        elif rejected:
            _print_rejected(course.rejected, as_json)
        else:
            _print_kept(course.paragraphs if paragraphs else _prose(course), as_json)
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
    _print(_summary_json(summary), _summary_lines(summary), as_json)
    for outcome in summary.failed:
        _log.error("%s", outcome.detail)
    return _exit_code(summary)


def _print_rejected(rejected: Sequence[RejectedParagraph], as_json: bool) -> None:
    records = [*map(_rejected_json, rejected)]
    _print(records, map(_rejected_line, rejected), as_json)


def _print_kept(kept: Sequence[Paragraph], as_json: bool) -> None:
    _print([*map(_paragraph_json, kept)], map(_paragraph_line, kept), as_json)


def _exit_code(summary: IngestSummary) -> int:
    """Return 0 if no file failed, 1 if some did, and 2 if all did."""
    if not summary.failed:
        return 0
    return 2 if len(summary.failed) == len(summary.outcomes) else 1


def _print(document: Any, lines: Iterable[str], as_json: bool) -> None:
    """Print a JSON document, or the same in words."""
    if as_json:
        print(visible_json(document))
        return
    for line in lines:
        print(visible(line))


def _fields(item: object, names: str) -> dict[str, Any]:
    """Return attributes of an object by name; `names` are separated by blanks."""
    return {name: getattr(item, name) for name in names.split()}


def _documents_json(course: Course) -> dict[str, Any]:
    n_same = Counter(item.doc_id for item in course.paragraphs if item.same_as)
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for paragraph in course.paragraphs:
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
        "n_near_identical": _count_near_identical(course),
        "prose": len(_prose(course)),
        "documents": documents,
    }


def _document_lines(course: Course) -> Iterator[str]:
    for item in course.documents:
        counts = f"{item.n_pages} pages, {item.n_paragraphs} kept"
        same_as = f", same file as {item.same_as}" if item.same_as else ""
        yield f"{item.doc_id}: {counts}, {_left_out(item.rejected)}{same_as}"
        for alias in item.aliases:
            yield f"    {alias.source:9}{alias.text}"
    yield _totals(course)


def _rejected_json(item: RejectedParagraph) -> dict[str, Any]:
    return {"document": item.doc_id, **_fields(item, "page reason text")}


def _rejected_line(item: RejectedParagraph) -> str:
    return f"{item.doc_id} p{item.page} [{item.reason}] {item.text}"


def _paragraph_json(item: Paragraph) -> dict[str, Any]:
    names = "page heading section opening_sentence text same_as kind"
    ids = {"paragraph_id": item.paragraph_id, "document": item.doc_id}
    return {**ids, **_fields(item, names)}


def _paragraph_line(item: Paragraph) -> str:
    same_as = f" (near-identical to {item.same_as})" if item.same_as else ""
    return f"{item.paragraph_id} [{item.heading}] {item.text}{same_as}"


def _prose(course: Course) -> list[Paragraph]:
    """Return the ordinary paragraphs, unlike headings, items, captions and other short paragraphs."""
    return [item for item in course.paragraphs if item.kind == "prose"]


def _count_near_identical(course: Course) -> int:
    return sum(bool(item.same_as) for item in course.paragraphs)


def _summary_json(summary: IngestSummary) -> dict[str, Any]:
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
        "kept": summary.kept,
        "rejected": summary.rejected,
        "failed": len(summary.failed),
        "embedder": course.embedder_spec,
        "documents": len(course.documents),
        "paragraphs": len(course.paragraphs),
        "near_identical": _count_near_identical(course),
        "prose": len(_prose(course)),
        "fingerprint": course.fingerprint,
        "advice": summary.advice,
    }


def _summary_lines(summary: IngestSummary) -> Iterator[str]:
    for item in summary.outcomes:
        result = item.detail or f"{item.kept} kept, {_left_out(item.rejected)}"
        if item.original:
            result = f"same file as {item.original}, counted once"
        yield f"{item.status:10} {item.doc_id}: {result}"
        for note in item.notes:
            yield f"{'':10} {item.doc_id}: {note}"
    for path, why in summary.skipped.items():
        yield f"{'skipped':10} {path}: {why}"
    left_out = _left_out(summary.rejected)
    yield f"kept {summary.kept}, {left_out}, failed {len(summary.failed)}"
    yield _totals(summary.course)
    if summary.advice:
        yield summary.advice


def _totals(course: Course) -> str:
    """Write the line with the content of a store; near-identical paragraphs are counted separately, except as prose."""
    n_paragraphs, n_same = len(course.paragraphs), _count_near_identical(course)
    counts = f"{n_paragraphs} paragraphs"
    if n_same:
        counts = f"{n_paragraphs - n_same} paragraphs and {n_same} near-identical to one of them"
    n_documents, n_prose = len(course.documents), len(_prose(course))
    content = f"{course.location}: {n_documents} documents, {counts}, {n_prose} prose"
    embedder = course.embedder_spec or "none yet"
    return f"{content}, embedder {embedder}, fingerprint {course.fingerprint}"


def _left_out(rejected: dict[str, int]) -> str:
    """Write the number of rejected paragraphs, in total and by reason."""
    if not rejected:
        return "0 left out"
    most_first = sorted(rejected.items(), key=lambda item: (-item[1], item[0]))
    reasons = ", ".join(f"{reason} {count}" for reason, count in most_first)
    return f"{sum(rejected.values())} left out ({reasons})"
