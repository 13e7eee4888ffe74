"""Values of the tuned settings: the space of a study, grids, and the settings of a trial."""

import dataclasses
import itertools
from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import yaml
from optuna.distributions import (
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from configs.errors import SettingsError
from configs.settings import (
    CONFIG_DIR,
    SearchSettings,
    describe_values,
    fields,
    read_search_value,
    require_key,
)
from player.round import Json
from player.search.results import DENSE

SPACE_FILE = CONFIG_DIR / "space.yaml"
"""File with the bounds of the tuned keys."""
Space = Mapping[str, FloatDistribution | IntDistribution | CategoricalDistribution]
"""Values that each key of the settings of search may take, in order."""
FIXED_KEYS = {
    "strategies",
    "keywords",
    "book_match",
    "deadline_s",
    "cache_size",
    "late_interaction",
    "cross_encoder",
}
"""Keys of the settings of search that are the same in all trials."""
TUNED_KEYS = sorted(fields(SearchSettings).keys() - FIXED_KEYS)
"""Keys that trials may change."""


def is_read(key: str, base: SearchSettings) -> bool:
    """Return whether a tuned setting may change the results of search, with the strategies and modes of `base`.

    The stem of a file has confidence 1, so its book filters at any threshold. The boost of a book that filters has no
    effect on slots.
    """
    is_fused = len(base.strategies) > 1 or base.keywords == "fused"

    match key:
        case "rule_weight":
            return DENSE in base.strategies and base.keywords == "rule"
        case "fusion" | "rrf_k":
            return is_fused
        case "boost" if base.book_match == "stem":
            return base.merge == "relevance" or is_fused
        case "boost" | "filter_confidence" | "boost_confidence":
            return base.book_match == "resolved"
        case "spill_over":
            return base.merge == "slots"
        case "cascade":
            return base.keywords in ("fallback", "fused")
        case "lowered_threshold":
            return base.cascade and base.keywords == "fallback"
    return True


def load_space(base: SearchSettings) -> Space:
    """Load the bounds of the tuned keys: those of the file that have an effect with the untuned settings.

    Without slots for a book, the numbers of slots change only the number of hits, and are left out.

    Raises:
        SettingsError: a key of the file is one that trials do not read, or its bounds are out of range.
    """
    has_slots = base.book_match != "off" and base.merge == "slots"
    document = yaml.safe_load(SPACE_FILE.read_text(encoding="utf-8"))
    space: dict[str, FloatDistribution | IntDistribution] = {}
    for key, bounds in document["search"].items():
        require_key(key, TUNED_KEYS, f"{SPACE_FILE}: the search of a trial")
        values = {}
        try:
            for name, value in bounds.items():
                values[name] = read_search_value(key, str(value))
            is_whole = isinstance(values["step"], int)
            one = (IntDistribution if is_whole else FloatDistribution)(**values)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise SettingsError(
                f"{SPACE_FILE}: search.{key} is {bounds}; it must be low, high and step, "
                f"each {describe_values('search', key)}"
            ) from None

        if is_read(key, base) and (has_slots or key not in {"pdf_k", "global_k"}):
            space[key] = one
    return space


def read_grid(items: Sequence[str], base: SearchSettings) -> Space:
    """Read items `KEY=A,B,...` as the values that each key takes in turn.

    Args:
        base: the untuned settings.

    Raises:
        SettingsError: an item has another form, a key that is the same in all trials or that no trial reads, a value
            out of range, or one that every trial would lower.
    """
    space: dict[str, CategoricalDistribution] = {}
    for item in items:
        key, _, values = item.removeprefix("search.").partition("=")
        if key not in TUNED_KEYS or not values:
            raise SettingsError(
                f"--grid {item!r} is not KEY=A,B,... with a KEY of {', '.join(TUNED_KEYS)}"
            )
        if key in space:
            raise SettingsError(
                f"--grid names {key} twice; list all its values once, {key}=A,B,..."
            )

        choices = []
        for text in values.split(","):
            try:
                choices.append(read_search_value(key, text))
            except ValueError:
                raise SettingsError(
                    f"--grid {item}: {text} is no value of search.{key}; it must be {describe_values('search', key)}"
                ) from None
        space[key] = CategoricalDistribution(choices)
    _check_grid(space, base)
    return space


def _check_grid(
    space: Mapping[str, CategoricalDistribution], base: SearchSettings
) -> None:
    """Raise a SettingsError unless trials read each key of a grid and try each of its values."""
    trials = [make_trial_settings(point, base) for point in list_grid_points(space)]
    for key, values_of_key in space.items():
        if not any(is_read(key, trial) for trial in trials):
            raise SettingsError(
                f"--grid names {key}, which no trial reads with these strategies and modes; leave it out or change them"
            )
        tried = {getattr(trial, key) for trial in trials}
        for value in values_of_key.choices:
            if value not in tried:
                raise SettingsError(
                    f"--grid: {key} is never {value}, since other settings limit it ({SPACE_FILE}); "
                    "leave the value out, or raise the limit with --set"
                )


def list_grid_points(space: Space) -> list[Json]:
    """Return all combinations of a space of listed values; [] for a space with bounds."""
    choices = [getattr(bounds, "choices", ()) for bounds in space.values()]
    points = itertools.product(*choices)
    return [dict(zip(space, point, strict=True)) for point in points]


def make_trial_settings(
    values: Mapping[str, Any], base: SearchSettings
) -> SearchSettings:
    """Return settings with the values of a trial; a value that must not exceed another is lowered to it."""
    drawn = SimpleNamespace(**dataclasses.asdict(base))
    for key, value in values.items():
        setattr(drawn, key, round(value, 10) if isinstance(value, float) else value)

    n_slots = drawn.k or base.pdf_k + base.global_k
    drawn.pdf_k = min(drawn.pdf_k, n_slots)
    drawn.global_k = min(drawn.global_k, n_slots - drawn.pdf_k)
    if drawn.pdf_k + drawn.global_k == 0:
        drawn.global_k = 1
    drawn.boost_confidence = min(drawn.boost_confidence, drawn.filter_confidence)
    drawn.lowered_threshold = min(drawn.lowered_threshold, drawn.threshold)
    return SearchSettings(**vars(drawn))


def find_nearest_parameters(space: Space, settings: SearchSettings) -> Json:
    """Return the parameters of a space nearest to some settings; of listed values, the equal one or else the first."""
    numbers: Json = {}
    for key, bounds in space.items():
        value = getattr(settings, key)
        if isinstance(bounds, CategoricalDistribution):
            numbers[key] = value if value in bounds.choices else bounds.choices[0]
        else:
            assert bounds.step is not None, "every key of the space has a step"
            inside = min(max(value, bounds.low), bounds.high)
            steps = round((inside - bounds.low) / bounds.step)
            numbers[key] = round(bounds.low + bounds.step * steps, 10)
    return numbers
