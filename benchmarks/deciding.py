"""Deciding (belief, guess, word, justifications) after the answers, next to embedding a hint, in both languages."""

from __future__ import annotations

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from quarry.configs.settings import Settings, load
from quarry.evaluate.games.labelled import load_games
from quarry.ingest.pipeline import ingest
from quarry.ingest.store import open_store
from quarry.player.player import Player, build_player
from quarry.player.search.build import store_embedder

ROOT = Path(__file__).resolve().parents[1]
N_GAMES = 30
EMBEDDINGS = 5
"""Of a hint, within which the guess must be made."""
ANSWERS = ("A", "B", "C", "D", "Not Relevant")


def measure_english() -> dict[str, Any]:
    """Median milliseconds of deciding and of 5 embeddings of the hint, interleaved over games of the English course."""
    return _measure("english")


def measure_hebrew() -> dict[str, Any]:
    """The same over the Hebrew course; the embedder is MiniLM here too, the quicker one, which makes it harder."""
    return _measure("hebrew")


def _measure(language: str) -> dict[str, Any]:
    settings = load()
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        ingest([ROOT / "data" / "lectures" / language], folder, settings, embedder_spec="minilm", progress=False)
        return time_decisions(*_player(folder, settings), language)


def _player(folder: str, settings: Settings) -> tuple[Player, Any]:
    store = open_store(folder)
    return build_player(store, settings), store_embedder(store, settings).embed_queries


def time_decisions(player: Player, embed: Any, language: str) -> dict[str, Any]:
    """The result for one player.

    Args:
        embed: of a list of texts, as the store's embedder does it.
        language: of the bundled course and its games.
    """
    games = [game for game in load_games(ROOT / "data" / "games" / f"{language}.jsonl") if game.answerable]
    times: dict[str, list[float]] = {"quarry": [], "baseline": []}
    for run, game in enumerate(games[: N_GAMES + 1]):
        plan = player.plan(game.told())
        answers = [ANSWERS[(run + number) % len(ANSWERS)] for number in range(len(plan.questions))]
        started = time.perf_counter()
        player.decide(plan, answers)
        decided = time.perf_counter()
        for number in range(EMBEDDINGS):
            embed([f"{game.hint} {number}"])  # another text each time, so that no cache answers
        if run:  # the first one loads the vocabulary
            times["quarry"].append(1000.0 * (decided - started))
            times["baseline"].append(1000.0 * (time.perf_counter() - decided))
    ours, theirs = (statistics.median(values) for values in times.values())
    return {
        "name": f"deciding, {language}, p50",
        "quarry": round(ours, 1),
        "baseline": round(theirs, 1),
        "baseline_is": f"{EMBEDDINGS} embeddings of the game's hint, in the same run",
        "unit": "ms",
        "ratio": round(ours / theirs, 2),
        "target": "at most 1",
        "met": ours <= theirs,
        "runs": {side: [round(value, 1) for value in values] for side, values in times.items()},
    }
