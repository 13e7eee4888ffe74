"""`python -m tools.benchmarks scale [SIZE...]`: CPU time and memory of courses from 500 to 100,000 passages.

A course of each size is resampled from the bundled lectures: words of a passage are exchanged, and vectors
perturbed, so that no two passages are the same. Figures: docs/notebook/figures.md.
"""

import math
import multiprocessing
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np

from configs.directories import cache
from evaluate.games.labelled import LabelledGame
from player.answer import Answer
from player.player import Plan, Player, build_player
from player.search.results import Query
from quarry.arrays import Float32Array
from quarry.course.paragraph import Alias, Document, Paragraph, Reading
from quarry.course.sentences import sentences
from quarry.embed.vectors import ReadingVectors
from quarry.store import Course, Store, StoredDocument, open_store
from tools.benchmarks.measure import (
    bundled_course,
    bundled_games,
    seconds,
    uncached_settings,
)

T = TypeVar("T")

SIZES = (500, 5_000, 50_000, 100_000)
OF_A_DOCUMENT = 250
"""Passages of a document."""
WORD = re.compile("[a-z]{3,}")
EXCHANGED = 0.3
"""Share of the words of a passage that are exchanged."""
NEARNESS = 0.8
"""Cosine of a perturbed vector with the real one."""
N_HINTS = 60
N_GAMES = 20
ANSWERS: tuple[Answer, ...] = ("A", "B", "C", "D") * 5
Figures = dict[str, float]
cpu_seconds = partial(seconds, time.process_time)


def resampled(course: Course, n: int) -> Iterator[StoredDocument]:
    """Yield the documents of a course of n passages, made from a real one."""
    random = np.random.default_rng(0)
    texts = " ".join(item.text for item in course.paragraphs)
    vocabulary = sorted(set(WORD.findall(texts)))
    tokens = course.tokens
    assert tokens is not None

    def exchange(word: re.Match[str]) -> str:
        is_exchanged = random.random() < EXCHANGED
        return vocabulary[random.integers(len(vocabulary))] if is_exchanged else word[0]

    def perturbed(vectors: Float32Array) -> Float32Array:
        noise = random.standard_normal(vectors.shape, np.float32)
        weight = math.sqrt((1.0 - NEARNESS**2) / vectors.shape[1])
        mixed = NEARNESS * vectors + np.float32(weight) * noise
        unit: Float32Array = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
        return unit

    for start in range(0, n, OF_A_DOCUMENT):
        doc_id = f"lecture-{start:07}"
        rows = random.integers(len(course.paragraphs), size=OF_A_DOCUMENT)
        rows = rows[: n - start]
        passages: list[Paragraph] = []
        for ordinal, row in enumerate(rows.tolist(), 1):
            passage = course.paragraphs[row]
            text = WORD.sub(exchange, passage.text)
            changed = replace(
                passage,
                paragraph_id=f"{doc_id}:1:{ordinal}",
                doc_id=doc_id,
                page=1,
                text=text,
                opening_sentence=next(iter(sentences(text))),
                same_as="",
                own_length=0,
                page_breaks=(),
            )
            passages.append(changed)

        vectors = ReadingVectors(
            perturbed(course.vectors[rows]),
            perturbed(course.alias_vectors[:1]),
            tokens.of(rows),
        )
        names = (Alias(doc_id, "title"),)
        document = Document(
            doc_id, f"{doc_id}.pdf", doc_id, "1", names, 1, len(passages)
        )
        reading = Reading(document, tuple(passages), ())
        yield StoredDocument(reading, vectors, course.embedder_spec)


def measure_storing(base: str, folder: str, n: int) -> Figures:
    """Measure putting n passages into a store."""
    updates = [*resampled(open_store(base), n)]
    storing = cpu_seconds(lambda: Store(folder).change(updates))
    files = [path for path in Path(folder).rglob("*") if path.is_file()]
    n_bytes = sum(path.stat().st_size for path in files)
    return {"storing (s)": storing, "store on disk (MB)": n_bytes / 1e6}


def _opened(folder: str) -> Player:
    """Return a player that has searched, and has the index for its questions."""
    course = open_store(folder)
    player = build_player(course, uncached_settings(late_interaction=True))
    player.orchestrator.search(Query("a first hint"))
    player.index_of(course.paragraphs)
    return player


def measure_player(folder: str) -> Figures:
    """Measure opening a course, its searches and games, and the memory that the process then takes."""
    games = [game for game in bundled_games() if game.answerable]
    figures = {"opening (s)": cpu_seconds(lambda: _opened(folder))}
    player = _opened(folder)
    plans: list[Plan] = []

    def search(game: LabelledGame) -> None:
        player.orchestrator.search(Query(game.hint))

    def plan(game: LabelledGame) -> None:
        plans.append(player.plan(replace(game, book_name="").round_start()))

    def measure(name: str, work: Callable[[T], object], cases: Sequence[T]) -> None:
        work(cases[0])  # not counted
        times = [1e3 * cpu_seconds(partial(work, case)) for case in tuple(cases)]
        for p in (50, 95):
            figures[f"{name}, p{p} (ms)"] = float(np.percentile(times, p))

    measure("search", search, games[:N_HINTS])
    measure("search and 20 questions", plan, games[:N_GAMES])
    measure("decision", lambda plan: player.decide(plan, ANSWERS), plans)

    # Linux alone tells the memory: all, and without the files mapped into it
    status = Path("/proc/self/status").read_text(encoding="ascii")
    for name, n_kb in re.findall(r"(VmRSS|RssAnon):\s+(\d+) kB", status):
        figures[f"memory, {name} (MB)"] = int(n_kb) / 1e3
    return figures


def main(arguments: Sequence[str]) -> int:
    """Measure the sizes, or those that are given, and print the figures."""
    # threads that wait for work take CPU time
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    os.environ["QUARRY_MODELS"] = str(cache() / "models")

    # each step in a process of its own, for its memory
    spawn = multiprocessing.get_context("spawn")
    with (
        tempfile.TemporaryDirectory() as scratch,
        bundled_course(uncached_settings(late_interaction=True)) as (course, _),
        ProcessPoolExecutor(1, spawn, max_tasks_per_child=1) as pool,
    ):
        os.environ["QUARRY_HOME"] = scratch
        for size in map(int, arguments or SIZES):
            folder = f"{scratch}/{size}"
            stored = pool.submit(measure_storing, course.location, folder, size)
            figures = stored.result()
            figures |= pool.submit(measure_player, folder).result()
            shutil.rmtree(folder)
            for name, value in figures.items():
                print(f"{size:>9,}  {name:32} {value:,.4g}", flush=True)
    return 0
