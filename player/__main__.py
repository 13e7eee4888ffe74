"""`python -m player`: what a search finds, as a table or as JSON; a schema of the game's messages."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from configs.arguments import OneLineParser, run_command
from configs.settings import SettingsError, load
from configs.terminal import visible, visible_json
from ingest.errors import IngestError
from ingest.store import DEFAULT_COLLECTION, DEFAULT_STORE, open_store
from player.errors import PlayerError
from player.search.build import build_orchestrator
from player.search.types import Query, SearchResult

EXAMPLE = """example:
  python -m player search --store data/store --book "search and ranking" --hint "rewarding rare vocabulary over common"
"""
NOTHING_FOUND = "Nothing relevant was found for this hint."


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code (0 done, 1 a strategy failed, 2 bad input)."""
    parser = OneLineParser(prog="python -m player", description="The player's search and messages, by hand.")
    commands = parser.add_subparsers(dest="command", required=True)
    search = commands.add_parser(
        "search",
        help="search paragraphs",
        description="Find the paragraphs that a hint means.",
        epilog=EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    search.add_argument(
        "--store", default=DEFAULT_STORE, help="folder, or URL of a Chroma server (default: %(default)s)"
    )
    search.add_argument("--collection", default=DEFAULT_COLLECTION, help="name within the store (default: %(default)s)")
    search.add_argument("--hint", required=True, metavar="TEXT", help="what the paragraph is about")
    search.add_argument("--book", default="", metavar="NAME", help="the lecture, however it is called")
    search.add_argument("--k", type=int, metavar="N", help="hits wanted (default: search.k)")
    search.add_argument(
        "--preset", default="default", metavar="NAME", help="settings to search with (default: %(default)s)"
    )
    search.add_argument("--config", type=Path, metavar="FILE", help="YAML laid over configs/default.yaml")
    search.add_argument("--json", action="store_true", help="print one JSON document and nothing else")
    schema = commands.add_parser("schema", help="print a JSON schema of the game's messages")
    search.set_defaults(run=_search)
    schema.set_defaults(run=_schema)
    options = parser.parse_args(arguments)
    try:
        return run_command(lambda: int(options.run(options)))
    except (IngestError, PlayerError, SettingsError) as error:
        print(f"player {options.command}: {visible(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"player {options.command}: interrupted", file=sys.stderr)
        return 130


def _schema(_: argparse.Namespace) -> int:
    from player.messages import json_schema

    print(json.dumps(json_schema(), indent=1))
    return 0


def _search(options: argparse.Namespace) -> int:
    settings = load(options.preset, options.config)
    store = open_store(options.store, options.collection)
    result = build_orchestrator(store, settings).search(Query(options.hint, options.book, options.k))
    if options.json:
        print(visible_json(result_json(result)))
    else:
        _print_table(result)
    return 1 if result.failures else 0


def result_json(result: SearchResult) -> dict[str, Any]:
    """A search result as CONTRACT.md lays it out."""
    book = result.book
    return {
        "query": {"hint": result.query.hint, "book_name": result.query.book_name},
        "relevant": result.relevant,
        "message": "" if result.relevant else NOTHING_FOUND,
        "book": {
            "document": book.doc_id if book else None,
            "confidence": book.confidence if book else 0.0,
            "tier": book.tier if book else "none",
        },
        "answered_by": result.answered_by,
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
            }
            for hit in result.hits
        ],
        "failures": [{"strategy": failure.strategy, "error": failure.reason} for failure in result.failures],
        "cached": result.cached,
        "latency_ms": {"embed": round(result.embed_ms, 3), "search": round(result.search_ms, 3)},
    }


def _print_table(result: SearchResult) -> None:
    from rich.console import Console
    from rich.table import Table

    from player.view import shown

    console = Console(emoji=False)
    if result.book:
        book = result.book
        console.print(
            f"book: [bold]{shown(book.doc_id)}[/] ({book.tier}, confidence {book.confidence:.2f})", highlight=False
        )
    if not result.hits:
        console.print(NOTHING_FOUND)
        return
    table = Table(box=None, header_style="bold", pad_edge=False)
    for name, justify in (
        ("#", "right"),
        ("slot", "left"),
        ("by", "left"),
        ("rel.", "right"),
        ("where", "left"),
        ("opening sentence", "left"),
    ):
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    for place, hit in enumerate(result.hits, 1):
        table.add_row(
            str(place),
            hit.slot,
            f"{hit.strategy} {hit.rank}",
            f"{hit.relevance:.2f}",
            shown(f"{hit.paragraph.doc_id} p{hit.paragraph.page}"),
            shown(hit.paragraph.opening_sentence),
        )
    console.print(table)
    for failure in result.failures:
        console.print(shown(str(failure)), style="red")
    console.print(f"embed {result.embed_ms:.1f} ms, search {result.search_ms:.1f} ms", style="dim", highlight=False)


if __name__ == "__main__":
    sys.exit(main())
