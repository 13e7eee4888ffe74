"""Shared code of the benchmarks: a bundled course in a store, two sides that take turns, and a row of the table."""

from __future__ import annotations

import statistics
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from configs.settings import Settings, load
from evaluate.games.labelled import LabelledGame, load_games
from ingest.pipeline.pipeline import ingest
from ingest.store import Course, open_store

DATA = Path(__file__).resolve().parents[1] / "data"
Row = dict[str, Any]
Sides = Mapping[str, Sequence[float]]
Case = TypeVar("Case")


def uncached_settings(accuracy: Literal["plain", "fast"] = "plain") -> Settings:
    """Return the default settings with another accuracy ("plain" compares hints as a whole), without cached results."""
    settings = load()
    return replace(
        settings, search=replace(settings.search, accuracy=accuracy, cache_size=0)
    )


@contextmanager
def bundled_course(settings: Settings) -> Iterator[tuple[Course, list[LabelledGame]]]:
    """Yield the bundled course, ingested into a temporary store, and its games."""
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        ingest(
            [DATA / "lectures" / "english"],
            folder,
            settings,
            embedder_spec="minilm",
            progress=False,
        )
        yield open_store(folder), bundled_games()


def bundled_games() -> list[LabelledGame]:
    """Return the labelled games about the bundled course."""
    return load_games(DATA / "games" / "english.jsonl")


def take_turns(
    cases: Sequence[Case],
    quarry: Callable[[Case], float],
    baseline: Callable[[Case], float],
    n_warm: int = 1,
) -> Sides:
    """Return what both sides measure on each case, taking turns at being first, without the first cases."""
    values: dict[str, list[float]] = {"quarry": [], "baseline": []}
    sides = (("quarry", quarry), ("baseline", baseline))
    for number, case in enumerate(cases):
        for side, measure in sides if number % 2 else sides[::-1]:
            value = measure(case)
            if number >= n_warm:
                values[side].append(value)
    return values


def seconds(clock: Callable[[], float], work: Callable[[], object]) -> float:
    """Return how long some work takes by a clock of seconds."""
    started = clock()
    work()
    return clock() - started


def row(
    name: str,
    sides: Sides,
    unit: str,
    baseline_is: str,
    *,
    at_most: float | None = None,
    at_least: float = 0.0,
) -> Row:
    """Return a row of results: the medians of both sides, their ratio, and whether it is within the target."""
    quarry, baseline = map(statistics.median, (sides["quarry"], sides["baseline"]))
    ratio = quarry / baseline
    target, met = f"at least {at_least:g}", ratio >= at_least
    if at_most is not None:
        target, met = f"at most {at_most:g}", ratio <= at_most

    return {
        "name": name,
        "quarry": float(f"{quarry:.4g}"),
        "baseline": float(f"{baseline:.4g}"),
        "baseline_is": baseline_is,
        "unit": unit,
        "ratio": float(f"{ratio:.3g}"),
        "target": target,
        "met": met,
    }
