"""Texts -> unit vectors: embedders behind one protocol, their export to ONNX, and vectors of tokens."""

from quarry.ingest.embed.embedders import Embedder, TokenEmbedder, TokenStates
from quarry.ingest.embed.models import BUILT_IN, Models, choose_spec, require_embedder, token_limit, word_models_of

__all__ = [
    "BUILT_IN",
    "Embedder",
    "Models",
    "TokenEmbedder",
    "TokenStates",
    "choose_spec",
    "require_embedder",
    "token_limit",
    "word_models_of",
]
