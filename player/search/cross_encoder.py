"""A cross-encoder: how well hint and paragraph go together, read side by side; the only user of its library."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from quarry.configs.settings import SettingsError
from quarry.ingest.arrays import Float64Array

Pair = tuple[str, str]
"""A hint and a paragraph's text."""


class CrossEncoderScorer:
    """Logits of pairs by a sentence-transformers CrossEncoder with one output, on the CPU. Safe for many threads.

    Args:
        folder: as `CrossEncoder.save_pretrained` writes it; nothing is fetched from anywhere.

    Raises:
        SettingsError: there is no such model.

    Reference:
        Nogueira and Cho, Passage Re-ranking with BERT, 2019.
    """

    def __init__(self, folder: str) -> None:
        remedy = "name a folder that sentence-transformers' CrossEncoder.save_pretrained wrote"
        if not Path(folder).is_dir():
            raise SettingsError(f"search.cross_encoder must be a folder of a cross-encoder, got {folder!r}; {remedy}")
        from sentence_transformers import CrossEncoder
        from torch.nn import Identity

        try:
            self._model = CrossEncoder(folder, device="cpu", local_files_only=True, activation_fn=Identity())
            n_outputs = int(self._model.num_labels)
        except Exception as error:  # a damaged or foreign folder raises anything
            reason = " ".join(str(error).split())[:200] or type(error).__name__
            raise SettingsError(f"search.cross_encoder must be readable, got {folder!r}: {reason}; {remedy}") from error
        if n_outputs != 1:
            raise SettingsError(
                f"search.cross_encoder must have one output, how relevant a paragraph is, got {n_outputs} ({folder}); "
                "take one trained for ranking"
            )
        self._lock = threading.Lock()  # fast tokenizers must not be used by two threads at once

    def __call__(self, pairs: Sequence[Pair]) -> Float64Array:
        """(n_pairs,) logits, higher is better."""
        with self._lock:
            logits = self._model.predict(list(pairs), batch_size=len(pairs), show_progress_bar=False)
        return np.asarray(logits, dtype=np.float64).reshape(len(pairs))
