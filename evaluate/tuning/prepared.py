"""Inputs of the searches of labelled games that stay the same in all trials, and the search of one trial."""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tqdm.auto import tqdm

from configs.settings import MAX_SEARCH_DEADLINE_S, SearchSettings, Settings
from evaluate.errors import TuneError
from evaluate.games.labelled import LabelledGame
from evaluate.replay.store_address import (
    StoreAddress,
    get_store_address,
    open_same,
)
from player.search.build import index_of
from player.search.calibration import RULE, DenseCalibration
from player.search.index import SearchIndex
from player.search.live_search import LiveSearch
from player.search.rank import RankInput, Scored, rank
from player.search.results import DENSE, Query
from player.search.stores import store_embedder
from player.search.strategies.dense import Dense, dense_scores, dense_weights
from player.search.strategies.strategy import Reranker
from quarry.arrays import AnyFloatArray, BoolArray, IntArray
from quarry.course.paragraph import Paragraph
from quarry.parallel import InProcess, PerProcess, TaskExecutor, run_all, task_result
from quarry.store import Course

GAMES_A_TASK = 16
"""Number of games that a worker prepares in one task."""


@dataclass(frozen=True, slots=True)
class PreparedGame:
    """Input of the search of a game.

    Attributes:
        rank_input: input of its ranking; each trial replaces the scores of dense search.
        keywords: scores of keyword search, for the step after all others; {} if they are not asked.
        dense_terms: (n_paragraphs,) terms of a dense score by name; {} without
            dense search.
        secret_rows: rows of the secret paragraph and its duplicates; () if there is none or ingest lost it.
        is_answerable: whether the label names a paragraph.
    """

    rank_input: RankInput
    keywords: Scored
    dense_terms: Mapping[str, AnyFloatArray]
    secret_rows: Sequence[int]
    is_answerable: bool


@dataclass(frozen=True, slots=True)
class Prepared:
    """Games over a course, prepared for any number of searches.

    Attributes:
        calibration: the calibration of dense search.
        games: the games.
    """

    calibration: DenseCalibration
    games: Sequence[PreparedGame]


def search_all(
    prepared: Prepared, settings: SearchSettings
) -> tuple[IntArray, BoolArray]:
    """Search every game as `SearchOrchestrator.search` does in the mode of keywords of the settings.

    Returns:
        (n_games,) rank of the secret paragraph from 1, or 0 if it is not a hit; (n_games,) whether a hit is relevant.
    """
    weights = dense_weights(
        prepared.calibration,
        settings.rule_weight if settings.keywords == "rule" else 0.0,
    )
    ranks, relevant = [], []
    for game in prepared.games:
        rank_input = game.rank_input
        if game.dense_terms:
            scores, log_odds = dense_scores(
                game.dense_terms, weights, prepared.calibration
            )
            dense = replace(rank_input.scores[DENSE], scores=scores, log_odds=log_odds)
            rank_input = replace(rank_input, scores={**rank_input.scores, DENSE: dense})

        ranking = rank(rank_input, settings, functools.partial(dict, game.keywords))
        assert ranking is not None, "a study has at least one strategy"
        positions = np.flatnonzero(np.isin(ranking.hits, game.secret_rows))
        ranks.append(int(positions[0]) + 1 if len(positions) else 0)
        relevant.append(ranking.is_relevant)
    return np.array(ranks), np.array(relevant)


def prepare(
    games: Sequence[LabelledGame],
    located: Mapping[str, Paragraph | None],
    course: Course,
    settings: Settings,
    executor: TaskExecutor,
) -> Prepared:
    """Compute the inputs of the searches of games over a store.

    Args:
        games: the games.
        located: the ingested paragraph of each answerable game, as `locate_games` returns it.
        course: the course of the store.
        settings: strategies and modes of the whole study; settings that are tuned are not read.
        executor: does the work.

    Raises:
        TuneError: a strategy fails, or reranks.
        WorkerError: a worker cannot do the work, or has another store.
    """
    search = replace(settings.search, deadline_s=MAX_SEARCH_DEADLINE_S)
    whole = replace(settings, search=search)
    if not isinstance(executor, InProcess):
        whole = replace(whole, embed=replace(whole.embed, threads=1))
    index = PerProcess(
        functools.partial(_index_of_store, get_store_address(course), whole)
    )
    executor.check(index.get)

    calls = []
    for start in range(0, len(games), GAMES_A_TASK):
        batch = games[start : start + GAMES_A_TASK]
        labelled = [located.get(game.game_id) for game in batch]
        calls.append((index, search, batch, labelled))
    prepared: dict[int, Prepared] = {}
    with tqdm(total=len(games), desc="preparing", unit="game") as bar:
        for number, future in run_all(executor, _prepare_batch, calls):
            prepared[number] = task_result(future)
            bar.update(len(prepared[number].games))

    all_games: list[PreparedGame] = []
    for number in range(len(calls)):
        all_games += prepared[number].games
    return replace(prepared[0], games=all_games)


def _index_of_store(address: StoreAddress, settings: Settings) -> SearchIndex:
    """Build the index of a store that another process may have opened."""
    course = open_same(*address)
    return index_of(course, settings, store_embedder(course, settings))


def _prepare_batch(
    made_index: PerProcess[SearchIndex],
    settings: SearchSettings,
    games: Sequence[LabelledGame],
    labelled: Sequence[Paragraph | None],
) -> Prepared:
    """Prepare some games.

    Args:
        made_index: the index of the course.
        settings: strategies and modes of the whole study.
        games: the games.
        labelled: the ingested paragraph of each game; None if there is none.
    """
    index = made_index.get()
    for name, strategy in index.strategies.items():
        if isinstance(strategy, Reranker):
            raise TuneError(
                f"search.strategies names {name}, which compares the best hits of other strategies, and every trial "
                "has others. Tune without it."
            )
    rows_by_id = {item.paragraph_id: row for row, item in enumerate(index.paragraphs)}
    dense = index.strategies.get(DENSE)

    prepared = []
    for game, paragraph in zip(games, labelled, strict=True):
        query = Query(game.hint, game.book_name, keywords=settings.keywords)
        search = LiveSearch(index, settings, query)
        rank_input = search.score()
        keywords: Scored = {}
        if settings.keywords == "fallback":
            keywords = search.score_keywords(rank_input)
        for failure in search.failures.values():
            raise TuneError(f"{failure}. Correct it, or tune without it.")

        secret_rows: list[int] = []
        if paragraph is not None:
            row = rows_by_id[paragraph.paragraph_id]
            secret_rows = [row, *map(rows_by_id.__getitem__, index.duplicates(row))]

        dense_terms: Mapping[str, AnyFloatArray] = {}
        if isinstance(dense, Dense):
            dense_terms = dense.terms(game.hint, [RULE], rank_input.book.doc_id)
        prepared.append(
            PreparedGame(
                rank_input=rank_input,
                keywords=keywords,
                dense_terms=dense_terms,
                secret_rows=secret_rows,
                is_answerable=game.answerable,
            )
        )
    return Prepared(index.calibration.dense, prepared)
