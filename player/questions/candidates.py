"""Candidates: the places that questions must tell apart, with their words and probabilities."""

import functools
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from player.belief.word_index import WordIndex
from player.question import View
from quarry.arrays import BoolArray, Float32Array, Float64Array, RowArray
from quarry.languages.language import Language
from quarry.languages.registry import LANGUAGES

SEEN = 0.98
"""Probability that a careful referee sees a word in its exact form."""
OTHER_FORM = 0.05
"""Probability that a referee accepts another form of a word although the question forbids it; among the logged answers,
none of 20 such cases did."""
LATER_WORD = 0.02
"""Probability that the referee's opening sentence is longer than ours and holds a later word of the paragraph."""
RETRIEVED = 0.5
"""Probability that a referee who sees the opening sentence and paragraphs finds a later word of the paragraph."""
NOT_RETRIEVED = 0.2
"""Probability that such a referee finds a word that the paragraph lacks; the question's words retrieve paragraphs."""
STRAY = 0.04
"""Probability that such a referee takes a word of a retrieved paragraph for a word of the opening sentence."""


@dataclass(eq=False)
class Candidates:
    """The places that questions must tell apart, with their words.

    Attributes:
        index: word index of the course.
        candidate_places: (n_candidates,) the place of each candidate.
        prior: (n_candidates,) their probabilities, summing to 1.
        clue: the book's name and the hint, all that a referee of the view "name" sees.
    """

    index: WordIndex
    candidate_places: RowArray
    prior: Float64Array
    clue: str = ""

    def __len__(self) -> int:
        return len(self.candidate_places)

    @functools.cached_property
    def language(self) -> Language:
        """The language with most of the belief."""
        belief = np.bincount(self.index.languages[self.candidate_places], self.prior)
        return LANGUAGES[int(belief.argmax())]

    @property
    def is_raw(self) -> BoolArray:
        """(n_candidates,) whether the referee holds a piece of another edition."""
        return self.candidate_places >= self.index.places.n_printed

    @functools.cached_property
    def whole(self) -> csr_array:
        """(n_candidates, n_words) share of the referees who find the word in the paragraph."""
        return self.index.whole[self.candidate_places]

    @functools.cached_property
    def opening(self) -> csr_array:
        """(n_candidates, n_words) share of the referees who find the word in the opening sentence."""
        return self.index.opening[self.candidate_places]

    def probability_found(
        self,
        lists: csr_array,
        view: View,
        *,
        in_opening: bool,
    ) -> Float32Array:
        """Return the (n_candidates, n_lists) probability that a referee of a view finds a word of a list.

        Args:
            lists: (n_words, n_lists) 1 where a list names a word.
            view: the view of the referee.
            in_opening: whether it looks for the word in the opening sentence or anywhere in the paragraph.
        """
        if view == "name":
            n_named = lists[self.index.word_ids(self.clue)].sum(axis=0)
            by_clue = np.float32(SEEN) * (n_named > 0)
            return np.broadcast_to(by_clue, (len(self), len(by_clue)))
        if view == "paragraph" and not in_opening:
            return 1.0 - self._absent(self.whole, lists)

        absent = self._absent(self.opening, lists)
        n_there = _counts(self.whole, lists)
        n_below = n_there - _counts(self.opening, lists)
        if view == "passages" and not in_opening:
            n_words = lists.sum(axis=0).astype(np.float32)
            n_elsewhere = n_words - n_there
            absent = absent * _missed(RETRIEVED, n_below)
            probability = 1.0 - absent * _missed(NOT_RETRIEVED, n_elsewhere)
        else:
            probability = 1.0 - absent * _missed(LATER_WORD, n_below)
            if view == "passages":
                probability = np.maximum(probability, STRAY)
        if not in_opening:
            is_raw = self.is_raw
            probability[is_raw] = 1.0 - self._absent(self.whole[is_raw], lists)
        return probability

    def _absent(self, table: csr_array, lists: csr_array) -> Float32Array:
        """Return the (n_candidates, n_lists) probability that a referee finds no word of a list in a text."""
        log_missed = table.copy()
        log_missed.data = np.log1p(-SEEN * table.data)
        absent: Float32Array = np.exp((log_missed @ lists).toarray())
        forms = self.index.forms
        n_of_form = _counts(table @ forms, forms.T @ lists)
        n_alike = n_of_form - _counts(table, lists)
        return absent * _missed(OTHER_FORM, n_alike)


def systematic_sample(
    prior: Float64Array,
    n: int,
    offset: float,
) -> RowArray:
    """Draw the (n,) rows of a systematic sample, in order; likely rows occur several times.

    Args:
        prior: (n_candidates,) probabilities.
        n: number of draws.
        offset: position of the first draw, 0..1.
    """
    mass = np.cumsum(prior)
    draws = (np.arange(n) + offset) * mass[-1] / n
    rows: RowArray = np.searchsorted(mass, draws, side="right")
    return np.minimum(rows, len(prior) - 1)


def _counts(table: csr_array, lists: csr_array) -> Float32Array:
    """Return the (n_candidates, n_lists) number of words of a list that a text has."""
    presence = table.copy()
    presence.data = np.ones_like(table.data)
    counts: Float32Array = (presence @ lists).toarray()
    return counts


def _missed(probability: float, n_words: Float32Array) -> Float32Array:
    """Return the probability that none of `n_words` words is found, each with the same independent probability."""
    n_words = np.maximum(n_words, 0.0)
    return (1.0 - probability) ** n_words
