"""Which of three subjects the paragraph is about."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from player.questions.course import CourseView
from player.questions.language import Language
from player.questions.question import FitArray, Question, QuestionPool, no_questions, pool_of

ASK = {
    "en": "Each option describes a subject by a few of its words. Which subject is the paragraph mainly about? "
    "The words themselves need not occur in it.",
    "he": "כל אפשרות מתארת נושא בכמה ממילותיו. באיזה נושא עוסקת הפסקה בעיקר? המילים עצמן אינן חייבות להופיע בה.",
}
NONE_OF_THESE = {"en": "None of these subjects", "he": "אף אחד מהנושאים האלה"}
N_SUBJECTS = 3
JOINED = " / "


def make(
    course: CourseView,
    rows: NDArray[np.intp],
    prior: NDArray[np.float64],
    language: Language,
    n: int,
    generator: np.random.Generator,
) -> QuestionPool:
    """At most n questions, an option one or two neighbouring subjects."""
    topics = course.topics
    none = no_questions(len(rows))
    usable = [row for row, label in enumerate(topics.labels) if len(label) >= 3]
    if len(usable) < N_SUBJECTS + 1:
        return none
    near = topics.near[np.array(usable)][:, rows]
    mass = np.clip(near @ prior.astype(np.float32), 1e-9, None)
    best = np.argsort(-mass, kind="stable")[:16]
    questions: dict[frozenset[str], Question] = {}
    for _ in range(n):
        noisy = np.log(mass[best]) + generator.gumbel(size=len(best))
        order = best[np.argsort(-noisy, kind="stable")]
        size = 2 if float(mass[order[0]]) < 0.2 and len(order) >= 2 * N_SUBJECTS + 1 else 1
        chosen = [usable[row] for row in order[: N_SUBJECTS * size]]
        groups = [tuple(sorted(chosen[start::N_SUBJECTS])) for start in range(N_SUBJECTS)]
        options = [JOINED.join(", ".join(_shown(course, topic)) for topic in group) for group in groups]
        key = frozenset(f"subject {topic}" for topic in chosen)
        named = tuple(tuple(" ".join(topics.labels[topic]) for topic in group) for group in groups)
        a, b, c = options
        questions.setdefault(key, Question(ASK[language], (a, b, c, NONE_OF_THESE[language]), "subject", key, named))
    if not questions:
        return none
    asked = list(questions.values())
    return pool_of(asked, np.stack([fit(question, course)[rows] for question in asked]))


def fit(question: Question, course: CourseView) -> FitArray:
    """(n_paragraphs, 4) of the course, as in `QuestionPool.fits`.

    Of a question about subjects that the course is no longer divided into, every option fits every paragraph alike.
    """
    by_label = {" ".join(label): row for row, label in enumerate(course.topics.labels)}
    if any(label not in by_label for group in question.groups for label in group):
        return np.full((course.n_paragraphs, 4), 0.25, dtype=np.float32)
    fits = np.empty((course.n_paragraphs, 4), dtype=np.float32)
    for option, group in enumerate(question.groups):
        fits[:, option] = course.topics.near[[by_label[label] for label in group]].sum(axis=0)
    fits[:, 3] = np.clip(1.0 - fits[:, :3].sum(axis=1), 0.0, 1.0)
    return fits


def _shown(course: CourseView, topic: int) -> list[str]:
    vocabulary = course.whole
    return [vocabulary.shown[vocabulary.rows[word]] for word in course.topics.labels[topic]]
