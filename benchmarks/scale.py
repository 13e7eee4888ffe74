"""`python -m benchmarks scale [SIZE...]`: CPU time and memory of courses from 500 to 1,000,000 passages.

A course of each size is resampled from the bundled lectures: words of a passage are exchanged, and vectors and tokens
perturbed, so that no two passages are the same. The table goes into docs/scale.md.
"""

from __future__ import annotations

import contextlib
import functools
import json
import math
import multiprocessing
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.measure import (
    DATA,
    bundled_course,
    bundled_games,
    seconds,
    uncached_settings,
)
from configs.directories import cache
from evaluate.games.labelled import LabelledGame
from evaluate.runs.run import commit
from ingest.arrays import Float32Array, IntArray
from ingest.embed.vectors import STEPS, ReadingVectors, Tokens, Words, embed_reading
from ingest.paragraph import Alias, Document, Paragraph, Reading
from ingest.paragraphs.sentence import sentences
from ingest.store import Course, DocumentUpdate, create_store, open_store
from player.player import Plan, Player, build_player
from player.questions.answer import Answer
from player.search.build import index_of, store_embedder
from player.search.strategies import dense as dense_module
from player.search.strategies.dense import Dense, best_of
from player.search.types import Query

DOCS = DATA.parent / "docs" / "scale.md"
RESULTS = Path(__file__).with_name("scale.json")
"""Figures by size; each size is written when it is finished."""
BEGIN, END = "<!-- figures -->\n", "<!-- end of figures -->\n"
SIZES = (500, 5_000, 50_000, 100_000)
LARGEST = 1_000_000
"""Size for which figures are extrapolated from the two largest measured sizes."""
OF_A_DOCUMENT = 250
"""Passages of a document."""
EXCHANGED = 0.3
"""Share of the words of a passage that are exchanged."""
NEARNESS = 0.8
"""Cosine of a perturbed vector with the real one."""
N_HINTS = 60
N_GAMES = 20
K = 20
Figures = dict[str, float]


def resampled(course: Course, n: int) -> Iterator[DocumentUpdate]:
    """Yield the documents of a course of n passages, made from a real one."""
    random = np.random.default_rng(0)
    texts = " ".join(item.text for item in course.paragraphs)
    vocabulary = np.array(sorted(set(re.findall(r"[a-z]{3,}", texts))))
    words = course.words(course.embedder_spec)

    for number, start in enumerate(range(0, n, OF_A_DOCUMENT)):
        n_passages = min(OF_A_DOCUMENT, n - start)
        rows = random.integers(len(course.paragraphs), size=n_passages)
        doc_id = f"lecture-{number:05}"
        passages, firsts = [], []
        for ordinal, row in enumerate(rows.tolist(), 1):
            passage, sentence_rows = _resampled_passage(course, row, vocabulary, random)
            page = 1 + ordinal // 8
            paragraph_id = f"{doc_id}:{page}:{ordinal}"
            passages.append(
                replace(passage, paragraph_id=paragraph_id, doc_id=doc_id, page=page)
            )
            firsts += sentence_rows

        vectors = ReadingVectors(
            _perturbed(course.vectors[rows], random),
            _perturbed(course.sentence_vectors[firsts], random),
            _perturbed(course.alias_vectors[[number % len(course.aliases)]], random),
            {
                course.embedder_spec: Words(
                    _perturbed(words.pooled[rows], random),
                    _tokens_of(words.tokens, rows, random),
                )
            },
        )
        alias = Alias(f"lecture {number}", "title")
        document = Document(
            doc_id, f"{doc_id}.pdf", doc_id, "1", (alias,), 40, n_passages
        )
        reading = Reading(document, tuple(passages), ())
        yield DocumentUpdate(reading, vectors, course.embedder_spec)


def _resampled_passage(
    course: Course,
    row: int,
    vocabulary: NDArray[np.str_],
    random: np.random.Generator,
) -> tuple[Paragraph, list[int]]:
    """Return a passage with other words, and for each of its sentences the row of a vector."""
    passage = course.paragraphs[row]
    rows = np.flatnonzero(course.sentence_rows == row).tolist()
    texts = []
    for sentence in list(sentences(passage.text))[: len(rows)] or [passage.text]:
        texts.append(_exchanged(sentence, vocabulary, random))
    text = " ".join(texts)

    n_sentences = len(list(sentences(text)))
    rows = (rows + [rows[-1]] * n_sentences)[:n_sentences]
    changed = replace(
        passage,
        text=text,
        opening_sentence=texts[0],
        same_as="",
        own_length=0,
        page_breaks=(),
    )
    return changed, rows


def _exchanged(
    text: str, vocabulary: NDArray[np.str_], random: np.random.Generator
) -> str:
    """Return a sentence with some of its words exchanged for others of the course."""

    def exchange(word: re.Match[str]) -> str:
        if random.random() < EXCHANGED:
            return str(random.choice(vocabulary))
        return word[0]

    return re.sub(r"[a-z]{3,}", exchange, text)


def _perturbed(vectors: Float32Array, random: np.random.Generator) -> Float32Array:
    """Return unit vectors at about the cosine `NEARNESS` from the given ones."""
    noise = random.standard_normal(vectors.shape, np.float32)
    weight = math.sqrt((1.0 - NEARNESS**2) / vectors.shape[1])
    mixed = NEARNESS * vectors + np.float32(weight) * noise
    unit: Float32Array = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
    return unit


def _tokens_of(tokens: Tokens, rows: IntArray, random: np.random.Generator) -> Tokens:
    """Return the perturbed tokens of some passages."""
    some = tokens.of(rows)
    codes = some.codes.astype(np.int16)
    codes += random.integers(-4, 5, size=codes.shape, dtype=np.int16)
    return Tokens(codes.clip(0, STEPS).astype(np.uint8), some.starts)


def measure_ingest(base: str, folder: str, n: int) -> Figures:
    """Measure putting n passages into a store, and what their models take, passage by passage."""
    course, settings = open_store(base), uncached_settings("fast")
    embedder: Any = store_embedder(course, settings)
    document = course.documents[0]
    some = Reading(document, course.reading(document.doc_id).paragraphs[:64], ())
    texts = [item.text for item in some.paragraphs]
    plain = seconds(time.process_time, lambda: embedder.embed_passages(texts))
    whole = seconds(time.process_time, lambda: embed_reading(some, embedder))
    words = seconds(
        time.process_time, lambda: embed_reading(some, embedder, [embedder])
    )

    updates = list(resampled(course, n))
    stored = seconds(time.process_time, lambda: create_store(folder).change(updates))

    each = 1_000.0 / len(texts)
    n_bytes = 0
    for path in Path(folder).rglob("*"):
        n_bytes += path.stat().st_size * path.is_file()
    return {
        "embedding passages (ms each)": plain * each,
        "... and their sentences": whole * each,
        "... and their tokens": words * each,
        "storing (s)": stored,
        "store on disk (MB)": n_bytes / 1e6,
    }


def measure_open(folder: str) -> Figures:
    """Measure opening a course that is not in the cache yet."""
    shutil.rmtree(cache() / "courses", ignore_errors=True)
    opening = seconds(time.process_time, lambda: _opened(open_store(folder)))
    return {"opening, first time (s)": opening}


def _opened(course: Course) -> Player:
    """Return a player that has searched, and has the index for its questions."""
    player = build_player(course, uncached_settings("fast"))
    player.orchestrator.search(Query("a first hint"))
    player.index_of(course.paragraphs)
    return player


def measure_player(folder: str) -> Figures:
    """Measure opening a cached course, its searches and games, and the memory that the process then takes."""
    games = [game for game in bundled_games() if game.answerable]
    started = time.process_time()
    course = open_store(folder)
    player = _opened(course)
    figures = {"opening, cached (s)": time.process_time() - started}

    embedder = store_embedder(course, uncached_settings("fast"))
    search = player.orchestrator.search
    hints = games[:N_HINTS]
    embedding = _quantiles(lambda game: embedder.embed_queries([game.hint]), hints)
    figures["hint's embedding (ms)"] = embedding["p50"]
    searching = _quantiles(lambda game: search(Query(game.hint)), hints)

    # Linux alone tells the memory: all, and without the files mapped into it
    status = Path("/proc/self/status").read_text(encoding="ascii")
    memory_kb = dict(re.findall(r"(VmRSS|RssAnon):\s+(\d+) kB", status))

    plans: list[Plan] = []

    def ask(game: LabelledGame) -> None:
        plans.append(player.plan(replace(game, book_name="").round_start()))

    asking = _quantiles(ask, games[:N_GAMES])
    answers: tuple[Answer, ...] = ("A", "B", "C", "D") * 5
    deciding = _quantiles(lambda plan: player.decide(plan, answers), plans)
    for name, times in (
        ("search", searching),
        ("search and 20 questions", asking),
        ("decision", deciding),
    ):
        figures |= {f"{name}, {p} (ms)": ms for p, ms in times.items()}

    figures["candidates of a game"] = float(len(plans[0].prior))
    figures["memory, resident (MB)"] = int(memory_kb["VmRSS"]) / 1e3
    figures["memory, without mapped files (MB)"] = int(memory_kb["RssAnon"]) / 1e3
    return figures


def _quantiles(work: Callable[[Any], object], cases: Sequence[Any]) -> Figures:
    """Return milliseconds of some work at p50 and p95, after one case that is not counted."""
    work(cases[0])
    times = []
    for case in cases:
        times.append(
            1_000.0 * seconds(time.process_time, functools.partial(work, case))
        )
    return {f"p{p}": float(np.percentile(times, p)) for p in (50, 95)}


def measure_recall(folder: str) -> Figures:
    """Measure the share of the best passages word by word, over the whole course, that `fast` finds."""
    course, games = open_store(folder), bundled_games()[:N_HINTS]
    dense = index_of(course, uncached_settings("fast")).strategies["dense"]
    assert isinstance(dense, Dense), "settings name it"

    def best() -> list[IntArray]:
        return [best_of(dense.score(Query(game.hint)).log_odds, K) for game in games]

    quick = best()
    dense_module.N_CLOSELY = len(course.paragraphs)
    n_common = 0
    for some, whole in zip(quick, best(), strict=True):
        n_common += np.isin(some, whole).sum()
    return {"fast: recall@20 of all word by word": n_common / (K * len(games))}


def slope(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the slope of values over sizes on logarithmic scales: 1 grows with the size, 0 not at all."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def table_of(results: Mapping[int, Figures]) -> str:
    """Return the figures of each size as a table in Markdown, with slopes and an extrapolation."""
    heads = ["", *(f"{size:,}" for size in results), "slope"]
    rows = [[*heads, f"{LARGEST:,}, extrapolated"]]
    rows.append(["---"] * len(rows[0]))
    for name in results[max(results)]:
        row, measured = [name], {}
        for size, figures in results.items():
            row.append(_figure(figures.get(name, math.nan)))
            if figures.get(name):
                measured[size] = figures[name]
        grows = not re.search(r"recall|each|\.\.\.", name) and len(measured) > 1
        row.append(f"{slope([*measured], [*measured.values()]):.2f}" if grows else "")
        row.append(_figure(_extrapolated(measured)) if grows else "")
        rows.append(row)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _extrapolated(measured: Mapping[int, float]) -> float:
    """Extrapolate from two sizes by the slope or the increment: many figures are a constant and a linear part."""
    (n, before), (m, last) = [*measured.items()][-2:]
    exponent = max(0.0, slope((n, m), (before, last)))
    by_slope: float = last * (LARGEST / m) ** exponent
    return max(by_slope, last + (last - before) / (m - n) * (LARGEST - m))


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 1e4 else f"{value:,.3g}"


def main(arguments: Sequence[str]) -> int:
    """Measure the sizes, or those that are given, and put the table of all that were measured into docs/scale.md.

    Args:
        arguments: sizes; and a folder with a store from which courses are resampled, in place of the bundled lectures.
    """
    sizes: list[int] = []
    stores: list[str] = []
    for argument in arguments:
        if argument.isdigit():
            sizes.append(int(argument))
        else:
            stores.append(argument)
    results: dict[int, Figures] = {}
    if RESULTS.exists():
        for size, figures in json.loads(RESULTS.read_text(encoding="utf-8")).items():
            results[int(size)] = figures
    settings = uncached_settings("fast")
    with contextlib.ExitStack() as stack:
        scratch = stack.enter_context(tempfile.TemporaryDirectory())
        if not stores:
            course, _ = stack.enter_context(bundled_course(settings))
            stores = [course.location]
        os.environ["QUARRY_MODELS"] = settings.embed.models_dir or str(
            cache() / "models"
        )
        # threads that wait for work take CPU time
        os.environ["OPENBLAS_NUM_THREADS"] = "1"
        # courses of this size are not for the user's cache
        os.environ["QUARRY_HOME"] = scratch
        # each step in a process of its own, for its memory
        spawn = multiprocessing.get_context("spawn")
        pool = stack.enter_context(ProcessPoolExecutor(1, spawn, max_tasks_per_child=1))
        for size in sizes or SIZES:
            folder = str(Path(scratch) / str(size))
            figures = pool.submit(measure_ingest, stores[0], folder, size).result()
            for step in (measure_open, measure_player, measure_recall):
                figures |= pool.submit(step, folder).result()
            results[size] = figures
            print(size, json.dumps(figures), flush=True)
            RESULTS.write_text(json.dumps(results, indent=1), encoding="utf-8")
            shutil.rmtree(folder)

    results = dict(sorted(results.items()))
    table = f"Commit {commit()[:7]}, {os.cpu_count()} cores.\n\n{table_of(results)}\n"
    print(table)
    if DOCS.exists():
        before, _, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
        DOCS.write_text(
            f"{before}{BEGIN}{table}{END}{rest.partition(END)[2]}", encoding="utf-8"
        )
    return 0
