"""What is tuned, within which bounds: a YAML file, the project's own or a user's; a trial's numbers become settings."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import optuna

from quarry.configs.plain_yaml import read_plain_file
from quarry.configs.settings import CONFIG_DIR, SearchSettings, SettingsError, require_key, search_value

DEFAULT_SPACE = CONFIG_DIR / "space.yaml"
"""What is tuned unless a user says otherwise."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One key of the search's settings, and the values that it may take.

    Attributes:
        choices: one of these; () for a number.
        low, high, step: else a number within these bounds, `low` plus a multiple of `step`; whole if all three are.
    """

    key: str
    choices: tuple[Any, ...] = ()
    low: float = 0.0
    high: float = 0.0
    step: float = 1.0

    @property
    def is_whole(self) -> bool:
        """Whether its numbers are whole ones."""
        return all(isinstance(number, int) for number in (self.low, self.high, self.step))

    @property
    def distribution(self) -> optuna.distributions.BaseDistribution:
        """All values that it may take, whatever the others are."""
        if self.choices:
            return optuna.distributions.CategoricalDistribution(self.choices)
        if self.is_whole:
            return optuna.distributions.IntDistribution(int(self.low), int(self.high), step=int(self.step))
        return optuna.distributions.FloatDistribution(self.low, self.high, step=self.step)

    def suggest(self, trial: optuna.trial.BaseTrial, least: float, most: float) -> Any:
        """The value that a trial proposes.

        Args:
            least, most: bounds that the other values leave; choices know none.
        """
        if self.choices:
            return trial.suggest_categorical(self.key, self.choices)
        low = self.low + self.step * math.ceil((max(least, self.low) - self.low) / self.step)
        high = self.low + self.step * math.floor((min(most, self.high) - self.low) / self.step)
        if low > high:  # they leave none of its own
            low = high = max(least, min(most, self.low))
        if self.is_whole:
            return trial.suggest_int(self.key, round(low), round(high), step=int(self.step))
        return trial.suggest_float(self.key, round(low, 6), round(high, 6), step=self.step)

    def nearest(self, value: Any) -> Any:
        """The value that it can have and that is nearest to another; the first choice where that is none."""
        if self.choices:
            return value if value in self.choices else self.choices[0]
        found = stepped(float(value), self.low, self.high, self.step)
        return int(found) if self.is_whole else found


@dataclass(frozen=True, slots=True)
class Space:
    """What a study tunes of the search's settings."""

    parameters: tuple[Parameter, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Of the settings, in order."""
        return tuple(parameter.key for parameter in self.parameters)

    def values(self, key: str) -> tuple[Any, ...]:
        """What a key may be chosen from; () where it is a number or not tuned."""
        return next((parameter.choices for parameter in self.parameters if parameter.key == key), ())

    def suggest(self, trial: optuna.trial.BaseTrial, base: SearchSettings) -> SearchSettings:
        """The settings that a trial proposes; those that are not tuned are as in `base`."""
        asked = dataclasses.asdict(base)
        open_keys = set(self.keys)
        for parameter in sorted(self.parameters, key=lambda parameter: (parameter.key != "k", parameter.key in LATE)):
            bounds = _bounds(parameter.key, asked, open_keys)
            asked[parameter.key] = parameter.suggest(trial, *bounds)
            open_keys.remove(parameter.key)
        return self.settings_of({key: asked[key] for key in self.keys}, base)

    def settings_of(self, values: Mapping[str, Any], base: SearchSettings) -> SearchSettings:
        """Settings of a trial's numbers; of choices, what must stand below another is brought down to it."""
        drawn = {key: round(value, 10) if isinstance(value, float) else value for key, value in values.items()}
        asked = {**dataclasses.asdict(base), **drawn}
        pdf_k = min(asked["pdf_k"], asked["k"])
        global_k = min(asked["global_k"], asked["k"] - pdf_k)
        left = math.floor((1.0 - asked["sentence_weight"]) * 1_000) / 1_000  # rounded down: the sum is never above 1
        asked |= {
            "pdf_k": pdf_k,
            "global_k": global_k if pdf_k + global_k else 1,
            "boost_confidence": min(asked["boost_confidence"], asked["filter_confidence"]),
            "sentence_mean_weight": min(asked["sentence_mean_weight"], left),
            "lowered_threshold": min(asked["lowered_threshold"], asked["threshold"]),
        }
        return SearchSettings(**asked)

    def values_of(self, settings: SearchSettings) -> dict[str, Any]:
        """The numbers of a trial that proposes these settings, as near as its steps allow; for the first trial."""
        return {parameter.key: parameter.nearest(getattr(settings, parameter.key)) for parameter in self.parameters}


LATE = ("global_k", "boost_confidence", "sentence_mean_weight", "lowered_threshold")
"""Keys that are bounded by others, and so are drawn after them; `k` comes first of all."""


def _bounds(key: str, asked: Mapping[str, Any], open_keys: set[str]) -> tuple[float, float]:
    """Between which values a key may be drawn, so that no value has to be changed after it was drawn.

    Args:
        asked: values that were drawn, and those of the untuned settings.
        open_keys: that are not drawn yet: they bound nothing.
    """

    def settled(other: str) -> float | None:
        return None if other in open_keys else float(asked[other])

    least, most = -math.inf, math.inf
    below, above = PAIRS.get(key), {upper: lower for lower, upper in PAIRS.items()}.get(key)
    if below is not None and (upper := settled(below)) is not None:
        most = upper
    if above is not None and (lower := settled(above)) is not None:
        least = lower
    for one, other, total in SUMS:
        if key in (one, other) and (rest := settled(other if key == one else one)) is not None:
            most = (1.0 - ROUNDED if total is None else float(asked[total])) - rest
            least = 1.0 if total is not None and rest == 0 else least
    if key == "k":
        least = max(1.0, (settled("pdf_k") or 0.0) + (settled("global_k") or 0.0))
    return least, most


ROUNDED = 1e-9
"""Left free of a sum of fractions, which may come out a little larger than it is."""
PAIRS = {"boost_confidence": "filter_confidence", "lowered_threshold": "threshold"}
"""Keys that are at most another."""
SUMS = (("sentence_weight", "sentence_mean_weight", None), ("pdf_k", "global_k", "k"))
"""Keys that together are at most a third, or 1."""


def load_space(path: Path = DEFAULT_SPACE) -> Space:
    """The space that a YAML file describes.

    Raises:
        SettingsError: it is no space, or names a key or a value that the search does not have.
    """
    form = "write `search: {KEY: [VALUE, ...]}` or `search: {KEY: {low: A, high: B, step: C}}`"
    try:
        tree = read_plain_file(path)
    except (OSError, ValueError) as error:
        reason = " ".join(str(error).split())
        raise SettingsError(
            f"--space must be a readable YAML file, got {path}: {reason}; copy {DEFAULT_SPACE}"
        ) from error
    section = tree.get("search") if isinstance(tree, dict) and set(tree) == {"search"} else None
    if not isinstance(section, dict) or not section:
        raise SettingsError(f"{path}: must hold a section search with at least one key and nothing else; {form}")
    return Space(tuple(_parameter(str(key), values, path, form) for key, values in section.items()))


def _parameter(key: str, values: Any, path: Path, form: str) -> Parameter:
    require_key("search", key, str(path))
    if isinstance(values, list) and values:
        return Parameter(key, tuple(search_value(key, value, str(path)) for value in values))
    if isinstance(values, dict) and {"low", "high"} <= set(values) <= {"low", "high", "step"}:
        low, high = (search_value(key, values[end], str(path)) for end in ("low", "high"))
        step = values.get("step", 1)
        if type(low) in (int, float) and type(step) in (int, type(low)) and low < high and 0 < step <= high - low:
            return Parameter(key, (), low, high, type(low)(step))
    raise SettingsError(f"{path}: {key} must be a list of values or bounds, got {values!r}; {form}")


def stepped(value: float, low: float, high: float, step: float) -> float:
    """The nearest number that a parameter of these bounds and steps can have."""
    return round(low + step * round((min(max(value, low), high) - low) / step), 10)
