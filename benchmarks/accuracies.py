"""What comparing word by word costs: a search next to its embeddings, and ingest next to ingest without words.

In seconds of CPU, taking turns, so that what else the machine does counts little.
"""

from __future__ import annotations

import resource
import statistics
import tempfile
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from benchmarks.searching import LECTURES, N_WARM, prepared
from quarry.configs.settings import Accuracy, Settings, load
from quarry.ingest.embed import word_models_of
from quarry.ingest.pipeline.pipeline import ingest
from quarry.player.search.build import build_orchestrator

MOST_TIMES = 2.0
MOST_MS = 25.0
MOST_INGEST = 1.5
N_INGESTS = 3


def measure_fast() -> dict[str, Any]:
    """Median milliseconds of a search by one model, and of embedding its hint."""
    ours, baseline = _search("fast")
    return {
        **_row("search word by word, fast (p50)", ours, baseline, "ms CPU"),
        "baseline_is": "the hint's embedding alone, by the same network",
        "target": f"at most {MOST_TIMES:g} times",
        "met": ours <= MOST_TIMES * baseline,
    }


def measure_accurate() -> dict[str, Any]:
    """Median milliseconds of a search by both models, and of embedding its hint by both."""
    ours, baseline = _search("accurate")
    return {
        **_row("search word by word, accurate (p50)", ours, baseline, "ms CPU"),
        "baseline_is": "the hint's embeddings alone, by both networks",
        "target": f"at most {MOST_MS:g} ms more",
        "met": ours <= baseline + MOST_MS,
    }


def measure_ingest() -> dict[str, Any]:
    """Median seconds of ingesting the bundled course with the words of one model, and without words."""

    def seconds(accuracy: Accuracy) -> float:
        with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
            return _cpu(lambda: ingest([LECTURES], folder, _settings(accuracy), progress=False))

    runs = [(seconds("fast"), seconds("plain")) for _ in range(N_INGESTS + 1)][1:]
    ours, baseline = (statistics.median(side) for side in zip(*runs, strict=True))
    return {
        **_row("ingest of the bundled course, fast", ours, baseline, "s CPU"),
        "baseline_is": "the same without words",
        "target": f"at most {MOST_INGEST:g} times",
        "met": ours <= MOST_INGEST * baseline,
    }


def _search(accuracy: Accuracy) -> tuple[float, float]:
    """Median milliseconds of a search, and of its hint's embeddings; every hint is new to both."""
    settings = _settings(accuracy)
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        store, queries = prepared(folder, settings)
        models = store.models(settings.embed)
        embedders = [models.embedder(spec) for spec in word_models_of(store.embedder_spec, accuracy)]
        uncached = replace(settings, search=replace(settings.search, cache_size=0))
        search = build_orchestrator(store, uncached, embedders[0]).search

        def embed(hint: str) -> None:
            for embedder in embedders:
                embedder.embed_queries([hint])

        times: list[tuple[float, float]] = []
        for number, query in enumerate(queries):
            works = [lambda query=query: search(query), lambda query=query: embed(query.hint)]
            if number % 2:
                times.append((_cpu(works[0]), _cpu(works[1])))
            else:
                times.append((_cpu(works[1]), _cpu(works[0]))[::-1])
    ours, baseline = (1_000.0 * statistics.median(side) for side in zip(*times[N_WARM:], strict=True))
    return ours, baseline


def _settings(accuracy: Accuracy) -> Settings:
    settings = load()
    return replace(settings, search=replace(settings.search, accuracy=accuracy))


def _cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU, of all threads and of the processes that have ended."""
    started = _used()
    work()
    return _used() - started


def _used() -> float:
    both = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def _row(name: str, ours: float, baseline: float, unit: str) -> dict[str, Any]:
    return {
        "name": name,
        "quarry": round(ours, 2),
        "baseline": round(baseline, 2),
        "unit": unit,
        "ratio": round(ours / baseline, 2),
    }
