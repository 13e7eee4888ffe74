"""The 20 questions of a game, next to embedding a hint."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from quarry.configs.settings import load
from quarry.evaluate.games.labelled import load_games
from quarry.ingest.pipeline import ingest
from quarry.ingest.store import open_store
from quarry.player.player import Player, build_player
from quarry.player.search.build import store_embedder

ROOT = Path(__file__).resolve().parents[1]
LECTURES = ROOT / "data" / "lectures" / "english"
GAMES = ROOT / "data" / "games" / "english.jsonl"
N_GAMES = 30
EMBEDDINGS = 20
"""Of a hint, within which the batch must be made."""


def measure() -> dict[str, Any]:
    """Median milliseconds of a batch and of 20 embeddings of the hint, interleaved over games of the bundled course."""
    settings = load()
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        ingest([LECTURES], folder, settings, progress=False)
        store = open_store(folder)
        player, embedder = build_player(store, settings), store_embedder(store, settings)
        return time_batches(player, embedder.embed_queries)


def time_batches(player: Player, embed: Any) -> dict[str, Any]:
    """The result for one player.

    Args:
        embed: of a list of texts, as the store's embedder does it.
    """
    games = [game for game in load_games(GAMES) if game.answerable and game.split == "train"][: N_GAMES + 1]
    times: dict[str, list[float]] = {"quarry": [], "baseline": []}
    for run, game in enumerate(games):
        plan = player.plan(game.told())
        started = time.perf_counter()
        for number in range(EMBEDDINGS):
            embed([f"{game.hint} {number}"])  # another text each time, so that no cache answers
        if run:  # the first one warms up
            times["quarry"].append(plan.questions_ms)
            times["baseline"].append(1000.0 * (time.perf_counter() - started))
    ours, theirs = (statistics.median(values) for values in times.values())
    return {
        "name": "20 questions, p50",
        "quarry": round(ours, 1),
        "baseline": round(theirs, 1),
        "baseline_is": f"{EMBEDDINGS} embeddings of the game's hint, in the same run",
        "unit": "ms",
        "ratio": round(ours / theirs, 2),
        "target": "at most 1",
        "met": ours <= theirs,
        "runs": {side: [round(value, 1) for value in values] for side, values in times.items()},
    }
