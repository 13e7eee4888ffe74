"""With which word the paragraph begins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from player.questions.course import CourseView
from player.questions.language import Language, either
from player.questions.question import FitArray, Question, QuestionPool, hard_fits, no_questions, pool_of

ASK = {"en": "With which word does the paragraph begin?", "he": "באיזו מילה מתחילה הפסקה?"}
ANOTHER = {"en": "another word", "he": "מילה אחרת"}
MAX_GROUP = 4
"""First words an option names at most."""
N_LISTS = 3
MISREAD = 0.01
"""Probability that a careful reader takes another option for the right one, for each of the three."""


def make(
    course: CourseView,
    rows: NDArray[np.intp],
    prior: NDArray[np.float64],
    language: Language,
    n: int,
    generator: np.random.Generator,
) -> QuestionPool:
    """At most n questions, each with other first words in its options."""
    mass: dict[str, float] = defaultdict(float)
    for row, probability in zip(rows, prior, strict=True):
        word = course.first_words[row]
        if word.isalpha() and (len(word) > 1 or word in ("a", "i")):
            mass[word] += float(probability)
    frequent = sorted(mass, key=lambda word: (-mass[word], word))[:60]
    groupings = dict.fromkeys(_grouping(frequent, mass, generator) for _ in range(n))
    questions = []
    for groups in groupings:
        if not all(groups):
            continue
        a, b, c = (either([_shown(word, course) for word in group], language) for group in groups)
        key = frozenset(f"begins {word}" for group in groups for word in group)
        questions.append(Question(ASK[language], (a, b, c, ANOTHER[language]), "beginning", key, groups))
    first_words = [course.first_words[row] for row in rows]
    fits = [_fits(question, first_words) for question in questions]
    return pool_of(questions, np.stack(fits)) if fits else no_questions(len(rows))


def fit(question: Question, course: CourseView) -> FitArray:
    """(n_paragraphs, 4) of the course, as in `QuestionPool.fits`."""
    return _fits(question, course.first_words)


def _fits(question: Question, first_words: Sequence[str]) -> FitArray:
    option_of = {word: row for row, group in enumerate(question.groups) for word in group}
    cells = np.array([option_of.get(word, N_LISTS) for word in first_words])
    fits: FitArray = hard_fits(cells) * np.float32(1.0 - 4.0 * MISREAD) + np.float32(MISREAD)
    return fits


def _shown(word: str, course: CourseView) -> str:
    """As the word is written at the beginning of a sentence."""
    row = course.whole.rows.get(word)
    written = word if row is None else course.whole.shown[row]
    return written[:1].upper() + written[1:]


def _grouping(
    frequent: Sequence[str], mass: dict[str, float], generator: np.random.Generator
) -> tuple[tuple[str, ...], ...]:
    """Three groups of about equal weight of first words drawn by theirs, about a quarter of the belief each."""
    weights = np.log(np.array([max(mass[word], 1e-9) for word in frequent]))
    order = np.argsort(-(weights + 0.7 * generator.gumbel(size=len(frequent))), kind="stable")
    groups: list[list[str]] = [[] for _ in range(N_LISTS)]
    totals = [0.0] * N_LISTS
    for row in order:
        open_groups = [group for group in range(N_LISTS) if len(groups[group]) < MAX_GROUP and totals[group] < 0.25]
        if not open_groups:
            break
        least = min(open_groups, key=lambda group: (totals[group], group))
        groups[least].append(frequent[row])
        totals[least] += mass[frequent[row]]
    return tuple(tuple(sorted(group)) for group in groups)
