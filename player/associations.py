"""Which words of a general vocabulary a domain, a hint and a paragraph bring to mind."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

ASSOCIATIONS_FILE = Path(__file__).with_name("associations.npz")
"""Written by `python -m evaluate fit-associations`."""
ENDINGS = (("ly",), ("ed",), ("ing",), ("al", "ic", "ive", "ous", "ful", "able", "ible"), ("s",))
"""Groups of endings that make a word less likely to be a thing one thinks of; each group has a weight."""
FITTED_ZIPF = 3.5
"""Of which frequencies are counted from; Zipf scale."""
PER_UNIT = 10.0
"""Cosines are multiplied by this, so that weights are of one size."""
N_RANKED = 200


@dataclass(frozen=True, slots=True)
class Associations:
    """A vocabulary with vectors, and what makes a word likely.

    Attributes:
        spec: of the embedder that made the vectors.
        words: the vocabulary.
        vectors: (n_words, n_components) vectors in the basis, in units of `scale`.
        scale: units of a component.
        basis: (dim, n_components) orthonormal directions in which the words differ most.
        zipf: (n_words,) frequencies on the Zipf scale.
        weights: of the columns of `features`.
    """

    spec: str
    words: tuple[str, ...]
    vectors: NDArray[np.int8]
    scale: float
    basis: NDArray[np.float32]
    zipf: NDArray[np.float32]
    weights: NDArray[np.float64]

    def features(self, queries: NDArray[np.float32]) -> NDArray[np.float32]:
        """(n_words, n_features): nearness to domain, hint and paragraph, frequency, its square, and endings.

        Args:
            queries: (3, dim) unit vectors of domain, hint and paragraph.
        """
        nearness = PER_UNIT * self.scale * (self.vectors.astype(np.float32) @ (queries @ self.basis).T)
        zipf = self.zipf[:, None] - FITTED_ZIPF
        return np.hstack([nearness, zipf, zipf**2, endings_of(self.words)]).astype(np.float32)

    def rank(self, queries: NDArray[np.float32]) -> list[str]:
        """The likeliest words, likeliest first; see `features`."""
        scores = self.features(queries) @ self.weights
        return [self.words[row] for row in np.argsort(-scores, kind="stable")[:N_RANKED]]


@functools.lru_cache(maxsize=2)
def endings_of(words: Sequence[str]) -> NDArray[np.float32]:
    """(n_words, n_groups) 1 where a word ends in one of a group's endings."""
    return np.array([[word.endswith(group) for group in ENDINGS] for word in words], dtype=np.float32)


def write_associations(made: Associations, path: Path) -> None:
    """Write a vocabulary as numpy arrays, without pickles."""
    np.savez_compressed(
        path,
        spec=np.array(made.spec),
        words=np.array(" ".join(made.words)),
        vectors=made.vectors,
        scale=np.array(made.scale),
        basis=made.basis.astype(np.float16),
        zipf=made.zipf.astype(np.float16),
        weights=made.weights,
    )


@functools.cache
def load_associations(path: Path = ASSOCIATIONS_FILE) -> Associations:
    """The vocabulary of a file."""
    with np.load(path, allow_pickle=False) as arrays:
        return Associations(
            str(arrays["spec"]),
            tuple(str(arrays["words"]).split(" ")),
            arrays["vectors"],
            float(arrays["scale"]),
            arrays["basis"].astype(np.float32),
            arrays["zipf"].astype(np.float32),
            arrays["weights"],
        )
