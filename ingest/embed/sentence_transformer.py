"""Any sentence-transformers model as an embedder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from quarry.configs.settings import EmbedSettings
from quarry.ingest.arrays import Float32Array
from quarry.ingest.embed.exports import load_sentence_transformer
from quarry.ingest.embed.onnx import BATCH_SIZE


class SentenceTransformerEmbedder:
    """Any sentence-transformers model, by folder or hub id; imports torch, so it starts slowly."""

    def __init__(self, spec: str, settings: EmbedSettings) -> None:
        self._model = load_sentence_transformer(spec)
        if settings.threads:
            import torch

            torch.set_num_threads(settings.threads)
        self._spec = spec

    @property
    def spec(self) -> str:
        """The folder or hub id."""
        return self._spec

    @property
    def dim(self) -> int:
        """Length of a vector."""
        return int(self._model.get_embedding_dimension())

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        """(len(texts), dim) float32 unit vectors, with the model's document prompt where it has one."""
        return self._encode(self._model.encode_document, texts)

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        """(len(texts), dim) float32 unit vectors, with the model's query prompt where it has one."""
        return self._encode(self._model.encode_query, texts)

    def _encode(self, encode: Any, texts: Sequence[str]) -> Float32Array:
        if not texts:
            return np.empty((0, self.dim), dtype=np.float32)
        vectors = encode(list(texts), batch_size=BATCH_SIZE, normalize_embeddings=True, show_progress_bar=False)
        return np.asarray(vectors, dtype=np.float32)
