"""Calibration of an embedder on the course itself: finds the cosines that tell questions about it from nonsense.

It is for embedders of users, for which no numbers were fitted on labelled games.
"""

import re

import numpy as np

from quarry.arrays import Float32Array
from quarry.course.course import EmbedderFit
from quarry.embed.embedders import Embedder
from quarry.embed.hint_bank import load_hints

N_TOP = 5
"""Number of nearest paragraphs whose mean cosine with a question shows whether the course is about its subject."""
N_CALIBRATION_QUESTIONS = 100
"""Maximum number of questions about the course, and number of nonsense questions, that are embedded."""
QUESTION_WORDS = 6
"""Number of words of a question."""
MIN_PARAGRAPHS = 10
"""Minimum number of paragraphs for a fit."""
_WORD_OF_LETTERS = re.compile(r"[^\W\d_]{3,}")


def fit_embedder(
    texts: list[str], vectors: Float32Array, embedder: Embedder
) -> EmbedderFit | None:
    """Fit the log-odds that a course holds an answer; return None if cosines do not tell questions from nonsense.

    A question about the course is a sample of the words of one paragraph; a nonsense question is a sample of words of
    hints for other lectures. The mean cosines of both kinds are modelled as normal distributions with the same variance
    (linear discriminant analysis).

    Args:
        texts: (n_paragraphs,) paragraphs of the course.
        vectors: (n_paragraphs, dim) their unit vectors.
        embedder: the embedder that made the vectors.
    """
    random = np.random.default_rng(0)
    words_by_row, rows = [], []
    for row, text in enumerate(texts):
        words_by_row.append(_words(text))
        if len(words_by_row[row]) >= QUESTION_WORDS:
            rows.append(row)
    if len(rows) < MIN_PARAGRAPHS:
        return None

    about_course = [
        words_by_row[row] for row in random.permutation(rows)[:N_CALIBRATION_QUESTIONS]
    ]
    foreign = _words(" ".join(load_hints().doc_id_by_hint))
    questions = []
    for words in (*about_course, *[foreign] * N_CALIBRATION_QUESTIONS):
        sample = random.choice(words, QUESTION_WORDS, replace=False)
        questions.append(" ".join(sample))

    cosines = embedder.embed_queries(questions) @ vectors.T
    n_top = min(N_TOP, len(texts))
    highest = np.partition(cosines, -n_top, axis=1)[:, -n_top:]
    relevant, nonsense = np.split(highest.mean(axis=1), [len(about_course)])
    difference = relevant.mean() - nonsense.mean()
    variance = (relevant.var() + nonsense.var()) / 2.0
    if difference <= 0.0 or variance <= 0.0:
        return None

    slope = float(difference / variance)
    middle = float(relevant.mean() + nonsense.mean()) / 2.0
    return EmbedderFit(-slope * middle, slope)


def _words(text: str) -> list[str]:
    return sorted(set(_WORD_OF_LETTERS.findall(text)))
