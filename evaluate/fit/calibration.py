"""Fitting the plain numbers that search uses (player/search/calibration.json) on labelled games."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.locating import locate_games
from quarry.ingest.arrays import AnyFloatArray, Float64Array, RowArray
from quarry.ingest.embedders import Embedder
from quarry.ingest.hints import Hints, as_asked, hints_of
from quarry.ingest.store import Course
from quarry.player.search.build import build_dense, build_references
from quarry.player.search.calibration import (
    N_TOP,
    Calibration,
    DenseCalibration,
    FusedCalibration,
    KeywordCalibration,
    ReferenceCalibration,
    WordsCalibration,
)
from quarry.player.search.references import MEANING, References
from quarry.player.search.strategies.keyword import Keyword
from quarry.player.search.types import Query
from quarry.player.search.words import WordByWord

L2 = 0.3
"""Strength of the pull of reference weights towards 0, in nats per squared unit."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One observed choice among alternatives, for a conditional logit.

    Attributes:
        features: (n_alternatives, n_features).
        chosen: row of the right alternative, None where it is none of them.
    """

    features: Float64Array
    chosen: int | None


def fit_choices(choices: Sequence[Choice], *, with_none: bool, l2: float = 0.0) -> tuple[Float64Array, float]:
    """Weights of the features, and the utility of "none of these", by maximum likelihood.

    Args:
        choices: all with as many features.
        with_none: whether "none of these" may be chosen; its utility is 0 otherwise.
        l2: penalty on the squared weights.

    Reference:
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """
    from scipy.optimize import minimize

    n_features = choices[0].features.shape[1]

    def loss(parameters: Float64Array) -> tuple[float, Float64Array]:
        weights, none = parameters[:-1], parameters[-1]
        total, gradient = l2 * float(weights @ weights), np.append(2.0 * l2 * weights, 0.0)
        for choice in choices:
            utilities = choice.features @ weights
            if with_none:
                utilities = np.append(utilities, none)
            shares = np.exp(utilities - utilities.max())
            shares /= shares.sum()
            row = len(choice.features) if choice.chosen is None else choice.chosen
            total -= float(np.log(max(shares[row], 1e-300)))
            gradient[:-1] += shares[: len(choice.features)] @ choice.features
            if choice.chosen is not None:
                gradient[:-1] -= choice.features[choice.chosen]
            if with_none:
                gradient[-1] += shares[-1] - (choice.chosen is None)
        return total, gradient

    found = minimize(loss, np.zeros(n_features + 1), jac=True, method="L-BFGS-B")
    return found.x[:-1], float(found.x[-1])


def fit_relevance(positives: Float64Array, *negatives: Float64Array) -> tuple[Float64Array, float]:
    """Slopes and bias of the log-odds that something is answerable, at even odds; each set of negatives weighs alike.

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


@dataclass(frozen=True, slots=True)
class LabelledCourse:
    """A store with labelled games about it.

    Attributes:
        games: answerable and not.
        rows: row in the store's paragraphs of each game's, None where it is not there.
        scorers: what compares word by word in the store.
        hubs: whether a paragraph's nearness to hints in general is weighed.
    """

    store: Course
    embedder: Embedder
    games: Sequence[LabelledGame]
    rows: Sequence[int | None]
    scorers: Sequence[WordByWord] = ()
    hubs: bool = True

    @property
    def found(self) -> Iterator[tuple[LabelledGame, int]]:
        """The games whose paragraph the store holds, with its row."""
        return ((game, row) for game, row in zip(self.games, self.rows, strict=True) if row is not None)


def labelled_course(store: Course, embedder: Embedder, games: Sequence[LabelledGame]) -> LabelledCourse:
    """The store with its games located."""
    row_of = {paragraph.paragraph_id: row for row, paragraph in enumerate(store.paragraphs)}
    located = locate_games(games, store.paragraphs)
    found = [located.get(game.game_id) for game in games]
    return LabelledCourse(store, embedder, games, [row_of[item.paragraph_id] if item else None for item in found])


def hints_about(course: LabelledCourse, others: Hints) -> Hints:
    """A bank for fitting on a course: its own hints, each known to be for its document, where they are most of it.

    A paragraph is then weighed against the hints for other documents, as in a course that the bank is not about.

    Args:
        course: whose games are fitted on.
        others: the bank in use.
    """
    paragraphs = course.store.paragraphs
    if others.course.isdisjoint(paragraph.doc_id for paragraph in paragraphs):
        return others
    documents = {as_asked(game.hint): "" for game in course.games}
    documents |= {as_asked(game.hint): paragraphs[row].doc_id for game, row in course.found}
    return hints_of(documents)


def calibrate(
    course: LabelledCourse,
    questions: LabelledCourse | None,
    negatives: Sequence[str],
    search: SearchSettings,
    before: Calibration,
) -> Calibration:
    """All numbers for the embedder of both stores.

    Args:
        course: games under the rule: hints that share no word with their paragraph.
        questions: ordinary questions, whose words occur in their paragraphs; without them what keywords count stays
            as it was, and in fusion the similarity counts as much beside them as it did.
        negatives: hints that neither store holds anything about.
        search: how similarities are mixed.
        before: numbers in force, for what is compared with numbers.

    Raises:
        GamesError: too little to fit on.
    """
    _require_enough(course, questions)
    names = named_books(course, search, before)
    references = fit_references(names)
    named, unnamed = fit_names(names, references)
    alone, *together = fit_dense(course, negatives, search, before)
    if questions is None:
        specs = ["+".join(scorer.spec for scorer in course.scorers[: n + 1]) for n in range(len(together))]
        return Calibration(
            dense=alone,
            keyword=before.keyword,
            fused=_as_before(before, alone),
            references=references,
            named=named,
            unnamed=unnamed,
            words={
                of: WordsCalibration(dense, _as_before(before, dense))
                for of, dense in zip(specs, together, strict=True)
            },
        )
    words = {}
    for n_models, dense in enumerate(together, 1):
        asking = replace(questions, scorers=questions.scorers[:n_models])
        fused = fit_fused(asking, search, replace(before, dense=dense))
        words["+".join(scorer.spec for scorer in asking.scorers)] = WordsCalibration(dense, fused)
    return Calibration(
        dense=alone,
        keyword=fit_keyword(questions, negatives),
        fused=fit_fused(replace(questions, scorers=()), search, before),
        references=references,
        named=named,
        unnamed=unnamed,
        words=words,
    )


def _as_before(before: Calibration, dense: DenseCalibration) -> FusedCalibration:
    """Weights of fusion with which the new similarities weigh as much beside keywords as the ones before did."""
    return FusedCalibration(_rounded(before.fused.dense * dense.nats / before.dense.nats), before.fused.keyword)


def _require_enough(course: LabelledCourse, questions: LabelledCourse | None) -> None:
    """Pass if there is a game and a question, a document to leave out, and the same models have read both stores."""
    read, asked = ("+".join(scorer.spec for scorer in of.scorers) for of in (course, questions or course))
    if read != asked:
        raise GamesError(
            f"--questions-store must hold the words of the same models as --store, {read or 'none'}, got "
            f"{asked or 'none'}; ingest both again with the same QUARRY_ACCURACY"
        )
    documents = {course.store.paragraphs[row].doc_id for _, row in course.found}
    if len({paragraph.doc_id for paragraph in course.store.paragraphs}) < LEAST_DOCUMENTS or not documents:
        raise GamesError(
            f"--games must be about a store of at least {LEAST_DOCUMENTS} documents, since each is left out in turn, "
            f"got {len(documents)} with games; add lectures and games"
        )
    if questions is not None and not any(True for _ in questions.found):
        raise GamesError(
            f"--questions must hold one whose paragraph the store holds, got none of {len(questions.games)}; "
            "ingest their paragraphs into --questions-store"
        )


def fit_dense(
    course: LabelledCourse, negatives: Sequence[str], search: SearchSettings, before: Calibration
) -> list[DenseCalibration]:
    """Numbers of dense search: without models that compare word by word, with the first of them, with the first two.

    Args:
        negatives: hints from elsewhere; the games' own with their book left out are others.
    """
    dense = build_dense(course.store, search, course.embedder, before)
    documents = np.array([paragraph.doc_id for paragraph in course.store.paragraphs])
    seen: list[Seen] = []
    held, left_out = [], []
    for game, row in course.found:
        cosines = dense.cosines(game.hint)
        held.append(_summary(cosines))
        left_out.append(_summary(cosines[documents != documents[row]]))
        # what the rule says is in log-odds already, so that only the slopes of the others are fitted
        alternatives = np.flatnonzero(dense.evidence(game.hint) > RULED_OUT)
        if row in alternatives:
            seen.append(_seen(course, dense.similarities(game.hint), game.hint, alternatives, row))
    if not seen:
        raise GamesError(
            "--games must hold a hint that shares no word with its paragraph, got none; "
            "see python -m evaluate check-games"
        )
    elsewhere = [_summary(dense.cosines(hint)) for hint in negatives]
    (best, top), bias = fit_relevance(np.array(held), np.array(elsewhere), np.array(left_out))
    found = []
    for n_models in range(len(course.scorers) + 1):
        parts, glance = _slopes(seen, course, n_models)
        nats = parts.pop(SIMILARITY)
        found.append(DenseCalibration(nats, _rounded(bias), _rounded(best), _rounded(top), parts, glance))
    return found


SIMILARITY = "similarity"
"""Its name among the scores of a paragraph."""


@dataclass(frozen=True, slots=True)
class Seen:
    """One game's alternatives.

    Attributes:
        close: (n_alternatives,) of each score by name.
        cheap: the same of those at a glance.
        chosen: place of the right one.
    """

    close: Mapping[str, AnyFloatArray]
    cheap: Mapping[str, AnyFloatArray]
    chosen: int


def _seen(course: LabelledCourse, similarities: AnyFloatArray, hint: str, alternatives: RowArray, row: int) -> Seen:
    close = {SIMILARITY: similarities[alternatives]}
    cheap: dict[str, AnyFloatArray] = {}
    for scorer in course.scorers:
        close |= {name: scores[alternatives] for name, scores in scorer.parts(hint).items()}
        cheap |= {name: scores[alternatives] for name, scores in scorer.glance(hint).items()}
    return Seen(close, cheap, int(np.flatnonzero(alternatives == row)[0]))


def _slopes(seen: Sequence[Seen], course: LabelledCourse, n_models: int) -> tuple[dict[str, float], dict[str, float]]:
    """Log-odds per unit of each score, looking closely and at a glance, where the first few models are asked."""
    kinds = ("words", "near", "hub") if course.hubs else ("words", "near")
    wanted = [SIMILARITY, *(f"{kind}.{scorer.spec}" for scorer in course.scorers[:n_models] for kind in kinds)]

    def fitted(games: Sequence[Mapping[str, AnyFloatArray]]) -> dict[str, float]:
        names = [name for name in wanted if name in games[0]]
        if not names:
            return {}
        choices = [
            Choice(np.column_stack([scores[name] for name in names]).astype(np.float64), game.chosen)
            for scores, game in zip(games, seen, strict=True)
        ]
        slopes, _ = fit_choices(choices, with_none=False)
        return {name: _rounded(slope) for name, slope in zip(names, slopes.tolist(), strict=True)}

    return fitted([game.close for game in seen]), fitted([game.cheap for game in seen])


LEAST_DOCUMENTS = 2
LEFT_OUT_OF = 5
"""One in this many names also serves as a name that the course does not hold, with its document left out."""
RULED_OUT = -0.5
"""Log-odds of the rule from which a paragraph is hardly an alternative any more."""


def fit_keyword(questions: LabelledCourse, negatives: Sequence[str]) -> KeywordCalibration:
    """Numbers of keyword search."""
    keyword = Keyword(questions.store.paragraphs)
    held, choices = [], []
    for game, row in questions.found:
        share, scores = keyword.scores(game.hint)
        held.append([share])
        choices.append(Choice(scores[:, None].astype(np.float64), row))
    elsewhere = np.array([[keyword.scores(hint)[0]] for hint in negatives])
    (slope,), bias = fit_relevance(np.array(held), elsewhere)
    (nats,), _ = fit_choices(choices, with_none=False)
    return KeywordCalibration(bias=_rounded(bias), share=_rounded(slope), nats=_rounded(nats))


def fit_fused(questions: LabelledCourse, search: SearchSettings, before: Calibration) -> FusedCalibration:
    """Weights of linear fusion."""
    dense = build_dense(questions.store, search, questions.embedder, before, questions.scorers)
    keyword = Keyword(questions.store.paragraphs)
    choices = []
    for game, row in questions.found:
        marks = dense.score(Query(game.hint, keywords="fused"), k=1)
        choices.append(Choice(np.column_stack([marks.scores, keyword.scores(game.hint)[1]]).astype(np.float64), row))
    (by_dense, by_keyword), _ = fit_choices(choices, with_none=False)
    return FusedCalibration(dense=_rounded(by_dense), keyword=_rounded(by_keyword))


@dataclass(frozen=True, slots=True)
class NamedBooks:
    """The book names of a course's games, and what resolves them.

    Attributes:
        whole: over all documents.
        pairs: names, each once for each document it means; "" for a book that the store does not hold.
        without: by document, what resolves names where it is left out, and its names.
    """

    whole: References
    pairs: Sequence[tuple[str, str]]
    without: Mapping[str, tuple[References, Sequence[str]]]


def named_books(course: LabelledCourse, search: SearchSettings, before: Calibration) -> NamedBooks:
    """The names of a course's books, with the similarity that unrelated ones have in this store."""
    calibration = replace(before.references, unrelated=_unrelated_cosine(course.store))

    def references(without: str = "") -> References:
        return build_references(course.store, search, course.embedder, calibration, without=without)

    pairs = tuple(_names(course))
    by_document: dict[str, list[str]] = {}
    for name, doc_id in pairs:
        if doc_id:
            by_document.setdefault(doc_id, []).append(name)
    without = {doc_id: (references(doc_id), names) for doc_id, names in by_document.items()}
    return NamedBooks(references(), pairs, without)


def fit_references(names: NamedBooks) -> ReferenceCalibration:
    """Weights of what is compared of a book name and a document, with meanings and without."""
    whole = names.whole
    choices = [
        Choice(whole.features(name), whole.doc_ids.index(doc_id) if doc_id else None) for name, doc_id in names.pairs
    ]
    for rest, left_out in names.without.values():
        choices += [Choice(rest.features(name), None) for name in left_out[::LEFT_OUT_OF]]
    weights, none = fit_choices(choices, with_none=True, l2=L2)
    spelt = [Choice(_without_meaning(choice.features), choice.chosen) for choice in choices]
    letters, letters_none = fit_choices(spelt, with_none=True, l2=L2)
    return ReferenceCalibration(
        weights=tuple(_rounded(weight) for weight in weights),
        none=_rounded(none),
        letters=tuple(_rounded(weight) for weight in letters),
        letters_none=_rounded(letters_none),
        unrelated=whole.calibration.unrelated,
    )


def _without_meaning(features: Float64Array) -> Float64Array:
    spelt = features.copy()
    spelt[:, MEANING] = 0.0
    return spelt


def fit_names(names: NamedBooks, fitted: ReferenceCalibration) -> tuple[float, float]:
    """Log-odds that the course holds a paragraph whose book's name is resolved, and of one whose name is not.

    What it does not hold is, at even odds, from a book that it has not, or about something else in a book that it has.
    """
    whole = names.whole.calibrated(fitted)
    held = [_resolved(whole, name) for name, doc_id in names.pairs if doc_id]
    missing = [_resolved(whole, name) for name, doc_id in names.pairs if not doc_id]
    for rest, left_out in names.without.values():
        calibrated = rest.calibrated(fitted)
        missing += [_resolved(calibrated, name) for name in left_out]
    # one more of each, so that nothing is ever certain
    if_held = (sum(held) + 1) / (len(held) + 2)
    if_missing = 0.5 * (sum(missing) + 1) / (len(missing) + 2) + 0.5 * if_held
    return (
        _rounded(float(np.log(if_held / if_missing))),
        _rounded(float(np.log((1.0 - if_held) / (1.0 - if_missing)))),
    )


def _names(course: LabelledCourse) -> Iterator[tuple[str, str]]:
    """The book names of the games, each once for each document it means; "" for a book that the store does not hold."""
    paragraphs = course.store.paragraphs
    pairs = {
        (game.book_name, paragraphs[row].doc_id if row is not None else "")
        for game, row in zip(course.games, course.rows, strict=True)
        if row is not None or not game.answerable
    }
    return iter(sorted(pairs))


def _resolved(references: References, name: str) -> bool:
    return any(candidate.tier != "none" for candidate in references.resolve(name)[:1])


def _summary(cosines: AnyFloatArray) -> tuple[float, float]:
    """The highest cosine and the mean of the highest few."""
    best = np.sort(cosines)[::-1][:N_TOP]
    return float(best[0]), float(best.mean())


def _unrelated_cosine(store: Course) -> float:
    """Mean cosine of names of different documents."""
    documents = np.array([doc_id for doc_id, _ in store.aliases])
    cosines = store.alias_vectors @ store.alias_vectors.T
    return _rounded(float(cosines[documents[:, None] != documents[None, :]].mean()))


def _rounded(value: float) -> float:
    """Four significant digits: more would claim more than some hundred games tell."""
    return float(f"{value:.4g}")
