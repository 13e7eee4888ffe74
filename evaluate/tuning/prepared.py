"""Inputs of a search of labelled games that stay the same in all trials, as arrays; the core does the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from tqdm.auto import tqdm

from quarry.configs.settings import SearchSettings, Settings
from quarry.evaluate.errors import TuneError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.ingest.arrays import AnyFloatArray, BoolArray, Float64Array, IntArray
from quarry.ingest.embed import Embedder
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.store import Course
from quarry.player.search.build import searched_of
from quarry.player.search.calibration import Calibration
from quarry.player.search.core import (
    Columns,
    Named,
    Scored,
    answering,
    book_log_odds,
    can_still_pass,
    combine,
    document_priors,
    name_evidence,
    relative,
    score_step,
    slots_of,
    target_ranks,
    threshold_log_odds,
)
from quarry.player.search.references import confidence_of
from quarry.player.search.strategies.dense import Dense, dense_weights
from quarry.player.search.strategy_scores import marks_of, scored_of
from quarry.player.search.types import Query

NO_COLUMN = -1


@dataclass(frozen=True, slots=True)
class Prepared:
    """Games over a course, ready to be searched again and again.

    Attributes:
        games: as they were given.
        columns: of the course.
        parts: by name, (n_games, n_columns) the scores that dense search adds up, the rule's evidence at weight 1.
        answerable: (n_games,) log-odds that the course holds the paragraph, as dense search sees it.
        others: what every other strategy makes of the games.
        calibration: of the store's embedder.
        of_kind: (n_columns,) log-odds of each passage's kind.
        quality, recency: (n_columns,) log-odds of each paragraph's document at weight 1.
        confidence: (n_games,) of the resolved books; 0 for none.
        inside: (n_games, n_columns) whether a paragraph stands in those books.
        members: (n_games, most paragraphs of a game's books) their columns, ascending, then -1.
        odds: (n_games,) log-odds by which a paragraph of those books is likelier.
        has_name: (n_games,) whether a name was given.
        truth: (n_games,) column of the labelled paragraph; -1 where it is lost at ingest or there is none.
        is_answerable: (n_games,) whether the label says that there is one.
    """

    games: tuple[LabelledGame, ...]
    columns: Columns
    parts: Mapping[str, AnyFloatArray]
    answerable: AnyFloatArray
    others: Mapping[str, Scored]
    calibration: Calibration
    of_kind: AnyFloatArray
    quality: AnyFloatArray
    recency: AnyFloatArray
    confidence: Float64Array
    inside: BoolArray
    members: IntArray
    odds: AnyFloatArray
    has_name: BoolArray
    truth: IntArray
    is_answerable: BoolArray


@dataclass(frozen=True, slots=True)
class Found:
    """What a search of every game finds.

    Attributes:
        ranks: (n_games,) place of the labelled paragraph from 1; 0 where it is no hit.
        relevant: (n_games,) whether a step passed its threshold.
    """

    ranks: IntArray
    relevant: BoolArray


def search_all(prepared: Prepared, settings: SearchSettings) -> Found:
    """What `SearchOrchestrator.search` finds for every game under these settings, rare words in "fallback" aside."""
    batch = _Batch(prepared, settings)
    first = batch.step(batch.names, np.arange(len(prepared.games)))
    steps = [first]
    if settings.cascade:
        passed = first[1] >= threshold_log_odds(settings.threshold)
        asked = can_still_pass(first[1], batch.highest, settings.threshold, settings.lowered_threshold)
        further = [(batch.names, ~passed & (batch.tiers > 0) & asked, True)]
        if settings.keywords == "fallback":
            further.append((("keyword",), ~passed, False))
        for names, wanted, forget in further:
            ranks, best = np.zeros_like(first[0]), np.full(len(first[1]), -np.inf)
            rows = np.flatnonzero(wanted)
            if len(rows):
                ranks[rows], best[rows] = batch.step(names, rows, forget=forget)
            steps.append((ranks, best))
    lowered = settings.lowered_threshold if settings.cascade else settings.threshold
    answer = answering([best for _, best in steps], settings.threshold, lowered)
    ranks = np.stack([ranks for ranks, _ in steps])[np.maximum(answer, 0), np.arange(len(answer))]
    return Found(ranks, answer >= 0)


class _Batch:
    """The games under one set of settings."""

    def __init__(self, prepared: Prepared, settings: SearchSettings) -> None:
        self._prepared = prepared
        self._settings = settings
        self._slots = slots_of(settings)
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
        self._priors = (
            prepared.of_kind + settings.quality_weight * prepared.quality + settings.recency_weight * prepared.recency
        )
        self._dense = _dense(prepared, settings) if "dense" in self.names else None

    @property
    def highest(self) -> AnyFloatArray:
        """(n_games,) the highest log-odds that any strategy gives."""
        highest: AnyFloatArray = np.max([self._scored(name).log_odds.max(axis=1) for name in self.names], axis=0)
        return highest

    def _scored(self, name: str) -> Scored:
        return self._dense if name == "dense" and self._dense is not None else self._prepared.others[name]

    def step(self, names: Sequence[str], rows: IntArray, *, forget: bool = False) -> tuple[IntArray, AnyFloatArray]:
        """The place of the labelled paragraph of some of the games, and the log-odds of their best hit.

        Args:
            forget: as if no book had been named.
        """
        prepared, settings = self._prepared, self._settings
        every = len(rows) == len(prepared.games)
        chosen: IntArray | slice = slice(None) if every else rows
        tiers = np.zeros(len(rows), dtype=np.int64) if forget else self.tiers[chosen]
        found = []
        for name in names:
            scored = self._scored(name)
            found.append(
                scored if every else replace(scored, scores=scored.scores[rows], log_odds=scored.log_odds[rows])
            )
        inside, filters = prepared.inside[chosen], tiers == FILTER
        lift = np.where(tiers > 0, np.float32(settings.boost) * prepared.odds[chosen], np.float32(0.0))
        evidence = np.zeros_like(lift) if forget else self._evidence[chosen]
        named = Named(inside, lift, evidence)
        weights = prepared.calibration.fused.weights
        _, log_odds = score_step(found, named, self._priors, prepared.columns, filters, settings, weights)
        return target_ranks(log_odds, prepared.members[chosen], filters, self._slots, prepared.truth[chosen])


FILTER = 2
"""Tier of a book that filters; 1 is that of one which is boosted."""


def _dense(prepared: Prepared, settings: SearchSettings) -> Scored:
    calibration = prepared.calibration.dense
    rule = settings.rule_weight if settings.keywords == "rule" else 0.0
    weights = dense_weights(calibration.nats, settings.sentence_weight, settings.sentence_mean_weight, rule)
    combined = combine(prepared.parts, weights | calibration.parts)
    log_odds = relative(combined, prepared.answerable)
    # its own scale is asked for by fusion alone
    fused = len(settings.strategies) > 1 or settings.keywords == "fused"
    similarities = fused and not calibration.parts
    return Scored("dense", combined / np.float32(calibration.nats) if similarities else combined, log_odds)


def prepare(
    games: Sequence[LabelledGame],
    located: Mapping[str, Paragraph | None],
    store: Course,
    settings: Settings,
    embedder: Embedder,
    *,
    keywords: bool = False,
    progress: bool = True,
) -> Prepared:
    """The arrays of these games over a store.

    Args:
        located: the ingested paragraph of each answerable game, as `locate_games` gives it.
        settings: whose strategies and modes hold for the whole study; what is tuned is not read.
        embedder: of the store.
        keywords: whether keywords may be asked in some trial.
        progress: a bar on standard error.

    Raises:
        TuneError: the settings search in a way that the arrays do not know.
    """
    require_known(settings.search)
    # every part of the similarity is computed, whatever it weighs now
    whole = replace(settings.search, sentence_weight=0.5, sentence_mean_weight=0.25, rule_weight=1.0)
    searched = searched_of(store, replace(settings, search=whole), embedder)
    columns = searched.columns
    dense = searched.strategies["dense"]
    assert isinstance(dense, Dense)
    names = dict.fromkeys(name for name in settings.search.strategies if name != "dense")
    if keywords or settings.search.keywords in ("fused", "fallback"):
        names["keyword"] = None
    parts: dict[str, list[AnyFloatArray]] = {}
    answerable: list[float] = []
    others: dict[str, list[Scored]] = {name: [] for name in names}
    for game in tqdm(games, desc="preparing", unit="game", disable=not progress):
        query = Query(game.hint, game.book_name, keywords=settings.search.keywords)
        of_hint = dense.parts(game.hint, ALL_PARTS)
        answerable.append(dense.answerable(of_hint))
        for name, scores in of_hint.items():
            parts.setdefault(name, []).append(scores[columns.rows])
        for name in names:
            answer = marks_of(searched, name, query, len(columns.rows))
            others[name].append(scored_of(answer, columns))
    named = [searched.books(game.book_name, settings.search, game.hint) for game in games]
    members = [np.flatnonzero(columns.inside([book.doc_id for book in books])) for books in named]
    n_members = [len(of_book) for of_book in members]
    padded = np.full((len(games), max(n_members, default=0)), NO_COLUMN, dtype=np.int64)
    inside = np.zeros((len(games), len(columns.rows)), dtype=np.bool_)
    for row, of_book in enumerate(members):
        padded[row, : len(of_book)] = of_book
        inside[row, of_book] = True
    confidence = np.array([confidence_of(books) for books in named])
    labelled = [located.get(game.game_id) for game in games]
    column_of = {store.paragraphs[row].paragraph_id: column for column, row in enumerate(columns.rows.tolist())}

    def prior(quality: float, recency: float) -> AnyFloatArray:
        of_document = document_priors(store.documents, quality, recency)
        return np.array([of_document.get(doc_id, 0.0) for doc_id in columns.doc_ids])[columns.document]

    return Prepared(
        games=tuple(games),
        columns=columns,
        parts={name: np.stack(rows) for name, rows in parts.items()},
        answerable=np.array(answerable, dtype=np.float32),
        others={
            name: Scored(
                name, np.concatenate([one.scores for one in rows]), np.concatenate([one.log_odds for one in rows])
            )
            for name, rows in others.items()
        },
        calibration=searched.calibration,
        of_kind=searched.passage_priors[columns.rows],
        quality=prior(1.0, 0.0),
        recency=prior(0.0, 1.0),
        confidence=confidence,
        inside=inside,
        members=padded,
        odds=np.array(
            [
                book_log_odds(float(sure), n, len(columns.rows)) if n else 0.0
                for sure, n in zip(confidence, n_members, strict=True)
            ],
            dtype=np.float32,
        ),
        has_name=np.array([bool(game.book_name.strip()) for game in games]),
        truth=np.array([NO_COLUMN if found is None else column_of[found.paragraph_id] for found in labelled]),
        is_answerable=np.array([game.answerable for game in games]),
    )


ALL_PARTS: Mapping[str, float] = {"paragraph": 1.0, "sentence": 1.0, "mean": 1.0, "rule": 1.0}


def require_known(search: SearchSettings) -> None:
    """Pass if the arrays know how these settings search.

    Raises:
        TuneError: they do not.
    """
    if search.rewrite != "off":
        raise TuneError(
            f"search.rewrite must be off to be tuned, got {search.rewrite}: every trial would embed new hints; "
            "leave it out of --config"
        )
