"""Texts -> unit vectors: one file an embedder, behind one protocol; the export to ONNX stands apart."""

from quarry.ingest.embed.embedder import Embedder, TokenEmbedder, TokenStates
from quarry.ingest.embed.models import (
    BUILT_IN,
    Models,
    choose_spec,
    export_folder,
    load_embedder,
    require_embedder,
    token_limit,
    word_models_of,
)

__all__ = [
    "BUILT_IN",
    "Embedder",
    "Models",
    "TokenEmbedder",
    "TokenStates",
    "choose_spec",
    "export_folder",
    "load_embedder",
    "require_embedder",
    "token_limit",
    "word_models_of",
]
