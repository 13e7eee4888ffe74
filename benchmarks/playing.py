"""The 20 questions of a game, and deciding after the answers, next to embedding a hint."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from quarry.configs.settings import load
from quarry.evaluate.games.labelled import load_games
from quarry.ingest.pipeline.pipeline import ingest
from quarry.ingest.store import open_store
from quarry.player.player import Plan, Player, build_player
from quarry.player.search.build import store_embedder

DATA = Path(__file__).resolve().parents[1] / "data"
N_GAMES = 30
ANSWERS = ("A", "B", "C", "D", "Not Relevant")


def measure_questions() -> dict[str, Any]:
    """Median milliseconds of a batch and of 20 embeddings of the hint, interleaved over games of the bundled course."""
    return _measure("20 questions, p50", "english", 20, lambda player, plan: plan.questions_ms)


def measure_english() -> dict[str, Any]:
    """Median milliseconds of belief, guess, word and justifications, and of 5 embeddings of the hint, interleaved."""
    return _measure("deciding, english, p50", "english", 5, _deciding_ms)


def measure_hebrew() -> dict[str, Any]:
    """The same over the Hebrew course; the embedder is MiniLM here too, the quicker one, which makes it harder."""
    return _measure("deciding, hebrew, p50", "hebrew", 5, _deciding_ms)


def _deciding_ms(player: Player, plan: Plan) -> float:
    answers = [ANSWERS[number % len(ANSWERS)] for number in range(len(plan.questions))]
    started = time.perf_counter()
    player.decide(plan, answers)
    return 1000.0 * (time.perf_counter() - started)


def _measure(name: str, language: str, n_embeddings: int, ours_ms: Callable[[Player, Plan], float]) -> dict[str, Any]:
    """Our milliseconds after the search of each game, next to embeddings of its hint.

    Args:
        language: of the bundled course and its games.
        n_embeddings: of a hint, within which ours must be done.
    """
    settings = load()
    times: dict[str, list[float]] = {"quarry": [], "baseline": []}
    games = [game for game in load_games(DATA / "games" / f"{language}.jsonl") if game.answerable]
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        ingest([DATA / "lectures" / language], folder, settings, embedder_spec="minilm", progress=False)
        store = open_store(folder)
        player, embed = build_player(store, settings), store_embedder(store, settings).embed_queries
        for number, game in enumerate(games[: N_GAMES + 1]):
            ours = ours_ms(player, player.plan(game.told()))
            started = time.perf_counter()
            for again in range(n_embeddings):
                embed([f"{game.hint} {again}"])  # another text each time, so that no cache answers
            if number:  # the first one loads what is kept
                times["quarry"].append(ours)
                times["baseline"].append(1000.0 * (time.perf_counter() - started))
    median = {side: statistics.median(values) for side, values in times.items()}
    return {
        "name": name,
        **{side: round(value, 1) for side, value in median.items()},
        "baseline_is": f"{n_embeddings} embeddings of the game's hint, in the same run",
        "unit": "ms",
        "ratio": round(median["quarry"] / median["baseline"], 2),
        "target": "at most 1",
        "met": median["quarry"] <= median["baseline"],
        "runs": {side: [round(value, 1) for value in values] for side, values in times.items()},
    }
