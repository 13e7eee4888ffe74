"""What is tuned, within which bounds; a trial's numbers become settings."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import optuna

from configs.settings import SearchSettings

N_PARAMETERS = 10


def suggest(trial: optuna.trial.BaseTrial, base: SearchSettings) -> SearchSettings:
    """The settings that a trial proposes; those that are not tuned are as in `base`."""
    values = {
        "pdf_k": trial.suggest_int("pdf_k", 0, base.k),
        "global_k": trial.suggest_int("global_k", 0, base.k),
        "filter_confidence": trial.suggest_float("filter_confidence", 0.3, 1.0, step=0.01),
        "boost_share": trial.suggest_float("boost_share", 0.0, 1.0, step=0.01),
        "boost": trial.suggest_float("boost", 0.0, 2.0, step=0.05),
        "sentence_weight": trial.suggest_float("sentence_weight", 0.0, 1.0, step=0.05),
        "sentence_mean_weight": trial.suggest_float("sentence_mean_weight", 0.0, 1.0, step=0.05),
        "rule_weight": trial.suggest_float("rule_weight", 0.0, 3.0, step=0.05),
        "threshold": trial.suggest_float("threshold", 0.02, 0.98, step=0.02),
        "lowered_share": trial.suggest_float("lowered_share", 0.0, 1.0, step=0.02),
    }
    return settings_of(values, base)


def settings_of(values: Mapping[str, Any], base: SearchSettings) -> SearchSettings:
    """Settings of a trial's numbers: what must stand below another is given as a share of it, or of what it leaves."""
    pdf_k = int(values["pdf_k"])
    sentence_weight = round(float(values["sentence_weight"]), 4)
    return replace(
        base,
        pdf_k=pdf_k,
        global_k=min(int(values["global_k"]), base.k - pdf_k),
        filter_confidence=round(float(values["filter_confidence"]), 4),
        boost_confidence=round(float(values["filter_confidence"]) * float(values["boost_share"]), 4),
        boost=round(float(values["boost"]), 4),
        sentence_weight=sentence_weight,
        sentence_mean_weight=min(round(float(values["sentence_mean_weight"]), 4), _left(sentence_weight)),
        rule_weight=round(float(values["rule_weight"]), 4),
        threshold=round(float(values["threshold"]), 4),
        lowered_threshold=round(float(values["threshold"]) * float(values["lowered_share"]), 4),
    )


def values_of(settings: SearchSettings) -> dict[str, Any]:
    """The numbers of a trial that proposes these settings, as near as its steps allow; for the first trial."""
    return {
        "pdf_k": settings.pdf_k,
        "global_k": settings.global_k,
        "filter_confidence": stepped(settings.filter_confidence, 0.3, 1.0, 0.01),
        "boost_share": stepped(settings.boost_confidence / max(settings.filter_confidence, 1e-9), 0.0, 1.0, 0.01),
        "boost": stepped(settings.boost, 0.0, 2.0, 0.05),
        "sentence_weight": stepped(settings.sentence_weight, 0.0, 1.0, 0.05),
        "sentence_mean_weight": stepped(settings.sentence_mean_weight, 0.0, 1.0, 0.05),
        "rule_weight": stepped(settings.rule_weight, 0.0, 3.0, 0.05),
        "threshold": stepped(settings.threshold, 0.02, 0.98, 0.02),
        "lowered_share": stepped(settings.lowered_threshold / max(settings.threshold, 1e-9), 0.0, 1.0, 0.02),
    }


TUNED = (
    "pdf_k",
    "global_k",
    "filter_confidence",
    "boost_confidence",
    "boost",
    "sentence_weight",
    "sentence_mean_weight",
    "rule_weight",
    "threshold",
    "lowered_threshold",
)
"""Keys of the search's settings that a study sets."""


def _left(weight: float) -> float:
    """What another weight may be at most, rounded down so that the sum is never above 1."""
    return math.floor((1.0 - weight) * 1_000) / 1_000


def stepped(value: float, low: float, high: float, step: float) -> float:
    """The nearest number that a parameter of these bounds and steps can have."""
    return round(low + step * round((min(max(value, low), high) - low) / step), 10)
