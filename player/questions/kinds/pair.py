"""Which of two words occur: both, one alone, neither."""

from __future__ import annotations

import itertools

import numpy as np

from player.questions.course import CourseView
from player.questions.language import Language
from player.questions.question import Drafts, FitArray, Question, QuestionPool, no_questions, two_by_two
from player.questions.telling import TellingWords

KIND = "pair"
ASK = {
    "en": 'Do the words "{0}" and "{1}" occur in the paragraph, in just this form (capital letters aside)?',
    "he": 'האם המילים "{0}" ו"{1}" מופיעות בפסקה, בדיוק כפי שהן כתובות?',
}
OPTIONS = {
    "en": ("Both of them occur", 'Only "{0}" occurs', 'Only "{1}" occurs', "Neither of them occurs"),
    "he": ("שתיהן מופיעות", 'רק "{0}" מופיעה', 'רק "{1}" מופיעה', "אף אחת מהן אינה מופיעה"),
}
N_WORDS = 40
"""Words that pairs are made of."""


def make(telling: TellingWords, language: Language, n: int, generator: np.random.Generator) -> QuestionPool:
    """At most n questions about pairs of the words that split the belief most evenly."""
    pairs = list(itertools.combinations(range(min(N_WORDS, len(telling.rows))), 2))
    if not pairs:
        return no_questions(telling.seen.shape[1])
    if len(pairs) > n:
        pairs = [pairs[row] for row in sorted(generator.choice(len(pairs), size=n, replace=False))]
    ones, others = (np.array(side) for side in zip(*pairs, strict=True))
    questions = Drafts(len(pairs), lambda place: _question(*pairs[place], telling, language))
    keys = tuple(frozenset((telling.word(one), telling.word(other))) for one, other in pairs)
    return QuestionPool(questions, (KIND,) * len(pairs), keys, two_by_two(telling.seen[ones], telling.seen[others]))


def fit(question: Question, course: CourseView) -> FitArray:
    """(n_paragraphs, 4) of the course, as in `QuestionPool.fits`."""
    one, other = (course.whole.seen_rows(group) for group in question.groups)
    return two_by_two(one, other)


def _question(one: int, other: int, telling: TellingWords, language: Language) -> Question:
    shown = telling.shown(one), telling.shown(other)
    words = telling.word(one), telling.word(other)
    a, b, c, d = (option.format(*shown) for option in OPTIONS[language])
    named = (words[0],), (words[1],)
    return Question(ASK[language].format(*shown), (a, b, c, d), KIND, frozenset(words), named)
