"""Kinds of questions: each names three lists; the first list of which something is there is the answer."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.sparse import csr_array

from ingest.arrays import BoolArray, Float32Array, RowArray
from ingest.paragraph import Paragraph
from player.questions.candidates import SEEN, STRAY, Candidates, drawn
from player.questions.deal import N_LISTS, deal
from player.questions.initials import LETTERS, initial
from player.questions.language import Language, either
from player.questions.question import (
    OUT,
    FitArray,
    Question,
    QuestionPool,
    first_of,
    no_questions,
)
from player.questions.views import DESIGN_VIEWS, VIEWS, View
from player.words import words

MIN_WORDS = 300
"""The least number of words that questions are made of; large pools use more."""
N_DRAWS = 512
"""Draws from the belief over which the options are balanced."""
LEAST_WORTH = 1e-6
"""A word with less variance over the belief is never named."""
MAX_CITED = 2
"""The most words of an option that a citation names."""
SAME_OPENING = 0.4
"""Share of the answers about the first sentence of a raw page that mean the opening that is compared: 76 of 161."""
ANOTHER_OPENING = np.array([0.2, 0.2, 0.2, 0.4], dtype=np.float32)
"""Answers of the others: another sentence has few of the words."""
NONE_OF_THESE: Mapping[Language, str] = {
    "en": "none of these words",
    "he": "אף אחת מהמילים האלה",
}
NO_LETTER: Mapping[Language, str] = {
    "en": "none of these letters",
    "he": "אף אחת מהאותיות האלה",
}


@dataclass(frozen=True, slots=True)
class ListKind:
    """A kind of question that names lists of words.

    Attributes:
        name: name of the kind in its questions.
        share: share of the pool, 0..1.
        wrong: expected share of wrong letters before any answer was logged, 0..1; of 119 answers about letters none was
            wrong (docs/notebook/questions.md).
        sizes: least and most words of a list.
        in_opening: asks for words of the opening sentence; else for words anywhere in the paragraph.
        ask: the question by language; {0} is replaced by the lists.
        has, has_none: beginnings of citations.
        none: the last option by language.
    """

    name: str
    share: float
    wrong: float
    sizes: tuple[int, int]
    in_opening: bool
    ask: Mapping[Language, str]
    has: str
    has_none: str
    none: Mapping[Language, str] = field(default_factory=lambda: NONE_OF_THESE)

    def make(
        self,
        candidates: Candidates,
        n: int,
        generator: np.random.Generator,
        *,
        for_pieces: bool = False,
    ) -> QuestionPool:
        """Make about n questions; draw words by the variance of their occurrence, and balance the options.

        Words are weighed over the whole belief, and options are balanced over draws from it.

        Args:
            for_pieces: weigh and balance over the pieces of other editions; else over printed passages.
        """
        population = candidates.population
        belief = population.belief_in(pieces=for_pieces)
        mass = np.clip(self.table(population).T @ belief, 0.0, 1.0)
        worth = mass * (1.0 - mass) * self.usable(candidates)
        ids = np.argsort(-worth, kind="stable")[: max(MIN_WORDS, n)]
        ids = ids[worth[ids] > LEAST_WORTH]
        if len(ids) < N_LISTS:
            return no_questions(len(candidates))

        belief = candidates.belief_in(pieces=for_pieces)
        rows = drawn(belief, N_DRAWS, generator.random())
        seen = self.table(candidates)[rows][:, ids].toarray() > 0.5
        sizes = generator.integers(self.sizes[0], self.sizes[1] + 1, size=n)
        lists = np.unique(deal(seen, worth[ids], sizes, generator), axis=0)
        lists = lists[(lists[:, :, 0] >= 0).all(axis=1)]
        if not len(lists):
            return no_questions(len(candidates))

        named = np.where(lists >= 0, ids[lists], -1)
        fits = self._fits(named, candidates, DESIGN_VIEWS)
        names = self.names(candidates)
        groups = [
            tuple(_sorted_names(group, names) for group in question)
            for question in named.tolist()
        ]
        drafts = tuple(
            functools.partial(self._write, lists_of_names, candidates)
            for lists_of_names in groups
        )
        return QuestionPool(drafts, (self.name,) * len(drafts), fits)

    def fit(self, questions: Sequence[Question], candidates: Candidates) -> FitArray:
        """Return the (n_views, n_questions, n_candidates, 4) fits; words that the course lacks are found nowhere."""
        column = {name: place for place, name in enumerate(self.names(candidates))}
        most = max(len(group) for question in questions for group in question.groups)
        named = np.full((len(questions), N_LISTS, most), -1)
        for row, question in enumerate(questions):
            for place, group in enumerate(question.groups):
                known = [column[name] for name in group if name in column]
                named[row, place, : len(known)] = known
        return self._fits(named, candidates, VIEWS)

    def cite(self, question: Question, option: int, paragraph: Paragraph) -> str:
        """Say that the paragraph has words of the option, or none of the named words; "" if that is not true."""
        text = paragraph.opening_sentence if self.in_opening else paragraph.text
        there = set(words(text))
        if option == OUT:
            named = {word for group in question.groups for word in group}
            return "" if named & there else self.has_none
        quoted = question.options[option].split('"')[1::2]
        cited = [f'"{word}"' for word in quoted if word.casefold() in there]
        return f"{self.has} {' and '.join(cited[:MAX_CITED])}" if cited else ""

    def table(self, candidates: Candidates) -> csr_array:
        """Return the (n_candidates, n_things) share of the referees who find each thing that lists may name."""
        return candidates.opening if self.in_opening else candidates.whole

    def names(self, candidates: Candidates) -> Sequence[str]:
        """Return the (n_things,) names."""
        return candidates.index.words

    def usable(self, candidates: Candidates) -> BoolArray:
        """Return (n_things,) whether a question may name it."""
        index = candidates.index
        return index.plain if self.in_opening else index.telling

    def key(self, groups: Sequence[Sequence[str]]) -> frozenset[str]:
        """Return what a question with these lists is about."""
        things = [word for group in groups for word in group]
        return frozenset(
            f"opening {word}" if self.in_opening else word for word in things
        )

    def seen(
        self, lists: csr_array, candidates: Candidates, view: View
    ) -> Float32Array:
        """Return the (n_candidates, n_lists) probability that a referee of a view finds something of a list.

        Args:
            lists: (n_things, n_lists) 1 where a list names a thing.
        """
        match view:
            case "name":
                return candidates.in_clue(lists)
            case "paragraph" if not self.in_opening:
                return candidates.in_paragraph(lists)
            case "passages" if not self.in_opening:
                return candidates.in_passages(lists)
            case "passages":
                return np.maximum(candidates.in_opening(lists), np.float32(STRAY))
        return candidates.in_opening(lists)

    def _fits(
        self, named: RowArray, candidates: Candidates, views: Sequence[View]
    ) -> FitArray:
        """Return (n_views, n_questions, n_candidates, 4) fits.

        Args:
            named: (n_questions, N_LISTS, most) things that the lists name; -1 is none.
        """
        at = np.argwhere(named >= 0)
        lists = csr_array(
            (
                np.ones(len(at), dtype=np.float32),
                (named[tuple(at.T)], at[:, 0] * N_LISTS + at[:, 1]),
            ),
            shape=(len(self.names(candidates)), len(named) * N_LISTS),
        )
        fits = np.empty((len(views), len(named), len(candidates), 4), dtype=np.float32)
        for row, view in enumerate(views):
            seen = self.seen(lists, candidates, view)
            by_question = seen.reshape(len(candidates), len(named), N_LISTS)
            fits[row] = first_of(by_question).transpose(1, 0, 2)
        if self.in_opening:
            pieces = candidates.editions > 0
            fits[:, :, pieces] *= SAME_OPENING
            fits[:, :, pieces] += (1.0 - SAME_OPENING) * ANOTHER_OPENING
        return fits

    def _write(
        self, groups: tuple[tuple[str, ...], ...], candidates: Candidates
    ) -> Question:
        language = candidates.language
        a, b, c = (
            either([self.written(name, candidates) for name in group], language)
            for group in groups
        )
        text = self.ask[language].format(f"{a}; {b}; {c}")
        options = (a, b, c, self.none[language])
        return Question(text, options, self.name, self.key(groups), groups)

    def written(self, name: str, candidates: Candidates) -> str:
        """Return a name as a question writes it."""
        return candidates.index.spelling.get(name, name)


@dataclass(frozen=True, slots=True)
class LetterKind(ListKind):
    """A kind of question that names lists of letters, for the first letter of a word of the opening sentence.

    Attributes:
        position: position of the word, negative from the end.
    """

    position: int = 0

    def table(self, candidates: Candidates) -> csr_array:
        """Return the (n_candidates, n_letters) probability of each letter."""
        return candidates.initials(self.position)

    def names(self, candidates: Candidates) -> Sequence[str]:
        """Return the letters."""
        return LETTERS

    def usable(self, candidates: Candidates) -> BoolArray:
        """Return that all letters may be named."""
        return np.ones(len(LETTERS), dtype=np.bool_)

    def key(self, groups: Sequence[Sequence[str]]) -> frozenset[str]:
        """Return the word that the question is about."""
        return frozenset({self.name})

    def written(self, name: str, candidates: Candidates) -> str:
        """Return the capital letter."""
        return name.upper()

    def seen(
        self, lists: csr_array, candidates: Candidates, view: View
    ) -> Float32Array:
        """Return the probability that the word begins with a letter of a list; by chance without the sentence."""
        if view == "name":
            n_questions = lists.shape[1] // N_LISTS
            by_chance = np.tile(
                np.array([1 / 4, 1 / 3, 1 / 2], dtype=np.float32), n_questions
            )
            return np.broadcast_to(by_chance, (len(candidates), lists.shape[1]))
        seen: Float32Array = (self.table(candidates) @ lists).toarray()
        return np.float32(SEEN) * np.minimum(seen, np.float32(1.0))

    def cite(self, question: Question, option: int, paragraph: Paragraph) -> str:
        """Say with which letter the word begins; "" if it is none of the option."""
        letter = initial(paragraph.opening_sentence, self.position)
        if option == OUT or letter not in question.groups[option]:
            return ""
        return f'{self.has} "{letter.upper()}"'


def _sorted_names(ids: Sequence[int], names: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(names[number] for number in ids if number >= 0))


OPENING = ListKind(
    name="opening",
    share=0.4,
    wrong=0.04,
    sizes=(8, 8),
    in_opening=True,
    ask={
        "en": "Which of these words does the first sentence of the paragraph contain: {0}? Choose the first option "
        "with a word that is there. Only this exact form counts; capital letters do not matter.",
        "he": "אילו מהמילים האלה נמצאות במשפט הראשון של הפסקה: {0}? יש לבחור באפשרות הראשונה שבה מילה שנמצאת שם. "
        "רק הצורה המדויקת נחשבת.",
    },
    has="its first sentence has",
    has_none="its first sentence lacks the words named",
)
"""Asks which of three lists has a word of the opening sentence."""

ANYWHERE = ListKind(
    name="anywhere",
    share=0.1,
    wrong=0.04,
    sizes=(6, 6),
    in_opening=False,
    ask={
        "en": "Which of these words occur anywhere in the paragraph: {0}? Choose the first option with a word that is "
        "there. Only this exact form counts; capital letters do not matter.",
        "he": "אילו מהמילים האלה מופיעות בפסקה: {0}? יש לבחור באפשרות הראשונה שבה מילה שמופיעה שם. "
        "רק הצורה המדויקת נחשבת.",
    },
    has="it has",
    has_none="it has none of the words named",
)
"""Asks which of three lists has a word of the paragraph."""


def _letter_kind(position: int, word: str, hebrew: str) -> ListKind:
    return LetterKind(
        name=f"{word} letter",
        share=0.08,
        wrong=0.01,
        sizes=(12, 12),
        in_opening=True,
        ask={
            "en": f"With which of these letters does the {word} word of the first sentence of the paragraph begin: "
            "{0}? Numbers and signs are not words; capital letters do not matter.",
            "he": f"באיזו מהאותיות האלה מתחילה {hebrew} במשפט הראשון של הפסקה: "
            "{0}? מספרים וסימנים אינם מילים.",
        },
        has=f"its opening's {word} word begins with",
        has_none="",
        none=NO_LETTER,
        position=position,
    )


LETTER_KINDS = (
    _letter_kind(0, "first", "המילה הראשונה"),
    _letter_kind(1, "second", "המילה השנייה"),
    _letter_kind(2, "third", "המילה השלישית"),
    _letter_kind(3, "fourth", "המילה הרביעית"),
    _letter_kind(-2, "second-to-last", "המילה שלפני האחרונה"),
    _letter_kind(-1, "last", "המילה האחרונה"),
)
"""Ask for the first letter of a word of the opening sentence."""

KINDS: dict[str, ListKind] = {
    kind.name: kind for kind in (OPENING, ANYWHERE, *LETTER_KINDS)
}
"""All kinds by name; questions are drawn in this order."""
