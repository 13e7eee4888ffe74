"""Calibration: fitted numbers, by embedder, that convert the scores of all strategies to one scale of relevance."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from pydantic import TypeAdapter

from configs.directories import IS_CHECKOUT, user_fitted_file
from configs.errors import SettingsError
from player.search.results import DENSE
from quarry.arrays import AnyFloatArray, Float32Array
from quarry.course.course import EmbedderFit
from quarry.store import Course

CALIBRATION = Path(__file__).with_name("calibration.json")
"""This file holds the fitted numbers by embedder; `python -m tools.calibration search` writes the user's own file."""
DEFAULT_EMBEDDER = "minilm"
"""Embedders without fitted numbers use the numbers of this embedder."""
DEFAULT_SPREAD = 0.114
"""Standard deviation of the default embedder's cosines of two paragraphs of a course (mean of two courses)."""
UNCALIBRATED_LOG_ODDS = 1.1
"""Log-odds of relevance of every paragraph with an uncalibrated embedder: a relevance of .75."""
MIN_SEPARATION = 0.85
"""Minimum AUROC of a calibrated embedder."""
PARAGRAPH = "paragraph"
"""Name of the cosine of hint and paragraph among the scores of a paragraph."""
RULE = "rule"
"""Name of the evidence of the game's rule, in log-odds, among the scores of a paragraph."""
USUAL_SIMILARITY = "usual"
"""Name of the mean similarity, token by token, of the hint and the paragraphs of the course: to e5, two languages are
less similar than one."""
TOKENS = "tokens"
"""Name of the similarity token by token, a score of late interaction."""
HUBNESS = "hubness"
"""Name of the nearness to all hints, a score of late interaction."""
MAX_SAMPLED = 400
"""Maximum number of paragraphs from which the standard deviation of cosines is estimated."""
MIN_COSINES = 10
"""Minimum number of cosines for an estimate of their standard deviation."""


@dataclass(frozen=True, slots=True)
class DenseCalibration:
    """Fitted numbers of dense search with one embedder.

    Attributes:
        log_odds_per_similarity: log-odds between two paragraphs of one course per unit of similarity.
        bias: bias of the log-odds that a paragraph answers a hint.
        slopes: slopes of these log-odds on the scores of this paragraph, by name; see `Dense.terms`.
        separation: AUROC of the highest of these log-odds, of hints about a course against hints about others.
        late_weights: log-odds per unit of the scores of late interaction, by name; {} without it.
    """

    log_odds_per_similarity: float
    bias: float
    slopes: dict[str, float]
    separation: float
    late_weights: dict[str, float] = field(default_factory=dict)

    def rescaled(
        self, scale: float, embedder_fit: EmbedderFit | None
    ) -> DenseCalibration:
        """Rescale the numbers for an embedder whose similarities are larger or smaller.

        Args:
            scale: ratio of the log-odds per similarity of the two embedders.
            embedder_fit: the embedder's fit on a course; without it everything counts as relevant.
        """
        bias, slope = embedder_fit or (UNCALIBRATED_LOG_ODDS, 0.0)
        return DenseCalibration(
            log_odds_per_similarity=self.log_odds_per_similarity * scale,
            bias=bias,
            slopes={PARAGRAPH: slope},
            separation=0.0,
            late_weights={
                name: weight * scale for name, weight in self.late_weights.items()
            },
        )

    def relevance_log_odds(self, terms: Mapping[str, AnyFloatArray]) -> AnyFloatArray:
        """Return the log-odds that each paragraph answers the hint, from its own scores alone.

        Args:
            terms: scores of the paragraphs by name, of any shape.
        """
        log_odds: AnyFloatArray = np.float32(self.bias) + combine(terms, self.slopes)
        return log_odds


@dataclass(frozen=True, slots=True)
class KeywordCalibration:
    """Fitted numbers of keyword search.

    Attributes:
        bias: bias of the log-odds that a paragraph answers a hint.
        share: slope of these log-odds on the paragraph's share of the highest possible score.
        log_odds_per_bm25: log-odds between two paragraphs of one course per unit of BM25.
    """

    bias: float
    share: float
    log_odds_per_bm25: float


@dataclass(frozen=True, slots=True)
class BookCalibration:
    """Fitted numbers of the resolution of book names with one embedder; see `books.resolver.BookResolver`.

    Attributes:
        weights: weight of each feature of a name and a document.
        none: utility of "none of these".
        letters: weights if meanings are not compared; the weight of the meaning is 0.
        letters_none: utility of "none of these" if meanings are not compared.
        unrelated: cosine of unrelated names.
    """

    weights: tuple[float, ...]
    none: float
    letters: tuple[float, ...]
    letters_none: float
    unrelated: float


@dataclass(frozen=True, slots=True)
class LateCalibration:
    """Fitted numbers with late interaction."""

    dense: DenseCalibration
    fused: dict[str, float]


@dataclass(frozen=True, slots=True)
class Calibration:
    """All fitted numbers for one embedder.

    Attributes:
        fused: weights of linear fusion for ordinary questions, in log-odds per unit of each strategy's score.
        late_interaction: replacements of `dense` and `fused` with late interaction; None if the embedder
            gives no tokens.
    """

    dense: DenseCalibration
    keyword: KeywordCalibration
    fused: dict[str, float]
    books: BookCalibration
    late_interaction: LateCalibration | None = None

    def rescaled(
        self, vectors: Float32Array, embedder_fit: EmbedderFit | None = None
    ) -> Calibration:
        """Rescale the default embedder's numbers for another embedder, from its cosines of a course's paragraphs.

        The rescaling needs no labels: it matches the standard deviation of the cosines of two random paragraphs.

        Args:
            vectors: (n_paragraphs, dim) unit vectors of a course.
            embedder_fit: the embedder's fit on that course; without it everything counts as relevant.
        """
        rows = np.random.default_rng(0).permutation(len(vectors))[:MAX_SAMPLED]
        cosines = (vectors[rows] @ vectors[rows].T)[np.triu_indices(len(rows), 1)]
        if len(cosines) < MIN_COSINES or not cosines.std():
            return self

        scale = DEFAULT_SPREAD / float(cosines.std())
        late = self.late_interaction
        if late is not None:
            # fusion takes its scores in log-odds, which are not rescaled
            late = dataclasses.replace(
                late, dense=late.dense.rescaled(scale, embedder_fit)
            )
        return dataclasses.replace(
            self,
            dense=self.dense.rescaled(scale, embedder_fit),
            fused={**self.fused, DENSE: self.fused[DENSE] * scale},
            late_interaction=late,
        )

    def with_late_interaction(self) -> Calibration:
        """Return the numbers for a search with late interaction; the same numbers if none are fitted."""
        late = self.late_interaction
        if late is None:
            return self
        return dataclasses.replace(self, dense=late.dense, fused=late.fused)


def combine(
    parts: Mapping[str, AnyFloatArray], weights: Mapping[str, float]
) -> AnyFloatArray:
    """Return the weighted sum of named scores, in the shape of one of them.

    Args:
        parts: arrays of one shape, on different scales.
        weights: log-odds per unit of each; parts without a weight are ignored.
    """
    total = np.zeros_like(next(iter(parts.values())))
    for name, weight in weights.items():
        if name in parts:
            total = total + np.float32(weight) * parts[name]
    return total


def is_fitted(embedder_spec: str) -> bool:
    """Return whether numbers were fitted for an embedder on labelled games."""
    return embedder_spec in _fitted()


def is_calibrated(course: Course, calibration: Calibration) -> bool:
    """Return whether relevance separates hints about the course from others, by its fit or by the ingest.

    Args:
        calibration: the numbers of the search, with late interaction if it is used.
    """
    if is_fitted(course.embedder_spec):
        return calibration.dense.separation >= MIN_SEPARATION
    return course.embedder_fit is not None


def notice_of(course: Course) -> str:
    """Return the notice to print before a store is searched if its embedder is uncalibrated, else ""."""
    spec = course.embedder_spec
    if is_calibrated(course, embedder_calibration(spec).with_late_interaction()):
        return ""
    if is_fitted(spec):
        return (
            f"the embedder {spec} is uncalibrated: its relevance does not separate hints about a course well from "
            "others"
        )
    notice = f"the embedder {spec} is uncalibrated: something always counts as relevant; ingest again"
    if IS_CHECKOUT:
        notice += ", or run python -m tools.calibration search --store S --games FILE"
    return notice


def course_calibration(course: Course) -> Calibration:
    """Return the numbers fitted for a store's embedder, or the default numbers rescaled for it."""
    calibration = embedder_calibration(course.embedder_spec)
    if is_fitted(course.embedder_spec):
        return calibration
    return calibration.rescaled(course.vectors, course.embedder_fit)


def embedder_calibration(embedder_spec: str = DEFAULT_EMBEDDER) -> Calibration:
    """Return the fitted numbers of an embedder, or those of `DEFAULT_EMBEDDER` if it has none."""
    fitted = _fitted()
    return fitted.get(embedder_spec, fitted[DEFAULT_EMBEDDER])


@functools.cache
def _fitted() -> dict[str, Calibration]:
    """Read the project's numbers by embedder; the user's own numbers replace them."""
    table = TypeAdapter(dict[str, Calibration])
    fitted: dict[str, Calibration] = {}
    for path in (CALIBRATION, user_fitted_file(CALIBRATION)):
        if not path.exists():
            continue
        try:
            fitted |= table.validate_json(path.read_bytes())
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else "other content"
            raise SettingsError(
                f"{path} is not as tools.calibration writes it: {reason}; move it away, or calibrate again"
            ) from None
    return fitted
