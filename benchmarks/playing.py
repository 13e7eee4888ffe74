"""The 20 questions of a game, deciding after the answers, and the tuner's objective."""

from __future__ import annotations

import time
from collections.abc import Callable

from benchmarks.measure import Row, bundled_course, plain_settings, row, seconds, take_turns
from quarry.configs.settings import load
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.tuning.objective import judge
from quarry.evaluate.tuning.prepared import prepare, search_all
from quarry.player.player import Plan, Player, build_player
from quarry.player.search.build import build_orchestrator, store_embedder
from quarry.player.search.cache import RememberingEmbedder
from quarry.player.search.types import Query

N_GAMES = 30
ANSWERS = ("A", "B", "C", "D", "Not Relevant")
N_TUNED = 340
N_RUNS = 5


def measure_questions() -> Row:
    """Measure making the batch of a game next to 20 embeddings of its hint."""
    return _measure("20 questions (p50)", "english", 20, lambda player, plan: plan.questions_ms)


def measure_deciding() -> Row:
    """Measure belief, guess, word and justifications next to 5 embeddings of the hint."""
    return _measure("deciding, english (p50)", "english", 5, _deciding_ms)


def measure_deciding_hebrew() -> Row:
    """Measure the same over the Hebrew course; the embedder is MiniLM here too, whose embeddings take less time."""
    return _measure("deciding, hebrew (p50)", "hebrew", 5, _deciding_ms)


def _deciding_ms(player: Player, plan: Plan) -> float:
    answers = [ANSWERS[number % len(ANSWERS)] for number in range(len(plan.questions))]
    return 1000.0 * seconds(time.perf_counter, lambda: player.decide(plan, answers))


def _measure(name: str, course: str, n_embeddings: int, ours_ms: Callable[[Player, Plan], float]) -> Row:
    """Measure milliseconds after the search of each game next to embeddings of its hint."""
    settings = load()
    with bundled_course(settings, course) as (store, games):
        player, embed = build_player(store, settings), store_embedder(store, settings).embed_queries

        def embeddings_ms(game: LabelledGame) -> float:
            texts = [f"{game.hint} {number}" for number in range(n_embeddings)]  # no cache holds them
            return 1000.0 * seconds(time.perf_counter, lambda: [embed([text]) for text in texts])

        sides = take_turns(
            [game for game in games if game.answerable][: N_GAMES + 1],
            lambda game: ours_ms(player, player.plan(game.told())),
            embeddings_ms,
        )
    return row(name, sides, "ms", f"{n_embeddings} embeddings of the hint", at_most=1.0)


def measure_tuning() -> Row:
    """Measure the tuner's objective on 340 games next to searching them one by one, warm, with embedded hints."""
    settings = plain_settings()
    with bundled_course(settings) as (store, games):
        games = games[:N_TUNED]
        located = locate_games(games, store.paragraphs)
        embedder = RememberingEmbedder(store_embedder(store, settings))
        prepared = prepare(games, located, store, settings, embedder, progress=False)
        search = build_orchestrator(store, settings, embedder).search

        def shipped() -> list[int]:
            ranks = []
            for game in games:
                result, paragraph = search(Query(game.hint, game.book_name)), located.get(game.game_id)
                found = None if paragraph is None else result.row_of(paragraph)
                ranks.append(0 if found is None else found + 1)
            return ranks

        if shipped() != search_all(prepared, settings.search).ranks.tolist():
            raise RuntimeError("both must find the same paragraphs at the same places, they do not")
        sides = take_turns(
            range(N_RUNS + 1),
            lambda _: (
                100.0 / seconds(time.process_time, lambda: [judge(prepared, settings.search) for _ in range(100)])
            ),
            lambda _: 1.0 / seconds(time.process_time, shipped),
        )
    return row("tuner: settings judged on 340 games", sides, "per second", "the shipped search, warm", at_least=100.0)
