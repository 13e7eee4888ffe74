"""Arrays that a search of labelled games needs in all trials, their search, and the objective of a study."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray
from tqdm.auto import tqdm

from quarry.configs.executors import Cluster, InProcess, Tasks, made_once, result_of, run_all
from quarry.configs.settings import SearchSettings, Settings
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.replay.replayer import open_same, place_of
from quarry.evaluate.runs.measures import interval
from quarry.ingest.arrays import AnyFloatArray, BoolArray, Float64Array, IntArray
from quarry.ingest.embed import Embedder
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.store import Course
from quarry.player.search.build import searched_of, store_embedder
from quarry.player.search.calibration import Calibration
from quarry.player.search.core import (
    Columns,
    Named,
    Scored,
    answering,
    book_log_odds,
    combine,
    name_evidence,
    relative,
    score_step,
    threshold_log_odds,
)
from quarry.player.search.index import SearchIndex, ask
from quarry.player.search.slots import n_slots, slotted
from quarry.player.search.strategies.dense import Dense, dense_weights
from quarry.player.search.types import Query

NO_COLUMN = -1
"""Column of a labelled paragraph that the course does not hold."""
SUCCESS_WEIGHT = 0.1
ABSTENTION_WEIGHT = 0.1
"""Weights of Success@k and of balanced accuracy (of telling answerable games from others) next to RR."""
OBJECTIVE = f"RR + {SUCCESS_WEIGHT:g} Success@k + {ABSTENTION_WEIGHT:g} balanced_accuracy"
MEASURE = "RR"
"""Measure in which the gain on the test games is tested."""
GAMES_A_TASK = 16
"""Number of games that a worker prepares at a time."""
OF_GAMES = ("games", "answerable", "confidence", "inside", "odds", "has_name", "truth", "is_answerable")
"""Arrays of `Prepared` with an entry for each game."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """Games over a course, ready to be searched again and again.

    Attributes:
        games: (n_games,) in order.
        columns: the columns of the course.
        parts: maps names to (n_games, n_columns) the terms of a dense score, the rule's evidence at weight 1.
        answerable: (n_games,) log-odds that the course holds the paragraph, as dense search sees it.
        others: scores of the other strategies by name.
        calibration: the calibration of the store's embedder.
        of_kind: (n_columns,) log-odds of each passage's kind.
        confidence: (n_games,) of the resolved book; 0 without any.
        inside: (n_games, n_columns) whether a passage is in the resolved book.
        odds: (n_games,) additional log-odds of a passage in the resolved book.
        has_name: (n_games,) whether the game names a book.
        truth: (n_games,) column of the labelled paragraph; -1 without one, or if ingest lost it.
        is_answerable: (n_games,) whether the label names a paragraph.
    """

    games: NDArray[np.object_]
    columns: Columns
    parts: Mapping[str, AnyFloatArray]
    answerable: AnyFloatArray
    others: Mapping[str, Scored]
    calibration: Calibration
    of_kind: AnyFloatArray
    confidence: Float64Array
    inside: BoolArray
    odds: AnyFloatArray
    has_name: BoolArray
    truth: IntArray
    is_answerable: BoolArray

    def part(self, rows: IntArray | slice) -> Prepared:
        """Return some of the games."""
        return _with_arrays(lambda array: array[rows], self)


def _with_arrays(change: Callable[..., Any], *batches: Prepared) -> Prepared:
    """Return games whose arrays are made by `change` from the arrays of batches."""
    first = batches[0]
    return replace(
        first,
        parts={name: change(*(batch.parts[name] for batch in batches)) for name in first.parts},
        others={
            name: Scored(
                name,
                change(*(batch.others[name].scores for batch in batches)),
                change(*(batch.others[name].log_odds for batch in batches)),
            )
            for name in first.others
        },
        **{name: change(*(getattr(batch, name) for batch in batches)) for name in OF_GAMES},
    )


def search_all(prepared: Prepared, settings: SearchSettings) -> tuple[IntArray, BoolArray]:
    """Search every game as `SearchOrchestrator.search` does, but without the slots of rare words in "fallback".

    Returns:
        (n_games,) rank of the labelled paragraph from 1, 0 where it is no hit; (n_games,) whether a step passed its
        threshold.
    """
    batch = _Batch(prepared, settings)
    first = batch.step(batch.names)
    steps = [first]
    if settings.cascade and settings.keywords == "fallback":
        ranks, best = np.zeros_like(first[0]), np.full(len(first[1]), -np.inf)
        rows = np.flatnonzero(first[1] < threshold_log_odds(settings.threshold))
        if len(rows):
            ranks[rows], best[rows] = _Batch(prepared.part(rows), settings).step(("keyword",))
        steps.append((ranks, best))
    lowered = settings.lowered_threshold if settings.cascade else settings.threshold
    answer = answering([best for _, best in steps], settings.threshold, lowered)
    ranks = np.stack([ranks for ranks, _ in steps])[np.maximum(answer, 0), np.arange(len(answer))]
    return ranks, answer >= 0


class _Batch:
    """The games under one set of settings."""

    def __init__(self, prepared: Prepared, settings: SearchSettings) -> None:
        self._prepared = prepared
        self._settings = settings
        self._k = n_slots(settings)
        names = settings.strategies
        self.names = (*names, "keyword") if settings.keywords == "fused" and "keyword" not in names else names
        tiers = np.digitize(prepared.confidence, [settings.boost_confidence, settings.filter_confidence])
        self.tiers = np.where(prepared.confidence > 0.0, tiers, 0)
        calibration = prepared.calibration
        evidence: AnyFloatArray = np.zeros(len(prepared.games))
        if settings.book_match == "resolved":
            evidence = name_evidence(
                prepared.confidence, self.tiers > 0, prepared.has_name, calibration.named, calibration.unnamed
            )
        self._evidence = evidence.astype(np.float32)
        self._priors = settings.kind_weight * prepared.of_kind
        self._dense = _dense(prepared, settings) if "dense" in self.names else None

    def step(self, names: Sequence[str]) -> tuple[IntArray, AnyFloatArray]:
        """Return the rank of each game's labelled paragraph, 0 where it is no hit, and the log-odds of the best hit."""
        prepared, settings = self._prepared, self._settings
        dense = {} if self._dense is None else {"dense": self._dense}
        found = [{**prepared.others, **dense}[name] for name in names]
        filters = self.tiers == FILTER
        lift = np.where(self.tiers > 0, np.float32(settings.boost) * prepared.odds, np.float32(0.0))
        named = Named(prepared.inside, lift, self._evidence)
        weights = prepared.calibration.fused
        _, log_odds = score_step(found, named, self._priors, prepared.columns, filters, settings, weights)
        ranks, best = np.zeros(len(filters), dtype=np.int64), np.full(len(filters), -np.inf)
        for number, truth in enumerate(prepared.truth.tolist()):
            book = prepared.inside[number] if filters[number] else None
            returned, _ = slotted(log_odds[number], book, settings, self._k, float(lift[number]))
            places = np.flatnonzero(returned == truth)
            ranks[number] = places[0] + 1 if len(places) else 0
            best[number] = log_odds[number, returned].max(initial=-np.inf)
        return ranks, best


FILTER = 2
"""Tier of a book that filters; tier 1 boosts."""


def _dense(prepared: Prepared, settings: SearchSettings) -> Scored:
    calibration = prepared.calibration.dense
    rule = settings.rule_weight if settings.keywords == "rule" else 0.0
    weights = dense_weights(calibration.nats, settings.sentence_weight, settings.sentence_mean_weight, rule)
    combined = combine(prepared.parts, weights | calibration.parts)
    log_odds = relative(combined, prepared.answerable)
    # only fusion needs the similarities themselves
    fused = len(settings.strategies) > 1 or settings.keywords == "fused"
    similarities = fused and not calibration.parts
    return Scored("dense", combined / np.float32(calibration.nats) if similarities else combined, log_odds)


def prepare(
    games: Sequence[LabelledGame],
    located: Mapping[str, Paragraph | None],
    store: Course,
    settings: Settings,
    embedder: Embedder | None = None,
    *,
    executor: Tasks | None = None,
    progress: bool = True,
) -> Prepared:
    """Compute the arrays of games over a store.

    Args:
        located: the ingested paragraph of each answerable game, as `locate_games` gives it.
        settings: strategies and modes of the whole study; tuned settings are not read.
        embedder: the embedder of the store, if this process does the work; None loads it.
        executor: does the work; None is this process.
        progress: True for a bar on standard error.

    Raises:
        WorkerError: a worker cannot do the work, or has another store.
    """
    # every term of the similarity is computed, also those with weight 0 in these settings; kinds have weight 1
    search = replace(settings.search, sentence_weight=0.5, sentence_mean_weight=0.25, rule_weight=1.0)
    whole = replace(settings, search=replace(search, kind_weight=1.0))
    if executor is None or isinstance(executor, InProcess):
        executor = InProcess()
        embedder = embedder or store_embedder(store, whole)
        work = functools.partial(prepare_batch, searched_of(store, whole, embedder), settings.search)
    else:
        whole = replace(whole, embed=replace(settings.embed, threads=1))
        on_worker = uuid4().hex, functools.partial(_index_on_worker, place_of(store), whole)
        if isinstance(executor, Cluster):
            executor.check(made_once, *on_worker)
        work = functools.partial(_prepare_on_worker, *on_worker, settings.search)
    batches = [games[start : start + GAMES_A_TASK] for start in range(0, len(games), GAMES_A_TASK)]
    found: dict[int, Prepared] = {}

    def submit(number: int) -> Future[Prepared]:
        return executor.submit(work, batches[number], [located.get(game.game_id) for game in batches[number]])

    with tqdm(total=len(games), desc="preparing", unit="game", disable=not progress) as bar:
        for number, future in run_all(executor, submit, range(len(batches))):
            found[number] = result_of(future)
            bar.update(len(batches[number]))
    return _with_arrays(lambda *arrays: np.concatenate(arrays), *(found[number] for number in range(len(batches))))


def _prepare_on_worker(key: str, make: Callable[[], SearchIndex], *work: Any) -> Prepared:
    """Compute the arrays of games in another process, which makes its index once."""
    return prepare_batch(made_once(key, make), *work)


def _index_on_worker(place: tuple[str, str, str], settings: Settings) -> SearchIndex:
    """Make the index of a store that another process has opened."""
    store = open_same(*place)
    return searched_of(store, settings, store_embedder(store, settings))


def prepare_batch(
    index: SearchIndex, search: SearchSettings, games: Sequence[LabelledGame], labelled: Sequence[Paragraph | None]
) -> Prepared:
    """Compute the arrays of some games.

    Args:
        index: the course, with every term of the similarity, and with kinds of weight 1.
        search: strategies and modes of the whole study.
        labelled: the ingested paragraph of each game; None without one.
    """
    columns, dense = index.columns, index.strategies["dense"]
    assert isinstance(dense, Dense)
    names = dict.fromkeys(name for name in search.strategies if name != "dense")
    if search.keywords in ("fused", "fallback"):
        names["keyword"] = None
    parts: dict[str, list[AnyFloatArray]] = {}
    answerable: list[float] = []
    others: dict[str, list[Scored]] = {name: [] for name in names}
    for game in games:
        query = Query(game.hint, game.book_name, len(columns.rows), search.keywords)
        of_hint = dense.parts(game.hint, ALL_PARTS)
        answerable.append(dense.answerable(of_hint))
        for name, scores in of_hint.items():
            parts.setdefault(name, []).append(scores[columns.rows])
        for name in names:
            others[name].append(ask(index, name, query))
    named = [index.book(game.book_name, search, game.hint) for game in games]
    inside = np.stack([columns.inside(book.doc_id if book else "") for book in named])
    n_members = inside.sum(axis=1)
    confidence = np.array([book.confidence if book else 0.0 for book in named])
    column_of = {index.paragraphs[row].paragraph_id: column for column, row in enumerate(columns.rows.tolist())}
    return Prepared(
        games=np.array(games, dtype=object),
        columns=columns,
        parts={name: np.stack(rows) for name, rows in parts.items()},
        answerable=np.array(answerable, dtype=np.float32),
        others={
            name: Scored(
                name, np.concatenate([one.scores for one in rows]), np.concatenate([one.log_odds for one in rows])
            )
            for name, rows in others.items()
        },
        calibration=index.calibration,
        of_kind=np.zeros(len(columns.rows)) if index.kind_priors is None else index.kind_priors,
        confidence=confidence,
        inside=inside,
        odds=np.array(
            [
                book_log_odds(sure, n, len(columns.rows)) if n else 0.0
                for sure, n in zip(confidence.tolist(), n_members.tolist(), strict=True)
            ],
            dtype=np.float32,
        ),
        has_name=np.array([bool(game.book_name.strip()) for game in games]),
        truth=np.array([NO_COLUMN if found is None else column_of[found.paragraph_id] for found in labelled]),
        is_answerable=np.array([game.answerable for game in games]),
    )


ALL_PARTS: Mapping[str, float] = {"paragraph": 1.0, "sentence": 1.0, "mean": 1.0, "rule": 1.0}


@dataclass(frozen=True, slots=True)
class Judged:
    """Results of a search of games.

    Attributes:
        ranks: (n_games,) rank of the labelled paragraph from 1, 0 where it is no hit.
        relevant: (n_games,) whether the search says that it found something.
        is_answerable: (n_games,) whether the label names a paragraph.
    """

    ranks: IntArray
    relevant: BoolArray
    is_answerable: BoolArray

    def joined(self, more: Judged) -> Judged:
        """Return these games and more of them as one result."""
        mine, theirs = ((one.ranks, one.relevant, one.is_answerable) for one in (self, more))
        return Judged(*(np.concatenate(pair) for pair in zip(mine, theirs, strict=True)))

    @property
    def measures(self) -> dict[str, Float64Array]:
        """(n_answerable,) values of each measure by name."""
        ranks = self.ranks[self.is_answerable]
        found = ranks > 0
        return {
            "RR": np.where(found, 1.0 / np.maximum(ranks, 1), 0.0),
            **{f"Success@{k}": (found & (ranks <= k)).astype(np.float64) for k in (1, 5, 20)},
        }

    @property
    def balanced_accuracy(self) -> float | None:
        """Mean of the shares of answerable games answered and of others declined; None if all games are answerable.

        Reference:
            Brodersen et al., The Balanced Accuracy and Its Posterior Distribution, 2010.
        """
        if self.is_answerable.all():
            return None  # the share of answered games alone would reward a search that always answers
        answered = float(self.relevant[self.is_answerable].mean())
        return 0.5 * (answered + float((~self.relevant[~self.is_answerable]).mean()))

    @property
    def parts(self) -> dict[str, float]:
        """Means of the measures and the terms of the objective; without balanced_accuracy if it is None."""
        means = {name: float(values.mean()) for name, values in self.measures.items()}
        means["Success@k"] = float((self.ranks[self.is_answerable] > 0).mean())
        accuracy = self.balanced_accuracy
        return means if accuracy is None else {**means, "balanced_accuracy": accuracy}

    @property
    def objective(self) -> float:
        """The number that a study maximises."""
        parts = self.parts
        accuracy = parts.get("balanced_accuracy", 0.0)
        return parts["RR"] + SUCCESS_WEIGHT * parts["Success@k"] + ABSTENTION_WEIGHT * accuracy

    def as_json(self, seed: int) -> dict[str, Any]:
        """Return the objective, the measures and their 95% intervals."""
        values = self.measures
        return {
            "games": len(self.ranks),
            "unanswerable": int((~self.is_answerable).sum()),
            "objective": round(self.objective, 6),
            "balanced_accuracy": None if self.balanced_accuracy is None else round(self.balanced_accuracy, 6),
            "measures": {name: round(float(value.mean()), 6) for name, value in values.items()},
            "intervals": {name: [round(end, 6) for end in interval(value, seed)] for name, value in values.items()},
        }


def judge(prepared: Prepared, settings: SearchSettings) -> Judged:
    """Search all games with these settings and return the results."""
    return Judged(*search_all(prepared, settings), prepared.is_answerable)
