"""The command `python -m ingest`: put lectures into a store, and list the content of a store."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from configs.settings import Settings, SettingsError, merge_settings
from ingest.console.arguments import (
    CLUSTER,
    COLLECTION,
    JSON,
    SETTINGS,
    STORE,
    Command,
    flag,
    number,
    option,
    path,
    settings_of,
    warn,
)
from ingest.console.terminal import pluralize, visible, visible_json
from ingest.errors import IngestError
from ingest.store import Course, open_store

if TYPE_CHECKING:
    from ingest.pipeline.pipeline import IngestSummary

Show = Callable[[Course], tuple[object, list[str]]]
"""Returns the JSON document and the lines that show a store."""


def main(arguments: list[str] | None = None, prog: str = "python -m ingest") -> int:
    """Run the command; return the exit code (0 done, 1 some file failed, 2 bad input)."""
    interrupted = "interrupted; the store is as it was before, run it again to finish"
    argv = sys.argv[1:] if arguments is None else arguments
    return COMMAND.main(argv, prog, (IngestError, SettingsError), interrupted)


def _run(options: argparse.Namespace) -> int:
    settings = settings_of(options)
    shown = _shown(options)
    if options.paths and (shown or options.drop):
        raise SettingsError(
            f"PATH must be left out to show what a store holds or to drop documents, got {options.paths[0]}"
        )
    if shown or options.drop:
        course = open_store(options.store, options.collection, all_rejected_ok=True)
        if shown:
            _print(*shown(course), options.json)
            return 0

    if options.workers is not None:
        settings = merge_settings(
            settings, {"ingest": {"workers": options.workers}}, "--workers"
        )

    summary = _ingest(options, settings)
    _print(*_summary(summary, options.store), options.json)
    for outcome in summary.failed:
        warn(options, outcome.detail)
    if not summary.failed:
        return 0
    return 2 if len(summary.failed) == len(summary.outcomes) else 1


def _shown(options: argparse.Namespace) -> Show | None:
    """Return the function that shows what the user asks to see of a store, None for an ingest."""
    if options.list:
        return _documents
    if options.rejected:
        return _rejected
    return _paragraphs if options.paragraphs else None


def _ingest(options: argparse.Namespace, settings: Settings) -> IngestSummary:
    from ingest.executors import Cluster
    from ingest.pipeline.pipeline import ingest

    with contextlib.ExitStack() as stack:
        cluster = None
        if options.cluster:
            cluster = stack.enter_context(Cluster(options.cluster))
        return ingest(
            options.paths,
            options.store,
            settings,
            collection=options.collection,
            drop=options.drop or (),
            embedder_spec=options.embedder,
            cluster=cluster,
        )


def _print(document: object, lines: Iterable[str], as_json: bool) -> None:
    """Print a JSON document, or the same in words."""
    for line in [visible_json(document)] if as_json else map(visible, lines):
        print(line)


def _fields(item: object, *names: str) -> dict[str, Any]:
    """Return attributes of an object by their names."""
    return {name: getattr(item, name) for name in names}


def _documents(store: Course) -> tuple[object, list[str]]:
    """Return the JSON document and the lines of --list."""
    same = Counter(
        paragraph.doc_id for paragraph in store.paragraphs if paragraph.same_as
    )
    kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for paragraph in store.paragraphs:
        kinds[paragraph.doc_id][paragraph.kind] += 1
    listed, lines = [], []

    for document in store.documents:
        n_prose, n_same = kinds[document.doc_id]["prose"], same[document.doc_id]
        listed.append(
            {
                "document": document.doc_id,
                "path": document.path,
                "aliases": [asdict(alias) for alias in document.aliases],
                "pages": document.n_pages,
                "kept": document.n_paragraphs,
                "kinds": dict(kinds[document.doc_id]),
                "near_identical": n_same,
                **_fields(
                    document,
                    "rejected",
                    "same_as",
                    "authors",
                    "date",
                    "lecture_number",
                    "reader",
                ),
            }
        )
        others = pluralize(document.n_paragraphs - n_prose, "other passage")
        line = f"{document.doc_id}: {document.n_pages} pages, {pluralize(n_prose, 'paragraph')}, {others}"
        line += f", {_left_out(document.rejected)}"
        line += f", same file as {document.same_as}" if document.same_as else ""
        line += f", {n_same} near-identical to an earlier paragraph" if n_same else ""
        lines.append(line)
        lines += (f"    {alias.source:9}{alias.text}" for alias in document.aliases)

    n_paragraphs, n_same = len(store.paragraphs), sum(same.values())
    lines.append(
        _totals(
            store.location,
            len(listed),
            n_paragraphs,
            n_same,
            store.embedder_spec,
            store.fingerprint,
        )
    )
    none = "none, hints are compared with whole texts; where a model can read them, ingest again"
    lines.append(f"words read by: {', '.join(store.word_specs) or none}")

    return {
        "store": store.location,
        "embedder": store.embedder_spec,
        "fingerprint": store.fingerprint,
        "words": store.word_specs,
        "n_paragraphs": n_paragraphs,
        "n_near_identical": n_same,
        "documents": listed,
    }, lines


def _rejected(store: Course) -> tuple[object, list[str]]:
    """Return the JSON document and the lines of --rejected."""
    listed = [
        {"document": item.doc_id, **_fields(item, "page", "reason", "text")}
        for item in store.rejected()
    ]
    return listed, [
        "{document} p{page} [{reason}] {text}".format(**item) for item in listed
    ]


def _paragraphs(store: Course) -> tuple[object, list[str]]:
    """Return the JSON document and the lines of --paragraphs."""
    names = (
        "page",
        "heading",
        "section",
        "opening_sentence",
        "text",
        "same_as",
        "kind",
    )
    listed, lines = [], []

    for item in store.paragraphs:
        listed.append(
            {
                "paragraph_id": item.paragraph_id,
                "document": item.doc_id,
                **_fields(item, *names),
            }
        )
        same_as = f" (near-identical to {item.same_as})" if item.same_as else ""
        lines.append(f"{item.paragraph_id} [{item.heading}] {item.text}{same_as}")
    return listed, lines


def _summary(summary: IngestSummary, location: str) -> tuple[object, list[str]]:
    """Return the JSON document and the lines of the results of an ingest."""
    listed, lines = [], []
    for outcome in summary.outcomes:
        fields = asdict(outcome)
        listed.append({"document": fields.pop("doc_id"), **fields})
        result = f"{outcome.kept} kept, {_left_out(outcome.rejected)}"
        if outcome.detail:
            is_same = outcome.status not in ("failed", "removed")
            result = (
                f"same file as {outcome.detail}, counted once"
                if is_same
                else outcome.detail
            )
        lines.append(f"{outcome.status:10} {outcome.doc_id}: {result}")
        lines += [f"{'':10} {outcome.doc_id}: {note}" for note in outcome.notes]

    skipped = [{"path": path, "why": why} for path, why in summary.skipped.items()]
    lines += [f"{'skipped':10} {path}: {why}" for path, why in summary.skipped.items()]
    kept, rejected = sum(outcome.kept for outcome in summary.outcomes), summary.rejected
    lines.append(f"kept {kept}, {_left_out(rejected)}, failed {len(summary.failed)}")
    counts = summary.n_documents, summary.n_paragraphs, summary.n_near_identical
    lines.append(
        _totals(location, *counts, summary.embedder or "none yet", summary.fingerprint)
    )

    return {
        "files": listed,
        "skipped": skipped,
        "kept": kept,
        "rejected": rejected,
        "failed": len(summary.failed),
        "embedder": summary.embedder,
        **dict(zip(("documents", "paragraphs", "near_identical"), counts, strict=True)),
        "fingerprint": summary.fingerprint,
    }, lines


def _totals(
    location: str,
    n_documents: int,
    n_paragraphs: int,
    n_same: int,
    embedder: str,
    fingerprint: str,
) -> str:
    """Return the line with the content of a store; near-identical paragraphs are counted apart."""
    counts = f"{n_paragraphs} paragraphs"
    if n_same:
        counts = f"{n_paragraphs - n_same} paragraphs and {n_same} near-identical to one of them"
    return f"{location}: {n_documents} documents, {counts}, embedder {embedder}, fingerprint {fingerprint}"


def _left_out(rejected: dict[str, int]) -> str:
    """Return the number of rejected paragraphs, and that of each reason."""
    if not rejected:
        return "0 left out"
    most_first = sorted(rejected.items(), key=lambda item: (-item[1], item[0]))
    return f"{sum(rejected.values())} left out ({', '.join(f'{reason} {count}' for reason, count in most_first)})"


COMMAND = Command(
    "ingest",
    "split lecture PDFs into playable paragraphs and keep them in Chroma",
    "python -m ingest lectures/ --store data/store\npython -m ingest --store data/store --list",
    (
        path(
            "paths",
            "PATH",
            "PDF files, folders of them, or paragraphs.jsonl",
            nargs="*",
        ),
        *(STORE, COLLECTION),
        option(
            "--embedder",
            "SPEC",
            "auto, minilm, mpnet, e5, or a sentence-transformers folder or hub id (default: %(default)s)",
            default="auto",
        ),
        (
            number(
                "--workers",
                1,
                "processes that read and embed (default: all cores to read, at most 4 to embed)",
            ),
            CLUSTER,
        ),
        *(*SETTINGS, JSON),
        (
            flag("--list", says="show the documents of the store"),
            flag("--rejected", says="show every rejected paragraph with its reason"),
            flag("--paragraphs", says="show every kept paragraph"),
            option(
                "--drop",
                "DOCUMENT",
                "remove these documents (their names: --list)",
                nargs="+",
            ),
        ),
    ),
    _run,
)
