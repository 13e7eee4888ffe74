"""Dense search: cosine similarity of a hint with paragraphs and sentences, by an exact scan in memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import AnyFloatArray, Float32Array, IntArray
from ingest.embed import Embedder
from ingest.paragraph import Paragraph
from player.search.cache import CachingEmbedder
from player.search.calibration import (
    DEFAULT_EMBEDDER,
    PARAGRAPH,
    DenseCalibration,
    calibration_of,
)
from player.search.core import combine
from player.search.late_interaction import WordByWord
from player.search.strategies.strategy import Strategy
from player.search.types import Query, ScoreArrays, nothing_found
from player.words import words


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentence vectors of a course, and their weights in the similarity.

    Attributes:
        vectors: (n_sentences, dim) unit vectors.
        rows: (n_sentences,) row of the paragraph of each, ascending; every paragraph has at least one.
        best: 0..1, weight of the most similar sentence.
        mean: 0..1, weight of the mean over all sentences.
    """

    vectors: Float32Array
    rows: IntArray
    best: float
    mean: float


def dense_weights(
    calibration: DenseCalibration, best: float, mean: float, rule: float
) -> dict[str, float]:
    """Return the weights, in log-odds per unit, of the scores that order paragraphs in dense search.

    Args:
        best: 0..1, weight of the most similar sentence in the similarity.
        mean: 0..1, weight of the mean of the sentences; the paragraph's cosine has the remaining weight.
        rule: weight of the rule's evidence; 0 leaves it out.
    """
    weights = {
        PARAGRAPH: calibration.nats * (1.0 - best - mean),
        "sentence": calibration.nats * best,
        "mean": calibration.nats * mean,
        "rule": rule,
        **calibration.parts,
    }
    return {name: weight for name, weight in weights.items() if weight}


def dense_order(
    parts: Mapping[str, AnyFloatArray],
    weights: Mapping[str, float],
    calibration: DenseCalibration,
) -> tuple[AnyFloatArray, AnyFloatArray]:
    """Return scores and log-odds of paragraphs, of one query or of many.

    A score is a similarity, but in log-odds if models compare word by word.

    Args:
        parts: scores of the paragraphs by name, of any shape.
        weights: as `dense_weights` returns them.
    """
    log_odds = combine(parts, weights)
    if calibration.parts:
        return log_odds, log_odds
    return log_odds / np.float32(calibration.nats), log_odds


MOST_FOR_ONE_WORD = 0.0
"""Log-odds of relevance for a hint of one word are at most this, so that keywords answer: half of the single words that
a course does not hold would reach the threshold."""
N_CLOSELY = 3_000
"""All paragraphs of a course of this size are compared word by word; of a larger one at least so many."""
SHARE_CLOSELY = 1 / 12
"""At least this share of a large course is compared word by word, which finds .99 of its 20 best (docs/scale.md)."""
N_OF_DOCUMENT = 400
"""So many further paragraphs of the named document are compared word by word."""


class Dense(Strategy):
    """Dense search: paragraphs by cosine similarity with the hint.

    The similarity is the paragraph's cosine, or a weighted mean of the cosines of the paragraph, its best sentence and
    all its sentences. In the mode "rule", the evidence of the game's rule is added, in log-odds.

    Args:
        paragraphs: the course.
        vectors: (n_paragraphs, dim) unit vectors.
        embedder: the embedder of the vectors.
        sentences: None compares whole paragraphs only.
        evidence: hint -> (n_paragraphs,) log-odds of the game's rule; None applies no rule.
        calibration: calibration of the embedder; `calibration.parts` holds the weights of `more`.
        more: scorers that compare word by word. In a large course they score only the most likely paragraphs; the
            others get the worst of these scores.
    """

    def __init__(
        self,
        paragraphs: Sequence[Paragraph],
        vectors: Float32Array,
        embedder: Embedder,
        sentences: Sentences | None = None,
        evidence: Callable[[str], Float32Array] | None = None,
        calibration: DenseCalibration | None = None,
        more: Sequence[WordByWord] = (),
    ) -> None:
        super().__init__(paragraphs)
        self._vectors = vectors
        self._embedder = (
            embedder
            if isinstance(embedder, CachingEmbedder)
            else CachingEmbedder(embedder)
        )
        self._sentences = sentences
        if sentences is not None and len(paragraphs):
            self._starts = np.searchsorted(sentences.rows, np.arange(len(paragraphs)))
            self._n_sentences = np.bincount(
                sentences.rows, minlength=len(paragraphs)
            ).astype(np.float32)
        self._evidence = evidence
        self._calibration = calibration or calibration_of(DEFAULT_EMBEDDER).dense
        self._more = more

    @property
    def name(self) -> str:
        """Always "dense"."""
        return "dense"

    def prepare(self, query: Query) -> None:
        """Embed the hint, unless its vector is cached."""
        self._embedder.read(query.hint)
        for scorer in self._more:
            scorer.prepare(query.hint)

    def load(self) -> None:
        """Build the index of words, for the rule."""
        _ = self._rule_is_loaded

    @functools.cached_property
    def _rule_is_loaded(self) -> bool:
        self.evidence("")
        return True

    def cosines(self, hint: str) -> Float32Array:
        """Return (n_paragraphs,) the cosine of each paragraph with the hint, -1..1."""
        return cosines_of(self._vectors, self._embedder.read(hint).vector)

    def similarity_of(self, parts: Mapping[str, AnyFloatArray]) -> AnyFloatArray:
        """Return (n_paragraphs,) the weighted mean of the cosines of paragraph, best sentence and all sentences."""
        plain = replace(self._calibration, nats=1.0, parts={})
        sentences = self._sentences
        best, mean = (sentences.best, sentences.mean) if sentences else (0.0, 0.0)
        return combine(parts, dense_weights(plain, best, mean, 0.0))

    def evidence(self, hint: str) -> Float32Array:
        """Return (n_paragraphs,) the log-odds of the game's rule for each paragraph; 0 without a rule."""
        if self._evidence is None:
            return np.zeros(len(self._paragraphs), dtype=np.float32)
        return self._evidence(hint)

    def parts(
        self, hint: str, wanted: Mapping[str, float], doc_id: str = ""
    ) -> dict[str, AnyFloatArray]:
        """Return, by name, (n_paragraphs,) the scores of the weighted sum.

        Args:
            wanted: names of the scores to compute.
            doc_id: the named document, of which more paragraphs are compared word by word; "" without one.
        """
        found: dict[str, AnyFloatArray] = {PARAGRAPH: self.cosines(hint)}
        if self._sentences is not None and ("sentence" in wanted or "mean" in wanted):
            each = cosines_of(self._sentences.vectors, self._embedder.read(hint).vector)
            found["sentence"] = np.maximum.reduceat(each, self._starts)
            found["mean"] = np.add.reduceat(each, self._starts) / self._n_sentences
        if "rule" in wanted:
            found["rule"] = self.evidence(hint)
        if len(self._paragraphs) <= N_CLOSELY:
            for scorer in self._more:
                found |= scorer.parts(hint)
        elif self._more:
            rows = self._likely(hint, found, doc_id)
            for scorer in self._more:
                for name, scores in scorer.parts(hint, rows).items():
                    worst = (
                        scores.max()
                        if self._calibration.parts.get(name, 0.0) < 0.0
                        else scores.min()
                    )
                    found[name] = np.full(
                        len(self._paragraphs), worst, dtype=np.float32
                    )
                    found[name][rows] = scores
        return found

    def _likely(
        self, hint: str, found: Mapping[str, AnyFloatArray], doc_id: str
    ) -> IntArray:
        """Return the rows of the paragraphs, in the course and in the named document, that may score best, ascending.

        Args:
            found: (n_paragraphs,) the other scores, by name.
            doc_id: the named document, "" without one.
        """
        scores = dict(found)
        for scorer in self._more:
            scores |= scorer.estimates(hint, found.get("sentence"))
        log_odds = combine(scores, self._weights(rule=float("rule" in found)))
        inside = np.flatnonzero(self._documents == doc_id)
        n_closely = max(N_CLOSELY, round(SHARE_CLOSELY * len(log_odds)))
        return np.union1d(
            best_of(log_odds, n_closely),
            inside[best_of(log_odds[inside], N_OF_DOCUMENT)],
        )

    @functools.cached_property
    def _documents(self) -> NDArray[np.str_]:
        """(n_paragraphs,) the document of each paragraph."""
        return np.array([paragraph.doc_id for paragraph in self._paragraphs])

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Score every paragraph."""
        if not len(self._vectors):
            return nothing_found(0)
        is_ruled = query.keywords == "rule" and self._evidence is not None
        weights = self._weights(rule=float(is_ruled))
        parts = self.parts(query.hint, weights, doc_id)
        order = dense_order(parts, weights, self._calibration)
        relevance = self._calibration.relevance_of(parts)
        if query.keywords == "fallback" and len(words(query.hint)) == 1:
            relevance = np.minimum(relevance, MOST_FOR_ONE_WORD)
        return ScoreArrays(*order, relevance)

    def _weights(self, *, rule: float) -> dict[str, float]:
        sentences = self._sentences
        best, mean = (sentences.best, sentences.mean) if sentences else (0.0, 0.0)
        return dense_weights(self._calibration, best, mean, rule)


def best_of(log_odds: AnyFloatArray, n: int) -> IntArray:
    """Return the indices of the n highest, in any order."""
    return (
        np.arange(len(log_odds))
        if len(log_odds) <= n
        else np.argpartition(-log_odds, n - 1)[:n]
    )


def cosines_of(vectors: Float32Array, vector: Float32Array) -> Float32Array:
    """Return (n_vectors,) the cosine of each with one vector; equal vectors get equal cosines."""
    # the matrix product sums rows in different orders, so that equal vectors may not tie; vecdot sums all rows alike
    cosines: Float32Array = np.vecdot(vectors, vector)
    return cosines
