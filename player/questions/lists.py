"""Questions that name three lists of words, the first list with a word in its place being the answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from quarry.ingest.arrays import Float64Array, RowArray
from quarry.ingest.paragraph import Paragraph
from quarry.player.questions.language import Language, either, language_of
from quarry.player.questions.question import OUT, Drafts, FitArray, Question, QuestionPool, first_of, no_questions
from quarry.player.questions.views import DESIGN_VIEWS
from quarry.player.questions.word_index import Candidates
from quarry.player.words import words

N_LISTS = 3
"""Options that name words; the fourth is the way out."""
FULL = 0.27
"""Share of the belief in which a list has a word, from which on it gets no further one: each option should be chosen
about as often as the others."""
MIN_WORDS = 150
"""Words that questions are made of, at least; more in larger pools."""
RETRIEVED, NOT_RETRIEVED = 0.5, 0.2
"""Probability that a referee with the opening sentence and retrieved passages finds a word that stands further down in
the paragraph, and one that does not stand in it at all: the passages are those that the question's words bring up."""
STRAY = 0.04
"""Probability that such a referee takes a word of a passage for one of the opening sentence."""
MAX_CITED = 2
"""Words of an option that a citation names."""
NONE_OF_THESE = {"en": "none of these words", "he": "אף אחת מהמילים האלה"}


@dataclass(frozen=True, slots=True)
class ListKind:
    """A kind that names lists of words.

    Attributes:
        name, share, wrong: as in `Kind`.
        sizes: words that a list has, least and most.
        in_opening: asks for words of the opening sentence; else for words anywhere in the paragraph.
        ask: the question by language, {0} being the lists.
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
        """About n questions, their words drawn by what they tell and dealt out until each list is full."""
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
        names = [candidates.index.words[word] for word in ids]
        things = [f"opening {name}" if self.in_opening else name for name in names]
        keys = tuple(frozenset(things[place] for place in places if place >= 0) for places in _flat(drawn))

        def write(row: int) -> Question:
            groups = tuple(tuple(sorted(names[place] for place in group if place >= 0)) for group in drawn[row])
            return self._written(groups, keys[row], candidates)

        return QuestionPool(Drafts(len(drawn), write), (self.name,) * len(drawn), keys, fits)

    def fit(self, questions: Sequence[Question], candidates: Candidates) -> FitArray:
        """(n_views, n_questions, n_candidates, 4); words that the course does not have are found nowhere."""
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
        """That the paragraph has words of the option, or none of those named; "" where it is not so."""
        language = language_of(question.text)
        there = set(words(paragraph.opening_sentence if self.in_opening else paragraph.text))
        if option == OUT:
            named = {word for group in question.groups for word in group}
            return "" if named & there else self.has_none[language]
        found = [f'"{word}"' for word in question.options[option].split('"')[1::2] if word.casefold() in there]
        joined = (" ו-" if language == "he" else " and ").join(found[:MAX_CITED])
        return f"{self.has[language]} {joined}" if found else ""

    def _written(self, groups: tuple[tuple[str, ...], ...], key: frozenset[str], candidates: Candidates) -> Question:
        language = candidates.language
        a, b, c = (either([candidates.index.spelling.of(word) for word in group], language) for group in groups)
        text = self.ask[language].format(f"{a}; {b}; {c}")
        return Question(text, (a, b, c, NONE_OF_THESE[language]), self.name, key, groups)


def _fits(seen: FitArray, drawn: RowArray) -> FitArray:
    """(n_questions, n_candidates, 4) how the lists of words fit.

    Args:
        seen: (n_words, n_candidates) probability that a referee finds each word.
        drawn: (n_questions, N_LISTS, most) rows of words; -1 is no word.
    """
    absent = np.concatenate([1.0 - seen, np.ones((1, seen.shape[1]), dtype=seen.dtype)])
    none: FitArray = absent[drawn[:, :, 0]]
    for place in range(1, drawn.shape[2]):
        none *= absent[drawn[:, :, place]]
    there: FitArray = 1.0 - none
    return first_of(there.transpose(0, 2, 1))


def _by_view(candidates: Candidates, ids: RowArray, *, in_opening: bool) -> FitArray:
    """(n_views, n_words, n_candidates) probability that a referee finds each word where the question asks for it."""
    first = candidates.in_opening(ids)
    told = candidates.in_told(ids)
    if in_opening:
        return np.stack([first, first, np.maximum(first, STRAY), told])
    whole = candidates.in_paragraph(ids)
    retrieved = np.where(whole > 0.5, np.float32(RETRIEVED), np.float32(NOT_RETRIEVED))
    return np.stack([whole, first, np.maximum(first, retrieved), told])


def _deal(
    seen: FitArray,
    prior: Float64Array,
    worth: Float64Array,
    sizes: NDArray[np.integer],
    generator: np.random.Generator,
) -> RowArray:
    """(n, N_LISTS, most) rows of words, -1 where a list has no further one; in each list ascending.

    The words of a question come in an order drawn by their worth (Gumbel noise on its logarithm: without replacement,
    Kool et al., 2019), and each goes to the list that has a word in the least of the belief, until all are full.

    Args:
        seen: (n_words, n_candidates).
        sizes: (n,) words of a list, at most.
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
    # -1 sorts first; behind the words it says where they end
    lists = np.sort(np.where(lists < 0, len(worth), lists), axis=2)
    return np.where(lists == len(worth), -1, lists)


def _flat(drawn: RowArray) -> list[list[int]]:
    flat: list[list[int]] = drawn.reshape(len(drawn), -1).tolist()
    return flat
