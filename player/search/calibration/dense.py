"""How similarities of meaning become log-odds of relevance."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from quarry.ingest.arrays import Float32Array

N_TOP = 5
"""Paragraphs whose mean similarity tells whether the course is about the subject at all."""


@dataclass(frozen=True, slots=True)
class DenseCalibration:
    """Fitted numbers of dense search with one embedder.

    Attributes:
        nats: log-odds between two paragraphs of one course per unit of similarity.
        bias: of the log-odds that the course holds what is searched for.
        best: their slope on the highest paragraph similarity.
        top: their slope on the mean of the `N_TOP` highest.
        parts: log-odds per unit of further scores of a paragraph, by name; see `strategies.dense.PartScorer`.
        glance: the same of the cheap scores by which the paragraphs of a large course are chosen that get `parts`.
    """

    nats: float
    bias: float
    best: float
    top: float
    parts: dict[str, float] = field(default_factory=dict)
    glance: dict[str, float] = field(default_factory=dict)

    def answerable(self, similarities: Float32Array) -> float:
        """Log-odds that the course holds what a hint is about.

        Args:
            similarities: (n_paragraphs,) cosine of hint and paragraph, at least one.
        """
        n_top = min(N_TOP, len(similarities))
        top = np.partition(similarities, len(similarities) - n_top)[-n_top:]
        return self.bias + self.best * float(top.max()) + self.top * float(top.mean())
