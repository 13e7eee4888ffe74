"""Plain search of 100,000 paragraphs with their sentences, next to the embedding of the hint.

The paragraphs are spliced from the bundled course: the text of one, with vectors half way to another. They are filed in
a store like any others, by a process of their own, which takes some minutes and 2 GB of disk.
"""

from __future__ import annotations

import dataclasses
import multiprocessing
import statistics
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.searching import GAMES, LECTURES, interleaved, plain
from quarry.configs.settings import Settings
from quarry.evaluate.games.labelled import load_games
from quarry.ingest.arrays import Float32Array
from quarry.ingest.embed import Embedder
from quarry.ingest.embed.vectors import ReadingVectors
from quarry.ingest.paragraph import Paragraph, Reading
from quarry.ingest.pipeline.pipeline import ingest
from quarry.ingest.store import Course, DocumentUpdate, create_store, open_store
from quarry.player.search.build import build_orchestrator, store_embedder
from quarry.player.search.types import Query

N_PARAGRAPHS = 100_000
N_IN_DOCUMENT = 1_000
N_HINTS = 110
N_WARM = 10
N_COMPARED = 20
BEST = 20
TARGET_OVER_EMBEDDING = 3.0
TARGET_MB = 2_000


def measure() -> dict[str, Any]:
    """Median milliseconds of a search and of embedding its hint, the most memory of the process, and what is found."""
    settings = plain()
    settings = dataclasses.replace(settings, search=dataclasses.replace(settings.search, cache_size=0))
    with tempfile.TemporaryDirectory(prefix="quarry-bench-") as folder:
        fresh = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(max_workers=1, mp_context=fresh) as pool:  # whose memory is not that of searching
            pool.submit(_file, folder, settings).result()
        embedder = store_embedder(open_store(f"{folder}/store"), settings)
        store = open_store(f"{folder}/large")
        search = build_orchestrator(store, settings, embedder).search
        games = load_games(GAMES)
        hints = [game.hint for game in games[:: max(1, len(games) // N_HINTS)]]
        searched, embedded = interleaved(
            [Query(hint) for hint in hints], search, lambda query: embedder.embed_queries([query.hint]), N_WARM
        )
        most, mapped = _megabytes("VmHWM"), _megabytes("RssFile")
        found = [_share_found(store, search, settings, embedder, hint) for hint in hints[:N_COMPARED]]
    return {
        "name": "plain search in 100,000 paragraphs (p50)",
        "quarry": round(searched, 2),
        "baseline": round(embedded, 2),
        "baseline_is": f"the hint's embedding alone; the process had {most} MB at most, {mapped} MB of them pages of "
        f"files; {statistics.mean(found):.3f} of the best {BEST} of an exact scan are found",
        "unit": "ms",
        "ratio": round(searched / embedded, 2),
        "target": f"at most {TARGET_OVER_EMBEDDING}, in {TARGET_MB} MB",
        "met": searched <= TARGET_OVER_EMBEDDING * embedded and most <= TARGET_MB,
    }


def _file(folder: str, settings: Settings) -> None:
    """Ingest the bundled course, and file what is spliced from it."""
    ingest([LECTURES], f"{folder}/store", settings, progress=False)
    create_store(f"{folder}/large").change(_spliced(open_store(f"{folder}/store")))


def _spliced(store: Course) -> Iterator[DocumentUpdate]:
    """Documents of `N_IN_DOCUMENT` paragraphs each, `N_PARAGRAPHS` in all."""
    generator = np.random.default_rng(0)
    starts = np.searchsorted(store.sentence_rows, np.arange(len(store.paragraphs) + 1))
    document = next(item for item in store.documents if item.n_paragraphs)
    names = store.alias_vectors[: len(document.aliases)]
    for first in range(0, N_PARAGRAPHS, N_IN_DOCUMENT):
        doc_id = f"spliced-{first:06}"
        pairs = generator.integers(0, len(store.paragraphs), (N_IN_DOCUMENT, 2))
        paragraphs = [
            _renamed(store.paragraphs[row], doc_id, number) for number, row in enumerate(pairs[:, 0].tolist())
        ]
        sentences = [
            _unit(store.sentence_vectors[starts[row] : starts[row + 1]] + store.vectors[other])
            for row, other in pairs.tolist()
        ]
        vectors = ReadingVectors(_unit(store.vectors[pairs].sum(axis=1)), np.concatenate(sentences), names)
        of_all = dataclasses.replace(document, doc_id=doc_id, n_paragraphs=N_IN_DOCUMENT)
        yield DocumentUpdate(Reading(of_all, tuple(paragraphs), ()), vectors, store.embedder_spec, store.max_tokens)


def _renamed(paragraph: Paragraph, doc_id: str, number: int) -> Paragraph:
    """The paragraph in another document, with a word of its own, so that no two are twins."""
    page, ordinal = divmod(number, 10)
    text = paragraph.text.replace(" ", f" {doc_id}-{number} ", 1)
    name = f"{doc_id}:{page + 1}:{ordinal}"
    return dataclasses.replace(paragraph, paragraph_id=name, doc_id=doc_id, page=page + 1, text=text, same_as="")


def _unit(vectors: Float32Array) -> Float32Array:
    unit: Float32Array = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit


def _share_found(store: Course, search: Any, settings: Settings, embedder: Embedder, hint: str) -> float:
    """The share of the best paragraphs by all sentences, without the rule, that a search finds."""
    vector = embedder.embed_queries([hint])[0]
    best, mean = settings.search.sentence_weight, settings.search.sentence_mean_weight
    total = (1.0 - best - mean) * (store.vectors @ vector)
    for start in range(0, len(total), N_IN_DOCUMENT):
        rows = np.arange(start, min(start + N_IN_DOCUMENT, len(total)))
        sentences, places = store.sentences_of(rows)
        each = sentences @ vector
        starts = np.searchsorted(places, np.arange(len(rows)))
        total[rows] += best * np.maximum.reduceat(each, starts)
        total[rows] += mean * np.add.reduceat(each, starts) / np.bincount(places)
    wanted = {store.paragraphs[row].paragraph_id for row in np.argsort(-total)[:BEST].tolist()}
    hits = search(Query(hint, k=BEST, keywords="off")).hits
    return len(wanted & {hit.paragraph.paragraph_id for hit in hits}) / BEST


def _megabytes(field: str) -> int:
    """A figure of Linux's /proc/self/status: "VmHWM", the most memory so far, "RssFile", pages of files in it now."""
    lines: Sequence[str] = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:")) // 1024
