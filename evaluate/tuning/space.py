"""Search space of `tune`: configs/space.yaml as Optuna's distributions, and trials as settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import yaml
from optuna.distributions import FloatDistribution, IntDistribution

from quarry.configs.settings import CONFIG_DIR, SearchSettings

SPACE = CONFIG_DIR / "space.yaml"
Space = Mapping[str, FloatDistribution | IntDistribution]
"""Values that each key of the search's settings may take, in order."""


def load_space() -> Space:
    """Load the bounds of all keys that are tuned."""
    keys: dict[str, dict[str, Any]] = yaml.safe_load(SPACE.read_text(encoding="utf-8"))["search"]
    return {
        key: IntDistribution(**bounds) if isinstance(bounds["low"], int) else FloatDistribution(**bounds)
        for key, bounds in keys.items()
    }


def settings_of(values: Mapping[str, Any], base: SearchSettings) -> SearchSettings:
    """Return settings with a trial's numbers; a number that must not exceed another is lowered to it."""
    drawn = {key: round(value, 10) if isinstance(value, float) else value for key, value in values.items()}
    asked = {**dataclasses.asdict(base), **drawn}
    n_slots = asked["k"] or base.pdf_k + base.global_k
    pdf_k = min(asked["pdf_k"], n_slots)
    global_k = min(asked["global_k"], n_slots - pdf_k)
    asked |= {
        "pdf_k": pdf_k,
        "global_k": global_k if pdf_k + global_k else 1,
        "boost_confidence": min(asked["boost_confidence"], asked["filter_confidence"]),
        "sentence_mean_weight": min(asked["sentence_mean_weight"], round(1.0 - asked["sentence_weight"], 10)),
        "lowered_threshold": min(asked["lowered_threshold"], asked["threshold"]),
    }
    return SearchSettings(**asked)


def numbers_of(space: Space, settings: SearchSettings) -> dict[str, Any]:
    """Return the parameters of the trial that is nearest to these settings."""
    return {key: nearest(bounds, getattr(settings, key)) for key, bounds in space.items()}


def nearest(bounds: FloatDistribution | IntDistribution, value: float) -> float:
    """Return the value within bounds that is nearest to another value."""
    assert bounds.step is not None, "every key of the space has a step"
    steps = round((min(max(value, bounds.low), bounds.high) - bounds.low) / bounds.step)
    found = round(bounds.low + bounds.step * steps, 10)
    return int(found) if isinstance(bounds, IntDistribution) else found
