"""Kinds of questions. Each question names three lists of words or letters; the first list with a hit is the answer."""

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from player.question import (
    NONE_OF_THESE,
    OPENING_VIEWS,
    VIEWS,
    FitArray,
    Question,
    View,
)
from player.questions.candidates import SEEN, Candidates, systematic_sample
from player.questions.deal import N_LISTS, deal
from player.questions.initials import LETTER_COLUMNS, POSITIONS, first_letters, initial
from quarry.arrays import BoolArray, Float32Array
from quarry.course.paragraph import Paragraph
from quarry.languages.english import ENGLISH
from quarry.languages.language import Language
from quarry.languages.words import words

MIN_POOL_WORDS = 300
"""Minimum number of words from which questions are made; a larger pool uses as many words as it has questions."""
N_DRAWS = 512
"""Number of draws from the belief over which the options are balanced."""
MIN_WORTH = 1e-6
"""Minimum variance over the belief of the occurrence of a word that a question names."""
MAX_CITED = 2
"""Maximum number of words of an option that a citation names."""
ANOTHER_OPENING = np.array([0.2, 0.2, 0.2, 0.4], dtype=np.float32)
"""Fits of the options for a referee who takes another sentence of a raw text for the first one; it has few of the
words."""
BY_CHANCE = np.array([1 / 4, 1 / 3, 1 / 2], dtype=np.float32)
"""Probability that a letter is in each list if it is not in those before, for a referee who does not see the
sentence."""


@dataclass(frozen=True, slots=True)
class ListKind:
    """A kind of question that names lists of words.

    Attributes:
        name: name of the kind in its questions.
        share: share of the pool, 0..1.
        wrong: expected share of wrong letters without logged answers, 0..1; of 119 answers about letters, none was
            wrong (docs/notebook/questions.md).
        size: maximum number of words of a list.
        in_opening: whether it asks about words of the opening sentence or about words anywhere in the paragraph.
        question_text: returns the text of the question in a language; {0} is replaced by the lists.
        citation: beginning of a citation of words that the paragraph has.
        citation_of_none: the citation if the paragraph has none of the words.
        last_option: returns the last option in a language.
    """

    name: str
    share: float
    wrong: float
    size: int
    in_opening: bool
    question_text: Callable[[Language], str]
    citation: str
    citation_of_none: str = ""
    last_option: Callable[[Language], str] = lambda language: language.no_word

    def make(
        self,
        candidates: Candidates,
        n: int,
        generator: np.random.Generator,
        members: BoolArray,
    ) -> list[Question]:
        """Make about n questions for some of the candidates.

        Words are drawn by the variance of their occurrence over the belief in these candidates, and the options are
        balanced over draws from it.

        Args:
            candidates: all candidates.
            n: number of questions.
            generator: source of the draws.
            members: (n_candidates,) whether the questions are for a candidate.
        """
        belief = np.where(members, candidates.prior, 0.0)
        belief /= belief.sum()
        mass = np.clip(self.table(candidates).T @ belief, 0.0, 1.0)
        worth = mass * (1.0 - mass) * self.is_nameable(candidates)
        ids = np.argsort(-worth, kind="stable")
        ids = ids[: max(MIN_POOL_WORDS, n)]
        ids = ids[worth[ids] > MIN_WORTH]
        if len(ids) < N_LISTS:
            return []

        rows = systematic_sample(belief, N_DRAWS, generator.random())
        shares = self.table(candidates)[rows][:, ids]
        has_word = shares.toarray() > 0.5
        word_lists = deal(has_word, worth[ids], n, self.size, generator)
        names = [*self.columns(candidates)]
        questions = []
        for lists in np.unique(word_lists, axis=0):
            groups = []
            for group in lists:
                columns = ids[group[group >= 0]]
                groups.append(tuple(sorted(names[column] for column in columns)))
            if all(groups):
                questions.append(self.write(tuple(groups), candidates))
        return questions

    def write(
        self, groups: tuple[tuple[str, ...], ...], candidates: Candidates
    ) -> Question:
        """Write the question that names these lists, in the language of the candidates.

        The words of a list are alternatives: "index", "query" or "tree". Quotation marks are needed, since a list may
        hold the word "or" itself.
        """
        language = candidates.language
        options = []
        for group in groups:
            quoted = [f'"{self.spell(name, candidates)}"' for name in group]
            options.append(join_words(quoted, language.or_))

        a, b, c = options
        return Question(
            text=self.question_text(language).format(f"{a}; {b}; {c}"),
            options=(a, b, c, self.last_option(language)),
            kind=self.name,
            groups=groups,
        )

    def fit(
        self,
        questions: Sequence[Question],
        candidates: Candidates,
        views: Sequence[View] = VIEWS,
    ) -> FitArray:
        """Compute the (n_views, n_questions, n_candidates, 4) fits; nobody finds words that the course lacks."""
        columns = self.columns(candidates)
        items, list_numbers = [], []
        for row, question in enumerate(questions):
            for option, group in enumerate(question.groups):
                for name in group:
                    if name in columns:
                        items.append(columns[name])
                        list_numbers.append(row * N_LISTS + option)

        ones = np.ones(len(items), dtype=np.float32)
        shape = (len(columns), len(questions) * N_LISTS)
        lists = csr_array((ones, (items, list_numbers)), shape=shape)

        n, n_candidates = len(questions), len(candidates)
        by_list = (n_candidates, n, N_LISTS)
        fits = np.empty((len(views), n, n_candidates, 4), dtype=np.float32)
        for row, view in enumerate(views):
            probabilities = self.probability_found(lists, candidates, view)
            view_fits = first_fitting(probabilities.reshape(by_list))
            fits[row] = view_fits.transpose(1, 0, 2)
            if self.in_opening and view in OPENING_VIEWS:
                fits[row][:, candidates.is_raw] = ANOTHER_OPENING
        return fits

    def cite(
        self,
        question: Question,
        option: int,
        paragraph: Paragraph,
    ) -> str:
        """Write that the paragraph has words of an option, or none of all words; return "" if that is false."""
        names = self.names_in(paragraph)
        if option == NONE_OF_THESE:
            is_true = names.isdisjoint(itertools.chain(*question.groups))
            return self.citation_of_none if is_true else ""

        quoted = question.options[option].split('"')[1::2]
        shared_words = [f'"{word}"' for word in quoted if word.casefold() in names]
        return (
            f"{self.citation} {' and '.join(shared_words[:MAX_CITED])}"
            if shared_words
            else ""
        )

    def table(self, candidates: Candidates) -> csr_array:
        """Return the (n_candidates, n_items) share of the referees who find each word or letter."""
        return candidates.opening if self.in_opening else candidates.whole

    def columns(self, candidates: Candidates) -> Mapping[str, int]:
        """Return the columns of `table` by the name of the word or letter, in order."""
        return candidates.index.ids

    def is_nameable(self, candidates: Candidates) -> BoolArray:
        """Return (n_items,) whether a question may name each word or letter."""
        index = candidates.index
        return index.plain if self.in_opening else index.informative

    def spell(self, name: str, candidates: Candidates) -> str:
        """Return the spelling of a word or letter in a question."""
        return candidates.index.spelling.get(name, name)

    def names_in(self, paragraph: Paragraph) -> set[str]:
        """Return the words or the letter that a paragraph has."""
        text = paragraph.opening_sentence if self.in_opening else paragraph.text
        return set(words(text))

    def probability_found(
        self, lists: csr_array, candidates: Candidates, view: View
    ) -> Float32Array:
        """Return the (n_candidates, n_lists) probability that a referee of a view finds a word or letter of a list.

        Args:
            lists: (n_items, n_lists) 1 where a list names a word or letter.
            candidates: the candidates.
            view: the view of the referee.
        """
        return candidates.probability_found(lists, view, in_opening=self.in_opening)


@dataclass(frozen=True, slots=True)
class LetterKind(ListKind):
    """A kind of question that asks for the first letter of a word of the opening sentence, and names lists of letters.

    Attributes:
        position: position of the word, negative from the end.
    """

    position: int = 0

    def table(self, candidates: Candidates) -> csr_array:
        """Return the (n_candidates, n_letters) probability of each letter."""
        initials = first_letters(candidates.index.places)
        return initials[self.position][candidates.candidate_places]

    def columns(self, candidates: Candidates) -> Mapping[str, int]:
        """Return the columns of the letters."""
        return LETTER_COLUMNS

    def is_nameable(self, candidates: Candidates) -> BoolArray:
        """Return True for all letters."""
        return np.ones(len(LETTER_COLUMNS), dtype=np.bool_)

    def spell(self, name: str, candidates: Candidates) -> str:
        """Return the capital letter."""
        return name.upper()

    def names_in(self, paragraph: Paragraph) -> set[str]:
        """Return the first letter of the word; "" if it is in doubt."""
        return {initial(paragraph.opening_sentence, self.position)}

    def probability_found(
        self, lists: csr_array, candidates: Candidates, view: View
    ) -> Float32Array:
        """Return the (n_candidates, n_lists) probability that the referee takes the letter for one of a list."""
        if view == "name":
            n_questions = lists.T.shape[0] // N_LISTS
            return np.tile(BY_CHANCE, (len(candidates), n_questions))
        shares = csr_array(self.table(candidates) @ lists)
        probabilities: Float32Array = shares.todense()
        return np.float32(SEEN) * np.minimum(probabilities, 1.0)


def join_words(parts: Sequence[str], conjunction: str = "and") -> str:
    """Join at least one part as in a sentence: `a, b and c`."""
    *others, last = parts
    return f"{', '.join(others)} {conjunction} {last}" if others else last


def first_fitting(present: Float32Array) -> FitArray:
    """Return the (..., 4) probability that each option is the answer: the first of three that holds, else the fourth.

    Args:
        present: (..., 3) independent probabilities that the referee sees each of the three hold.
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
    question_text=lambda language: language.ask_opening,
    citation="its first sentence has",
    citation_of_none="its first sentence lacks the words named",
)
"""The kind that asks which of three lists has a word of the opening sentence."""

ANYWHERE = ListKind(
    name="anywhere",
    share=0.1,
    wrong=0.04,
    size=6,
    in_opening=False,
    question_text=lambda language: language.ask_anywhere,
    citation="it has",
    citation_of_none="it has none of the words named",
)
"""The kind that asks which of three lists has a word of the paragraph."""


def _letter_kind(position: int) -> LetterKind:
    def question_text(language: Language) -> str:
        return language.ask_letter.replace("{word}", language.word_names[position])

    word = ENGLISH.word_names[position]
    return LetterKind(
        name=f"{word} letter",
        share=0.08,
        wrong=0.01,
        size=12,
        in_opening=True,
        question_text=question_text,
        citation=f"its opening's {word} word begins with",
        last_option=lambda language: language.no_letter,
        position=position,
    )


KINDS: dict[str, ListKind] = {
    kind.name: kind for kind in (OPENING, ANYWHERE, *map(_letter_kind, POSITIONS))
}
"""All kinds by name, in the order in which their questions are drawn."""

WRONG_BY_KIND = {name: kind.wrong for name, kind in KINDS.items()}
"""Expected share of wrong letters of each kind."""
