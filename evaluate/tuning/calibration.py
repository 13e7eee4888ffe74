"""Fit the numbers that search uses (player/search/calibration.json) on labelled games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.ingest.arrays import AnyFloatArray, Float64Array, IntArray
from quarry.ingest.embed import Embedder
from quarry.ingest.embed.relevance import N_TOP
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.store import Course
from quarry.player.search.build import build_dense
from quarry.player.search.calibration import Calibration, DenseCalibration, WordsCalibration
from quarry.player.search.late_interaction import WordByWord

LEAST_DOCUMENTS = 2
SIMILARITY = "similarity"
"""Name of the similarity among the scores of a paragraph."""
RULED_OUT = -0.5
"""A paragraph with log-odds of the rule below this is no alternative."""
WORD_SCORES = ("words", "hub")
"""Scores of a model that compares word by word; each is named with the SPEC of the model."""


def calibrate(
    store: Course,
    embedder: Embedder,
    scorers: Sequence[WordByWord],
    games: Sequence[LabelledGame],
    located: Mapping[str, Paragraph | None],
    negatives: Sequence[str],
    search: SearchSettings,
    before: Calibration,
) -> Calibration:
    """Fit the numbers for the embedder of a store, without models that compare word by word and with them.

    Keywords and the resolution of names count as much as before. In fusion the new similarities weigh as much next to
    keywords as the old ones did.

    Args:
        scorers: the models that compare word by word in the store.
        games: under the rule: hints that share no word with their paragraph.
        located: the passage of each answerable game, as `locate_games` returns it.
        negatives: hints that the store holds nothing about.
        search: how similarities are mixed.
        before: the current numbers; those of keywords and names stay, apart from the cosine of unrelated names.

    Raises:
        GamesError: too little to fit on.
    """
    if not negatives:
        raise GamesError("--games must hold unanswerable games if they are about the bundled lectures, none is")
    found = [(game, paragraph) for game in games if (paragraph := located.get(game.game_id))]
    documents = {paragraph.doc_id for _, paragraph in found}
    if len({paragraph.doc_id for paragraph in store.paragraphs}) < LEAST_DOCUMENTS or not documents:
        raise GamesError(
            f"--games must be about a store of at least {LEAST_DOCUMENTS} documents, since each is left out in turn, "
            f"got {len(documents)} with games; add lectures and games"
        )

    def fused(dense: DenseCalibration) -> dict[str, float]:
        # a dense score is a similarity, but in log-odds if models compare word by word
        unit = 1.0 if dense.parts else dense.nats
        return {**before.fused, "dense": rounded(before.fused["dense"] * unit / before.dense.nats)}

    alone, *together = _fit_dense(store, embedder, scorers, found, negatives, search, before)
    specs = [scorer.spec for scorer in scorers]
    words = {"+".join(specs[:n]): WordsCalibration(dense, fused(dense)) for n, dense in enumerate(together, 1)}
    references = replace(before.references, unrelated=_unrelated_cosine(store))
    return replace(before, dense=alone, fused=fused(alone), references=references, words=words)


def _fit_dense(
    store: Course,
    embedder: Embedder,
    scorers: Sequence[WordByWord],
    found: Sequence[tuple[LabelledGame, Paragraph]],
    negatives: Sequence[str],
    search: SearchSettings,
    before: Calibration,
) -> list[DenseCalibration]:
    """Fit dense search: without models that compare word by word, with the first of them, with the first two.

    Hints from elsewhere are negatives, and so are the games' own hints with their documents left out.
    """
    dense = build_dense(store, search, embedder, before)
    documents = np.array([paragraph.doc_id for paragraph in store.paragraphs])
    row_of = {paragraph.paragraph_id: row for row, paragraph in enumerate(store.paragraphs)}
    by_game: list[dict[str, AnyFloatArray]] = []  # (n_alternatives,) each score of a game's alternatives
    chosen, held, left_out = [], [], []
    for game, paragraph in found:
        row, cosines = row_of[paragraph.paragraph_id], dense.cosines(game.hint)
        held.append(_summary(cosines))
        left_out.append(_summary(cosines[documents != documents[row]]))
        # the rule's evidence is in log-odds already, so that only the slopes of the others are fitted
        alternatives = np.flatnonzero(dense.evidence(game.hint) > RULED_OUT)
        if row in alternatives:
            parts = {name: scores for scorer in scorers for name, scores in scorer.parts(game.hint).items()}
            parts[SIMILARITY] = dense.similarities(game.hint)
            by_game.append({name: scores[alternatives] for name, scores in parts.items()})
            chosen.append(np.flatnonzero(alternatives == row))
    if not chosen:
        raise GamesError(
            "--games must hold a hint that shares no word with its paragraph, none does; "
            "see python -m evaluate games check"
        )
    elsewhere = [_summary(dense.cosines(hint)) for hint in negatives]
    (best, top), bias = fit_relevance(np.array(held), np.array(elsewhere), np.array(left_out))
    fitted = []
    for n_models in range(len(scorers) + 1):
        names = [f"{score}.{scorer.spec}" for scorer in scorers[:n_models] for score in WORD_SCORES]
        parts_slopes = _fit_slopes([SIMILARITY, *names], by_game, chosen)
        nats = parts_slopes.pop(SIMILARITY)
        fitted.append(DenseCalibration(nats, rounded(bias), rounded(best), rounded(top), parts_slopes))
    return fitted


def _fit_slopes(
    names: Sequence[str], games: Sequence[Mapping[str, AnyFloatArray]], chosen: Sequence[IntArray]
) -> dict[str, float]:
    """Fit log-odds per unit of each score.

    Args:
        games: by game, scores of its alternatives by name.
        chosen: by game, (1,) row of the right alternative.
    """
    features = [np.column_stack([scores[name] for name in names]).astype(np.float64) for scores in games]
    slopes = fit_choices(features, chosen)
    return {name: rounded(slope) for name, slope in zip(names, slopes.tolist(), strict=True)}


def _summary(cosines: AnyFloatArray) -> tuple[float, float]:
    """Return the highest cosine and the mean of the highest few."""
    best = np.sort(cosines)[::-1][:N_TOP]
    return float(best[0]), float(best.mean())


def _unrelated_cosine(store: Course) -> float:
    """Return the mean cosine of names of different documents."""
    documents = np.array([doc_id for doc_id, _ in store.aliases])
    cosines = store.alias_vectors @ store.alias_vectors.T
    return rounded(float(cosines[documents[:, None] != documents[None, :]].mean()))


def fit_choices(
    features: Sequence[Float64Array],
    chosen: Sequence[IntArray],
    weights: Float64Array | float = 1.0,
    l2: Float64Array | float = 0.0,
) -> Float64Array:
    """Fit the weights of the features of alternatives by maximum likelihood: a conditional logit.

    Args:
        features: by choice, (n_alternatives, n_features).
        chosen: by choice, rows of the right alternatives.
        weights: (n_choices,) weight of each choice, or one for all.
        l2: (n_features,) penalty on each squared weight, or one for all.

    Reference:
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp, softmax

    counts = np.broadcast_to(weights, len(features))

    def loss(slopes: Float64Array) -> tuple[float, Float64Array]:
        total, gradient = float((l2 * slopes**2).sum()), 2.0 * l2 * slopes
        for table, rows, count in zip(features, chosen, counts, strict=True):
            utilities = table @ slopes
            total += count * float(logsumexp(utilities) - logsumexp(utilities[rows]))
            shares = softmax(utilities)
            shares[rows] -= softmax(utilities[rows])
            gradient = gradient + count * (shares @ table)
        return total, gradient

    found: Float64Array = minimize(loss, np.zeros(features[0].shape[1]), jac=True, method="L-BFGS-B").x
    return found


def fit_relevance(positives: Float64Array, *negatives: Float64Array) -> tuple[Float64Array, float]:
    """Fit slopes and bias of the log-odds that something is answerable, at even odds.

    Each set of negatives weighs alike.

    Args:
        positives: (n, n_features).
        negatives: each (n, n_features).
    """
    from sklearn.linear_model import LogisticRegression

    features = np.vstack([positives, *negatives])
    labels = np.repeat([1, 0], [len(positives), len(features) - len(positives)])
    shares = [np.full(len(positives), 1.0 / len(positives))]
    shares += [np.full(len(rows), 1.0 / len(rows) / len(negatives)) for rows in negatives]
    weights = np.concatenate(shares) * len(positives)
    centre, spread = features.mean(axis=0), features.std(axis=0)
    fitted = LogisticRegression().fit((features - centre) / spread, labels, sample_weight=weights)
    slopes = fitted.coef_[0] / spread
    return slopes, float(fitted.intercept_[0] - slopes @ centre)


def rounded(value: float) -> float:
    """Round to four significant digits: some hundred games do not determine more."""
    return float(f"{value:.4g}")
