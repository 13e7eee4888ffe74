"""Fitting how much each strategy counts where their scores are added."""

from __future__ import annotations

import numpy as np

from quarry.configs.settings import SearchSettings
from quarry.evaluate.fit.calibration.choices import Choice, fit_choices, rounded
from quarry.evaluate.fit.calibration.course import LabelledCourse
from quarry.player.search.build import build_dense
from quarry.player.search.calibration import Calibration, FusedCalibration
from quarry.player.search.strategies.keyword import Keyword
from quarry.player.search.types import Query


def fit_fused(questions: LabelledCourse, search: SearchSettings, before: Calibration) -> FusedCalibration:
    """Weights of linear fusion."""
    dense = build_dense(questions.store, search, questions.embedder, before, questions.scorers)
    keyword = Keyword(questions.store.paragraphs)
    choices = []
    for game, row in questions.found:
        marks = dense.score(Query(game.hint, keywords="fused"), k=1)
        choices.append(Choice(np.column_stack([marks.scores, keyword.scores(game.hint)[1]]).astype(np.float64), row))
    (by_dense, by_keyword), _ = fit_choices(choices, with_none=False)
    return FusedCalibration(dense=rounded(by_dense), keyword=rounded(by_keyword))
