"""Texts -> unit vectors: embedders behind one protocol, their export to ONNX, and vectors of tokens."""

from quarry.embed.embedders import Embedder, TokenEmbedder, TokenStates
from quarry.embed.models import Models, require_embedder
from quarry.embed.networks import BUILT_IN, choose_spec

__all__ = [
    "BUILT_IN",
    "Embedder",
    "Models",
    "TokenEmbedder",
    "TokenStates",
    "choose_spec",
    "require_embedder",
]
