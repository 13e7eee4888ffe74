"""`python -m benchmarks.ablation --store S --games FILE`: what each part of search is worth, on the hint alone.

Every row takes one part away from, or adds one to, preset `default`; the last rows are what others do. With
`QUARRY_ACCURACY=plain` in the environment no model compares word by word.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from benchmarks.command import add_split, games_parser, run_benchmark
from quarry.configs.settings import load
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.games.splits import select_split
from quarry.evaluate.runs.measures import bootstrap_interval, interval, per_game
from quarry.ingest.arrays import Float64Array
from quarry.ingest.store import open_store
from quarry.player.search.build import build_orchestrator, store_embedder
from quarry.player.search.types import Query

ROWS: Mapping[str, Mapping[str, Any]] = {
    "default": {},
    "one model word by word": {"accuracy": "fast"},
    "no model word by word": {"accuracy": "plain"},
    "without the rule": {"rule_weight": 0.0},
    "without sentences": {"sentence_weight": 0.0, "sentence_mean_weight": 0.0},
    "best sentence, no mean": {"sentence_weight": 0.5, "sentence_mean_weight": 0.0},
    "without the book": {"book_match": "off"},
    "book by exact stem": {"book_match": "stem"},
    "without the boost": {"boost": 0.0},
    "20 slots for the book": {"pdf_k": 20, "global_k": 0},
    "15 slots for the book": {"pdf_k": 15, "global_k": 5},
    "without the cascade": {"cascade": False},
    "with feedback": {"rewrite": "feedback"},
    "keywords fused": {"keywords": "fused"},
    "keywords as fallback": {"keywords": "fallback"},
}
PRESETS = ("dual", "known-bots", "filtered", "unfiltered", "distance-merge", "keyword", "rrf", "vector-then-keyword")
SHOWN = ("Success@1", "Success@20", "RR")


def main(arguments: list[str] | None = None) -> int:
    """Run the command; returns the exit code."""
    parser = games_parser("ablation", __doc__)
    add_split(parser)
    return run_benchmark("ablation", parser.parse_args(arguments), _run)


def _run(options: argparse.Namespace) -> int:
    store = open_store(options.store)
    games = [game for game in select_split(load_games(options.games), options.split, 0) if game.answerable]
    located = locate_games(games, store.paragraphs)
    relevant = {key: paragraph.paragraph_id if paragraph else None for key, paragraph in located.items()}
    embedder = store_embedder(store, load())
    head = " | ".join(f"{name} [95%]" for name in SHOWN)
    print(f"| part | {head} | RR less `default`, paired [95%] | abstains |\n| --- | {'--- | ' * len(SHOWN)}--- | --- |")
    default = load()
    rows = {name: replace(default, search=replace(default.search, **changes)) for name, changes in ROWS.items()}
    rows |= {f"preset `{name}`": load(name) for name in PRESETS}
    first: dict[str, Float64Array] = {}
    for name, settings in rows.items():
        searches = build_orchestrator(store, settings, embedder)
        results = {game.game_id: searches.search(Query(game.hint, game.book_name)) for game in games}
        rankings = {key: [hit.paragraph.paragraph_id for hit in result.hits] for key, result in results.items()}
        values = per_game(rankings, relevant)
        first = first or dict(values)
        gained = paired(values["RR"] - first["RR"])
        abstains = sum(not result.relevant for result in results.values()) / len(results)
        print(f"| {name} | {' | '.join(cells(values))} | {gained} | {abstains:.0%} |", flush=True)
    return 0


def cells(values: Mapping[str, Float64Array]) -> list[str]:
    """The measures that are shown, with their intervals."""
    bounds = {measure: interval(values[measure], 0) for measure in SHOWN}
    return [
        f"{values[measure].mean():.3f} [{low:.2f}, {high:.2f}]".replace("0.", ".")
        for measure, (low, high) in bounds.items()
    ]


def paired(differences: Float64Array) -> str:
    """The mean of paired differences, with its interval."""
    low, high = bootstrap_interval(differences, 0)
    return f"{differences.mean():+.3f} [{low:+.3f}, {high:+.3f}]".replace("0.", ".")


if __name__ == "__main__":
    sys.exit(main())
