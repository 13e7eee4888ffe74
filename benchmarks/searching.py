"""A search, next to embedding its hint, to two Chroma queries by text, and from the start of a process."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence

from benchmarks.baselines.chroma_search import HINT, open_collection
from benchmarks.measure import (
    DATA,
    Row,
    bundled_course,
    row,
    seconds,
    take_turns,
    uncached_settings,
)
from evaluate.games.labelled import LabelledGame
from ingest.pipeline.pipeline import ingest
from ingest.store import open_store
from player.search.build import build_orchestrator, store_embedder
from player.search.types import Query

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
            _queries(games),
            lambda query: 1000.0 * _wall_s(lambda: search(query)),
            lambda query: (
                1000.0 * _wall_s(lambda: embedder.embed_queries([query.hint]))
            ),
            N_WARM,
        )
    baseline_is = "the hint's embedding alone, by the same ONNX network"
    return row("search (p50)", sides, "ms", baseline_is, at_most=1.2)


def _queries(games: Sequence[LabelledGame]) -> list[Query]:
    return [Query(game.hint, game.book_name) for game in games[: N_HINTS + N_WARM]]


def _wall_s(work: Callable[[], object]) -> float:
    return seconds(time.perf_counter, work)


def measure_against_chroma() -> Row:
    """Measure a search next to two text queries of Chroma: one over the course, one within a document."""
    settings = uncached_settings()
    with (
        bundled_course(settings) as (course, games),
        tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder,
    ):
        search = build_orchestrator(course, settings).search
        collection = open_collection(folder)
        for paragraph, vector in zip(course.paragraphs, course.vectors, strict=True):
            collection.add(
                ids=paragraph.paragraph_id,
                documents=paragraph.text,
                metadatas={"document": paragraph.doc_id},
                embeddings=vector,
            )
        document = course.paragraphs[0].doc_id

        def two_queries(query: Query) -> None:
            collection.query(
                query_texts=[query.hint], n_results=15, where={"document": document}
            )
            collection.query(query_texts=[query.hint], n_results=20)

        # searches per second, so that a greater ratio is better
        sides = take_turns(
            _queries(games),
            lambda query: 1.0 / _wall_s(lambda: search(query)),
            lambda query: 1.0 / _wall_s(lambda: two_queries(query)),
            N_WARM,
        )
    baseline_is = "two text queries of Chroma, filtered and not, SentenceTransformerEmbeddingFunction"
    return row("search next to Chroma", sides, "searches/s", baseline_is, at_least=10.0)


def measure_start() -> Row:
    """Measure seconds from process start to the first answer; both search the same paragraphs with the same model."""
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        ours, baseline = f"{folder}/store", f"{folder}/baseline"
        lectures = [DATA / "lectures" / "english"]
        ingest(lectures, ours, uncached_settings(), progress=False)
        texts = []
        for paragraph in open_store(ours).paragraphs:
            texts.append(
                json.dumps({"id": paragraph.paragraph_id, "text": paragraph.text})
            )
        theirs = f"benchmarks.baselines.chroma_search {baseline}".split()
        _run([*theirs, "build"], "\n".join(texts))

        # Chroma knows no kinds
        options = "--json --preset unfiltered --set search.kind_weight=0"
        command = ["player", "search", "--store", ours, "--hint", HINT]
        command += options.split()
        first_id = json.loads(_run(command))["hits"][0]["paragraph_id"]
        if first_id != (other := _run([*theirs, "query"]).strip()):
            raise RuntimeError(
                f"Both must find the same paragraph first, got {first_id} and {other}."
            )
        sides = take_turns(
            range(N_STARTS + 1),
            lambda _: _wall_s(lambda: _run(command)),
            lambda _: _wall_s(lambda: _run([*theirs, "query"])),
        )
    baseline_is = (
        "import sentence_transformers, Chroma query with its embedding function"
    )
    return row("process start to first answer", sides, "s", baseline_is, at_most=0.333)


def _run(arguments: Sequence[str], stdin: str | None = None) -> str:
    """Run a module of ours in a new process, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", *arguments],
        input=stdin,
        stdout=subprocess.PIPE,
        text=True,
        cwd=DATA.parent,
        check=True,
    )
    return done.stdout
