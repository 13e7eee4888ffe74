"""Inputs of searches of labelled games that stay the same in all trials, the search, and the objective of a study."""

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from uuid import uuid4

import numpy as np
from ir_measures import RR, Success
from sklearn.metrics import balanced_accuracy_score
from tqdm.auto import tqdm

from configs.settings import SearchSettings, Settings
from evaluate.errors import TuneError
from evaluate.games.labelled import LabelledGame
from evaluate.replay.replayer import StoreAddress, open_same, store_address
from evaluate.runs.measures import interval, round_ends, values_of_ranks
from player.round import Json
from player.search.build import index_of, store_embedder
from player.search.calibration import RULE, DenseCalibration
from player.search.index import DENSE, KEYWORD, SearchIndex
from player.search.rank import RankInput, rank
from player.search.results import Query, ScoreArrays
from player.search.strategies.dense import Dense, dense_scores, dense_weights
from player.search.strategies.strategy import Reranker
from quarry.arrays import AnyFloatArray, BoolArray, Float64Array, IntArray
from quarry.course.paragraph import Paragraph
from quarry.embed import Embedder
from quarry.parallel import (
    Cluster,
    InProcess,
    TaskExecutor,
    cached_in_process,
    run_all,
    task_result,
)
from quarry.plugins import failing_as
from quarry.store import Course

SUCCESS_WEIGHT = 0.1
ABSTENTION_WEIGHT = 0.1
"""Weights of Success@k, and of balanced accuracy at telling answerable games from others; the weight of RR is 1."""
OBJECTIVE = (
    f"RR + {SUCCESS_WEIGHT:g} Success@k + {ABSTENTION_WEIGHT:g} balanced_accuracy"
)
"""Formula of the objective, for reports."""
TUNING_MEASURES = {"RR": RR, **{f"Success@{k}": Success @ k for k in (1, 5, 20)}}
"""Measures of a study, by name."""
MEASURE = "RR"
"""Measure of which the gain on the test games is tested."""
GAMES_A_TASK = 16
"""Number of games that a worker prepares in one task."""


@dataclass(frozen=True, slots=True)
class PreparedGame:
    """Input of the search of a game.

    Attributes:
        rank_input: input of its ranking; each trial replaces the scores of dense search.
        dense_terms: (n_paragraphs,) terms of a dense score by name, with the rule's evidence at weight 1; {} without
            dense search.
        truth: row of the labelled paragraph; -1 if there is none or ingest lost it.
        is_answerable: whether the label names a paragraph.
    """

    rank_input: RankInput
    dense_terms: Mapping[str, AnyFloatArray]
    truth: int
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
    """Search every game as `SearchOrchestrator.search` does.

    Returns:
        (n_games,) rank of the labelled paragraph from 1, or 0 if it is not a hit; (n_games,) whether a hit is relevant.
    """
    weights = dense_weights(
        prepared.calibration,
        settings.rule_weight if settings.keywords == "rule" else 0.0,
    )
    ranks, relevant = [], []
    for game in prepared.games:
        rank_input = game.rank_input
        if DENSE in rank_input.scores:
            scores, log_odds = dense_scores(
                game.dense_terms, weights, prepared.calibration
            )
            dense = replace(rank_input.scores[DENSE], scores=scores, log_odds=log_odds)
            rank_input = replace(rank_input, scores={**rank_input.scores, DENSE: dense})

        ranking = rank(rank_input, settings)
        assert ranking is not None, "a study has at least one strategy"
        positions = np.flatnonzero(ranking.hits == game.truth)
        ranks.append(int(positions[0]) + 1 if len(positions) else 0)
        relevant.append(ranking.level == "relevant")
    return np.array(ranks), np.array(relevant)


def prepare(
    games: Sequence[LabelledGame],
    located: Mapping[str, Paragraph | None],
    course: Course,
    settings: Settings,
    embedder: Embedder | None = None,
    *,
    executor: TaskExecutor | None = None,
) -> Prepared:
    """Compute the inputs of the searches of games over a store.

    Args:
        games: the games.
        located: the ingested paragraph of each answerable game, as `locate_games` returns it.
        course: the course of the store.
        settings: strategies and modes of the whole study; settings that are tuned are not read.
        embedder: the embedder of the store, if this process does the work; None loads it.
        executor: does the work; None is this process.

    Raises:
        TuneError: a strategy reranks.
        WorkerError: a worker cannot do the work, or has another store.
    """
    # terms need the rule even if its weight is 0 in these settings
    search = replace(settings.search, rule_weight=1.0)
    whole = replace(settings, search=search)
    executor = executor or InProcess()
    if isinstance(executor, InProcess):
        embedder = embedder or store_embedder(course, whole)
        make = functools.partial(index_of, course, whole, embedder)
    else:
        whole = replace(whole, embed=replace(settings.embed, threads=1))
        make = functools.partial(_index_of_store, store_address(course), whole)
    key = uuid4().hex
    if isinstance(executor, Cluster):
        executor.check(cached_in_process, key, make)

    calls = []
    for start in range(0, len(games), GAMES_A_TASK):
        batch = games[start : start + GAMES_A_TASK]
        labelled = [located.get(game.game_id) for game in batch]
        calls.append((key, make, settings.search, batch, labelled))
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
    """Build the index of a store that another process has opened."""
    course = open_same(*address)
    return index_of(course, settings, store_embedder(course, settings))


def _prepare_batch(
    key: str,
    make: Callable[[], SearchIndex],
    settings: SearchSettings,
    games: Sequence[LabelledGame],
    labelled: Sequence[Paragraph | None],
) -> Prepared:
    """Prepare some games.

    Args:
        key: key of the index, which a process builds once.
        make: builds the index of the course, with the rule at weight 1.
        settings: strategies and modes of the whole study.
        games: the games.
        labelled: the ingested paragraph of each game; None if there is none.
    """
    index = cached_in_process(key, make)
    names = index.strategies_for(settings.keywords, settings)
    for name in names:
        if isinstance(index.strategies[name], Reranker):
            raise TuneError(
                f"search.strategies names {name}, which compares the best hits of other strategies, and every trial "
                "has others. Tune without it."
            )
    rows_by_id = {item.paragraph_id: row for row, item in enumerate(index.paragraphs)}

    prepared = []
    for game, paragraph in zip(games, labelled, strict=True):
        query = Query(game.hint, game.book_name, keywords=settings.keywords)
        book = index.book(query, settings)
        doc_id = book.doc_id if book else ""
        scores = {name: _run_strategy(index, name, query, doc_id) for name in names}
        fallback = {}
        if settings.keywords == "fallback":
            fallback[KEYWORD] = _run_strategy(index, KEYWORD, query, doc_id)
        dense_terms: Mapping[str, AnyFloatArray] = {}
        dense = index.strategies.get(DENSE)
        if DENSE in names and isinstance(dense, Dense):
            dense_terms = dense.terms(game.hint, [RULE], doc_id)

        rank_input = index.rank_input(query, book, settings)
        prepared.append(
            PreparedGame(
                rank_input=replace(rank_input, scores=scores, fallback=fallback),
                dense_terms=dense_terms,
                truth=rows_by_id[paragraph.paragraph_id] if paragraph else -1,
                is_answerable=game.answerable,
            )
        )
    return Prepared(index.calibration.dense, prepared)


def _run_strategy(
    index: SearchIndex, name: str, query: Query, doc_id: str
) -> ScoreArrays:
    """Run one strategy for one hint, as a search does.

    Raises:
        TuneError: the strategy failed.
    """
    strategy = index.strategies[name]
    remedy = "Correct it, or tune without it."
    with failing_as(TuneError, f"strategy {name}", remedy):
        strategy.load()
        strategy.prepare(query)
        return index.run_strategy(name, query, doc_id=doc_id)


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Results of a search of games.

    Attributes:
        ranks: (n_games,) rank of the labelled paragraph from 1; 0 if it is not a hit.
        relevant: (n_games,) whether a hit is relevant.
        is_answerable: (n_games,) whether the label names a paragraph.
    """

    ranks: IntArray
    relevant: BoolArray
    is_answerable: BoolArray

    @property
    def measures(self) -> dict[str, Float64Array]:
        """(n_answerable,) values of each measure by name."""
        ranks = self.ranks[self.is_answerable]
        # none of these measures depends on hits below the labelled paragraph
        measures = {}
        for name, measure in TUNING_MEASURES.items():
            measures[name] = values_of_ranks(measure, ranks, ranks)
        return measures

    @property
    def objective_terms(self) -> dict[str, float]:
        """Means of the measures, which include the terms of the objective.

        `balanced_accuracy` is the mean of two shares: of answerable games with a relevant hit, and of other games
        without one. It is absent if all games are answerable, since the first share alone would reward a search that
        always answers.

        Reference:
            Brodersen et al., The Balanced Accuracy and Its Posterior Distribution, 2010.
        """
        means = {"Success@k": float((self.ranks[self.is_answerable] > 0).mean())}
        for name, values in self.measures.items():
            means[name] = float(values.mean())
        if not self.is_answerable.all():
            accuracy = balanced_accuracy_score(self.is_answerable, self.relevant)
            means["balanced_accuracy"] = float(accuracy)
        return means

    @property
    def objective(self) -> float:
        """The number that a study maximises."""
        terms = self.objective_terms
        return (
            terms["RR"]
            + SUCCESS_WEIGHT * terms["Success@k"]
            + ABSTENTION_WEIGHT * terms.get("balanced_accuracy", 0.0)
        )

    def as_json(self, seed: int) -> Json:
        """Return the objective, the measures and their 95% intervals."""
        terms = self.objective_terms
        accuracy = terms.get("balanced_accuracy")
        measures, intervals = {}, {}
        for name, values in self.measures.items():
            measures[name] = round(terms[name], 6)
            intervals[name] = round_ends(interval(values, seed))
        return {
            "games": len(self.ranks),
            "unanswerable": int((~self.is_answerable).sum()),
            "objective": round(self.objective, 6),
            "balanced_accuracy": None if accuracy is None else round(accuracy, 6),
            "measures": measures,
            "intervals": intervals,
        }


def evaluate_settings(prepared: Prepared, settings: SearchSettings) -> Evaluation:
    """Search all games with some settings, and return the results."""
    is_answerable = np.array([game.is_answerable for game in prepared.games])
    return Evaluation(*search_all(prepared, settings), is_answerable)
