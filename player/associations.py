"""Associations: the probability of each word to be the associative word, given domain, hint and paragraph."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from quarry.arrays import AnyFloatArray, Float32Array, IntArray, RowArray
from quarry.languages.hebrew import HEBREW
from quarry.languages.words import is_stop_word, stems, words

ASSOCIATIONS_FILE = Path(__file__).with_name("associations.npz")
"""The bundled file; data/associations/README.md says how it was made."""

N_NEAR = 1500
"""Size of the shortlist."""
N_NEAREST = (1, 2, 5)
"""Number of the nearest words of domain, hint and paragraph with which a word is compared."""
N_DOMAINS = 5
"""Number of the nearest domains of the norms that represent a domain."""
DOMAIN_TEMPERATURE = 0.05
"""Temperature of the weights of these domains, in units of cosine."""
UNNAMED = 3e-6
"""Probability of a word that the norms of a domain do not name."""
PER_UNIT = 10.0
"""Cosines are multiplied by this, so that weights are of one size."""


@dataclass(frozen=True)
class Associations:
    """A vocabulary with the model that ranks its words.

    Attributes:
        words: English, in their base form, the more frequent first.
        vectors: (n_words, dim) of unit length, without the component that all words share.
        telling: (n_words,) weight of a word among the words of a text; rare words weigh more.
        prior: (2, n_words) log-weight of a word without any text, for the shortlist and for the ranking.
        domains: of the association norms.
        norms: (n_domains, n_words) probability of each word that a language model named for a domain.
        hebrew: Hebrew words in their base form.
        meanings: (n_hebrew, n_words) probability of each English meaning of a Hebrew word, the likeliest first.
        weights: (4,) of norms, domain, hint and paragraph for the shortlist, and (7,) of the columns of `close`.
    """

    words: tuple[str, ...]
    vectors: Float32Array
    telling: Float32Array
    prior: Float32Array
    domains: tuple[str, ...]
    norms: csr_array
    hebrew: tuple[str, ...]
    meanings: csr_array
    weights: tuple[Float32Array, Float32Array]

    @functools.cached_property
    def _row_of(self) -> dict[str, int]:
        """Words and stems -> the most frequent word of that form."""
        return _first_of_forms(self.words, self._forms)

    @functools.cached_property
    def _forms(self) -> NDArray[np.str_]:
        """(n_words,) stems."""
        return np.array(stems(" ".join(self.words)))

    @functools.cached_property
    def _meaning_of(self) -> dict[str, int]:
        """Hebrew words and their rough stems -> row of the likeliest meaning."""
        rows = _first_of_forms(self.hebrew, map(HEBREW.rough_stem, self.hebrew))
        starts = self.meanings.indptr[:-1]
        likeliest = self.meanings.indices[starts].tolist()
        return {form: likeliest[row] for form, row in rows.items()}

    @functools.cached_property
    def _domain_vectors(self) -> Float32Array:
        rows = map(self.rows_of, self.domains)
        return np.stack([self.mean(of_domain) for of_domain in rows])

    def rows_of(self, text: str) -> RowArray:
        """Return the rows of the words of a text, once each, without stop words and unknown words."""
        rows: dict[int, None] = {}
        for word in words(text):
            row = None if is_stop_word(word) else self.row_of(word)
            if row is not None:
                rows[row] = None
        return np.array([*rows], dtype=np.intp)

    def rank(
        self,
        domain: str,
        hint: str,
        text: str,
        more: list[int],
    ) -> tuple[RowArray, Float32Array]:
        """Return the rows of the likeliest words, and their probabilities, summing to 1.

        The `N_NEAR` words nearest to domain, hint and paragraph as wholes are ranked.

        Args:
            domain: domain of the secret word, "" if unknown.
            hint: about the paragraph, "" if unknown.
            text: text of the paragraph; its words and those of the domain have probability 0.
            more: rows that are ranked too.
        """
        parts = [self.rows_of(part) for part in (domain, hint, text)]
        named = self.named(domain)
        weights = self.weights[0]
        means = np.stack([self.mean(part) for part in parts])
        wanted = PER_UNIT * weights[1:] @ means
        nearness = self.vectors @ wanted  # one pass over the vectors
        scores = weights[0] * named + nearness + self.prior[0]
        n = min(N_NEAR, len(scores))
        shortlist = np.argpartition(-scores, n - 1)[:n]
        more_rows = np.array(more, dtype=np.intp)
        near = np.union1d(shortlist, more_rows)

        columns = self.close(near, named, parts)
        prior = self.prior[1][near]
        scores = columns @ self.weights[1] + prior
        taken = stems(f"{text} {domain}")
        is_taken = np.isin(self._forms[near], taken)
        scores[is_taken] = -np.inf
        if not np.isfinite(scores).any():
            scores[:] = 0.0
        shares = np.exp(scores - scores.max())
        shares /= shares.sum()
        return near, shares.astype(np.float32)

    def close(
        self, rows: RowArray, named: Float32Array, parts: Sequence[RowArray]
    ) -> Float32Array:
        """Return the (n_rows, 7) columns of the ranking.

        They are the log probability by the norms of the domain, and for domain, hint and paragraph the similarity to
        the whole and the mean similarity to its nearest words.

        Args:
            named: (n_words,) log probabilities by the norms of the domain.
            parts: rows of the words of domain, hint and paragraph.
        """
        vectors = self.vectors[rows]
        columns: list[AnyFloatArray] = [named[rows]]
        for part, n in zip(parts, N_NEAREST, strict=True):
            cosines = vectors @ self.vectors[part].T
            nearest = np.sort(cosines, axis=1)[:, -n:]
            n_nearest = max(nearest.shape[1], 1)
            columns.append(PER_UNIT * vectors @ self.mean(part))
            columns.append(PER_UNIT * nearest.sum(axis=1) / n_nearest)
        return np.column_stack(columns).astype(np.float32)

    def named(self, domain: str) -> Float32Array:
        """Return (n_words,) log probabilities by the norms of the nearest domains, weighted by similarity."""
        n_words = len(self.words)
        shares = np.full(n_words, UNNAMED, dtype=np.float32)
        rows = self.rows_of(domain)
        if len(rows) and self.domains:
            cosines = self._domain_vectors @ self.mean(rows)
            nearest = np.argsort(-cosines, kind="stable")[:N_DOMAINS]
            behind = cosines[nearest] - cosines[nearest[0]]
            weights = np.exp(behind / DOMAIN_TEMPERATURE)
            weights /= weights.sum()
            shares += weights @ self.norms[nearest]
        return np.log(shares)

    def likeness(self, rows: RowArray) -> Float32Array:
        """Return the (n_rows, n_rows) similarity of words, 0..1; 1 for forms of one word."""
        vectors = self.vectors[rows]
        alike: Float32Array = np.clip(vectors @ vectors.T, 0.0, 1.0)
        forms = self._forms[rows]
        is_same = forms[:, None] == forms
        alike[is_same] = 1.0
        return alike

    def in_hebrew(self, rows: RowArray, shares: Float32Array) -> dict[str, float]:
        """Return the probabilities of Hebrew words by those of their English meanings; they need not sum to 1."""
        by_meaning = np.zeros(len(self.words), dtype=np.float32)
        n_words = self.meanings.sum(axis=0)[rows]
        by_meaning[rows] = shares / np.maximum(n_words, 1e-6)
        by_word = {}
        for row, share in enumerate((self.meanings @ by_meaning).tolist()):
            if share:
                by_word[self.hebrew[row]] = share
        return by_word

    def row_of(self, word: str) -> int | None:
        """Return the row of a word, English or Hebrew, or of the most frequent word of its stem; None if unknown."""
        if not HEBREW.begins(word):
            of_form = self._row_of.get(f"{stems(word)[0]}*")
            return self._row_of.get(word, of_form)

        # as it is, without one, two or three prefix letters, and by its rough stem
        n_prefixes = len(word) - len(word.lstrip(HEBREW.prefixes))
        most = max(0, min(3, n_prefixes, len(word) - 2))
        readings = [word[n:] for n in range(most + 1)]
        for reading in (*readings, f"{HEBREW.rough_stem(word)}*"):
            if reading in self._meaning_of:
                return self._meaning_of[reading]
        return None

    def base_form(self, word: str) -> str:
        """Return the word of the vocabulary that a word is a form of; the word itself if it is unknown."""
        row = self.row_of(word)
        return word if row is None else self.words[row]

    def mean(self, rows: RowArray) -> Float32Array:
        """Return the (dim,) unit vector of the weighted mean of words; zeros for no words."""
        total = self.telling[rows] @ self.vectors[rows]
        length = float(np.linalg.norm(total))
        return np.asarray(total / max(length, 1e-9), dtype=np.float32)


def _first_of_forms(names: Iterable[str], forms: Iterable[str]) -> dict[str, int]:
    """Return the row of each word, and the first row of each form, which is marked by an asterisk."""
    rows: dict[str, int] = {}
    for row, (name, form) in enumerate(zip(names, forms, strict=True)):
        rows.setdefault(f"{form}*", row)
        rows[name] = row
    return rows


@functools.cache
def load_associations() -> Associations:
    """Load the bundled file."""
    with np.load(ASSOCIATIONS_FILE, allow_pickle=False) as arrays:
        words, domains, hebrew = (
            tuple(arrays[name].tobytes().decode().split("\n"))
            for name in ("words", "domains", "hebrew")
        )

        vectors = arrays["vectors"].astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        n_meanings = arrays["hebrew_rows"].shape[1]
        starts = np.arange(len(hebrew) + 1) * n_meanings
        return Associations(
            words=words,
            vectors=vectors,
            telling=arrays["telling"].astype(np.float32),
            prior=arrays["prior"].astype(np.float32),
            domains=domains,
            norms=_table(
                arrays,
                "domain",
                arrays["domain_starts"],
                len(words),
            ),
            hebrew=hebrew,
            meanings=_table(
                arrays,
                "hebrew",
                starts,
                len(words),
            ),
            weights=(arrays["weights_far"], arrays["weights_close"]),
        )


def _table(
    arrays: Mapping[str, NDArray[np.generic]],
    name: str,
    starts: IntArray,
    n_words: int,
) -> csr_array:
    """Return the (n, n_words) shares of the rows and shares of a file."""
    shares = arrays[f"{name}_shares"].astype(np.float32).ravel()
    rows = arrays[f"{name}_rows"].astype(np.int32).ravel()
    shape = (len(starts) - 1, n_words)
    return csr_array((shares, rows, starts), shape=shape)
