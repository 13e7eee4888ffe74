"""Fits the numbers that search uses (player/search/calibration.json) on labelled games."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from operator import attrgetter, itemgetter

import numpy as np
import pandas as pd

from configs.settings import Settings
from evaluate.errors import GamesError
from evaluate.games.labelled import LabelledGame
from evaluate.games.locating import locate_games
from player.search.cache import CachingEmbedder
from player.search.calibration import (
    HUBNESS,
    PARAGRAPH,
    TOKENS,
    Calibration,
    DenseCalibration,
    LateCalibration,
    course_calibration,
)
from player.search.late_interaction import late_interaction_of
from player.search.results import DENSE
from player.search.stores import store_embedder
from player.search.strategies.dense import Dense
from player.search.strategies.strategy import StrategyInputs
from quarry.arrays import Float64Array, IntArray
from quarry.course.paragraph import Paragraph
from quarry.course.text import one_line
from quarry.embed.hint_bank import Hints, load_hints
from quarry.store import Course

MIN_DOCUMENTS = 2
"""Minimum number of documents, since each is left out in turn."""
N_NEGATIVES = 600
"""Maximum number of bundled hints that are taken as negatives."""
RULED_OUT = -0.5
"""Minimum log-odds of the rule at which a paragraph is an alternative."""
HARD_SHARE = 0.1
"""Share of the hard negatives, hints without their document, in the weight of all negatives."""
N_ROUNDS = 5
"""Number of times that the slopes of relevance are fitted."""
MIN_SPREAD = 1e-9
"""Number that is added to standard deviations, which may be 0."""


def calibrate(
    course: Course, settings: Settings, games: Sequence[LabelledGame]
) -> Calibration:
    """Fit the numbers for the embedder of a store, with and without late interaction.

    The numbers of keywords and of the resolution of names stay, except for the cosine of unrelated names. In fusion,
    the new similarities have the same weight next to keywords as before. Negatives are the hints of unanswerable games,
    and bundled hints if the store does not hold the bundled lectures.

    Args:
        course: the course of the store.
        settings: the settings.
        games: games that keep the rule: their hints share no word with their paragraph.

    Raises:
        GamesError: there are too few games, documents or negatives.
    """
    located = locate_games(games, course.paragraphs)
    pairs = []
    doc_id_by_hint: dict[str, str] = {}
    for game in games:
        doc_id_by_hint[one_line(game.hint)] = ""
        if paragraph := located.get(game.game_id):
            doc_id_by_hint[one_line(game.hint)] = paragraph.doc_id
            pairs.append((game.hint, paragraph))

    negatives = [game.hint for game in games if not game.answerable]
    hints = load_hints()
    if hints.source_doc_ids.isdisjoint(map(attrgetter("doc_id"), course.documents)):
        negatives += [*hints.doc_id_by_hint][:N_NEGATIVES]
    else:
        # the hints of the games, each with its document, so that nearness reveals no answer
        hints = Hints(doc_id_by_hint)
    if not negatives:
        raise GamesError(
            "--games is about the bundled lectures and has no unanswerable game; add some"
        )

    n_documents = len({*map(attrgetter("doc_id"), course.paragraphs)})
    if n_documents < MIN_DOCUMENTS or not pairs:
        raise GamesError(
            f"The store has {n_documents} documents and --games {len(pairs)} games about them; at least "
            f"{MIN_DOCUMENTS} documents are needed, since each is left out in turn; add lectures and games"
        )

    before = course_calibration(course)
    dense = _dense_of(course, settings, hints)
    alone, with_tokens = _fit_dense(course, dense, pairs, negatives)

    def fused(unit: float) -> dict[str, float]:
        weight = before.fused[DENSE] * unit / before.dense.log_odds_per_similarity
        return {**before.fused, DENSE: round_significant(weight)}

    with_late = None
    if with_tokens is not None:  # its score is in log-odds, and no similarity
        with_late = LateCalibration(with_tokens, fused(1.0))

    # the mean cosine of names of different documents
    names = np.array([*map(itemgetter(0), course.aliases)])
    cosines = course.alias_vectors @ course.alias_vectors.T
    unrelated = float(cosines[names[:, None] != names].mean())
    books = replace(before.books, unrelated=round_significant(unrelated))
    return replace(
        before,
        dense=alone,
        fused=fused(alone.log_odds_per_similarity),
        books=books,
        late_interaction=with_late,
    )


def _dense_of(course: Course, settings: Settings, hints: Hints) -> Dense:
    """Load dense search with the present calibration; `hints` replace the bundled bank."""
    embedder = CachingEmbedder(store_embedder(course, settings))
    late = late_interaction_of(course, settings, embedder, hints)
    calibration = course_calibration(course)
    inputs = StrategyInputs(settings.search, calibration, embedder, late)
    return Dense(course, inputs)


def _fit_dense(
    course: Course,
    dense: Dense,
    pairs: Sequence[tuple[str, Paragraph]],
    negatives: Sequence[str],
) -> tuple[DenseCalibration, DenseCalibration | None]:
    """Fit dense search without late interaction, and with it; None if it has none."""
    documents = np.array([paragraph.doc_id for paragraph in course.paragraphs])
    ids = [paragraph.paragraph_id for paragraph in course.paragraphs]
    positives, elsewhere = [], []
    by_game, right_rows = [], []
    for hint, paragraph in pairs:
        row = ids.index(paragraph.paragraph_id)
        terms = pd.DataFrame(dense.terms(hint))
        positives.append(terms)
        elsewhere.append(terms[documents != documents[row]])
        # the rule's evidence is in log-odds already, so that only the slopes of the others are fitted
        alternatives = np.flatnonzero(dense.rule.log_odds(hint) > RULED_OUT)
        if row in alternatives:
            by_game.append(terms.iloc[alternatives])
            right_rows.append(np.flatnonzero(alternatives == row))
    if not right_rows:
        raise GamesError(
            "--games has no hint that shares no word with its paragraph; "
            "see quarry games check"
        )

    unrelated = [pd.DataFrame(dense.terms(hint)) for hint in negatives]

    def fit(late_scores: list[str]) -> DenseCalibration:
        with_slope = [PARAGRAPH, *late_scores]
        features = _tables(by_game, with_slope)
        slope_values = map(
            round_significant, fit_choices(features, right_rows).tolist()
        )
        slopes = dict(zip(with_slope, slope_values, strict=True))
        with_relevance = [PARAGRAPH, *late_scores[:1]]
        relevance = fit_relevance(with_relevance, positives, unrelated, elsewhere)
        return DenseCalibration(slopes.pop(PARAGRAPH), *relevance, slopes)

    late = fit([TOKENS, HUBNESS]) if TOKENS in positives[0] else None
    return fit([]), late


def _tables(hints: Iterable[pd.DataFrame], names: Sequence[str]) -> list[Float64Array]:
    """Return (n_paragraphs, n_names) scores for each hint."""
    return [scores[[*names]].to_numpy(np.float64) for scores in hints]


def fit_choices(
    features: Sequence[Float64Array],
    right_rows: Sequence[IntArray],
    weights: Float64Array | float = 1.0,
    l2: Float64Array | float = 0.0,
) -> Float64Array:
    """Fit the weights of the features of alternatives by maximum likelihood: a conditional logit.

    Args:
        features: by choice, (n_alternatives, n_features).
        right_rows: by choice, rows of the right alternatives.
        weights: (n_choices,) weight of each choice, or one for all.
        l2: (n_features,) penalty on each squared weight, or one for all.

    Reference:
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """
    from scipy.optimize import minimize
    from scipy.special import softmax

    counts = np.broadcast_to(weights, len(features))

    def loss(slopes: Float64Array) -> tuple[float, Float64Array]:
        total, gradient = float((l2 * slopes**2).sum()), 2.0 * l2 * slopes
        for table, rows, count in zip(features, right_rows, counts, strict=True):
            utilities = table @ slopes
            likelihood = np.logaddexp.reduce(utilities[rows])
            total += count * float(np.logaddexp.reduce(utilities) - likelihood)
            shares = softmax(utilities)
            shares[rows] -= softmax(utilities[rows])
            gradient = gradient + count * (shares @ table)
        return total, gradient

    start = np.zeros(features[0].shape[1])
    return np.asarray(minimize(loss, start, jac=True, method="L-BFGS-B").x)


def fit_relevance(
    names: Sequence[str],
    positives: Sequence[pd.DataFrame],
    unrelated: Sequence[pd.DataFrame],
    elsewhere: Sequence[pd.DataFrame],
) -> tuple[float, dict[str, float], float]:
    """Fit the log-odds that a paragraph answers a hint, on the most relevant paragraph of each hint.

    Positives and negatives have the same total weight. The most relevant paragraph depends on the slopes, so they are
    fitted N_ROUNDS times.

    Args:
        names: names of the scores with a slope.
        positives: for each hint about the course, (n_paragraphs,) scores by name.
        unrelated: the same for hints about other things.
        elsewhere: the same for hints about the course, without the paragraphs of their document. These hard negatives
            have HARD_SHARE of the weight of all negatives.

    Returns:
        The bias, the slopes, and the AUROC of the positives against the unrelated hints.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import roc_auc_score

    groups = (positives, unrelated, elsewhere)
    tables = _tables(chain(*groups), names)
    counts = list(map(len, groups))
    shares = np.array([1.0, 1.0 - HARD_SHARE, HARD_SHARE])
    weights = np.repeat(shares * counts[0] / counts, counts)
    labels = np.repeat([1, 0, 0], counts)

    slopes, bias = np.ones(len(names)), 0.0
    tops = np.empty((0, len(names)))
    for _ in range(N_ROUNDS):
        tops = np.array([table[np.argmax(table @ slopes)] for table in tables])
        centre, spread = tops.mean(axis=0), tops.std(axis=0) + MIN_SPREAD
        model = LogisticRegression(C=1.0)
        model.fit((tops - centre) / spread, labels, sample_weight=weights)
        slopes = model.coef_[0] / spread
        bias = float(np.squeeze(model.intercept_) - slopes @ centre)

    n = sum(counts[:2])
    separation = roc_auc_score(labels[:n], (tops @ slopes)[:n])
    relevance = dict(zip(names, map(round_significant, slopes.tolist()), strict=True))
    return round_significant(bias), relevance, round_significant(separation)


def round_significant(value: float) -> float:
    """Round to four significant digits; a few hundred games do not determine more."""
    return float(f"{value:.4g}")
