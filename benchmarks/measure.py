"""Shared code of the benchmarks: a bundled course in a store, two sides that take turns, and a row of the table."""

import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from configs.settings import Accuracy, Settings, load
from evaluate.games.labelled import LabelledGame, load_games
from ingest.pipeline.pipeline import ingest
from ingest.store import Course, open_store

DATA = Path(__file__).resolve().parents[1] / "data"
LECTURES = DATA / "lectures" / "english"
Row = dict[str, Any]
Case = TypeVar("Case")


def uncached_settings(accuracy: Accuracy = "plain") -> Settings:
    """Return the default settings with another accuracy ("plain" compares hints as a whole), without cached results."""
    settings = load()
    search = replace(settings.search, accuracy=accuracy, cache_size=0)
    return replace(settings, search=search)


@contextmanager
def bundled_course(settings: Settings) -> Iterator[tuple[Course, list[LabelledGame]]]:
    """Yield the bundled course, ingested into a temporary store, and its games."""
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        ingest([LECTURES], folder, settings, embedder_spec="minilm", progress=False)
        yield open_store(folder), bundled_games()


def bundled_games() -> list[LabelledGame]:
    """Return the labelled games about the bundled course."""
    return load_games(DATA / "games" / "english.jsonl")


def seconds(clock: Callable[[], float], work: Callable[[], object]) -> float:
    """Return how long some work takes by a clock of seconds."""
    started = clock()
    work()
    return clock() - started


def side_by_side(
    cases: Sequence[Case],
    quarry: Callable[[Case], float],
    baseline: Callable[[Case], float],
    n_warm: int = 1,
) -> Row:
    """Return the medians of what both sides measure on each case, and their ratio.

    The sides take turns at being first. The first cases do not count.
    """
    values: dict[str, list[float]] = {"quarry": [], "baseline": []}
    sides = (("quarry", quarry), ("baseline", baseline))
    for number, case in enumerate(cases):
        for side, measure in sides if number % 2 else sides[::-1]:
            value = measure(case)
            if number >= n_warm:
                values[side].append(value)

    medians = {side: statistics.median(of_side) for side, of_side in values.items()}
    row: Row = {side: float(f"{median:.4g}") for side, median in medians.items()}
    return {**row, "ratio": float(f"{medians['quarry'] / medians['baseline']:.3g}")}
