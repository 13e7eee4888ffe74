"""Fitting how similarities of meaning become log-odds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.evaluate.errors import GamesError
from quarry.evaluate.fit.calibration.choices import Choice, fit_choices, fit_relevance, rounded
from quarry.evaluate.fit.calibration.course import LabelledCourse
from quarry.ingest.arrays import AnyFloatArray, RowArray
from quarry.player.search.build import build_dense
from quarry.player.search.calibration import N_TOP, Calibration, DenseCalibration


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
            "see python -m evaluate games check"
        )
    elsewhere = [_summary(dense.cosines(hint)) for hint in negatives]
    (best, top), bias = fit_relevance(np.array(held), np.array(elsewhere), np.array(left_out))
    found = []
    for n_models in range(len(course.scorers) + 1):
        parts, glance = _slopes(seen, course, n_models)
        nats = parts.pop(SIMILARITY)
        found.append(DenseCalibration(nats, rounded(bias), rounded(best), rounded(top), parts, glance))
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
        return {name: rounded(slope) for name, slope in zip(names, slopes.tolist(), strict=True)}

    return fitted([game.close for game in seen]), fitted([game.cheap for game in seen])


RULED_OUT = -0.5
"""Log-odds of the rule from which a paragraph is hardly an alternative any more."""


def _summary(cosines: AnyFloatArray) -> tuple[float, float]:
    """The highest cosine and the mean of the highest few."""
    best = np.sort(cosines)[::-1][:N_TOP]
    return float(best[0]), float(best.mean())
