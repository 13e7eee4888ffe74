"""What every embedder does: texts become unit vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from quarry.ingest.arrays import Float32Array, IntArray


class Embedder(Protocol):
    """What turns texts into vectors; all implementations pass tests/contracts/embedder.py."""

    @property
    def spec(self) -> str:
        """The SPEC under which a store remembers this embedder, e.g. "minilm"."""

    @property
    def dim(self) -> int:
        """Length of a vector."""

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        """(len(texts), dim) float32 unit vectors of texts that are searched."""

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        """(len(texts), dim) float32 unit vectors of texts that are searched for."""


@dataclass(frozen=True, slots=True)
class TokenStates:
    """What a network makes of each token of some texts.

    Attributes:
        states: (n_tokens, dim) float32, those of the first text first; without the tokens that stand for no part of a
            text.
        ids: (n_tokens,) places in the network's vocabulary.
        starts: (n_texts + 1,) the tokens of text i are those from starts[i] up to starts[i + 1].
    """

    states: Float32Array
    ids: IntArray
    starts: IntArray


@runtime_checkable
class TokenEmbedder(Embedder, Protocol):
    """An embedder that also gives what it makes of each token; pass tests/contracts/embedder.py as well."""

    def read_passages(self, texts: Sequence[str]) -> tuple[Float32Array, TokenStates]:
        """As `embed_passages`, and the states of their tokens, in one pass."""

    def read_queries(self, texts: Sequence[str]) -> tuple[Float32Array, TokenStates]:
        """As `embed_queries`, and the states of their tokens, in one pass."""
