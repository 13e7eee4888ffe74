"""The command `search`: prints hits as text or as JSON."""

from dataclasses import replace
from typing import Annotated, Any

from cyclopts import Parameter

from configs.settings import KeywordMode
from player.search.build import build_orchestrator
from player.search.results import Hit, Query, SearchResult
from player.search.stores import open_course
from quarry.cli import AsJson, ParsedOverrides, Preset, StoreOptions, WholeNumber
from quarry.interrupts import deferring
from quarry.terminal import visible, visible_json

BELOW_THRESHOLD = " *"
"""Mark of a hit below the threshold."""


def search(
    *,
    hint: str,
    book: str = "",
    k: WholeNumber | None = None,
    keywords: KeywordMode | None = None,
    all_hits: Annotated[bool, Parameter("--all")] = False,
    relevant_only: bool = False,
    at: StoreOptions = StoreOptions(),
    preset: Preset = None,
    as_json: AsJson = False,
    overrides: ParsedOverrides,
) -> int:
    """Search, print the hits, and return 1 if a strategy failed.

    Args:
        hint: Hint about a paragraph.
        book: Name of the lecture; it need not be exact.
        k: Hits wanted (default: search.k).
        keywords: Use of the hint's words: rule (the game: they do not occur in the paragraph), fallback (search by
            words if vectors find nothing), fused (by both, for ordinary questions) or off (default: search.keywords,
            fallback if that is rule).
        all_hits: Also show hits below the threshold, marked; --json always holds them.
        relevant_only: Leave out hits below the threshold, also in --json.
    """
    settings = overrides.load(preset)
    course = open_course(at.location, at.collection)
    engine = build_orchestrator(course, settings)
    result = engine.search(Query(hint, book, k, keywords))

    shows_all = not relevant_only and (all_hits or as_json)
    if not shows_all:
        hits = result.relevant_hits if relevant_only else result.shown
        result = replace(result, hits=hits)
    if as_json:
        print(visible_json(result_json(result)))
    else:
        with deferring():
            _print_hits(result)
    return 1 if result.failures else 0


def result_json(result: SearchResult) -> dict[str, Any]:
    """Convert a search result to JSON as docs/commands.md describes it."""
    book = result.book
    failures = []
    for failure in result.failures:
        failures.append({"strategy": failure.strategy, "error": failure.reason})

    return {
        "query": {"hint": result.query.hint, "book_name": result.query.book_name},
        "relevant": result.relevant,
        "message": result.message,
        "book": {
            "document": book.doc_id if book else None,
            "confidence": book.confidence if book else 0.0,
            "tier": result.tier,
        },
        "boost": round(result.lift, 6),
        "answered_by": result.answered_by,
        "threshold": result.threshold,
        "calibrated": result.calibrated,
        "hits": [*map(Hit.as_dict, result.hits)],
        "failures": failures,
        "cached": result.cached,
        "latency_ms": {
            "embed": round(result.embed_ms, 3),
            "search": round(result.search_ms, 3),
        },
    }


def _print_hits(result: SearchResult) -> None:
    from rich.console import Console

    console = Console(emoji=False, highlight=False, markup=False)
    if book := result.book_description:
        console.print(f"book: {visible(book)}")
    if result.message:
        rest = ""
        if not result.hits:
            rest = " --all shows the nearest."
        elif not result.relevant:
            rest = " The nearest paragraphs are all below the threshold:"
        console.print(visible(result.message) + rest, style="bold")

    for number, hit in enumerate(result.hits, 1):
        relevance = f"{hit.relevance:.2f}{'' if hit.relevant else BELOW_THRESHOLD}"
        provenance = f"{number:2} {hit.slot:6} {hit.strategy} {hit.strategy_rank:<3}"
        where = f"{hit.paragraph.doc_id} p{hit.paragraph.page}"
        console.print(visible(f"{provenance} {relevance:6} {where}"))
        console.print(f"   {visible(hit.paragraph.opening_sentence)}", style="dim")
    if any(not hit.relevant for hit in result.hits):
        limit = f"{result.threshold:g}"
        console.print(
            f"{BELOW_THRESHOLD.strip()} below the threshold of relevance, {limit}"
        )
