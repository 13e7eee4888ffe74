"""Candidates: the places that questions are made for, or fitted to, with their words and probabilities."""

from __future__ import annotations

import functools

import numpy as np
from scipy.sparse import csr_array

from ingest.arrays import Float32Array, Float64Array, RowArray
from player.questions.initials import initials_of
from player.questions.language import Language
from player.questions.word_index import WordIndex
from player.words import words

SEEN = 0.98
"""Probability that a careful referee sees a word in its exact form."""
OTHER_FORM = 0.05
"""Probability that a referee accepts another form of a word although the question says otherwise; none of 20 such
cases among the logged answers did."""
BELOW = 0.02
"""Probability for a word of the paragraph after our opening sentence: the referee's may be longer."""
RETRIEVED, NOT_RETRIEVED = 0.5, 0.2
"""Probability that a referee who sees the opening sentence and retrieved passages finds a later word of the paragraph,
and a word that is not in the paragraph: the passages were retrieved by the words of the question."""
STRAY = 0.04
"""Probability that such a referee takes a word of a passage for one of the opening sentence."""


class Candidates:
    """The places that questions are made for, or fitted to, with their words.

    Args:
        index: word index of the course.
        rows: (n_candidates,) places of the index.
        prior: (n_candidates,) their probabilities, summing to 1.
        clue: the book's name and the hint, all that a referee of the view "name" sees.
        population: the candidates that these are a sample of; None if these are all.
        own: (n_candidates,) the probability of each in the population; None for `prior`.
    """

    def __init__(
        self,
        index: WordIndex,
        rows: RowArray,
        prior: Float64Array,
        clue: str = "",
        population: Candidates | None = None,
        own: Float64Array | None = None,
    ) -> None:
        self.index = index
        self.rows = rows
        self.prior = prior
        self.population = population or self
        self.own = prior if own is None else own
        self._clue = frozenset(words(clue))

    def __len__(self) -> int:
        return len(self.rows)

    def sample(self, n: int, n_pieces: int, offset: float) -> Candidates:
        """Return the candidates of a systematic sample, each with the share of the draws that chose it.

        Each edition has draws of its own, which share its probability.

        Args:
            n: number of draws from the printed passages.
            n_pieces: number of draws from each other edition.
            offset: of the first draw, 0..1.
        """
        chosen, prior = [], []
        for edition in np.unique(self.editions):
            own = np.flatnonzero(self.editions == edition)
            n_draws = n_pieces if edition else n
            draws = drawn(self.prior[own], n_draws, offset)
            rows, counts = np.unique(own[draws], return_counts=True)
            chosen.append(rows)
            prior.append(counts / n_draws * self.prior[own].sum())

        rows = np.concatenate(chosen)
        return Candidates(
            self.index,
            self.rows[rows],
            np.concatenate(prior),
            population=self,
            own=self.prior[rows],
        )

    @functools.cached_property
    def language(self) -> Language:
        """The language of most of the belief."""
        hebrew = np.array([self.index.languages[row] == "he" for row in self.rows])
        return "he" if float(self.prior[hebrew].sum()) > 0.5 else "en"

    def belief_in(self, *, pieces: bool) -> Float64Array:
        """Return the (n_candidates,) belief given that the referee holds a piece, or given that it holds a passage."""
        belief = np.where((self.editions > 0) == pieces, self.prior, 0.0)
        return np.asarray(belief / belief.sum())

    @functools.cached_property
    def editions(self) -> RowArray:
        """(n_candidates,) number of the edition of each; 0 for places in printed passages."""
        places = self.index.places
        numbers: dict[str, int] = {}
        found = np.zeros(len(self), dtype=np.intp)
        for row in np.flatnonzero(self.rows >= places.n_printed):
            piece = places.pieces[int(self.rows[row]) - places.n_printed]
            found[row] = numbers.setdefault(piece.edition, len(numbers) + 1)
        return found

    @functools.cached_property
    def whole(self) -> csr_array:
        """(n_candidates, n_words) share of the referees who find the word in the passage."""
        return self.index.whole[self.rows]

    @functools.cached_property
    def opening(self) -> csr_array:
        """(n_candidates, n_words) the same for the opening sentence."""
        return self.index.opening[self.rows]

    def initials(self, position: int) -> csr_array:
        """Return the (n_candidates, n_letters) probability of the first letter of a word of the opening sentence."""
        return initials_of(self.index.places)[position][self.rows]

    def in_opening(self, lists: csr_array) -> Float32Array:
        """Return the (n_candidates, n_lists) probability that a referee finds a word of a list in the opening sentence.

        Args:
            lists: (n_words, n_lists) 1 where a list names a word.
        """
        absent = self._absent(self.opening, lists)
        below = self._counts(self.whole, lists) - self._counts(self.opening, lists)
        absent *= np.float32(1.0 - BELOW) ** np.maximum(below, 0.0)
        return np.float32(1.0) - absent

    def in_paragraph(self, lists: csr_array) -> Float32Array:
        """Return the same for the whole paragraph."""
        return np.float32(1.0) - self._absent(self.whole, lists)

    def in_passages(self, lists: csr_array) -> Float32Array:
        """Return the same for the opening sentence and retrieved passages."""
        there = self._counts(self.whole, lists)
        first = self._counts(self.opening, lists)
        named = lists.sum(axis=0).astype(np.float32)
        absent = self._absent(self.opening, lists)
        absent *= np.float32(1.0 - RETRIEVED) ** np.maximum(there - first, 0.0)
        absent *= np.float32(1.0 - NOT_RETRIEVED) ** np.maximum(named - there, 0.0)
        return np.float32(1.0) - absent

    def in_clue(self, lists: csr_array) -> Float32Array:
        """Return the same for the book's name and the hint."""
        ids = [self.index.ids[word] for word in self._clue if word in self.index.ids]
        named = lists[sorted(ids)].sum(axis=0) > 0
        seen = np.where(named, np.float32(SEEN), np.float32(0.0))
        return np.broadcast_to(seen, (len(self), len(seen)))

    def _absent(self, table: csr_array, lists: csr_array) -> Float32Array:
        """Return the (n_candidates, n_lists) probability that a referee finds no word of a list in a text."""
        missed = table.copy()
        missed.data = np.log1p(-np.float32(SEEN) * table.data)
        absent: Float32Array = np.exp((missed @ lists).toarray())
        alike = self._counts(self._forms(table), _by_form(lists, self.index.forms))
        alike -= self._counts(table, lists)
        absent *= np.float32(1.0 - OTHER_FORM) ** np.maximum(alike, 0.0)
        return absent

    def _forms(self, table: csr_array) -> csr_array:
        """Return the (n_candidates, n_forms) table of the forms of a table's words."""
        n_forms = int(self.index.forms.max(initial=-1)) + 1
        forms = csr_array(
            (
                np.ones_like(table.data),
                self.index.forms[table.indices],
                table.indptr.copy(),
            ),
            shape=(table.shape[0], n_forms),
        )
        forms.sum_duplicates()
        return forms

    def _counts(self, table: csr_array, lists: csr_array) -> Float32Array:
        """Return the (n_candidates, n_lists) number of words of a list that a text has."""
        there = table.copy()
        there.data = np.ones_like(table.data)
        counts: Float32Array = (there @ lists).toarray()
        return counts


def drawn(prior: Float64Array, n: int, offset: float) -> RowArray:
    """Return the (n,) rows of a systematic sample, in order; likely rows come several times.

    Args:
        prior: (n_candidates,) probabilities.
        offset: of the first draw, 0..1.
    """
    mass = np.cumsum(prior)
    rows = np.searchsorted(mass, (np.arange(n) + offset) * mass[-1] / n, side="right")
    rows = np.minimum(rows, len(prior) - 1)
    return np.asarray(rows, dtype=np.intp)


def _by_form(lists: csr_array, forms: RowArray) -> csr_array:
    """Return the (n_forms, n_lists) number of words of each list that share a form."""
    pairs = lists.tocoo()
    n_forms = int(forms.max(initial=-1)) + 1
    return csr_array(
        (pairs.data, (forms[pairs.row], pairs.col)), shape=(n_forms, lists.shape[1])
    )
