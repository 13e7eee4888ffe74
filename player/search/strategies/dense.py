"""Dense search: cosine similarity of a hint with paragraphs and sentences, by an exact scan in memory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from player.search.cache import CachingEmbedder
from player.search.calibration import (
    PARAGRAPH,
    SAME_LANGUAGE,
    DenseCalibration,
    calibration_of,
)
from player.search.late_interaction import WordByWord
from player.search.rank import combine
from player.search.results import Query, ScoreArrays, nothing_found
from player.search.rules import RuleEvidence
from player.search.strategies.strategy import Parts, Strategy
from quarry.arrays import AnyFloatArray, Float32Array, IntArray
from quarry.course.paragraph import Paragraph
from quarry.languages.registry import language_of
from quarry.languages.words import words
from quarry.store import Course


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentence vectors of a course, and their weights in the similarity.

    Attributes:
        vectors: (n_sentences, dim) unit vectors.
        starts: (n_paragraphs,) row of the first sentence of each paragraph; every paragraph has at least one.
        best: 0..1, weight of the most similar sentence.
        mean: 0..1, weight of the mean over all sentences.
    """

    vectors: Float32Array
    starts: IntArray
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
"""At least this share of a large course is compared word by word, which finds .99 of its 20 best."""
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

    name = "dense"

    def __init__(
        self,
        paragraphs: Sequence[Paragraph],
        vectors: Float32Array,
        embedder: CachingEmbedder,
        sentences: Sentences | None = None,
        evidence: Callable[[str], Float32Array] | None = None,
        calibration: DenseCalibration | None = None,
        more: Sequence[WordByWord] = (),
    ) -> None:
        super().__init__(paragraphs)
        self._vectors = vectors
        self._embedder = embedder
        self._sentences = sentences
        self._evidence = evidence
        self._calibration = calibration or calibration_of().dense
        self._more = more
        self._doc_ids = np.array([paragraph.doc_id for paragraph in paragraphs])
        texts = " ".join(paragraph.text for paragraph in paragraphs)
        self._language = language_of(texts)

    @classmethod
    def from_course(cls, store: Course, parts: Parts) -> Dense:
        """Make dense search over a course; compare its sentences too if they have a weight."""
        assert parts.embedder is not None
        best, mean = parts.search.sentence_weight, parts.search.sentence_mean_weight
        sentences = None
        if best or mean:
            rows = np.arange(len(store.paragraphs))
            starts = np.searchsorted(store.sentence_rows, rows)
            sentences = Sentences(store.sentence_vectors, starts, best, mean)

        return cls(
            store.paragraphs,
            store.vectors,
            parts.embedder,
            sentences,
            RuleEvidence(store.paragraphs, parts.search.rule_weight).log_odds,
            parts.calibration.dense,
            parts.scorers,
        )

    def load(self) -> None:
        """Build the index of words, for the rule."""
        self.evidence("")

    def prepare(self, query: Query) -> None:
        """Embed the hint, unless its vector is cached."""
        self._embedder.read(query.hint)
        for scorer in self._more:
            scorer.prepare(query.hint)

    def similarity_of(self, parts: Mapping[str, AnyFloatArray]) -> AnyFloatArray:
        """Return (n_paragraphs,) the weighted mean of the cosines of paragraph, best sentence and all sentences."""
        plain = replace(self._calibration, nats=1.0, parts={})
        return combine(parts, self._weights(plain, 0.0))

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
        vector = self._embedder.read(hint).vector
        parts: dict[str, AnyFloatArray] = {PARAGRAPH: cosines_of(self._vectors, vector)}
        sentences = self._sentences
        if sentences is not None and ("sentence" in wanted or "mean" in wanted):
            cosines = cosines_of(sentences.vectors, vector)
            starts = sentences.starts
            n_sentences = np.diff(starts, append=len(cosines)).astype(np.float32)
            parts["sentence"] = np.maximum.reduceat(cosines, starts)
            parts["mean"] = np.add.reduceat(cosines, starts) / n_sentences
        if "rule" in wanted:
            parts["rule"] = self.evidence(hint)

        if SAME_LANGUAGE in wanted or SAME_LANGUAGE in self._calibration.relevance:
            is_same = language_of(hint) is self._language
            parts[SAME_LANGUAGE] = np.full_like(parts[PARAGRAPH], is_same)

        rows = None
        if self._more and len(self._paragraphs) > N_CLOSELY:
            rows = self._likely(hint, parts, doc_id)
        for scorer in self._more:
            for name, scores in scorer.parts(hint, rows).items():
                if rows is None:
                    parts[name] = scores
                    continue
                is_penalty = self._calibration.parts.get(name, 0.0) < 0.0
                worst = scores.max() if is_penalty else scores.min()
                parts[name] = np.full_like(parts[PARAGRAPH], worst)
                parts[name][rows] = scores
        return parts

    def _likely(
        self, hint: str, parts: Mapping[str, AnyFloatArray], doc_id: str
    ) -> IntArray:
        """Return the rows of the paragraphs, in the course and in the named document, that may score best, ascending.

        Args:
            parts: (n_paragraphs,) the other scores, by name.
            doc_id: the named document, "" without one.
        """
        scores = dict(parts)
        for scorer in self._more:
            scores |= scorer.estimates(hint, parts.get("sentence"))
        weights = self._weights(self._calibration, float("rule" in parts))
        log_odds = combine(scores, weights)
        n_closely = max(N_CLOSELY, round(SHARE_CLOSELY * len(log_odds)))
        inside = np.flatnonzero(self._doc_ids == doc_id)
        best_inside = best_of(log_odds[inside], N_OF_DOCUMENT)
        return np.union1d(best_of(log_odds, n_closely), inside[best_inside])

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Score every paragraph."""
        if not len(self._vectors):
            return nothing_found(0)
        is_ruled = query.keywords == "rule" and self._evidence is not None
        weights = self._weights(self._calibration, float(is_ruled))
        parts = self.parts(query.hint, weights, doc_id)
        order = dense_order(parts, weights, self._calibration)
        relevance = self._calibration.relevance_of(parts)
        if query.keywords == "fallback" and len(words(query.hint)) == 1:
            relevance = np.minimum(relevance, MOST_FOR_ONE_WORD)
        return ScoreArrays(*order, relevance)

    def _weights(self, calibration: DenseCalibration, rule: float) -> dict[str, float]:
        best, mean = 0.0, 0.0
        if self._sentences is not None:
            best, mean = self._sentences.best, self._sentences.mean
        return dense_weights(calibration, best, mean, rule)


def best_of(log_odds: AnyFloatArray, n: int) -> IntArray:
    """Return the indices of the n highest, in any order."""
    if len(log_odds) <= n:
        return np.arange(len(log_odds))
    return np.argpartition(-log_odds, n - 1)[:n]


def cosines_of(vectors: Float32Array, vector: Float32Array) -> Float32Array:
    """Return (n_vectors,) the cosine of each with one vector; equal vectors get equal cosines."""
    # the matrix product sums rows in different orders, so that equal vectors may not tie; vecdot sums all rows alike
    cosines: Float32Array = np.vecdot(vectors, vector)
    return cosines
