"""A search, next to embedding its hint, to two Chroma queries by text, and from the start of a process."""

import functools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

from evaluate.games.labelled import LabelledGame
from ingest.pipeline.pipeline import ingest
from player.search.build import build_orchestrator, store_embedder
from player.search.results import Query
from quarry.store import open_store
from tools.benchmarks.baselines.chroma_search import HINT, open_collection
from tools.benchmarks.measure import (
    DATA,
    LECTURES,
    Figures,
    bundled_course,
    seconds,
    side_by_side,
    uncached_settings,
)

N_WARM = 20
N_HINTS = 200
N_STARTS = 5
wall_s = functools.partial(seconds, time.perf_counter)


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
        )


def _queries(games: Sequence[LabelledGame]) -> list[Query]:
    return [Query(game.hint, game.book_name) for game in games[: N_HINTS + N_WARM]]


def measure_against_chroma() -> Figures:
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
        return side_by_side(
            _queries(games),
            lambda query: 1.0 / wall_s(lambda: search(query)),
            lambda query: 1.0 / wall_s(lambda: two_queries(query)),
            N_WARM,
        )


def measure_start() -> Figures:
    """Measure seconds from process start to the first answer; both search the same paragraphs with the same model."""
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        store = f"{folder}/store"
        ingest([LECTURES], store, uncached_settings(), progress=False)
        records = []
        for paragraph in open_store(store).paragraphs:
            record = {"id": paragraph.paragraph_id, "text": paragraph.text}
            records.append(json.dumps(record))
        chroma = f"tools.benchmarks.baselines.chroma_search {folder}/baseline".split()
        _run([*chroma, "build"], "\n".join(records))

        # Chroma knows no kinds
        options = ["--json", "--preset", "unfiltered", "--set", "search.kind_weight=0"]
        search = ["player", "search", "--store", store, "--hint", HINT, *options]
        first_id = json.loads(_run(search))["hits"][0]["paragraph_id"]
        if first_id != (other := _run([*chroma, "query"]).strip()):
            raise RuntimeError(
                f"The two searches find different paragraphs first: {first_id} and {other}."
            )
        return side_by_side(
            range(N_STARTS + 1),
            lambda _: wall_s(lambda: _run(search)),
            lambda _: wall_s(lambda: _run([*chroma, "query"])),
        )


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
