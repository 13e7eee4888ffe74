"""Associations: the probability of each word to be the associative word, given domain, hint and paragraph."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ingest.arrays import AnyFloatArray, Float32Array, RowArray
from player.questions.language import hebrew_forms, is_hebrew
from player.words import HEBREW_PREFIXES, is_stop_word, stems, words

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


class Norms(NamedTuple):
    """Association norms: the words that a language model names for each domain."""

    domains: tuple[str, ...]
    starts: NDArray[np.int32]  # (n_domains + 1,) start of each domain in `rows`
    rows: NDArray[np.uint16]  # rows of the vocabulary
    shares: NDArray[np.float16]  # probability of each word in its domain


class Lexicon(NamedTuple):
    """Hebrew words in their base form, with their English meanings."""

    words: tuple[str, ...]
    rows: NDArray[np.uint16]  # (n, n_meanings) of the English vocabulary
    shares: NDArray[
        np.float16
    ]  # (n, n_meanings) probability of each meaning, 0 for none


@dataclass(frozen=True)
class Associations:
    """A vocabulary with the model that ranks its words.

    Attributes:
        words: English, in their base form, the more frequent first.
        vectors: (n_words, dim) of unit length, without the component that all words share.
        telling: (n_words,) weight of a word among the words of a text; rare words weigh more.
        prior: (2, n_words) log-weight of a word without any text, for the shortlist and for the ranking.
        norms: association norms by domain.
        lexicon: Hebrew words with their meanings.
        weights: (4,) of norms, domain, hint and paragraph for the shortlist, and (7,) of the columns of `close`.
    """

    words: tuple[str, ...]
    vectors: Float32Array
    telling: Float32Array
    prior: Float32Array
    norms: Norms
    lexicon: Lexicon
    weights: tuple[Float32Array, Float32Array]

    @functools.cached_property
    def _row_of(self) -> Mapping[str, int]:
        """Words and stems -> the most frequent word of that form."""
        found: dict[str, int] = {}
        for row, (word, form) in enumerate(zip(self.words, self._forms, strict=True)):
            found.setdefault(f"{form}*", row)
            found[word] = row
        return found

    @functools.cached_property
    def _forms(self) -> NDArray[np.str_]:
        """(n_words,) stems."""
        return np.array(stems(" ".join(self.words)))

    @functools.cached_property
    def _meaning_of(self) -> Mapping[str, int]:
        """Hebrew words and their rough stems -> row of the lexicon."""
        found: dict[str, int] = {}
        for row, word in enumerate(self.lexicon.words):
            found.setdefault(f"{hebrew_forms(word)}*", row)
            found[word] = row
        return found

    @functools.cached_property
    def _domain_vectors(self) -> Float32Array:
        return np.stack(
            [self.mean(self.rows_of(domain)) for domain in self.norms.domains]
        )

    def rows_of(self, text: str) -> RowArray:
        """Return the rows of the words of a text, once each, without stop words and unknown words."""
        rows = (self.row_of(word) for word in words(text) if not is_stop_word(word))
        return np.array(
            list(dict.fromkeys(row for row in rows if row is not None)), dtype=np.intp
        )

    def rank(
        self, domain: str, hint: str, text: str, more: Sequence[int] = ()
    ) -> tuple[RowArray, Float32Array]:
        """Return the rows of the likeliest words, and their probabilities, summing to 1.

        Args:
            domain: domain of the secret word, "" if unknown.
            hint: about the paragraph, "" if unknown.
            text: text of the paragraph; its words and those of the domain have probability 0.
            more: rows that are ranked too.
        """
        near = np.union1d(
            self.shortlist(domain, hint, text), np.array(more, dtype=np.intp)
        )
        scores = (
            self.close(near, domain, hint, text) @ self.weights[1] + self.prior[1][near]
        )
        scores[np.isin(self._forms[near], stems(f"{text} {domain}"))] = -np.inf
        if not np.isfinite(scores).any():
            scores[:] = 0.0
        shares = np.exp(scores - scores.max())
        return near, (shares / shares.sum()).astype(np.float32)

    def shortlist(self, domain: str, hint: str, text: str) -> RowArray:
        """Return (N_NEAR,) rows of the words nearest to domain, hint and paragraph as wholes."""
        weights = self.weights[0]
        means = np.stack(
            [self.mean(self.rows_of(part)) for part in (domain, hint, text)]
        )
        wanted = PER_UNIT * weights[1:] @ means  # in one pass over the vectors
        scores = weights[0] * self.named(domain) + self.vectors @ wanted + self.prior[0]
        n = min(N_NEAR, len(scores))
        return np.sort(np.argpartition(-scores, n - 1)[:n])

    def close(self, rows: RowArray, domain: str, hint: str, text: str) -> Float32Array:
        """Return the (n_rows, 7) columns of the ranking.

        They are the log probability by the norms of the domain, and for domain, hint and paragraph the similarity to
        the whole and the mean similarity to its nearest words.
        """
        vectors = self.vectors[rows]
        columns: list[AnyFloatArray] = [self.named(domain)[rows]]
        for part, n in zip((domain, hint, text), N_NEAREST, strict=True):
            own = self.rows_of(part)
            columns += [
                PER_UNIT * vectors @ self.mean(own),
                PER_UNIT * _nearest(vectors @ self.vectors[own].T, n),
            ]
        return np.column_stack(columns).astype(np.float32)

    def named(self, domain: str) -> Float32Array:
        """Return (n_words,) log probabilities by the norms of the nearest domains, weighted by similarity."""
        shares = np.full(len(self.words), UNNAMED, dtype=np.float32)
        own = self.rows_of(domain)
        if len(own) and self.norms.domains:
            cosines = self._domain_vectors @ self.mean(own)
            nearest = np.argsort(-cosines, kind="stable")[:N_DOMAINS]
            weights = np.exp(
                (cosines[nearest] - cosines[nearest[0]]) / DOMAIN_TEMPERATURE
            )
            for place, weight in zip(nearest, weights / weights.sum(), strict=True):
                span = slice(self.norms.starts[place], self.norms.starts[place + 1])
                shares[self.norms.rows[span]] += weight * self.norms.shares[
                    span
                ].astype(np.float32)
        return np.log(shares)

    def likeness(self, rows: RowArray) -> Float32Array:
        """Return the (n_rows, n_rows) similarity of words, 0..1; 1 for forms of one word."""
        alike = np.clip(self.vectors[rows] @ self.vectors[rows].T, 0.0, 1.0)
        forms = self._forms[rows]
        return np.where(forms[:, None] == forms[None, :], np.float32(1.0), alike)

    def in_hebrew(self, rows: RowArray, shares: Float32Array) -> dict[str, float]:
        """Return the probabilities of Hebrew words by those of their English meanings; they need not sum to 1."""
        row_shares = np.zeros(len(self.words), dtype=np.float32)
        row_shares[rows] = shares
        meant = np.zeros(len(self.words), dtype=np.float32)
        np.add.at(meant, self.lexicon.rows, self.lexicon.shares.astype(np.float32))
        parts = self.lexicon.shares.astype(np.float32) / np.maximum(
            meant[self.lexicon.rows], 1e-6
        )
        found = (parts * row_shares[self.lexicon.rows]).sum(axis=1)
        return {
            self.lexicon.words[row]: float(found[row]) for row in np.flatnonzero(found)
        }

    def row_of(self, word: str) -> int | None:
        """Return the row of a word, English or Hebrew, or of the most frequent word of its stem; None if unknown."""
        if is_hebrew(word):
            places = (self._meaning_of.get(form) for form in _hebrew_readings(word))
            return next(
                (
                    int(self.lexicon.rows[place, 0])
                    for place in places
                    if place is not None
                ),
                None,
            )
        return self._row_of.get(word, self._row_of.get(f"{stems(word)[0]}*"))

    def mean(self, rows: RowArray) -> Float32Array:
        """Return the (dim,) unit vector of the weighted mean of words; zeros for no words."""
        total = self.telling[rows] @ self.vectors[rows]
        return np.asarray(
            total / max(float(np.linalg.norm(total)), 1e-9), dtype=np.float32
        )


def _hebrew_readings(word: str) -> Iterator[str]:
    """Yield the word, the word without one, two or three prefix letters, and its rough stem."""
    yield word
    for n in range(1, min(4, len(word) - 1)):
        if word[n - 1] not in HEBREW_PREFIXES:
            break
        yield word[n:]
    yield f"{hebrew_forms(word)}*"


def _nearest(cosines: Float32Array, n: int) -> Float32Array:
    """Return (n_rows,) means of the n greatest values of each row; 0 for an empty row."""
    n_columns = cosines.shape[1]
    if n_columns > n:
        cosines = np.partition(cosines, n_columns - n, axis=1)[:, n_columns - n :]
    return np.asarray(cosines.sum(axis=1) / max(cosines.shape[1], 1), dtype=np.float32)


@functools.cache
def load_associations(path: Path | None = None) -> Associations:
    """Load a file; by default the bundled one."""
    with np.load(path or ASSOCIATIONS_FILE, allow_pickle=False) as arrays:
        vectors = arrays["vectors"].astype(np.float32)
        return Associations(
            _unpacked(arrays["words"]),
            vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9),
            arrays["telling"].astype(np.float32),
            arrays["prior"].astype(np.float32),
            Norms(
                _unpacked(arrays["domains"]),
                arrays["domain_starts"],
                arrays["domain_rows"],
                arrays["domain_shares"],
            ),
            Lexicon(
                _unpacked(arrays["hebrew"]),
                arrays["hebrew_rows"],
                arrays["hebrew_shares"],
            ),
            (arrays["weights_far"], arrays["weights_close"]),
        )


def _unpacked(packed: NDArray[np.uint8]) -> tuple[str, ...]:
    return tuple(packed.tobytes().decode().split("\n")) if len(packed) else ()
