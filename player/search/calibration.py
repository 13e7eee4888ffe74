"""Fitted numbers, by embedder, that bring the scores of all strategies to one scale of relevance."""

from __future__ import annotations

import dataclasses
import functools
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from quarry.configs.places import own_fit
from quarry.ingest.arrays import Float32Array

CALIBRATION = Path(__file__).with_name("calibration.json")
"""The project's fitted numbers by embedder; `python -m evaluate calibrate` writes a user's own beside his data."""
DEFAULT_EMBEDDER = "minilm"
"""Whose numbers serve an embedder that has none of its own."""
USUAL_SPREAD = (0.124, 0.114)
"""Mean and standard deviation of its cosines of two paragraphs of a course: means over our course and a real one."""
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
        """The numbers for another embedder, by how alike the paragraphs of a course are to it: no labels are needed.

        Cosines of two paragraphs taken by chance get the mean and the deviation that `DEFAULT_EMBEDDER` gives them.

        Args:
            vectors: (n_paragraphs, dim) unit vectors of a course.
        """
        rows = np.random.default_rng(0).permutation(len(vectors))[:N_SPREAD]
        cosines = (vectors[rows] @ vectors[rows].T)[np.triu_indices(len(rows), 1)]
        if len(cosines) < LEAST_SPREAD or not cosines.std():
            return self
        mean, deviation = USUAL_SPREAD
        slope = deviation / float(cosines.std())
        offset = mean - slope * float(cosines.mean())
        return DenseCalibration(
            nats=self.nats * slope,
            bias=self.bias + (self.best + self.top) * offset,
            best=self.best * slope,
            top=self.top * slope,
        )

    def answerable(self, similarities: Float32Array) -> float:
        """Log-odds that the course holds what a hint is about.

        Args:
            similarities: (n_paragraphs,) cosine of hint and paragraph, at least one.
        """
        n_top = min(N_TOP, len(similarities))
        top = np.partition(similarities, len(similarities) - n_top)[-n_top:]
        return self.bias + self.best * float(top.max()) + self.top * float(top.mean())


@dataclass(frozen=True, slots=True)
class KeywordCalibration:
    """Fitted numbers of keyword search.

    Attributes:
        bias: of the log-odds that the best hit is what is searched for.
        share: their slope on the share of the highest possible score.
        nats: log-odds between two paragraphs of one course per unit of BM25.
    """

    bias: float
    share: float
    nats: float


@dataclass(frozen=True, slots=True)
class FusedCalibration:
    """Weights of linear fusion for ordinary questions, in log-odds per unit of each strategy's score."""

    dense: float
    keyword: float

    @property
    def weights(self) -> dict[str, float]:
        """By strategy."""
        return {"dense": self.dense, "keyword": self.keyword}


@dataclass(frozen=True, slots=True)
class ReferenceCalibration:
    """Fitted numbers of the resolution of book names with one embedder; see references.py.

    Attributes:
        weights: of each feature of a name and a document.
        none: utility of "none of these".
        letters: the weights where meanings are not compared, that of the meaning being 0.
        letters_none: utility of "none of these" there.
        unrelated: cosine that unrelated names have.
    """

    weights: tuple[float, ...]
    none: float
    letters: tuple[float, ...]
    letters_none: float
    unrelated: float


@dataclass(frozen=True, slots=True)
class WordsCalibration:
    """Fitted numbers that hold where models compare word by word; `dense.parts` weighs what they say."""

    dense: DenseCalibration
    fused: FusedCalibration


@dataclass(frozen=True, slots=True)
class Calibration:
    """All fitted numbers for one embedder.

    Attributes:
        named: log-odds that the course holds the paragraph, added where the book's name is resolved.
        unnamed: the same where a name was given and is not resolved; below 0.
        words: what takes the place of `dense` and `fused` where models compare word by word, by their SPECs, joined
            by "+".
    """

    dense: DenseCalibration
    keyword: KeywordCalibration
    fused: FusedCalibration
    references: ReferenceCalibration
    named: float
    unnamed: float
    words: dict[str, WordsCalibration] = field(default_factory=dict)

    def word_by_word(self, specs: Sequence[str]) -> Calibration:
        """The numbers where these models compare word by word; where none are fitted, what they say counts nothing."""
        known = self.words.get("+".join(specs))
        return self if known is None else dataclasses.replace(self, dense=known.dense, fused=known.fused)


def is_calibrated(embedder_spec: str) -> bool:
    """Whether an embedder has numbers of its own."""
    return embedder_spec in _fitted()


def uncalibrated(embedder_spec: str) -> str:
    """A line for people whose embedder has no numbers of its own, "" where it has."""
    if is_calibrated(embedder_spec):
        return ""
    return (
        f"the embedder {embedder_spec} is not calibrated: relevance is guessed from how alike the course's paragraphs "
        "are to it, and books are told by letters alone; python -m evaluate calibrate --store S --games FILE fits it"
    )


def calibration_of(embedder_spec: str) -> Calibration:
    """The fitted numbers for an embedder, those of `DEFAULT_EMBEDDER` where it has none of its own."""
    tree = _fitted()
    values = tree.get(embedder_spec, tree[DEFAULT_EMBEDDER])
    references = values["references"]
    return Calibration(
        dense=DenseCalibration(**values["dense"]),
        keyword=KeywordCalibration(**values["keyword"]),
        fused=FusedCalibration(**values["fused"]),
        references=ReferenceCalibration(
            **{**references, **{name: tuple(references[name]) for name in ("weights", "letters")}}
        ),
        named=values["named"],
        unnamed=values["unnamed"],
        words={
            specs: WordsCalibration(DenseCalibration(**known["dense"]), FusedCalibration(**known["fused"]))
            for specs, known in values.get("words", {}).items()
        },
    )


def as_tree(calibration: Calibration) -> dict[str, Any]:
    """The fitted numbers as the file holds them."""
    return dataclasses.asdict(calibration)


@functools.cache
def _fitted() -> dict[str, Any]:
    """The project's numbers by embedder, and the user's own over them."""
    tree: dict[str, Any] = json.loads(CALIBRATION.read_text(encoding="utf-8"))
    own = own_fit(CALIBRATION)
    return tree | (json.loads(own.read_text(encoding="utf-8")) if own.exists() else {})
