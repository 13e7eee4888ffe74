"""Rerank the best paragraphs with a cross-encoder, which reads hint and paragraph together."""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from configs.errors import SettingsError
from player.search.results import Query
from player.search.strategies.strategy import Reranker, StrategyInputs
from quarry.arrays import AnyFloatArray
from quarry.course.paragraph import Paragraph
from quarry.store import Course


class CrossEncoder(Reranker):
    """Reranking by a cross-encoder of sentence-transformers, whose logits count as log-odds.

    `search.cross_encoder` names the folder or hub id of the model.

    Raises:
        SettingsError: it names none.

    Reference:
        Nogueira and Cho, Passage Re-ranking with BERT, 2019.
    """

    def __init__(self, course: Course, inputs: StrategyInputs) -> None:
        super().__init__(course.paragraphs)
        self._model_name = inputs.search.cross_encoder
        if not self._model_name:
            raise SettingsError(
                "search.cross_encoder is empty; name the folder or hub id of the model"
            )
        self._model: Any = None
        self._lock = threading.Lock()

    def load(self) -> None:
        """Load the model."""
        from sentence_transformers import CrossEncoder as Model

        with self._lock:
            if self._model is None:
                self._model = Model(self._model_name, device="cpu")

    def compare(self, query: Query, paragraphs: Sequence[Paragraph]) -> AnyFloatArray:
        """Return (n_paragraphs,) the logits of the model, or of its last class."""
        from torch.nn import Identity

        if not paragraphs:
            return np.empty(0)
        pairs = [(query.hint, paragraph.text) for paragraph in paragraphs]
        logits = self._model.predict(
            pairs, activation_fn=Identity(), show_progress_bar=False
        )
        return np.asarray(logits, dtype=np.float64).reshape(len(pairs), -1)[:, -1]
