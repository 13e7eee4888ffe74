"""How similarities of meaning become log-odds of relevance."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from quarry.ingest.arrays import Float32Array

USUAL_SPREAD = 0.114
"""Standard deviation that the default embedder's cosines of two paragraphs of a course have: mean of our course and a
real one."""
TAKEN_FOR_FOUND = 1.1
"""Log-odds that the course holds what is searched for, where nobody knows: a relevance of .75."""
N_SPREAD = 400
"""Paragraphs of which they are taken at most."""
LEAST_SPREAD = 10
"""Cosines below which they say nothing."""
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

    def rescaled(self, vectors: Float32Array) -> DenseCalibration:
        """The default embedder's numbers for another one, by how alike a course's paragraphs are to it.

        No labels are needed: cosines of two paragraphs taken by chance get the deviation that the default embedder
        gives them. From which cosine on the course holds what is searched for is not known so: it is taken for found.

        Args:
            vectors: (n_paragraphs, dim) unit vectors of a course.
        """
        rows = np.random.default_rng(0).permutation(len(vectors))[:N_SPREAD]
        cosines = (vectors[rows] @ vectors[rows].T)[np.triu_indices(len(rows), 1)]
        if len(cosines) < LEAST_SPREAD or not cosines.std():
            return self
        nats = self.nats * USUAL_SPREAD / float(cosines.std())
        return DenseCalibration(nats, bias=TAKEN_FOR_FOUND, best=0.0, top=0.0)

    def answerable(self, similarities: Float32Array) -> float:
        """Log-odds that the course holds what a hint is about.

        Args:
            similarities: (n_paragraphs,) cosine of hint and paragraph, at least one.
        """
        n_top = min(N_TOP, len(similarities))
        top = np.partition(similarities, len(similarities) - n_top)[-n_top:]
        return self.bias + self.best * float(top.max()) + self.top * float(top.mean())
