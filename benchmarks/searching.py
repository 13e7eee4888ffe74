"""A search, next to embedding its hint, to two Chroma queries by text, and from the start of a process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.baselines.chroma_search import HINT, open_collection
from benchmarks.measure import DATA, Row, bundled_course, row, seconds, take_turns, uncached_settings
from quarry.ingest.pipeline.pipeline import ingest
from quarry.ingest.store import open_store
from quarry.player.search.build import build_orchestrator, store_embedder
from quarry.player.search.types import Query

N_WARM = 20
N_HINTS = 200
N_STARTS = 5


def measure_over_embedding() -> Row:
    """Measure a whole search of the bundled course next to the embedding of its hint; every hint is new."""
    settings = uncached_settings()
    with bundled_course(settings) as (course, games):
        embedder = store_embedder(course, settings)
        search = build_orchestrator(course, settings, embedder).search
        sides = take_turns(
            [Query(game.hint, game.book_name) for game in games[: N_HINTS + N_WARM]],
            lambda query: 1000.0 * seconds(time.perf_counter, lambda: search(query)),
            lambda query: 1000.0 * seconds(time.perf_counter, lambda: embedder.embed_queries([query.hint])),
            N_WARM,
        )
    return row("search (p50)", sides, "ms", "the hint's embedding alone, by the same ONNX network", at_most=1.2)


def measure_against_chroma() -> Row:
    """Measure a search next to two text queries of Chroma: one over the course, one within a document."""
    settings = uncached_settings()
    with bundled_course(settings) as (course, games), tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        search = build_orchestrator(course, settings).search
        collection = open_collection(folder)
        collection.add(
            ids=[paragraph.paragraph_id for paragraph in course.paragraphs],
            documents=[paragraph.text for paragraph in course.paragraphs],
            metadatas=[{"document": paragraph.doc_id} for paragraph in course.paragraphs],
            embeddings=course.vectors,
        )
        document = course.paragraphs[0].doc_id

        def two_queries(query: Query) -> None:
            collection.query(query_texts=[query.hint], n_results=15, where={"document": document})
            collection.query(query_texts=[query.hint], n_results=20)

        # searches per second, so that a greater ratio is better
        sides = take_turns(
            [Query(game.hint, game.book_name) for game in games[: N_HINTS + N_WARM]],
            lambda query: 1.0 / seconds(time.perf_counter, lambda: search(query)),
            lambda query: 1.0 / seconds(time.perf_counter, lambda: two_queries(query)),
            N_WARM,
        )
    baseline_is = "two text queries of Chroma, filtered and not, SentenceTransformerEmbeddingFunction"
    return row("search next to Chroma", sides, "searches/s", baseline_is, at_least=10.0)


def measure_start() -> Row:
    """Measure seconds from process start to the first answer; both search the same paragraphs with the same model."""
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        ours, baseline = Path(folder) / "store", Path(folder) / "baseline"
        ingest([DATA / "lectures" / "english"], str(ours), uncached_settings(), progress=False)
        texts = [
            {"id": paragraph.paragraph_id, "text": paragraph.text} for paragraph in open_store(str(ours)).paragraphs
        ]
        theirs = [sys.executable, "-m", "benchmarks.baselines.chroma_search", str(baseline)]
        _run([*theirs, "build"], "\n".join(map(json.dumps, texts)))
        command = [sys.executable, "-m", "player", "search", "--store", str(ours), "--hint", HINT]
        command += ["--preset", "unfiltered", "--set", "search.kind_weight=0", "--json"]  # Chroma knows no kinds
        first = json.loads(_run(command))["hits"][0]["paragraph_id"], _run([*theirs, "query"]).strip()
        if first[0] != first[1]:
            raise RuntimeError(f"both must find the same paragraph first, got {first[0]} and {first[1]}")
        sides = take_turns(
            range(N_STARTS + 1),
            lambda _: seconds(time.perf_counter, lambda: _run(command)),
            lambda _: seconds(time.perf_counter, lambda: _run([*theirs, "query"])),
        )
    baseline_is = "import sentence_transformers, Chroma query with its embedding function"
    return row("process start to first answer", sides, "s", baseline_is, at_most=0.333)


def _run(command: Sequence[str], stdin: str | None = None) -> str:
    environment = {**os.environ, "PYTHONPATH": str(DATA.parent)}
    done = subprocess.run(
        command, input=stdin, capture_output=True, text=True, cwd=DATA.parent, env=environment, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed with {done.returncode}: {done.stderr[-500:]}")
    return done.stdout
