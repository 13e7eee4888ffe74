"""Benchmarks of a search: against the embedding of its hint, against two Chroma queries, and with process start."""

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import chromadb

from configs.settings import Settings, load
from evaluate.games.labelled import LabelledGame, load_games
from ingest.pipeline.pipeline import ingest
from player.search.build import build_orchestrator
from player.search.results import Query
from player.search.stores import store_embedder
from quarry.store import Course, open_store
from tools.benchmarks.chroma_search import HINT, open_collection

DATA_FOLDER = Path(__file__).resolve().parents[2] / "data"
ENGLISH_LECTURES = DATA_FOLDER / "lectures" / "english"
Figures = dict[str, Any]
Case = TypeVar("Case")


def uncached_settings() -> Settings:
    """Return the default settings without late interaction and cached results."""
    return load(changes=["search.late_interaction=off", "search.cache_size=0"])


@contextmanager
def bundled_course(settings: Settings) -> Iterator[tuple[Course, list[LabelledGame]]]:
    """Yield the bundled course, ingested into a temporary store, and its games."""
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        ingest(
            [ENGLISH_LECTURES], folder, settings, embedder_spec="minilm", progress=False
        )
        yield open_store(folder), load_games(DATA_FOLDER / "games" / "english.jsonl")


def wall_s(work: Callable[[], object]) -> float:
    """Return the seconds that some work takes."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def side_by_side(
    cases: Sequence[Case],
    quarry: Callable[[Case], float],
    baseline: Callable[[Case], float],
    n_warm: int = 1,
    **labels: str,
) -> Figures:
    """Measure both sides on each case; return the labels, the medians of the sides, and the ratio of these.

    The sides take turns at being first. The first `n_warm` cases do not count.
    """
    values: dict[str, list[float]] = {"quarry": [], "baseline": []}
    sides = (("quarry", quarry), ("baseline", baseline))
    for number, case in enumerate(cases):
        for side, measure in sides if number % 2 else sides[::-1]:
            value = measure(case)
            if number >= n_warm:
                values[side].append(value)

    ours, other = map(statistics.median, values.values())
    return {
        **labels,
        "quarry": float(f"{ours:.4g}"),
        "baseline": float(f"{other:.4g}"),
        "ratio": float(f"{ours / other:.3g}"),
    }


N_WARM = 20
"""Number of first hints that do not count."""
N_HINTS = 200
"""Number of hints that count."""
N_STARTS = 5
"""Number of measured starts."""


def measure_over_embedding() -> Figures:
    """Measure a whole search of the bundled course next to the embedding of its hint; every hint is new."""
    settings = uncached_settings()
    with bundled_course(settings) as (course, games):
        embedder = store_embedder(course, settings)
        search = build_orchestrator(course, settings, embedder).search
        return side_by_side(
            _queries(games),
            lambda query: 1e3 * wall_s(lambda: search(query)),
            lambda query: 1e3 * wall_s(lambda: embedder.embed_queries([query.hint])),
            N_WARM,
            name="search (p50)",
            unit="ms",
            baseline_is="the hint's embedding alone, by the same ONNX network",
        )


def _queries(games: Sequence[LabelledGame]) -> list[Query]:
    return [Query(game.hint, game.book_name) for game in games[: N_HINTS + N_WARM]]


def make_collection(folder: str, course: Course) -> chromadb.Collection:
    """Create Chroma's collection of a course, with the vectors of its store."""
    collection = open_collection(folder)
    for paragraph, vector in zip(course.paragraphs, course.vectors, strict=True):
        collection.add(
            ids=paragraph.paragraph_id,
            documents=paragraph.text,
            metadatas={"document": paragraph.doc_id},
            embeddings=vector,
        )
    return collection


def measure_against_chroma() -> Figures:
    """Measure a search next to two text queries of Chroma: one over the course, one within a document."""
    settings = uncached_settings()
    with (
        bundled_course(settings) as (course, games),
        tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder,
    ):
        search = build_orchestrator(course, settings).search
        collection = make_collection(folder, course)
        document = course.paragraphs[0].doc_id

        def two_queries(query: Query) -> None:
            collection.query(
                query_texts=[query.hint], n_results=15, where={"document": document}
            )
            collection.query(query_texts=[query.hint], n_results=20)

        # searches per second, so that a greater ratio is better
        return side_by_side(
            _queries(games),
            lambda query: 1.0 / wall_s(lambda: search(query)),
            lambda query: 1.0 / wall_s(lambda: two_queries(query)),
            N_WARM,
            name="search next to Chroma",
            unit="searches/s",
            baseline_is="two text queries of Chroma, filtered and not, SentenceTransformerEmbeddingFunction",
        )


def measure_start() -> Figures:
    """Measure the seconds from process start to the first answer, over the same paragraphs with the same model."""
    with (
        bundled_course(uncached_settings()) as (course, _),
        tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder,
    ):
        make_collection(folder, course)

        chroma = ["tools.benchmarks.chroma_search", folder]
        # Chroma knows no kinds
        options = ["--json", "--preset", "unfiltered", "--set", "search.kind_weight=0"]
        store = course.location
        search = ["player", "search", "--store", store, "--hint", HINT, *options]

        first_id = json.loads(run_module(search))["hits"][0]["paragraph_id"]
        if first_id != (other := run_module(chroma).strip()):
            raise RuntimeError(
                f"The two searches find different paragraphs first: {first_id} and {other}."
            )
        return side_by_side(
            range(N_STARTS + 1),
            lambda _: wall_s(lambda: run_module(search)),
            lambda _: wall_s(lambda: run_module(chroma)),
            name="process start to first answer",
            unit="s",
            baseline_is="import sentence_transformers, Chroma query with its embedding function",
        )


def run_module(arguments: Sequence[str]) -> str:
    """Run a module of ours in a new process, and return its output."""
    command = [sys.executable, "-m", *arguments]
    return subprocess.check_output(command, text=True, cwd=DATA_FOLDER.parent)
