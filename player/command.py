"""The command `python -m player search`, which prints hits as text or as JSON."""

from __future__ import annotations

import argparse
import typing
from dataclasses import replace
from typing import Any

from configs.settings import KeywordMode, SettingsError
from ingest.console.arguments import (
    COLLECTION,
    JSON,
    PRESET,
    SETTINGS,
    STORE,
    Command,
    choose,
    flag,
    option,
    settings_of,
    warn,
)
from ingest.console.terminal import visible_json
from ingest.errors import IngestError
from ingest.store import open_store
from player.errors import PlayerError
from player.search.calibration import notices
from player.search.types import Query, SearchResult

BELOW = " *"
"""Mark of a hit below the threshold."""


def main(arguments: list[str] | None = None, prog: str = "python -m player") -> int:
    """Run the command; returns the exit code (0 done, 1 a strategy failed, 2 bad input)."""
    name, rest = choose(
        {COMMAND.name: COMMAND.summary},
        arguments,
        prog,
        "The player's search, by hand.",
    )
    return COMMAND.main(
        rest, f"{prog} {name}", (IngestError, PlayerError, SettingsError)
    )


def _search(options: argparse.Namespace) -> int:
    from player.search.build import build_orchestrator

    settings = settings_of(options)
    store = open_store(options.store, options.collection)
    for notice in notices(store):
        warn(options, notice)
    result = build_orchestrator(store, settings).search(
        Query(options.hint, options.book, options.k, options.keywords)
    )
    whole = not options.relevant_only and (options.all or options.json)
    shown = result if whole else replace(result, hits=result.relevant_hits)
    if options.json:
        print(visible_json(result_json(shown)))
    else:
        _print_hits(shown)
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
        "hits": [
            {
                "paragraph_id": hit.paragraph.paragraph_id,
                "document": hit.paragraph.doc_id,
                "page": hit.paragraph.page,
                "heading": hit.paragraph.heading,
                "opening_sentence": hit.paragraph.opening_sentence,
                "text": hit.paragraph.text,
                "relevance": round(hit.relevance, 6),
                "slot": hit.slot,
                "strategy": hit.strategy,
                "rank": hit.rank,
                "score": round(hit.score, 6),
                "why": hit.why,
                "relevant": hit.relevant,
                "same_as": list(hit.same_as),
            }
            for hit in result.hits
        ],
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

    console = Console(emoji=False)
    if book := book_of(result):
        console.print(f"book: {book}", highlight=False)
    if result.message:
        nearest = (
            " The nearest paragraphs are all below the threshold:"
            if result.hits
            else " --all shows the nearest."
        )
        console.print(f"[bold]{shown(result.message)}[/]{nearest}", highlight=False)
    for failure in result.failures:
        console.print(shown(str(failure)), style="red")
    for place, hit in enumerate(result.hits, 1):
        relevance = f"{hit.relevance:.2f}{'' if hit.relevant else BELOW}"
        where = f"{hit.paragraph.doc_id} p{hit.paragraph.page}"
        console.print(
            shown(
                f"{place:2} {hit.slot:6} {hit.strategy} {hit.rank:<3} {relevance:6} {where}"
            ),
            highlight=False,
        )
        console.print(
            f"   [dim]{shown(hit.paragraph.opening_sentence)}[/]", highlight=False
        )
    if any(not hit.relevant for hit in result.hits):
        console.print(
            f"{BELOW.strip()} below the threshold of relevance, {result.threshold:g}",
            highlight=False,
        )


COMMAND = Command(
    "search",
    "find the paragraphs that a hint describes",
    'python -m player search --store data/store --book "search and ranking" --hint "rewarding rare vocabulary over '
    'common"',
    (
        *(STORE, COLLECTION),
        option("--hint", "TEXT", "hint about a paragraph", required=True),
        option(
            "--book", "NAME", "name of the lecture; it need not be exact", default=""
        ),
        option("--k", "N", "hits wanted (default: search.k)", type=int),
        option(
            "--keywords",
            "MODE",
            "use of the hint's words: rule (the game: they do not occur in the paragraph), fallback (search by words "
            "if vectors find nothing), fused (by both, for ordinary questions) or off (default: search.keywords, "
            "fallback if that is rule)",
            choices=typing.get_args(KeywordMode),
        ),
        flag(
            "--all",
            says="also show hits below the threshold, marked; --json always holds them",
        ),
        flag(
            "--relevant-only", says="leave out hits below the threshold, also in --json"
        ),
        *(PRESET, JSON, *SETTINGS),
    ),
    _search,
    shows="player.search.orchestrator",
)
