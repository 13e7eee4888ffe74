"""Search space of `tune`: reads a YAML file of keys and bounds as Optuna's distributions, and trials as settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from quarry.configs.plain_yaml import read_plain_file
from quarry.configs.settings import CONFIG_DIR, SearchSettings, SettingsError, load, merge_settings

DEFAULT_SPACE = CONFIG_DIR / "space.yaml"
"""The space that is used unless a user names another."""

Space = Mapping[str, BaseDistribution]
"""Values that each key of the search's settings may take, in order."""

ROOM: Mapping[str, Any] = {
    "merge": "relevance",
    "k": 20,
    "pdf_k": 1,
    "global_k": 0,
    "sentence_weight": 0.0,
    "sentence_mean_weight": 0.0,
    "filter_confidence": 1.0,
    "boost_confidence": 0.0,
    "threshold": 1.0,
    "lowered_threshold": 0.0,
}
"""Settings that leave every other setting its whole range."""
FORM = "write `search: {KEY: [VALUE, ...]}` or `search: {KEY: {low: A, high: B, step: C}}`"


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
    return {key: nearest(distribution, getattr(settings, key)) for key, distribution in space.items()}


def nearest(distribution: BaseDistribution, value: Any) -> Any:
    """Return the value of a distribution that is nearest to another value; of choices without it, the first."""
    if isinstance(distribution, CategoricalDistribution):
        return value if value in distribution.choices else distribution.choices[0]
    assert isinstance(distribution, FloatDistribution | IntDistribution)
    low, step = distribution.low, distribution.step
    found = min(max(value, low), distribution.high)
    if step is not None:
        found = round(low + step * round((found - low) / step), 10)
    return int(found) if isinstance(distribution, IntDistribution) else found


def load_space(path: Path = DEFAULT_SPACE) -> Space:
    """Load the space that a YAML file describes.

    Raises:
        SettingsError: the file is no space, or has a key or a value that the search does not have.
    """
    try:
        tree = read_plain_file(path)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise SettingsError(
            f"--space must be a readable YAML file, got {path}: {reason}; copy {DEFAULT_SPACE}"
        ) from error
    section = tree.get("search") if isinstance(tree, dict) and set(tree) == {"search"} else None
    if not isinstance(section, dict) or not section:
        raise SettingsError(f"{path}: must hold a section search with at least one key and nothing else; {FORM}")
    return {str(key): _distribution(key, values, path) for key, values in section.items()}


def _distribution(key: Any, values: Any, path: Path) -> BaseDistribution:
    """Read the values of one key from a file."""
    bounds = values if isinstance(values, dict) else {}
    for value in values if isinstance(values, list) else [bounds[end] for end in ("low", "high") if end in bounds]:
        merge_settings(load(), {"search": {**ROOM, key: value}}, str(path))  # refuses a bad key or value
    if isinstance(values, list) and values and not any(isinstance(value, list) for value in values):
        return CategoricalDistribution(values)
    if {"low", "high"} <= set(bounds) <= {"low", "high", "step"}:
        low, high, step = bounds["low"], bounds["high"], bounds.get("step")
        numbers = {type(low), type(high), type(step or low)}
        if numbers <= {int, float} and low < high and (step is None or 0 < step <= high - low):
            return (
                IntDistribution(low, high, step=step or 1)
                if numbers == {int}
                else FloatDistribution(low, high, step=step)
            )
    raise SettingsError(f"{path}: {key} must be a list of values or bounds, got {values!r}; {FORM}")
