"""The 20 questions of a game, and the tuner's objective."""

from __future__ import annotations

import time

from benchmarks.measure import Row, bundled_course, row, seconds, take_turns, uncached_settings
from quarry.configs.settings import load
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.locating import locate_games
from quarry.evaluate.tuning.objective import judge
from quarry.evaluate.tuning.prepared import prepare, search_all
from quarry.player.player import build_player
from quarry.player.search.build import build_orchestrator, store_embedder
from quarry.player.search.cache import CachingEmbedder
from quarry.player.search.types import Query

N_GAMES = 30
N_TUNED = 340
N_RUNS = 5


def measure_questions() -> Row:
    """Measure milliseconds after the search of a game, for its 20 questions, next to 20 embeddings of its hint."""
    settings = load()
    with bundled_course(settings) as (store, games):
        player, embed = build_player(store, settings), store_embedder(store, settings).embed_queries

        def embeddings_ms(game: LabelledGame) -> float:
            texts = [f"{game.hint} {number}" for number in range(20)]  # no cache holds them
            return 1000.0 * seconds(time.perf_counter, lambda: [embed([text]) for text in texts])

        sides = take_turns(
            [game for game in games if game.answerable][: N_GAMES + 1],
            lambda game: player.plan(game.told()).questions_ms,
            embeddings_ms,
        )
    return row("20 questions (p50)", sides, "ms", "20 embeddings of the hint", at_most=1.0)


def measure_tuning() -> Row:
    """Measure the tuner's objective on 340 games next to searching them one by one, warm, with embedded hints."""
    settings = uncached_settings()
    with bundled_course(settings) as (store, games):
        games = games[:N_TUNED]
        located = locate_games(games, store.paragraphs)
        embedder = CachingEmbedder(store_embedder(store, settings))
        prepared = prepare(games, located, store, settings, embedder, progress=False)
        search = build_orchestrator(store, settings, embedder).search

        def shipped() -> list[int]:
            ranks = []
            for game in games:
                result, paragraph = search(Query(game.hint, game.book_name)), located.get(game.game_id)
                found = None if paragraph is None else result.row_of(paragraph)
                ranks.append(0 if found is None else found + 1)
            return ranks

        if shipped() != search_all(prepared, settings.search)[0].tolist():
            raise RuntimeError("both must find the same paragraphs at the same places, they do not")
        sides = take_turns(
            range(N_RUNS + 1),
            lambda _: (
                100.0 / seconds(time.process_time, lambda: [judge(prepared, settings.search) for _ in range(100)])
            ),
            lambda _: 1.0 / seconds(time.process_time, shipped),
        )
    return row("tuner: settings judged on 340 games", sides, "per second", "the shipped search, warm", at_least=100.0)
