"""Token vectors in a compact form, for comparing a hint with a paragraph word by word.

A network's state of each token is projected onto the components in which tokens differ most, but for the first, which
they have in common; the tokens of a paragraph are merged in pairs that mean the same; what is left is kept in seven
bits a component. A paragraph of our lectures takes 7 kB with minilm and 10 kB with mpnet.
"""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from quarry.configs.places import fitted
from quarry.ingest.arrays import Float32Array, IntArray
from quarry.ingest.embed import TokenStates

Codes = NDArray[np.uint8]

FORMS = Path(__file__).with_name("token_forms")
"""A file each of the models whose tokens are kept, written by `python -m evaluate calibrate tokens`."""

N_COMPONENTS = {"minilm": 128}
"""Numbers that are kept of a token, by SPEC."""
MOST_COMPONENTS = 192
"""The same for other models."""

MERGED = 2
"""Tokens of a paragraph that become one, on average."""

MIDDLE = 64
STEPS = 127
"""A component x, -1..1, is kept as x * STEPS + MIDDLE, cut at 0 and 127: beyond half a unit there is next to nothing.

Seven bits, not eight, since processors without VNNI add up two products in sixteen bits.
"""


@dataclass(frozen=True, slots=True, eq=False)
class TokenForm:
    """How the states of one model's tokens are made compact.

    Attributes:
        basis: (dim, n_components) float32, orthonormal columns.
        digest: changes with everything that the compact form depends on.
    """

    basis: Float32Array
    digest: str

    def project(self, states: Float32Array) -> Float32Array:
        """(n_tokens, n_components) float32 unit vectors."""
        projected: Float32Array = states @ self.basis
        projected /= np.maximum(np.linalg.norm(projected, axis=1, keepdims=True), np.float32(1e-9))
        return projected


@dataclass(frozen=True, slots=True, eq=False)
class Tokens:
    """The compact tokens of some paragraphs.

    Attributes:
        codes: (n_tokens, n_components) uint8, 0..127, those of the first paragraph first.
        starts: (n_paragraphs + 1,) the tokens of paragraph i are those from starts[i] up to starts[i + 1].
    """

    codes: Codes
    starts: IntArray


@dataclass(frozen=True, slots=True, eq=False)
class Words:
    """Vectors that one model makes of the paragraphs of a document, or of a course.

    Attributes:
        pooled: (n_paragraphs, dim) unit vectors.
        tokens: of each paragraph.
    """

    pooled: Float32Array
    tokens: Tokens


@functools.cache
def form_of(spec: str) -> TokenForm | None:
    """The form of a model's tokens, None for a model whose tokens are not kept."""
    path = fitted(FORMS / f"{spec}.npy")
    if not spec.isalnum() or not path.is_file():
        return None
    basis = np.load(path)
    digest = hashlib.sha256(basis.tobytes() + repr((basis.shape, MERGED, MIDDLE, STEPS)).encode()).hexdigest()[:12]
    return TokenForm(basis.astype(np.float32), digest)


def basis_of(states: Float32Array, n_components: int) -> NDArray[np.float16]:
    """The basis of a form: the directions in which tokens differ most, but for the one that they have in common.

    Args:
        states: (n_tokens, dim) of many tokens of many texts.
        n_components: directions wanted.
    """
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    _, directions = np.linalg.eigh(unit.T @ unit)
    return directions[:, ::-1][:, 1 : n_components + 1].astype(np.float16)


def compact(read: TokenStates, form: TokenForm) -> Tokens:
    """The tokens of paragraphs in compact form."""
    parts = [
        _merged(form.project(read.states[start:end]))
        for start, end in zip(read.starts[:-1], read.starts[1:], strict=True)
    ]
    starts = np.cumsum([0, *map(len, parts)], dtype=np.int64)
    vectors = np.concatenate([np.empty((0, form.basis.shape[1]), dtype=np.float32), *parts])
    return Tokens(np.clip(np.rint(vectors * STEPS) + MIDDLE, 0, STEPS).astype(np.uint8), starts)


def _merged(vectors: Float32Array) -> Float32Array:
    """The unit means of groups of like vectors, half as many as there were; at least one, of a text without tokens too.

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
