"""The command `python -m player search`, which prints hits as text or as JSON."""

import argparse
import typing
from dataclasses import replace
from typing import Any

from configs.settings import KeywordMode
from player.search.calibration import notices
from player.search.results import Hit, Query, SearchResult
from quarry import cli
from quarry.store import open_store
from quarry.terminal import visible_json

BELOW = " *"
"""Mark of a hit below the threshold."""


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code (0 done, 1 a strategy failed, 2 bad input)."""
    commands = {"search": (__name__, "find the paragraphs that a hint describes")}
    about = "The player's search, by hand."
    return cli.choose_and_run(commands, arguments, "python -m player", about)


def _search(options: argparse.Namespace) -> int:
    from player.search.build import build_orchestrator

    store = open_store(options.store, options.collection)
    for notice in notices(store):
        cli.warn(options, notice)
    search = build_orchestrator(store, options.settings).search
    query = Query(options.hint, options.book, options.k, options.keywords)
    result = search(query)

    whole = not options.relevant_only and (options.all or options.json)
    if not whole:
        hits = result.relevant_hits if options.relevant_only else result.shown
        result = replace(result, hits=hits)
    if options.json:
        print(visible_json(result_json(result)))
    else:
        _print_hits(result)
    return 1 if result.failures else 0


def result_json(result: SearchResult) -> dict[str, Any]:
    """Convert a search result to JSON as docs/commands.md describes it."""
    book = result.book
    return {
        "query": {"hint": result.query.hint, "book_name": result.query.book_name},
        "relevant": result.relevant,
        "message": result.message,
        "book": {
            "document": book.doc_id if book else None,
            "confidence": book.confidence if book else 0.0,
            "tier": result.tier,
        },
        "boost": round(result.boost, 6),
        "answered_by": result.answered_by,
        "threshold": result.threshold,
        "calibrated": result.calibrated,
        "hits": [*map(Hit.as_dict, result.hits)],
        "failures": [
            {"strategy": failure.strategy, "error": failure.reason}
            for failure in result.failures
        ],
        "cached": result.cached,
        "latency_ms": {
            "embed": round(result.embed_ms, 3),
            "search": round(result.search_ms, 3),
        },
    }


def _print_hits(result: SearchResult) -> None:
    from rich.console import Console

    from player.game.terminal import book_of, shown

    console = Console(emoji=False, highlight=False)
    if book := book_of(result):
        console.print(f"book: {book}")
    if result.message:
        rest = ""
        if not result.hits:
            rest = " --all shows the nearest."
        elif not result.relevant:
            rest = " The nearest paragraphs are all below the threshold:"
        console.print(f"[bold]{shown(result.message)}[/]{rest}")

    for place, hit in enumerate(result.hits, 1):
        relevance = f"{hit.relevance:.2f}{'' if hit.relevant else BELOW}"
        found_by = f"{place:2} {hit.slot:6} {hit.strategy} {hit.rank:<3}"
        where = f"{hit.paragraph.doc_id} p{hit.paragraph.page}"
        console.print(shown(f"{found_by} {relevance:6} {where}"))
        console.print(f"   [dim]{shown(hit.paragraph.opening_sentence)}[/]")
    if any(not hit.relevant for hit in result.hits):
        limit = f"{result.threshold:g}"
        console.print(f"{BELOW.strip()} below the threshold of relevance, {limit}")


COMMANDS = {
    "search": cli.Command(
        '--store data/store --book "search and ranking" --hint "a rare word counts more than a common one"',
        (
            *(cli.STORE, cli.COLLECTION),
            cli.option("--hint", "TEXT", "hint about a paragraph", required=True),
            cli.option(
                "--book",
                "NAME",
                "name of the lecture; it need not be exact",
                default="",
            ),
            cli.option("--k", "N", "hits wanted (default: search.k)", type=int),
            cli.option(
                "--keywords",
                "MODE",
                "use of the hint's words: rule (the game: they do not occur in the paragraph), fallback (search by "
                "words if vectors find nothing), fused (by both, for ordinary questions) or off (default: "
                "search.keywords, fallback if that is rule)",
                choices=typing.get_args(KeywordMode),
            ),
            cli.flag(
                "--all",
                "also show hits below the threshold, marked; --json always holds them",
            ),
            cli.flag(
                "--relevant-only",
                "leave out hits below the threshold, also in --json",
            ),
            *(cli.PRESET, cli.JSON),
        ),
        _search,
    )
}
