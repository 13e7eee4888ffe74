"""Questions about the first and the last word of the opening sentence."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quarry.ingest.paragraph import Paragraph
from quarry.player.questions.language import Language, either, language_of
from quarry.player.questions.question import OUT, FitArray, Question, QuestionPool, hard_fits, no_questions
from quarry.player.questions.views import DESIGN_VIEWS, VIEWS
from quarry.player.questions.word_index import Candidates
from quarry.player.words import words

N_LISTS = 3
MAX_GROUP = 4
"""The most words that an option names."""
MAX_WORDS = 60
"""The most words that options are made of."""
FULL = 0.25
"""An option gets no further word when it fits this share of the belief."""
_POSSESSIVE = re.compile(r"['’]s?$")
ANOTHER = {"en": "another word", "he": "מילה אחרת"}


@dataclass(frozen=True, slots=True)
class BoundaryKind:
    """A kind of question about a boundary word of the opening sentence.

    Attributes:
        name, share, wrong: as in `Kind`.
        last: asks for the last word, else for the first.
        misread: probability that a careful referee takes a certain wrong option for the right one.
        ask: the question by language; {0} is replaced by the lists.
        cites: citations by language; {0} is replaced by the word.
    """

    name: str
    share: float
    wrong: float
    last: bool
    misread: float
    ask: Mapping[Language, str]
    cites: Mapping[Language, str]

    def make(self, candidates: Candidates, n: int, generator: np.random.Generator) -> QuestionPool:
        """Make at most n questions with different words in their options."""
        mass: dict[str, float] = defaultdict(float)
        for word, probability in zip(self._words(candidates), candidates.prior, strict=True):
            if word.isalpha() and (len(word) > 1 or word in ("a", "i")):  # others are initials
                mass[word] += float(probability)
        frequent = sorted(mass, key=lambda word: (-mass[word], word))[:MAX_WORDS]
        drawn = dict.fromkeys(_grouping(frequent, mass, generator) for _ in range(n))
        groupings = [groups for groups in drawn if all(groups)]
        if not groupings:
            return no_questions(len(candidates))
        keys = tuple(frozenset(f"{self.name} {word}" for group in groups for word in group) for groups in groupings)

        def write(row: int) -> Question:
            language = candidates.language
            groups = groupings[row]
            a, b, c = (either([self._shown(word, candidates) for word in group], language) for group in groups)
            text = self.ask[language].format(f"{a}; {b}; {c}")
            return Question(text, (a, b, c, ANOTHER[language]), self.name, keys[row], groupings[row])

        fits = np.stack([self._fits(groups, candidates) for groups in groupings])
        fits = np.broadcast_to(fits, (len(DESIGN_VIEWS), *fits.shape))
        drafts = tuple(functools.partial(write, row) for row in range(len(groupings)))
        return QuestionPool(drafts, (self.name,) * len(groupings), keys, fits)

    def fit(self, questions: Sequence[Question], candidates: Candidates) -> FitArray:
        """Return the (n_views, n_questions, n_candidates, 4) fits; the view "name" shows no boundary word."""
        fits = np.stack([self._fits(question.groups, candidates) for question in questions])
        return np.stack([np.full_like(fits, 0.25) if view == "name" else fits for view in VIEWS])

    def cite(self, question: Question, option: int, paragraph: Paragraph) -> str:
        """Name the boundary word if the option names it, else return ""."""
        found = words(paragraph.opening_sentence)
        word = (found[-1] if self.last else found[0]) if found else ""
        named = question.groups[option] if option != OUT else ()
        # a single letter in quotation marks could be taken for an answer
        return self.cites[language_of(question.text)].format(word) if word in named and len(word) > 1 else ""

    def _words(self, candidates: Candidates) -> list[str]:
        ends = candidates.index.last_words if self.last else candidates.index.first_words
        return [ends[row] for row in candidates.rows]

    def _fits(self, groups: Sequence[Sequence[str]], candidates: Candidates) -> FitArray:
        option_of = {word: row for row, group in enumerate(groups) for word in group}
        ends = self._words(candidates)
        whole = hard_fits(np.array([option_of.get(word, OUT) for word in ends]))
        # "SQL's": some take it for "SQL"
        stem = hard_fits(np.array([option_of.get(_POSSESSIVE.sub("", word), OUT) for word in ends]))
        fits: FitArray = (whole + stem) * np.float32(0.5 - 2.0 * self.misread) + np.float32(self.misread)
        return fits

    def _shown(self, word: str, candidates: Candidates) -> str:
        """Spell a word as at its place in a sentence."""
        shown = candidates.index.spelling.of(word)
        return shown if self.last else shown[:1].upper() + shown[1:]


def _grouping(
    frequent: Sequence[str], mass: Mapping[str, float], generator: np.random.Generator
) -> tuple[tuple[str, ...], ...]:
    """Draw words by their weight and deal them into three groups of about a quarter of the belief each."""
    weights = np.log(np.array([max(mass[word], 1e-9) for word in frequent]))
    order = np.argsort(-(weights + 0.7 * generator.gumbel(size=len(frequent))), kind="stable")
    groups: list[list[str]] = [[] for _ in range(N_LISTS)]
    totals = [0.0] * N_LISTS
    for row in order:
        open_groups = [group for group in range(N_LISTS) if len(groups[group]) < MAX_GROUP and totals[group] < FULL]
        if not open_groups:
            break
        least = min(open_groups, key=lambda group: (totals[group], group))
        groups[least].append(frequent[row])
        totals[least] += mass[frequent[row]]
    return tuple(tuple(sorted(group)) for group in groups)


BEGINNING = BoundaryKind(
    name="beginning",
    share=0.03,
    wrong=0.03,
    last=False,
    misread=0.01,
    ask={
        "en": "With which word does the paragraph begin: {0}; or another word?",
        "he": "באיזו מילה מתחילה הפסקה: {0}; או במילה אחרת?",
    },
    cites={"en": 'it begins with "{0}"', "he": 'היא מתחילה במילה "{0}"'},
)
ENDING = BoundaryKind(
    name="ending",
    share=0.03,
    wrong=0.04,
    last=True,
    misread=0.025,
    ask={
        "en": "With which word does the first sentence of the paragraph end: {0}; or another word?",
        "he": "באיזו מילה מסתיים המשפט הראשון של הפסקה: {0}; או במילה אחרת?",
    },
    cites={"en": 'its first sentence ends with "{0}"', "he": 'המשפט הראשון שלה מסתיים במילה "{0}"'},
)
