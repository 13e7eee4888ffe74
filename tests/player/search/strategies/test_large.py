"""Search of a large course: the contract, and the exact scan as its oracle."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quarry.ingest.arrays import Float32Array, IntArray
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.store import Course
from quarry.player.search.calibration import DenseCalibration
from quarry.player.search.rules import RuleEvidence
from quarry.player.search.strategies import dense as module
from quarry.player.search.strategies.dense import Dense, Sentences
from quarry.player.search.strategies.large import LargeDense
from quarry.player.search.types import Query, Strategy
from tests.contracts.paragraphs import paragraph
from tests.contracts.strategy import StrategyContract
from tests.evaluate.fakes import make_store
from tests.fakes import HashingEmbedder
from tests.player.fakes import WordsEmbedder

CALIBRATION = DenseCalibration(nats=20.0, bias=-2.0, best=1.0, top=3.0)
BEST, MEAN = 0.4, 0.2
WORDS = [
    f"{first}{second}"
    for first in ("pa", "ke", "lo", "mi", "ru", "ta", "vo", "ze")
    for second in ("ral", "den", "mos", "tik", "bun")
]


class TestLargeDenseKeepsTheContract(StrategyContract):
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path) -> None:
        self._folder = tmp_path
        self._made = 0

    def make(self, paragraphs: Sequence[Paragraph]) -> Strategy:
        self._made += 1
        embedder = WordsEmbedder()
        store = make_store(self._folder / str(self._made), paragraphs, embedder)
        return LargeDense(store, embedder, 0.0, 0.0, RuleEvidence(paragraphs).log_odds, CALIBRATION)


def random_paragraphs(n: int) -> list[Paragraph]:
    """Two sentences of eight words each, in ten books of which the first is small."""
    generator = np.random.default_rng(11)
    found = []
    for number in range(n):
        book = 0 if number % 25 == 0 else 1 + number % 9
        halves = (" ".join(generator.choice(WORDS, 8)) for _ in range(2))
        found.append(paragraph(f"book{book}:{number}:1", "".join(f"{half.capitalize()}. " for half in halves).strip()))
    return found


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Course:
    embedder = HashingEmbedder(dim=64)
    return make_store(tmp_path_factory.mktemp("large"), random_paragraphs(800), embedder)


def both(store: Course) -> tuple[Dense, LargeDense]:
    embedder = HashingEmbedder(dim=64)
    evidence = RuleEvidence(store.paragraphs).log_odds
    sentences = Sentences(store.sentence_vectors, store.sentence_rows, BEST, MEAN)
    exact = Dense(store.paragraphs, store.vectors, embedder, sentences, evidence, CALIBRATION)
    return exact, LargeDense(store, embedder, BEST, MEAN, evidence, CALIBRATION)


@pytest.mark.parametrize("doc_id", ["", "book0", "book3"])
@pytest.mark.parametrize("keywords", ["off", "rule"])
def test_99_of_100_are_found_that_the_exact_scan_finds(store: Course, doc_id: str, keywords: str) -> None:
    exact, large = both(store)
    generator = np.random.default_rng(3)
    found = wanted = 0
    strange = [f"{word}ian" for word in WORDS]  # of no paragraph: a hint under the rule has hardly a word of the course
    for _ in range(25):
        words = (
            generator.choice(WORDS, 6)
            if keywords == "off"
            else [*generator.choice(strange, 5), generator.choice(WORDS)]
        )
        query = Query(" ".join(words), keywords="rule" if keywords == "rule" else "off")
        true = {hit.paragraph.paragraph_id for hit in exact.search(query, 20, doc_id)}
        wanted += len(true)
        found += len(true & {hit.paragraph.paragraph_id for hit in large.search(query, 20, doc_id)})
    assert wanted >= 25 * 20
    assert found / wanted >= 0.99


class Scorer:
    """What is near at a glance is mostly what is near word by word; knows which paragraphs it was asked about.

    Args:
        dense: whose cosines it takes for nearness.
    """

    def __init__(self, dense: Dense) -> None:
        self._dense = dense
        self._more = 0.05 * np.random.default_rng(7).normal(size=800).astype(np.float32)
        self.n_asked = 0

    def prepare(self, hint: str) -> None:
        """Nothing."""

    def parts(self, hint: str, rows: IntArray | None = None) -> dict[str, Float32Array]:
        chosen = np.arange(800) if rows is None else rows
        self.n_asked = len(chosen)
        return {"words": self._dense.cosines(hint)[chosen] + self._more[chosen]}

    def glance(self, hint: str) -> dict[str, Float32Array]:
        return {"near.minilm": self._dense.cosines(hint)}


@pytest.mark.parametrize("doc_id", ["", "book0", "book3"])
def test_what_is_best_word_by_word_is_found_among_the_best_at_a_glance(
    store: Course, doc_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = HashingEmbedder(dim=64)
    evidence = RuleEvidence(store.paragraphs).log_odds
    sentences = Sentences(store.sentence_vectors, store.sentence_rows, BEST, MEAN)
    scorer = Scorer(Dense(store.paragraphs, store.vectors, embedder))
    words = replace(CALIBRATION, parts={"words": 20.0}, glance={"near.minilm": 40.0})
    exact = Dense(store.paragraphs, store.vectors, embedder, sentences, evidence, words, [scorer])
    large = LargeDense(store, embedder, BEST, MEAN, evidence, words, [scorer])
    generator = np.random.default_rng(3)
    found = 0
    for _ in range(25):
        query = Query(" ".join(generator.choice(WORDS, 6)), keywords="rule")
        true = {hit.paragraph.paragraph_id: hit for hit in exact.search(query, 20, doc_id)}
        with monkeypatch.context() as smaller:
            smaller.setattr(module, "N_CLOSELY", 400)
            hits = large.search(query, 20, doc_id)
        assert scorer.n_asked < 800
        known = [hit for hit in hits if hit.paragraph.paragraph_id in true]
        found += len(known)
        for hit in known:
            assert hit.score == pytest.approx(true[hit.paragraph.paragraph_id].score, abs=1e-4)
            assert hit.relevance == pytest.approx(true[hit.paragraph.paragraph_id].relevance, rel=1e-3)
    assert found / (25 * 20) >= 0.99


def test_scores_and_relevance_are_those_of_the_exact_scan(store: Course) -> None:
    exact, large = both(store)
    query = Query("paral keden lomos mitik", keywords="rule")
    true = {hit.paragraph.paragraph_id: hit for hit in exact.search(query, 800)}
    for hit in large.search(query, 20, "book3"):
        assert hit.score == pytest.approx(true[hit.paragraph.paragraph_id].score, abs=1e-5)
        assert hit.relevance == pytest.approx(true[hit.paragraph.paragraph_id].relevance, rel=1e-3)
