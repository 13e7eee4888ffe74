"""Kinds of questions: each names three lists; the first list of which something is there is the answer."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from player.question import (
    NONE_OF_THESE,
    OTHER_READINGS,
    VIEWS,
    FitArray,
    Question,
    View,
)
from player.questions.candidates import SEEN, Candidates, drawn
from player.questions.deal import N_LISTS, deal
from player.questions.initials import COLUMNS, POSITIONS, initial, initials_of
from quarry.arrays import BoolArray, Float32Array
from quarry.course.paragraph import Paragraph
from quarry.languages.english import ENGLISH
from quarry.languages.language import Language
from quarry.languages.words import words

MIN_WORDS = 300
"""Minimum number of words that questions are made of; larger pools use as many words as questions."""
N_DRAWS = 512
"""Draws from the belief over which the options are balanced."""
MIN_WORTH = 1e-6
"""Minimum variance over the belief of a word that a question names."""
MAX_CITED = 2
"""Maximum number of words of an option that a citation names."""
ANOTHER_OPENING = np.array([0.2, 0.2, 0.2, 0.4], dtype=np.float32)
"""Answers of a referee who takes another sentence of a raw text for the first one: few of the words are there."""
BY_CHANCE = np.array([1 / 4, 1 / 3, 1 / 2], dtype=np.float32)
"""Probability that a letter is in each list, if it is in none of those before, for a referee without the sentence."""


@dataclass(frozen=True, slots=True)
class ListKind:
    """A kind of question that names lists of words.

    Attributes:
        name: name of the kind in its questions.
        share: share of the pool, 0..1.
        wrong: expected share of wrong letters before any answer was logged, 0..1; of 119 answers about letters none was
            wrong (docs/notebook/questions.md).
        size: most words of a list.
        in_opening: asks for words of the opening sentence; else for words anywhere in the paragraph.
        ask: returns the question in a language; {0} is replaced by the lists.
        has, has_none: beginnings of citations.
        none: returns the last option in a language.
    """

    name: str
    share: float
    wrong: float
    size: int
    in_opening: bool
    ask: Callable[[Language], str]
    has: str
    has_none: str = ""
    none: Callable[[Language], str] = lambda language: language.no_word

    def make(
        self,
        candidates: Candidates,
        n: int,
        generator: np.random.Generator,
        members: BoolArray,
    ) -> list[Question]:
        """Make about n questions; draw words by the variance of their occurrence, and balance the options.

        Words are weighed over the belief in some candidates, and options are balanced over draws from it.

        Args:
            members: (n_candidates,) whether a candidate is one of them.
        """
        belief = np.where(members, candidates.prior, 0.0)
        if not belief.any():
            return []
        belief /= belief.sum()
        mass = np.clip(self.table(candidates).T @ belief, 0.0, 1.0)
        worth = mass * (1.0 - mass) * self.is_nameable(candidates)
        ids = np.argsort(-worth, kind="stable")
        ids = ids[: max(MIN_WORDS, n)]
        ids = ids[worth[ids] > MIN_WORTH]

        questions = []
        if len(ids) >= N_LISTS:
            rows = drawn(belief, N_DRAWS, generator.random())
            shares = self.table(candidates)[rows][:, ids]
            seen = shares.toarray() > 0.5
            shape = (n, self.size)
            dealt = deal(
                seen,
                worth[ids],
                shape,
                generator,
            )
            names = [*self.columns(candidates)]
            for lists in np.unique(dealt, axis=0):
                groups = []
                for group in lists:
                    columns = ids[group[group >= 0]]
                    listed = sorted(names[column] for column in columns)
                    groups.append(tuple(listed))
                if all(groups):
                    questions.append(self.write(tuple(groups), candidates))
        return questions

    def write(
        self, groups: tuple[tuple[str, ...], ...], candidates: Candidates
    ) -> Question:
        """Return the question that names these lists, in the language of the candidates.

        The words of a list are alternatives: "index", "query" or "tree". Quotation marks set off the word "or" itself.
        """
        language = candidates.language
        options = []
        for group in groups:
            *others, last = [
                f'"{self.spelling_of(name, candidates)}"' for name in group
            ]
            options.append(
                f"{', '.join(others)} {language.or_} {last}" if others else last
            )

        a, b, c = options
        return Question(
            text=self.ask(language).format(f"{a}; {b}; {c}"),
            options=(a, b, c, self.none(language)),
            kind=self.name,
            groups=groups,
        )

    def fit(
        self,
        questions: Sequence[Question],
        candidates: Candidates,
        views: Sequence[View] = VIEWS,
    ) -> FitArray:
        """Return the (n_views, n_questions, n_candidates, 4) fits; words that the course lacks are found nowhere."""
        columns = self.columns(candidates)
        things, numbers = [], []
        for row, question in enumerate(questions):
            for place, group in enumerate(question.groups):
                for name in group:
                    if name in columns:
                        things.append(columns[name])
                        numbers.append(row * N_LISTS + place)
        named = np.ones(len(things), dtype=np.float32)
        shape = (len(columns), len(questions) * N_LISTS)
        lists = csr_array((named, (things, numbers)), shape=shape)

        n, n_candidates = len(questions), len(candidates)
        by_list = (n_candidates, n, N_LISTS)
        fits = np.empty((len(views), n, n_candidates, 4), dtype=np.float32)
        for row, view in enumerate(views):
            seen = self.seen(lists, candidates, view)
            of_view = first_of(seen.reshape(by_list))
            fits[row] = of_view.transpose(1, 0, 2)
            if self.in_opening and view in OTHER_READINGS:
                fits[row][:, candidates.is_raw] = ANOTHER_OPENING
        return fits

    def cite(
        self,
        question: Question,
        option: int,
        paragraph: Paragraph,
    ) -> str:
        """Say that the paragraph has words of the option, or none of the named words; "" if that is not true."""
        names = self.names_in(paragraph)
        if option == NONE_OF_THESE:
            is_true = names.isdisjoint(itertools.chain(*question.groups))
            return self.has_none if is_true else ""

        quoted = question.options[option].split('"')[1::2]
        cited = [f'"{word}"' for word in quoted if word.casefold() in names]
        return f"{self.has} {' and '.join(cited[:MAX_CITED])}" if cited else ""

    def table(self, candidates: Candidates) -> csr_array:
        """Return the (n_candidates, n_things) share of the referees who find each thing that lists may name."""
        return candidates.opening if self.in_opening else candidates.whole

    def columns(self, candidates: Candidates) -> Mapping[str, int]:
        """Return the column of each thing in the table, by its name, in order."""
        return candidates.index.ids

    def is_nameable(self, candidates: Candidates) -> BoolArray:
        """Return (n_things,) whether a question may name it."""
        index = candidates.index
        return index.plain if self.in_opening else index.informative

    def spelling_of(self, name: str, candidates: Candidates) -> str:
        """Return a name as a question writes it."""
        return candidates.index.spelling.get(name, name)

    def names_in(self, paragraph: Paragraph) -> set[str]:
        """Return the names of the things that the paragraph has."""
        text = paragraph.opening_sentence if self.in_opening else paragraph.text
        return set(words(text))

    def seen(
        self, lists: csr_array, candidates: Candidates, view: View
    ) -> Float32Array:
        """Return the (n_candidates, n_lists) probability that a referee of a view finds something of a list.

        Args:
            lists: (n_things, n_lists) 1 where a list names a thing.
        """
        return candidates.seen(lists, view, in_opening=self.in_opening)


@dataclass(frozen=True, slots=True)
class LetterKind(ListKind):
    """A kind of question that names lists of letters, for the first letter of a word of the opening sentence.

    Attributes:
        position: position of the word, negative from the end.
    """

    position: int = 0

    def table(self, candidates: Candidates) -> csr_array:
        """Return the (n_candidates, n_letters) probability of each letter."""
        initials = initials_of(candidates.index.places)
        return initials[self.position][candidates.rows]

    def columns(self, candidates: Candidates) -> Mapping[str, int]:
        """Return the columns of the letters."""
        return COLUMNS

    def is_nameable(self, candidates: Candidates) -> BoolArray:
        """Return that all letters may be named."""
        return np.ones(len(COLUMNS), dtype=np.bool_)

    def spelling_of(self, name: str, candidates: Candidates) -> str:
        """Return the capital letter."""
        return name.upper()

    def names_in(self, paragraph: Paragraph) -> set[str]:
        """Return the letter with which the word begins; "" if it is in doubt."""
        return {initial(paragraph.opening_sentence, self.position)}

    def seen(
        self, lists: csr_array, candidates: Candidates, view: View
    ) -> Float32Array:
        """Return the probability that the word begins with a letter of a list; by chance without the sentence."""
        if view == "name":
            n_questions = lists.T.shape[0] // N_LISTS
            return np.tile(BY_CHANCE, (len(candidates), n_questions))
        shares = csr_array(self.table(candidates) @ lists)
        seen: Float32Array = shares.todense()
        return np.float32(SEEN) * np.minimum(seen, np.float32(1.0))


def first_of(present: FitArray) -> FitArray:
    """Return the (..., 4) probability that each option is right: the first of three that holds, else the fourth.

    Args:
        present: (..., 3) probability that each of the three is seen to hold, independently.
    """
    shape = present.shape[:-1]
    fits = np.empty((*shape, 4), dtype=np.float32)
    missed = np.ones(shape, dtype=np.float32)
    for option in range(NONE_OF_THESE):
        fits[..., option] = missed * present[..., option]
        missed *= 1.0 - present[..., option]
    fits[..., NONE_OF_THESE] = missed
    return fits


OPENING = ListKind(
    name="opening",
    share=0.4,
    wrong=0.04,
    size=8,
    in_opening=True,
    ask=lambda language: language.ask_opening,
    has="its first sentence has",
    has_none="its first sentence lacks the words named",
)
"""Asks which of three lists has a word of the opening sentence."""

ANYWHERE = ListKind(
    name="anywhere",
    share=0.1,
    wrong=0.04,
    size=6,
    in_opening=False,
    ask=lambda language: language.ask_anywhere,
    has="it has",
    has_none="it has none of the words named",
)
"""Asks which of three lists has a word of the paragraph."""


def _letter_kind(position: int) -> LetterKind:
    def ask(language: Language) -> str:
        return language.ask_letter.replace("{word}", language.word_names[position])

    word = ENGLISH.word_names[position]
    return LetterKind(
        name=f"{word} letter",
        share=0.08,
        wrong=0.01,
        size=12,
        in_opening=True,
        ask=ask,
        has=f"its opening's {word} word begins with",
        none=lambda language: language.no_letter,
        position=position,
    )


LETTER_KINDS = tuple(map(_letter_kind, POSITIONS))
"""Ask for the first letter of a word of the opening sentence."""

KINDS: dict[str, ListKind] = {
    kind.name: kind for kind in (OPENING, ANYWHERE, *LETTER_KINDS)
}
"""All kinds by name; questions are drawn in this order."""


def wrong_by_kind() -> dict[str, float]:
    """Return the expected share of wrong letters of each kind."""
    return {name: kind.wrong for name, kind in KINDS.items()}
