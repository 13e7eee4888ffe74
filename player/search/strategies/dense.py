"""Dense search: cosine similarity of a hint with paragraphs, by an exact scan in memory."""

from collections.abc import Collection, Mapping

import numpy as np

from player.search.calibration import (
    HUBNESS,
    PARAGRAPH,
    RULE,
    TOKENS,
    USUAL_SIMILARITY,
    DenseCalibration,
    combine,
)
from player.search.results import Query, ScoreArrays, nothing_found
from player.search.rules import RuleEvidence
from player.search.slots import best_first
from player.search.strategies.strategy import EmbeddingStrategy, StrategyInputs
from quarry.arrays import AnyFloatArray, IntArray
from quarry.languages.words import words
from quarry.store import Course

MAX_FOR_ONE_WORD = 0.0
"""Maximum log-odds of relevance for a hint of one word, so that keywords answer. Otherwise half of the single words
that a course lacks would reach the threshold."""
MIN_CLOSELY = 3_000
"""Minimum number of paragraphs that are compared token by token; smaller courses are compared whole."""
MIN_SHARE_CLOSELY = 1 / 6
"""Minimum share of a large course that is compared token by token: a sixth of a course of 1,045 paragraphs holds .93
of the 20 best, a third .99."""
N_OF_DOCUMENT = 400
"""Number of further paragraphs of the named document that are compared token by token."""
N_USUAL = 200
"""Maximum number of paragraphs whose mean similarity is the usual one of a hint."""
ESTIMATE = np.float32(0.6)
"""Growth of the similarity token by token for each unit of the paragraph's cosine."""


def dense_weights(calibration: DenseCalibration, rule: float) -> dict[str, float]:
    """Return the weights, in log-odds per unit, of the scores that order paragraphs in dense search.

    Args:
        rule: weight of the rule's evidence; 0 leaves it out.
    """
    weights = {
        PARAGRAPH: calibration.log_odds_per_similarity,
        RULE: rule,
        **calibration.late_weights,
    }
    return {name: weight for name, weight in weights.items() if weight}


def dense_scores(
    terms: Mapping[str, AnyFloatArray],
    weights: Mapping[str, float],
    calibration: DenseCalibration,
) -> tuple[AnyFloatArray, AnyFloatArray]:
    """Return scores and log-odds of paragraphs, of one query or of many.

    Scores are log-odds with late interaction, else similarities.

    Args:
        terms: scores of the paragraphs by name, of any shape.
        weights: as `dense_weights` returns them.
    """
    log_odds = combine(terms, weights)
    if calibration.late_weights:
        return log_odds, log_odds
    return log_odds / np.float32(calibration.log_odds_per_similarity), log_odds


class Dense(EmbeddingStrategy):
    """Dense search: paragraphs by cosine similarity with the hint.

    In the mode "rule", the evidence of the game's rule is added, in log-odds. Late interaction compares token by token;
    in a large course it scores only the most likely paragraphs, and the others get the worst of these scores.
    """

    def __init__(self, course: Course, inputs: StrategyInputs) -> None:
        super().__init__(course, inputs)
        self._vectors = course.vectors
        self.rule = RuleEvidence(course.paragraphs)
        self._rule_weight = inputs.search.rule_weight
        self._late = inputs.late_interaction
        self._doc_ids = np.array([item.doc_id for item in course.paragraphs])
        spread = np.linspace(0, len(course.paragraphs) - 1, N_USUAL).astype(np.int64)
        self._spread = np.unique(spread)

    def load(self) -> None:
        """Build the index of words, for the rule."""
        self.rule.load()

    def terms(
        self, hint: str, names: Collection[str] = (), doc_id: str = ""
    ) -> dict[str, AnyFloatArray]:
        """Return, by name, (n_paragraphs,) the scores of the weighted sum.

        Args:
            names: names of the scores to compute besides those of the similarity.
            doc_id: the named document, of which more paragraphs are compared token by token; "" without one.
        """
        vector = self._embedder.embed(hint).vector
        # vecdot sums all rows alike, so that equal vectors tie; the matrix product does not
        terms: dict[str, AnyFloatArray] = {PARAGRAPH: np.vecdot(self._vectors, vector)}
        if RULE in names:
            terms[RULE] = self.rule.log_odds(hint)
        if self._late is None:
            return terms
        terms[HUBNESS] = self._late.hubs.of(hint)
        if USUAL_SIMILARITY in names or USUAL_SIMILARITY in self._calibration.slopes:
            usual = self._late.similarities(hint, self._spread).mean()
            terms[USUAL_SIMILARITY] = np.full_like(terms[PARAGRAPH], usual)

        if len(self._paragraphs) <= MIN_CLOSELY:
            terms[TOKENS] = self._late.similarities(hint)
        else:
            rows = self._likely(terms, doc_id)
            similarities = self._late.similarities(hint, rows)
            terms[TOKENS] = np.full_like(terms[PARAGRAPH], similarities.min())
            terms[TOKENS][rows] = similarities
        return terms

    def _likely(self, terms: Mapping[str, AnyFloatArray], doc_id: str) -> IntArray:
        """Return the rows of the paragraphs, in the course and in the named document, that may score best, ascending.

        Args:
            terms: (n_paragraphs,) the other scores, by name.
            doc_id: the named document, "" without one.
        """
        weights = dense_weights(self._calibration, self._rule_weight)
        log_odds = combine({**terms, TOKENS: ESTIMATE * terms[PARAGRAPH]}, weights)
        n_closely = max(MIN_CLOSELY, round(MIN_SHARE_CLOSELY * len(log_odds)))
        inside = np.flatnonzero(self._doc_ids == doc_id)
        best_inside = best_first(log_odds[inside], N_OF_DOCUMENT)
        return np.union1d(best_first(log_odds, n_closely), inside[best_inside])

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        """Score every paragraph."""
        if not len(self._vectors):
            return nothing_found(0)
        rule = self._rule_weight if query.keywords == "rule" else 0.0
        weights = dense_weights(self._calibration, rule)
        terms = self.terms(query.hint, weights, doc_id)
        order = dense_scores(terms, weights, self._calibration)
        relevance_log_odds = self._calibration.relevance_log_odds(terms)
        if query.keywords == "fallback" and len(words(query.hint)) == 1:
            relevance_log_odds = np.minimum(relevance_log_odds, MAX_FOR_ONE_WORD)
        return ScoreArrays(*order, relevance_log_odds)
