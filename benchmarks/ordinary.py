"""`python -m benchmarks.ordinary --store S --games FILE`: ordinary questions, by vectors, by keywords and by both.

The whole course is searched, without a book's name and without the cascade. Gains are paired, over the better of the
two alone.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.ablation import SHOWN, cells, paired
from benchmarks.command import games_parser, run_benchmark
from quarry.configs.settings import load
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.runs.measures import per_game
from quarry.ingest.arrays import Float64Array
from quarry.ingest.store import open_store
from quarry.player.search.build import build_orchestrator, store_embedder
from quarry.player.search.cache import RememberingEmbedder
from quarry.player.search.types import Query

ROWS: Mapping[str, Mapping[str, Any]] = {
    "dense": {"keywords": "off"},
    "keyword": {"strategies": ("keyword",), "keywords": "off"},
    "fused, linear": {"strategies": ("dense", "keyword"), "keywords": "fused", "fusion": "linear"},
    "fused, RRF": {"strategies": ("dense", "keyword"), "keywords": "fused", "fusion": "rrf"},
}
ALONE = ("dense", "keyword")
SEED = 0


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = games_parser("ordinary", __doc__)
    parser.add_argument("--without", type=Path, metavar="FILE", help="questions to leave out, such as those fitted on")
    parser.add_argument("--most", type=int, default=0, metavar="N", help="questions, drawn by chance (default: all)")
    return run_benchmark("ordinary", parser.parse_args(arguments), _run)


def _run(options: argparse.Namespace) -> int:
    settings, store = load(), open_store(options.store)
    left_out = {game.hint for game in load_games(options.without)} if options.without else set()
    games = [game for game in load_games(options.games) if game.answerable and game.hint not in left_out]
    if options.most and options.most < len(games):
        games = random.Random(SEED).sample(games, options.most)
    located = locate_games(games, store.paragraphs)
    relevant = {key: paragraph.paragraph_id if paragraph else None for key, paragraph in located.items()}
    embedder = RememberingEmbedder(store_embedder(store, settings))
    print(f"{len(games)} questions, {len(store.paragraphs)} paragraphs")
    print(f"| | {' | '.join(f'{name} [95%]' for name in SHOWN)} | RR gained [95%] |\n| --- |{' --- |' * 4}")
    alone: list[Float64Array] = []
    for name, changes in ROWS.items():
        search = replace(settings.search, book_match="off", cascade=False, **changes)
        searches = build_orchestrator(store, replace(settings, search=search), embedder)
        found = {game.game_id: searches.search(Query(game.hint)).hits for game in games}
        values = per_game({key: [hit.paragraph.paragraph_id for hit in hits] for key, hits in found.items()}, relevant)
        gained = ""
        if name in ALONE:
            alone.append(values["RR"])
        else:
            gained = paired(values["RR"] - max(alone, key=lambda each: float(each.mean())))
        print(f"| {name} | {' | '.join(cells(values))} | {gained} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
