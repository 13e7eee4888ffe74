"""Shared code of the benchmarks: a bundled course in a store, two sides that take turns, and a row of the table."""

import statistics
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from configs.settings import Settings, load
from evaluate.games.labelled import LabelledGame, load_games
from ingest.pipeline.pipeline import ingest
from quarry.store import Course, open_store

DATA = Path(__file__).resolve().parents[2] / "data"
LECTURES = DATA / "lectures" / "english"
Figures = dict[str, Any]
Case = TypeVar("Case")


def uncached_settings() -> Settings:
    """Return the default settings without late interaction and cached results."""
    return load(changes=["search.late_interaction=off", "search.cache_size=0"])


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
) -> Figures:
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
    row: Figures = {side: float(f"{median:.4g}") for side, median in medians.items()}
    return {**row, "ratio": float(f"{medians['quarry'] / medians['baseline']:.3g}")}


@dataclass(frozen=True)
class Benchmark:
    """A benchmark with its baseline, and the ratio of both that it must not exceed or must reach.

    It is not in `__main__`, which the process of a benchmark does not import.
    """

    measure: Callable[[], Figures]
    name: str
    unit: str
    baseline_is: str
    target: str
    """ "at most" or "at least", and the ratio."""

    def row(self) -> Figures:
        """Measure both sides, and return a row of the results."""
        result = self.measure()
        limit = float(self.target.split()[-1])
        is_most = self.target.startswith("at most")
        met = result["ratio"] <= limit if is_most else result["ratio"] >= limit
        names = {"name": self.name, "unit": self.unit, "baseline_is": self.baseline_is}
        return {**names, **result, "target": self.target, "met": met}
