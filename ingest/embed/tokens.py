"""Compact token vectors, with which a hint is compared with a paragraph word by word.

A network's state of each token is projected onto the directions in which tokens differ most, without the first one,
which all tokens share; similar tokens of a paragraph are merged in pairs; each component is stored in seven bits. A
paragraph of our lectures takes 7 kB with minilm and 10 kB with mpnet.
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quarry.ingest.arrays import Float32Array, IntArray
from quarry.ingest.embed import TokenStates

Codes = NDArray[np.uint8]

FORMS = Path(__file__).with_name("token_forms")
"""Folder with the basis of each model with token vectors: orthonormal columns, as float16."""

MERGED = 2
"""Number of tokens of a paragraph that are merged into one, on average."""

MIDDLE = 64
STEPS = 127
"""A component x, -1..1, is stored as x * STEPS + MIDDLE, cut at 0 and 127; few components exceed one half.

Seven bits, not eight: processors without VNNI add two products in sixteen bits.
"""


@dataclass(frozen=True, slots=True, eq=False)
class TokenForm:
    """The compact form of one model's tokens.

    Attributes:
        basis: (dim, n_components) float32, orthonormal columns.
        digest: changes with everything on which the compact form depends.
    """

    basis: Float32Array
    digest: str

    def project(self, states: Float32Array) -> Float32Array:
        """Return (n_tokens, n_components) float32 unit vectors."""
        projected: Float32Array = states @ self.basis
        projected /= np.maximum(np.linalg.norm(projected, axis=1, keepdims=True), np.float32(1e-9))
        return projected


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The compact tokens of some paragraphs.

    Attributes:
        codes: (n_tokens, n_components) uint8, 0..127, in the order of the paragraphs.
        starts: (n_paragraphs + 1,) paragraph i has the tokens from starts[i] up to starts[i + 1].
    """

    codes: Codes
    starts: IntArray

    def of(self, rows: IntArray) -> Tokens:
        """Return the tokens of some of the paragraphs."""
        parts = [self.codes[self.starts[row] : self.starts[row + 1]] for row in rows.tolist()]
        return Tokens(np.concatenate(parts), np.cumsum([0, *map(len, parts)]))


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Vectors of the paragraphs of a document or a course, by one model.

    Attributes:
        pooled: (n_paragraphs, dim) unit vectors.
        tokens: of each paragraph.
    """

    pooled: Float32Array
    tokens: Tokens


@functools.cache
def form_of(spec: str) -> TokenForm | None:
    """Return the compact form of a model's tokens, None for a model without token vectors."""
    path = FORMS / f"{spec}.npy"
    if not spec.isalnum() or not path.is_file():
        return None
    basis = np.load(path)
    digest = hashlib.sha256(basis.tobytes() + repr((basis.shape, MERGED, MIDDLE, STEPS)).encode()).hexdigest()[:12]
    return TokenForm(basis.astype(np.float32), digest)


def compact(read: TokenStates, form: TokenForm) -> Tokens:
    """Return the tokens of paragraphs in compact form."""
    parts = [
        _merged(form.project(read.states[start:end]))
        for start, end in zip(read.starts[:-1], read.starts[1:], strict=True)
    ]
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    vectors = np.concatenate([np.empty((0, form.basis.shape[1]), dtype=np.float32), *parts])
    return Tokens(np.clip(np.rint(vectors * STEPS) + MIDDLE, 0, STEPS).astype(np.uint8), starts)


def _merged(vectors: Float32Array) -> Float32Array:
    """Return the unit means of groups of similar vectors, half as many groups as vectors but at least one.

    Reference:
        Clavié, Chaffin and Adams, Reducing the Footprint of Multi-Vector Retrieval with Minimal Performance Impact via
        Token Pooling, 2024.
    """
    if len(vectors) <= 1:
        return vectors if len(vectors) else np.zeros((1, vectors.shape[1]), dtype=np.float32)
    from scipy.cluster.hierarchy import fcluster, linkage

    groups = fcluster(linkage(vectors, "ward"), -(-len(vectors) // MERGED), "maxclust") - 1
    sums = np.zeros((groups.max() + 1, vectors.shape[1]), dtype=np.float32)
    np.add.at(sums, groups, vectors)
    means: Float32Array = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-9))
    return means
