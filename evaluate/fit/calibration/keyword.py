"""Fitting how scores of BM25 become log-odds."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quarry.evaluate.fit.calibration.choices import Choice, fit_choices, fit_relevance, rounded
from quarry.evaluate.fit.calibration.course import LabelledCourse
from quarry.player.search.calibration import KeywordCalibration
from quarry.player.search.strategies.keyword import Keyword


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
    return KeywordCalibration(bias=rounded(bias), share=rounded(slope), nats=rounded(nats))
