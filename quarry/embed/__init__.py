"""Embedders, which turn texts into unit vectors: one protocol, the export of networks to ONNX, and token vectors."""

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
