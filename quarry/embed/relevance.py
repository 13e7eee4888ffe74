"""Calibration of an embedder on the course itself: which cosines tell a question about the course from nonsense.

It serves embedders of a user's own, for which nobody has fitted numbers on labelled games.
"""

import re

import numpy as np

from quarry.arrays import Float32Array
from quarry.embed.embedders import Embedder
from quarry.embed.hint_bank import load_hints

N_TOP = 5
"""Number of passages whose mean cosine with a question shows whether the course is about its subject."""
N_QUESTIONS = 100
"""Maximum number of questions of each kind that are embedded."""
QUESTION_WORDS = 6
"""Number of words of a question."""
MIN_PASSAGES = 10
"""Minimum number of passages for a fit."""
_WORD = re.compile(r"[^\W\d_]{3,}")

Relevance = tuple[float, float]
"""Bias, and slope on the mean of the `N_TOP` highest cosines, of the log-odds that the course holds an answer."""


def calibrate(
    texts: list[str], vectors: Float32Array, embedder: Embedder
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
    passages, rows = [], []
    for row, text in enumerate(texts):
        passages.append(_words(text))
        if len(passages[row]) >= QUESTION_WORDS:
            rows.append(row)
    if len(rows) < MIN_PASSAGES:
        return None

    about_course = [passages[row] for row in random.permutation(rows)[:N_QUESTIONS]]
    foreign = _words(" ".join(load_hints().documents))
    questions = []
    for words in (*about_course, *[foreign] * N_QUESTIONS):
        chosen = random.choice(words, QUESTION_WORDS, replace=False)
        questions.append(" ".join(chosen))

    cosines = embedder.embed_queries(questions) @ vectors.T
    n_top = min(N_TOP, len(texts))
    highest = np.partition(cosines, -n_top, axis=1)[:, -n_top:]
    present, missing = np.split(highest.mean(axis=1), [len(about_course)])
    difference = present.mean() - missing.mean()
    variance = (present.var() + missing.var()) / 2.0
    if difference <= 0.0 or variance <= 0.0:
        return None

    slope = float(difference / variance)
    return -slope * float(present.mean() + missing.mean()) / 2.0, slope


def _words(text: str) -> list[str]:
    return sorted(set(_WORD.findall(text)))
