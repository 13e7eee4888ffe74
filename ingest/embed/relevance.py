"""Calibration of an embedder on the course itself: which cosines tell a question about the course from nonsense.

It serves embedders of a user's own, for which nobody has fitted numbers on labelled games.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from ingest.arrays import Float32Array
from ingest.embed.embedders import Embedder
from ingest.embed.hint_bank import load_hints

N_TOP = 5
"""The mean cosine of so many passages with a question shows whether the course is about its subject."""
N_QUESTIONS = 100
"""So many questions of each kind are embedded."""
QUESTION_WORDS = 6
"""A question has so many words."""
FEWEST_PASSAGES = 10
"""Fewer passages are too few to fit."""
_WORD = re.compile(r"[^\W\d_]{3,}")

Relevance = tuple[float, float]
"""Bias, and slope on the mean of the `N_TOP` highest cosines, of the log-odds that the course holds an answer."""


def mean_of_top(cosines: Float32Array) -> Float32Array:
    """Return (n_questions,) the mean of the `N_TOP` highest of (n_questions, n_passages) cosines."""
    n_top = min(N_TOP, cosines.shape[1])
    highest = np.partition(cosines, -n_top, axis=1)[:, -n_top:]
    means: Float32Array = highest.mean(axis=1)
    return means


def calibrate(
    texts: Sequence[str], vectors: Float32Array, embedder: Embedder
) -> Relevance | None:
    """Fit the log-odds that a course holds an answer; return None if questions look like nonsense.

    Questions about the course are words of one of its passages. Nonsense is words of hints for other lectures, drawn at
    random. Both are taken for normally distributed with the same variance (linear discriminant analysis).

    Args:
        texts: (n_passages,) of the course.
        vectors: (n_passages, dim) their unit vectors.
        embedder: the one that made the vectors.
    """
    random = np.random.default_rng(0)
    words_of = [sorted(set(_WORD.findall(text))) for text in texts]
    rows = random.permutation(
        [row for row, words in enumerate(words_of) if len(words) >= QUESTION_WORDS]
    )
    if len(rows) < FEWEST_PASSAGES:
        return None

    foreign = sorted(set(_WORD.findall(" ".join(load_hints().texts))))
    sources = [words_of[row] for row in rows[:N_QUESTIONS]]
    n_questions = len(sources)
    sources += [foreign] * N_QUESTIONS
    questions = [
        " ".join(random.choice(words, QUESTION_WORDS, replace=False))
        for words in sources
    ]

    cosines = embedder.embed_queries(questions) @ vectors.T
    present, missing = np.split(mean_of_top(cosines), [n_questions])
    difference = present.mean() - missing.mean()
    variance = (present.var() + missing.var()) / 2.0
    if difference <= 0.0 or variance <= 0.0:
        return None

    slope = float(difference / variance)
    return -slope * float(present.mean() + missing.mean()) / 2.0, slope
