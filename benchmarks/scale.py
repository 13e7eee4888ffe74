"""`python -m benchmarks scale [SIZE...]`: CPU time and memory of courses from 500 to 1,000,000 passages.

A course of each size is resampled from the bundled lectures: words of a passage are exchanged, and vectors and tokens
perturbed, so that no two passages are the same. The table goes into docs/scale.md.
"""

from __future__ import annotations

import contextlib
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

from benchmarks.measure import DATA, bundled_course, seconds, uncached_settings
from quarry.configs.places import cache
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.runs.run import commit
from quarry.ingest.arrays import Float32Array, IntArray
from quarry.ingest.embed.vectors import STEPS, ReadingVectors, Tokens, Words, embed_reading
from quarry.ingest.paragraph import Alias, Document, Reading
from quarry.ingest.paragraphs.sentence import sentences
from quarry.ingest.store import Course, DocumentUpdate, create_store, open_store
from quarry.player.player import Plan, Player, build_player
from quarry.player.questions.answer import Answer
from quarry.player.search.build import searched_of, store_embedder
from quarry.player.search.strategies import dense as dense_module
from quarry.player.search.strategies.dense import Dense, best_of
from quarry.player.search.types import Query

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


def resampled(course: Course, n: int, seed: int = 0) -> Iterator[DocumentUpdate]:
    """Yield the documents of a course of n passages, made from a real one."""
    random = np.random.default_rng(seed)
    vocabulary = np.array(sorted({word for item in course.paragraphs for word in re.findall(r"[a-z]{3,}", item.text)}))
    words = course.words(course.embedder_spec)
    for number, start in enumerate(range(0, n, OF_A_DOCUMENT)):
        rows = random.integers(len(course.paragraphs), size=min(OF_A_DOCUMENT, n - start))
        doc_id = f"lecture-{number:05}"
        passages, firsts = [], []
        for ordinal, row in enumerate(rows.tolist(), 1):
            item = course.paragraphs[row]
            own = np.flatnonzero(course.sentence_rows == row)
            said = [
                _exchanged(text, vocabulary, random) for text in list(sentences(item.text))[: len(own)] or [item.text]
            ]
            page = 1 + ordinal // 8
            passages.append(
                replace(
                    item,
                    paragraph_id=f"{doc_id}:{page}:{ordinal}",
                    doc_id=doc_id,
                    page=page,
                    text=" ".join(said),
                    opening_sentence=said[0],
                    same_as="",
                    own_length=0,
                    page_breaks=(),
                )
            )
            firsts += own[: len(said)].tolist() + [int(own[-1])] * (len(list(sentences(" ".join(said)))) - len(own))
        n_sentences = sum(len(list(sentences(item.text))) for item in passages)
        tokens = _tokens_of(words.tokens, rows, random)
        alias = Alias(f"lecture {number}", "title")
        document = Document(doc_id, f"{doc_id}.pdf", doc_id, "1", (alias,), 40, len(passages))
        vectors = ReadingVectors(
            _perturbed(course.vectors[rows], random),
            _perturbed(course.sentence_vectors[np.resize(np.array(firsts), n_sentences)], random),
            _perturbed(course.alias_vectors[[number % len(course.aliases)]], random),
            {course.embedder_spec: Words(_perturbed(words.pooled[rows], random), tokens)},
        )
        yield DocumentUpdate(Reading(document, tuple(passages), ()), vectors, course.embedder_spec)


def _exchanged(text: str, vocabulary: Any, random: np.random.Generator) -> str:
    """Return a sentence with some of its words exchanged for others of the course."""
    return re.sub(
        r"[a-z]{3,}", lambda word: random.choice(vocabulary) if random.random() < EXCHANGED else word[0], text
    )


def _perturbed(vectors: Float32Array, random: np.random.Generator) -> Float32Array:
    """Return unit vectors at about the cosine `NEARNESS` from the given ones."""
    noise = random.standard_normal(vectors.shape, dtype=np.float32) / math.sqrt(vectors.shape[1])
    mixed = NEARNESS * vectors + math.sqrt(1.0 - NEARNESS**2) * noise
    unit: Float32Array = (mixed / np.linalg.norm(mixed, axis=1, keepdims=True)).astype(np.float32)
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
    words = seconds(time.process_time, lambda: embed_reading(some, embedder, [embedder]))
    updates = list(resampled(course, n))
    stored = seconds(time.process_time, lambda: create_store(folder).change(updates))
    each = 1_000.0 / len(texts)
    return {
        "embedding passages (ms each)": plain * each,
        "... and their sentences": whole * each,
        "... and their tokens": words * each,
        "storing (s)": stored,
        "store on disk (MB)": _megabytes(Path(folder)),
    }


def _megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def measure_open(folder: str) -> Figures:
    """Measure opening a course that is not in the cache yet."""
    shutil.rmtree(cache() / "courses", ignore_errors=True)
    return {"opening, first time (s)": seconds(time.process_time, lambda: _opened(open_store(folder)))}


def _opened(course: Course) -> Player:
    """Return a player that has searched, and has the index for its questions."""
    player = build_player(course, uncached_settings("fast"))
    player.orchestrator.search(Query("a first hint"))
    player.index_of(course.paragraphs)
    return player


def measure_player(folder: str) -> Figures:
    """Measure opening a cached course, its searches and games, and the memory that the process then takes."""
    games = [game for game in load_games(DATA / "games" / "english.jsonl") if game.answerable]
    started = time.process_time()
    course = open_store(folder)
    player = _opened(course)
    opened = time.process_time() - started
    embedder = store_embedder(course, uncached_settings("fast"))
    embedding = _quantiles(lambda game: embedder.embed_queries([game.hint]), games[:N_HINTS])
    search = _quantiles(lambda game: player.orchestrator.search(Query(game.hint)), games[:N_HINTS])
    memory_mb = _memory_mb()
    plans: list[Plan] = []
    questions = _quantiles(
        lambda game: plans.append(player.plan(replace(game, book_name="").round_start())), games[:N_GAMES]
    )
    answers: tuple[Answer, ...] = ("A", "B", "C", "D") * 5
    decide = _quantiles(lambda plan: player.decide(plan, answers), plans)
    return {
        "opening, cached (s)": opened,
        "hint's embedding (ms)": embedding[0],
        "search, p50 (ms)": search[0],
        "search, p95 (ms)": search[1],
        "search and 20 questions, p50 (ms)": questions[0],
        "search and 20 questions, p95 (ms)": questions[1],
        "decision, p50 (ms)": decide[0],
        "decision, p95 (ms)": decide[1],
        "candidates of a game": float(len(plans[0].prior)),
        **{f"memory, {name} (MB)": value for name, value in memory_mb.items()},
    }


def _memory_mb() -> dict[str, float]:
    """Return this process's resident memory: all, and without the files mapped into it. Linux alone tells."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found = {name: int(kb) / 1e3 for name, kb in re.findall(r"(VmRSS|RssAnon):\s+(\d+) kB", status)}
    return {"resident": found.get("VmRSS", math.nan), "without mapped files": found.get("RssAnon", math.nan)}


def _quantiles(work: Callable[[Any], object], cases: Sequence[Any]) -> tuple[float, float]:
    """Return milliseconds of some work at p50 and p95, after one case that is not counted."""
    times = [1_000.0 * seconds(time.process_time, lambda case=case: work(case)) for case in (cases[0], *cases)][1:]  # type: ignore[misc]
    p50, p95 = np.percentile(times, [50, 95])
    return float(p50), float(p95)


def measure_recall(folder: str) -> Figures:
    """Measure the share of the best passages word by word, over the whole course, that `fast` finds."""
    course, games = open_store(folder), load_games(DATA / "games" / "english.jsonl")[:N_HINTS]
    dense = searched_of(course, uncached_settings("fast")).strategies["dense"]
    assert isinstance(dense, Dense), "settings name it"

    def best() -> list[set[int]]:
        return [set(best_of(dense.score(Query(game.hint)).log_odds, K).tolist()) for game in games]

    quick = best()
    dense_module.N_CLOSELY = len(course.paragraphs)
    shares = [len(some & whole) / K for some, whole in zip(quick, best(), strict=True)]
    return {"fast: recall@20 of all word by word": float(np.mean(shares))}


def slope(sizes: Sequence[int], values: Sequence[float]) -> float:
    """Return the slope of values over sizes on logarithmic scales: 1 grows with the size, 0 not at all."""
    known = [(size, value) for size, value in zip(sizes, values, strict=True) if value > 0.0]
    x, y = np.log(np.array(known)).T
    return float(np.polyfit(x, y, 1)[0])


def table_of(results: Mapping[int, Figures]) -> str:
    """Return the figures of each size as a table in Markdown, with slopes and an extrapolation."""
    sizes = list(results)
    rows = [["", *(f"{size:,}" for size in sizes), "slope", f"{LARGEST:,}, extrapolated"]]
    rows.append(["---"] * len(rows[0]))
    for name in results[sizes[-1]]:
        values = [results[size].get(name, math.nan) for size in sizes]
        known = [(size, value) for size, value in zip(sizes, values, strict=True) if value > 0.0]
        grows = "recall" not in name and "each" not in name and "..." not in name and len(known) > 1
        late = known[-2:]
        further = None
        if grows and not name.startswith(("candidates", "decision")):  # these stop at `game.candidates`
            # by the slope, or by the increment if that is more: many figures are a constant and a linear part
            (n, before), (m, last) = late
            by_slope = last * (LARGEST / m) ** max(0.0, slope((n, m), (before, last)))
            further = max(by_slope, last + (last - before) / (m - n) * (LARGEST - m))
        rows.append(
            [
                name,
                *(f"{value:,.3g}" if value < 1e4 else f"{value:,.0f}" for value in values),
                f"{slope(*zip(*known, strict=True)):.2f}" if grows else "",
                (f"{further:,.3g}" if further < 1e4 else f"{further:,.0f}") if further is not None else "",
            ]
        )
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def main(arguments: Sequence[str]) -> int:
    """Measure the sizes, or those that are given, and put the table of all that were measured into docs/scale.md.

    Args:
        arguments: sizes; and a folder with a store from which courses are resampled, in place of the bundled lectures.
    """
    sizes = [int(size) for size in arguments if size.isdigit()] or list(SIZES)
    stores = [store for store in arguments if not store.isdigit()]
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    results: dict[int, Figures] = {int(size): found for size, found in known.items()}
    with tempfile.TemporaryDirectory(prefix="quarry-scale-") as scratch, contextlib.ExitStack() as stack:
        base = stores[0] if stores else stack.enter_context(bundled_course(uncached_settings("fast")))[0].location
        os.environ["QUARRY_MODELS"] = uncached_settings("fast").embed.models_dir or str(cache() / "models")
        os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads that wait for work take CPU time
        os.environ["QUARRY_HOME"] = scratch  # courses of this size are not for the user's cache
        # each step in a process of its own, for its memory
        pool = stack.enter_context(ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1))
        for size in sizes:
            folder = str(Path(scratch) / str(size))
            found: Figures = pool.submit(measure_ingest, base, folder, size).result()
            for step in (measure_open, measure_player, measure_recall):
                found |= pool.submit(step, folder).result()
            results[size] = found
            print(size, json.dumps({name: float(f"{value:.4g}") for name, value in found.items()}), flush=True)
            RESULTS.write_text(json.dumps(results, indent=1), encoding="utf-8")
            shutil.rmtree(folder)
    results = dict(sorted(results.items()))
    table = f"Commit {commit()[:7]}, {os.cpu_count()} cores.\n\n{table_of(results)}\n"
    print(table)
    if DOCS.exists():
        before, _, rest = DOCS.read_text(encoding="utf-8").partition(BEGIN)
        DOCS.write_text(f"{before}{BEGIN}{table}{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 0
