"""Dense search: cosine similarity of hint, paragraph and sentences, by an exact scan in memory."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from quarry.ingest.arrays import AnyFloatArray, Float32Array, IntArray
from quarry.ingest.embed import Embedder
from quarry.ingest.paragraph import Paragraph
from quarry.player.search.cache import RememberingEmbedder
from quarry.player.search.calibration import DEFAULT_EMBEDDER, DenseCalibration, calibration_of
from quarry.player.search.core import combine, relative
from quarry.player.search.strategies.ranking import Ranked
from quarry.player.search.types import Query, ScoreArrays, nothing_found


@dataclass(frozen=True, slots=True)
class Sentences:
    """Sentence vectors of a course, and what they weigh next to the paragraph's own.

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


class PartScorer(Protocol):
    """More scores of a paragraph, such as one word by word: they join the weighted sum of `Dense`."""

    def prepare(self, hint: str) -> None:
        """Do what depends on the hint alone, so that it is timed apart and done once."""

    def parts(self, hint: str, rows: IntArray | None = None) -> Mapping[str, AnyFloatArray]:
        """By name, (n_paragraphs,) scores of the course's paragraphs, or (m,) of some rows of it."""

    def glance(self, hint: str) -> Mapping[str, AnyFloatArray]:
        """By name, (n_paragraphs,) cheap scores, for choosing the paragraphs of a large course that get `parts`."""


def dense_weights(nats: float, best: float, mean: float, rule: float) -> dict[str, float]:
    """The weights, in log-odds per unit, of the scores that dense search adds up.

    Args:
        nats: log-odds per unit of similarity.
        best: 0..1, what the most similar sentence weighs in the similarity.
        mean: 0..1, what the mean of the sentences does; the paragraph's own cosine has what is left.
        rule: what the rule's evidence weighs, in shares of its own log-odds; 0 leaves it out.
    """
    return {"paragraph": nats * (1.0 - best - mean), "sentence": nats * best, "mean": nats * mean, "rule": rule}


N_CLOSELY = 3_000
"""Paragraphs of a course that are compared word by word at most: all, or the best by cheaper scores."""
N_OF_DOCUMENT = 400
"""Further paragraphs of each named document that are compared word by word."""


class Dense(Ranked):
    """Paragraphs by similarity with the hint.

    The similarity is the paragraph's cosine, or a weighted mean of it, its best sentence's and its sentences' mean. In
    the mode "rule" it is lowered by what the game's rule says against a paragraph, in the same log-odds.

    Args:
        paragraphs: what is searched.
        vectors: (n_paragraphs, dim) unit vectors.
        embedder: the one that made the vectors.
        sentences: None to compare paragraphs as a whole.
        evidence: hint -> (n_paragraphs,) log-odds, of the game's rule; None knows no rule.
        calibration: of the embedder; `calibration.parts` weighs what `more` scores.
        more: further scores; in a large course of the best paragraphs at a glance, the others having the worst of these
            scores.
    """

    def __init__(
        self,
        paragraphs: Sequence[Paragraph],
        vectors: Float32Array,
        embedder: Embedder,
        sentences: Sentences | None = None,
        evidence: Callable[[str], Float32Array] | None = None,
        calibration: DenseCalibration | None = None,
        more: Sequence[PartScorer] = (),
    ) -> None:
        super().__init__(paragraphs)
        self._vectors = vectors
        self._embedder = embedder if isinstance(embedder, RememberingEmbedder) else RememberingEmbedder(embedder)
        self._sentences = sentences
        if sentences is not None and len(paragraphs):
            self._starts = np.searchsorted(sentences.rows, np.arange(len(paragraphs)))
            self._n_sentences = np.bincount(sentences.rows, minlength=len(paragraphs)).astype(np.float32)
        self._evidence = evidence
        self._calibration = calibration or calibration_of(DEFAULT_EMBEDDER).dense
        self._more = more

    @property
    def name(self) -> str:
        """Always "dense"."""
        return "dense"

    def prepare(self, query: Query) -> None:
        """Embed the hint, unless it was embedded lately."""
        for scorer in self._more:  # first: the vector of a model that reads the tokens comes with them
            scorer.prepare(query.hint)
        self._embedder.vector(query.hint)

    @functools.cached_property
    def _loaded(self) -> bool:
        self.evidence("")
        return True

    def load(self) -> None:
        """Look the words of the course up, for the rule."""
        _ = self._loaded

    def cosines(self, hint: str) -> Float32Array:
        """(n_paragraphs,) cosine of each paragraph with the hint, -1..1."""
        return cosines_of(self._vectors, self._embedder.vector(hint))

    def similarities(self, hint: str) -> AnyFloatArray:
        """(n_paragraphs,) weighted mean of the cosines of paragraph, best sentence and all sentences, -1..1."""
        weights = self._weights(1.0, ruled=False)
        parts = {name: scores[None, :] for name, scores in self.parts(hint, weights).items()}
        similarities: AnyFloatArray = combine(parts, weights)[0]
        return similarities

    def evidence(self, hint: str) -> Float32Array:
        """(n_paragraphs,) log-odds of the game's rule against each paragraph; 0 where no rule is known."""
        if self._evidence is None:
            return np.zeros(len(self._paragraphs), dtype=np.float32)
        return self._evidence(hint)

    def parts(
        self, hint: str, wanted: Mapping[str, float], said: str = "", doc_ids: Sequence[str] = ()
    ) -> dict[str, AnyFloatArray]:
        """By name, (n_paragraphs,) each of the scores that are added up.

        Args:
            wanted: names of those that are needed.
            said: the hint as it was given, for the rule; "" where it is the same.
            doc_ids: documents of which more paragraphs than others are wanted.
        """
        found: dict[str, AnyFloatArray] = {"paragraph": self.cosines(hint)}
        if self._sentences is not None and ("sentence" in wanted or "mean" in wanted):
            each = cosines_of(self._sentences.vectors, self._embedder.vector(hint))
            found["sentence"] = np.maximum.reduceat(each, self._starts)
            found["mean"] = np.add.reduceat(each, self._starts) / self._n_sentences
        if "rule" in wanted:
            found["rule"] = self.evidence(said or hint)
        if len(self._paragraphs) <= N_CLOSELY:
            for scorer in self._more:
                found |= scorer.parts(hint)
        elif self._more:
            rows = self._glance(hint, found.get("rule"), doc_ids)
            for scorer in self._more:
                for name, scores in scorer.parts(hint, rows).items():
                    worst = scores.max() if self._calibration.parts.get(name, 0.0) < 0.0 else scores.min()
                    found[name] = np.full(len(self._paragraphs), worst, dtype=np.float32)
                    found[name][rows] = scores
        return found

    def _glance(self, hint: str, evidence: AnyFloatArray | None, doc_ids: Sequence[str]) -> IntArray:
        """Return the rows that are best by cheap scores, in the course and in each of some documents, ascending.

        Args:
            evidence: (n_paragraphs,) log-odds of the game's rule; None where it does not hold.
            doc_ids: documents of which more paragraphs than others are wanted.
        """
        scores = {name: of_all for scorer in self._more for name, of_all in scorer.glance(hint).items()}
        log_odds = combine({name: of_all[None, :] for name, of_all in scores.items()}, self._calibration.glance)[0]
        if evidence is not None:
            log_odds = log_odds + evidence
        chosen = [best_of(log_odds, N_CLOSELY)]
        document_of, numbers = self._documents
        for doc_id in doc_ids:
            inside = np.flatnonzero(document_of == numbers.get(doc_id, -1))
            chosen.append(inside[best_of(log_odds[inside], N_OF_DOCUMENT)])
        return np.unique(np.concatenate(chosen))

    @functools.cached_property
    def _documents(self) -> tuple[IntArray, dict[str, int]]:
        """(n_paragraphs,) number of the document of each, and the number of each doc_id."""
        numbers: dict[str, int] = {}
        found = [numbers.setdefault(paragraph.doc_id, len(numbers)) for paragraph in self._paragraphs]
        return np.array(found, dtype=np.int64), numbers

    def answerable(self, parts: Mapping[str, AnyFloatArray]) -> float:
        """Log-odds that the course holds what a hint is about, from its scores."""
        return self._calibration.answerable(parts["paragraph"])

    def score(self, query: Query, k: int, doc_ids: Sequence[str] = ()) -> ScoreArrays:
        """What it makes of every paragraph."""
        if not len(self._vectors):
            return nothing_found(0)
        ruled = query.keywords == "rule" and self._evidence is not None
        weights = self._weights(self._calibration.nats, ruled=ruled)
        parts = self.parts(query.hint, weights, query.said, doc_ids)
        log_odds = combine({name: scores[None, :] for name, scores in parts.items()}, weights)
        # a similarity where there is nothing else in the sum
        scores = log_odds[0] if self._calibration.parts else log_odds[0] / np.float32(self._calibration.nats)
        answerable = np.array([self.answerable(parts)], dtype=np.float32)
        return ScoreArrays(None, scores, relative(log_odds, answerable)[0])

    def _weights(self, nats: float, *, ruled: bool) -> dict[str, float]:
        best, mean = (self._sentences.best, self._sentences.mean) if self._sentences is not None else (0.0, 0.0)
        weights = dense_weights(nats, best, mean, float(ruled)) | self._calibration.parts
        return {name: weight for name, weight in weights.items() if weight}


def best_of(log_odds: AnyFloatArray, n: int) -> IntArray:
    """The places of the n highest, in any order; of equal ones at the edge any."""
    return np.arange(len(log_odds)) if len(log_odds) <= n else np.argpartition(-log_odds, n - 1)[:n]


def cosines_of(vectors: Float32Array, vector: Float32Array) -> Float32Array:
    """(n_vectors,) cosine of each with one, the same for equal ones wherever they stand."""
    # a product of matrix and vector sums a row differently by its place, so that equal vectors would not tie; this sums
    # all rows alike
    cosines: Float32Array = np.vecdot(vectors, vector)
    return cosines
