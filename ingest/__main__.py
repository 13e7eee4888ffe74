"""`python -m ingest`: PDFs into a store, and what a store holds."""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from quarry.configs.arguments import (
    COLLECTION,
    CONFIG,
    JSON,
    STORE,
    Command,
    flag,
    number,
    option,
    path,
    set_option,
    settings_of,
    warn,
)
from quarry.configs.plural import counted
from quarry.configs.settings import SettingsError, laid_over
from quarry.configs.terminal import visible, visible_json
from quarry.ingest.errors import IngestError
from quarry.ingest.paragraph import Document
from quarry.ingest.pipeline.outcome import FileOutcome, IngestSummary, rejected_in_all
from quarry.ingest.store import Course, open_store

SIDECAR = """\
lecture04.yaml beside lecture04.pdf may say more about it; every key may be left out:
  aliases: [Trees, Search structures]
  authors: [Ada Lovelace]
  date: 2026-03-15
  lecture_number: 4"""


def main(arguments: list[str] | None = None, prog: str = "python -m ingest") -> int:
    """Run the command; returns the exit code (0 done, 1 some file failed, 2 bad input)."""
    interrupted = "interrupted; the store is as it was before, run it again to finish"
    given = sys.argv[1:] if arguments is None else arguments
    return COMMAND.main(given, prog, (IngestError, SettingsError), interrupted)


def _run(options: argparse.Namespace) -> int:
    settings = settings_of(options)
    if options.list or options.rejected or options.paragraphs:
        if options.paths:
            raise SettingsError(f"PATH must be left out to show what a store holds, got {options.paths[0]}")
        store = open_store(options.store, options.collection, all_rejected_ok=True)
        if options.list:
            _show_documents(store, options.json)
        elif options.rejected:
            _show_rejected(store, options.json)
        else:
            _show_paragraphs(store, options.json)
        return 0
    if options.drop or options.prune:
        if options.paths:
            raise SettingsError(
                f"PATH must be left out to drop documents, got {options.paths[0]}; ingest it afterwards"
            )
        open_store(options.store, options.collection, all_rejected_ok=True)
    if options.workers is not None:
        settings = laid_over(settings, {"ingest": {"workers": options.workers}}, "--workers")
    from quarry.ingest.pipeline.pipeline import ingest

    summary = ingest(
        options.paths,
        options.store,
        settings,
        collection=options.collection,
        drop=options.drop or (),
        prune=options.prune,
        embedder_spec=options.embedder,
        notice=lambda line: print(visible(line), file=sys.stderr),
    )
    if options.json:
        _print_json(_summary_json(summary))
    else:
        _print_summary(summary, options.store)
    for outcome in summary.failed:
        warn(options, outcome.detail)
    if summary.failed and len(summary.failed) == len(summary.outcomes):
        return 2
    return 1 if summary.failed else 0


def _show_documents(store: Course, as_json: bool) -> None:
    same = Counter(paragraph.doc_id for paragraph in store.paragraphs if paragraph.same_as)
    kinds: dict[str, Counter[str]] = {document.doc_id: Counter() for document in store.documents}
    for paragraph in store.paragraphs:
        kinds[paragraph.doc_id][paragraph.kind] += 1
    if as_json:
        _print_json(
            {
                "store": store.location,
                "embedder": store.embedder_spec,
                "fingerprint": store.fingerprint,
                "words": {spec: store.word_bytes(spec) for spec in store.word_specs},
                "n_paragraphs": len(store.paragraphs),
                "n_near_identical": sum(same.values()),
                "documents": [
                    {
                        "document": document.doc_id,
                        "path": document.path,
                        "aliases": [{"text": alias.text, "source": alias.source} for alias in document.aliases],
                        "pages": document.n_pages,
                        "kept": document.n_paragraphs,
                        "kinds": dict(kinds[document.doc_id]),
                        "near_identical": same[document.doc_id],
                        "rejected": document.rejected,
                        "same_as": document.same_as,
                        "authors": list(document.authors),
                        "date": document.date,
                        "lecture_number": document.lecture_number,
                        "reader": document.reader,
                    }
                    for document in store.documents
                ],
            }
        )
        return
    for document in store.documents:
        twin = f", same file as {document.same_as}" if document.same_as else ""
        if same[document.doc_id]:
            twin += f", {same[document.doc_id]} near-identical to an earlier paragraph"
        held = _passages(kinds[document.doc_id]["prose"], document)
        print(
            f"{visible(document.doc_id)}: {document.n_pages} pages, {held}, "
            f"{_reasons(document.rejected)}{visible(twin)}"
        )
        for alias in document.aliases:
            print(f"    {alias.source:9}{visible(alias.text)}")
    print(
        f"{store.location}: {len(store.documents)} documents, "
        f"{_counted(len(store.paragraphs), sum(same.values()))}, "
        f"embedder {store.embedder_spec}, fingerprint {store.fingerprint}"
    )
    print(f"words: {_words(store)}")


def _words(store: Course) -> str:
    """Which models have read the words of the paragraphs, and what that takes on disk."""
    sizes = [
        f"{spec} {store.word_bytes(spec) / max(1, len(store.paragraphs)) / 1000:.1f} kB a paragraph"
        for spec in store.word_specs
    ]
    return ", ".join(sizes) or "none, hints are compared with whole texts; where a model can read them, ingest again"


def _passages(n_prose: int, document: Document) -> str:
    """Return how many paragraphs of prose a document has, and how many other passages."""
    return f"{counted(n_prose, 'paragraph')}, {counted(document.n_paragraphs - n_prose, 'other passage')}"


def _show_rejected(store: Course, as_json: bool) -> None:
    rejected = list(store.rejected())
    if as_json:
        _print_json(
            [
                {"document": item.doc_id, "page": item.page, "reason": item.reason, "text": item.text}
                for item in rejected
            ]
        )
        return
    for item in rejected:
        print(visible(f"{item.doc_id} p{item.page} [{item.reason}] {item.text}"))


def _show_paragraphs(store: Course, as_json: bool) -> None:
    if as_json:
        _print_json(
            [
                {
                    "paragraph_id": paragraph.paragraph_id,
                    "document": paragraph.doc_id,
                    "page": paragraph.page,
                    "heading": paragraph.heading,
                    "section": list(paragraph.section),
                    "opening_sentence": paragraph.opening_sentence,
                    "text": paragraph.text,
                    "same_as": paragraph.same_as,
                    "sureness": paragraph.sureness,
                    "reader": paragraph.reader,
                    "kind": paragraph.kind,
                }
                for paragraph in store.paragraphs
            ]
        )
        return
    for paragraph in store.paragraphs:
        same_as = f" (near-identical to {paragraph.same_as})" if paragraph.same_as else ""
        print(visible(f"{paragraph.paragraph_id} [{paragraph.heading}] {paragraph.text}{same_as}"))


def _summary_json(summary: IngestSummary) -> dict[str, object]:
    return {
        "files": [
            {
                "document": outcome.doc_id,
                "path": outcome.path,
                "status": outcome.status,
                "kept": outcome.kept,
                "rejected": outcome.rejected,
                "detail": outcome.detail,
            }
            for outcome in summary.outcomes
        ],
        "kept": sum(outcome.kept for outcome in summary.outcomes),
        "rejected": rejected_in_all(summary.outcomes),
        "failed": len(summary.failed),
        "embedder": summary.embedder,
        "documents": summary.n_documents,
        "paragraphs": summary.n_paragraphs,
        "near_identical": summary.n_near_identical,
        "fingerprint": summary.fingerprint,
    }


def _print_summary(summary: IngestSummary, location: str) -> None:
    for outcome in summary.outcomes:
        print(visible(f"{outcome.status:10} {outcome.doc_id}: {_what(outcome)}"))
    rejected = rejected_in_all(summary.outcomes)
    print(
        f"kept {sum(outcome.kept for outcome in summary.outcomes)}, {_reasons(rejected)}, failed {len(summary.failed)}"
    )
    print(
        f"{location}: {summary.n_documents} documents, {_counted(summary.n_paragraphs, summary.n_near_identical)}, "
        f"embedder {summary.embedder or 'none yet'}, fingerprint {summary.fingerprint}"
    )


def _what(outcome: FileOutcome) -> str:
    if outcome.status == "failed":
        return outcome.detail
    if outcome.status == "removed":
        return outcome.detail or f"no longer in {outcome.path}"
    if outcome.detail:
        return f"same file as {outcome.detail}, counted once"
    return f"{outcome.kept} kept, {_reasons(outcome.rejected)}"


def _counted(n_paragraphs: int, n_near_identical: int) -> str:
    """How many paragraphs there are, those that say the same counted once."""
    if not n_near_identical:
        return f"{n_paragraphs} paragraphs"
    return f"{n_paragraphs - n_near_identical} paragraphs and {n_near_identical} near-identical to one of them"


def _reasons(rejected: dict[str, int]) -> str:
    total = sum(rejected.values())
    if not total:
        return "0 left out"
    most_first = sorted(rejected.items(), key=lambda item: (-item[1], item[0]))
    return f"{total} left out ({', '.join(f'{reason} {count}' for reason, count in most_first)})"


def _print_json(value: object) -> None:
    print(visible_json(value))


COMMAND = Command(
    "ingest",
    "split lecture PDFs into playable paragraphs and keep them in Chroma",
    "python -m ingest lectures/ --store data/store\npython -m ingest --store data/store --list",
    (
        path("paths", "PATH", "PDF files, folders of them, or paragraphs.jsonl", nargs="*"),
        *(STORE, COLLECTION),
        option(
            "--embedder",
            "SPEC",
            "auto, minilm, mpnet, e5, or a sentence-transformers folder or hub id (default: %(default)s)",
            default="auto",
        ),
        number("--workers", 1, "processes that read PDFs (default: all cores)"),
        *(CONFIG, set_option(), JSON),
        (
            flag("--list", says="show the documents of the store"),
            flag("--rejected", says="show every rejected paragraph with its reason"),
            flag("--paragraphs", says="show every kept paragraph"),
            option("--drop", "DOCUMENT", "remove these documents (their names: --list)", nargs="+"),
            flag("--prune", says="remove the documents whose files are gone"),
        ),
    ),
    _run,
    notes=SIDECAR,
)


if __name__ == "__main__":
    sys.exit(main())
