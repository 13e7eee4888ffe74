"""Kinds of questions: each names three lists of words; the first list with a word that is there is the answer."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quarry.ingest.arrays import Float64Array, RowArray
from quarry.ingest.paragraph import Paragraph
from quarry.player.questions.language import Language, either, language_of
from quarry.player.questions.question import OUT, FitArray, Question, QuestionPool, first_of, no_questions
from quarry.player.questions.views import DESIGN_VIEWS
from quarry.player.questions.word_index import Candidates
from quarry.player.words import words

N_LISTS = 3
"""Options that name words; the fourth option is "none of these words"."""
FULL = 0.27
"""A list gets no further word when it fits this share of the belief, so that all options are about equally likely."""
MIN_WORDS = 150
"""The least number of words that questions are made of; large pools use more."""
RETRIEVED, NOT_RETRIEVED = 0.5, 0.2
"""Probability that a referee who sees the opening sentence and retrieved passages finds a later word of the paragraph,
and a word that is not in the paragraph: the passages were retrieved by the words of the question."""
STRAY = 0.04
"""Probability that such a referee takes a word of a passage for one of the opening sentence."""
MAX_CITED = 2
"""The most words of an option that a citation names."""
NONE_OF_THESE = {"en": "none of these words", "he": "אף אחת מהמילים האלה"}


@dataclass(frozen=True, slots=True)
class ListKind:
    """A kind of question that names lists of words.

    Attributes:
        name: name of the kind in its questions.
        share: share of the pool, 0..1.
        wrong: expected share of wrong letters before any answer was logged, 0..1.
        sizes: least and most words of a list.
        in_opening: asks for words of the opening sentence; else for words anywhere in the paragraph.
        ask: the question by language; {0} is replaced by the lists.
        has, has_none: beginnings of citations by language.
    """

    name: str
    share: float
    wrong: float
    sizes: tuple[int, int]
    in_opening: bool
    ask: Mapping[Language, str]
    has: Mapping[Language, str]
    has_none: Mapping[Language, str]

    def make(self, candidates: Candidates, n: int, generator: np.random.Generator) -> QuestionPool:
        """Make about n questions; draw words by the variance of their occurrence, and fill each list with them."""
        ids, worth = candidates.telling(opening=self.in_opening, n=max(MIN_WORDS, n // 2))
        if len(ids) < N_LISTS:
            return no_questions(len(candidates))
        seen = candidates.in_opening(ids) if self.in_opening else candidates.in_paragraph(ids)
        sizes = generator.integers(self.sizes[0], self.sizes[1] + 1, size=n)
        drawn = np.unique(_deal(seen, candidates.prior, worth, sizes, generator), axis=0)
        drawn = drawn[(drawn[:, :, 0] >= 0).all(axis=1)]
        if not len(drawn):
            return no_questions(len(candidates))
        fits = _fits(seen, drawn)[None]
        if not self.in_opening:
            fits = np.concatenate([fits, _fits(candidates.in_opening(ids), drawn)[None]])
        fits = np.broadcast_to(fits, (len(DESIGN_VIEWS), *fits.shape[1:]))
        spelling, language = candidates.index.spelling, candidates.language
        names = [candidates.index.words[word] for word in ids]
        things = [f"opening {name}" if self.in_opening else name for name in names]
        flat = drawn.reshape(len(drawn), -1).tolist()
        keys = tuple(frozenset(things[place] for place in places if place >= 0) for places in flat)

        def write(row: int) -> Question:
            groups = tuple(tuple(sorted(names[place] for place in group if place >= 0)) for group in drawn[row])
            a, b, c = (either([spelling.get(word, word) for word in group], language) for group in groups)
            text = self.ask[language].format(f"{a}; {b}; {c}")
            return Question(text, (a, b, c, NONE_OF_THESE[language]), self.name, keys[row], groups)

        drafts = tuple(functools.partial(write, row) for row in range(len(drawn)))
        return QuestionPool(drafts, (self.name,) * len(drawn), keys, fits)

    def fit(self, questions: Sequence[Question], candidates: Candidates) -> FitArray:
        """Return the (n_views, n_questions, n_candidates, 4) fits; words that the course lacks are found nowhere."""
        names = sorted({word for question in questions for group in question.groups for word in group})
        known = [name for name in names if name in candidates.index.ids]
        by_view = _by_view(candidates, candidates.ids_of(known), in_opening=self.in_opening)
        place = {name: row for row, name in enumerate(known)}
        lists = [
            [[place[name] for name in group if name in place] for group in question.groups] for question in questions
        ]
        rows = np.full((len(questions), N_LISTS, max(len(group) for groups in lists for group in groups) or 1), -1)
        for question, groups in enumerate(lists):
            for row, group in enumerate(groups):
                rows[question, row, : len(group)] = group
        return np.stack([_fits(seen, rows) for seen in by_view])

    def cite(self, question: Question, option: int, paragraph: Paragraph) -> str:
        """Say that the paragraph has words of the option, or none of the named words; "" if that is not true."""
        language = language_of(question.text)
        there = set(words(paragraph.opening_sentence if self.in_opening else paragraph.text))
        if option == OUT:
            named = {word for group in question.groups for word in group}
            return "" if named & there else self.has_none[language]
        found = [f'"{word}"' for word in question.options[option].split('"')[1::2] if word.casefold() in there]
        joined = (" ו-" if language == "he" else " and ").join(found[:MAX_CITED])
        return f"{self.has[language]} {joined}" if found else ""


def _fits(seen: FitArray, drawn: RowArray) -> FitArray:
    """Return (n_questions, n_candidates, 4) fits of lists of words.

    Args:
        seen: (n_words, n_candidates) probability that a referee finds each word.
        drawn: (n_questions, N_LISTS, most) rows of words in `seen`; -1 is no word.
    """
    absent = np.concatenate([1.0 - seen, np.ones((1, seen.shape[1]), dtype=seen.dtype)])
    none: FitArray = absent[drawn[:, :, 0]]
    for place in range(1, drawn.shape[2]):
        none *= absent[drawn[:, :, place]]
    there: FitArray = 1.0 - none
    return first_of(there.transpose(0, 2, 1))


def _by_view(candidates: Candidates, ids: RowArray, *, in_opening: bool) -> FitArray:
    """Return the (n_views, n_words, n_candidates) probability that a referee finds each word in the named place."""
    first = candidates.in_opening(ids)
    clue = candidates.in_clue(ids)
    if in_opening:
        return np.stack([first, first, np.maximum(first, STRAY), clue])
    whole = candidates.in_paragraph(ids)
    retrieved = np.where(whole > 0.5, np.float32(RETRIEVED), np.float32(NOT_RETRIEVED))
    return np.stack([whole, first, np.maximum(first, retrieved), clue])


def _deal(
    seen: FitArray,
    prior: Float64Array,
    worth: Float64Array,
    sizes: NDArray[np.integer],
    generator: np.random.Generator,
) -> RowArray:
    """Return (n, N_LISTS, most) rows of words, ascending within a list; -1 fills up short lists.

    The words of a question come in an order drawn by their worth (Gumbel noise on its logarithm: without replacement,
    Kool et al., 2019). Each word goes to the list that fits the least of the belief, until all lists are full.

    Args:
        seen: (n_words, n_candidates).
        sizes: (n,) most words of a list.
    """
    n, most = len(sizes), int(sizes.max())
    n_drawn = min(len(worth), 2 * N_LISTS * most)
    noisy = np.log(worth) + generator.gumbel(size=(n, len(worth)))
    if n_drawn < len(worth):
        order = np.argpartition(-noisy, n_drawn - 1, axis=1)[:, :n_drawn]
        order = np.take_along_axis(order, np.argsort(-np.take_along_axis(noisy, order, axis=1), axis=1), axis=1)
    else:
        order = np.argsort(-noisy, axis=1)
    weights = prior.astype(np.float32)
    absent = np.ones((n, N_LISTS, seen.shape[1]), dtype=np.float32)
    filled = np.zeros((n, N_LISTS), dtype=np.intp)
    share = np.zeros((n, N_LISTS), dtype=np.float32)
    lists = np.full((n, N_LISTS, most), -1, dtype=np.intp)
    each = np.arange(n)
    for step in range(n_drawn):
        open_ = (filled < sizes[:, None]) & (share < FULL)
        target = np.argmin(np.where(open_, share, np.inf), axis=1)
        active = each[open_[each, target]]
        if not len(active):
            break
        group, word = target[active], order[active, step]
        lists[active, group, filled[active, group]] = word
        filled[active, group] += 1
        absent[active, group] *= 1.0 - seen[word]
        share[active, group] = 1.0 - absent[active, group] @ weights
    # -1 would sort first
    lists = np.sort(np.where(lists < 0, len(worth), lists), axis=2)
    return np.where(lists == len(worth), -1, lists)


OPENING = ListKind(
    name="opening",
    share=0.5,
    wrong=0.04,
    sizes=(1, 4),
    in_opening=True,
    ask={
        "en": "Which of these words does the first sentence of the paragraph contain: {0}? Choose the first option "
        "with a word that is there. Only this exact form counts; capital letters do not matter.",
        "he": "אילו מהמילים האלה נמצאות במשפט הראשון של הפסקה: {0}? יש לבחור באפשרות הראשונה שבה מילה שנמצאת שם. "
        "רק הצורה המדויקת נחשבת.",
    },
    has={"en": "its first sentence has", "he": "במשפט הראשון שלה יש"},
    has_none={
        "en": "its first sentence has none of the words named",
        "he": "במשפט הראשון שלה אין אף אחת מהמילים שנשאלו",
    },
)
"""Asks which of three lists has a word of the opening sentence."""

ANYWHERE = ListKind(
    name="anywhere",
    share=0.4,
    wrong=0.04,
    sizes=(1, 3),
    in_opening=False,
    ask={
        "en": "Which of these words occur anywhere in the paragraph: {0}? Choose the first option with a word that is "
        "there. Only this exact form counts; capital letters do not matter.",
        "he": "אילו מהמילים האלה מופיעות בפסקה: {0}? יש לבחור באפשרות הראשונה שבה מילה שמופיעה שם. "
        "רק הצורה המדויקת נחשבת.",
    },
    has={"en": "it has", "he": "יש בה"},
    has_none={"en": "it has none of the words named", "he": "אין בה אף אחת מהמילים שנשאלו"},
)
"""Asks which of three lists has a word of the paragraph."""

KINDS: dict[str, ListKind] = {kind.name: kind for kind in (OPENING, ANYWHERE)}
"""All kinds by name; questions are drawn in this order."""
