"""Hubness: how near a paragraph is to hints in general, which says that nearness to this one means less."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quarry.ingest.arrays import BoolArray, Float32Array
from quarry.ingest.embed.hint_bank import Bank, as_asked

N_NEAREST = 20
"""Hints of a bank whose mean cosine is a paragraph's hubness."""
BLOCK = 4_096
"""Paragraphs that are compared with the bank at once."""
UNRELATED = -1.0


class Hubs:
    """The hubness of a course's paragraphs.

    A paragraph is compared with hints for other lectures than its own, and never with the hint that is searched for:
    where that is in the bank, it is left out. In a course that the whole bank is about, all paragraphs are alike.

    Args:
        vectors: (n_paragraphs, dim) unit vectors.
        doc_ids: (n_paragraphs,) the document of each.
        bank: hints of the same model.

    Reference:
        Lample et al., Word Translation Without Parallel Data, 2018, from whose CSLS this is the paragraphs' half.
    """

    def __init__(self, vectors: Float32Array, doc_ids: Sequence[str], bank: Bank) -> None:
        numbers = {document: number for number, document in enumerate(dict.fromkeys(bank.hints.documents)) if document}
        of_hints = np.array([numbers.get(document, -1) for document in bank.hints.documents])
        of_paragraphs = np.array([numbers.get(doc_id, -2) for doc_id in doc_ids])
        # one more than is averaged, to take the place of the hint that is searched for
        n_kept = 0 if bank.hints.course.intersection(doc_ids) else min(N_NEAREST + 1, len(of_hints))
        self._nearest = np.empty((len(doc_ids), n_kept), dtype=np.float32)
        self._hints = np.empty((len(doc_ids), n_kept), dtype=np.int64)
        for start in range(0, len(doc_ids), BLOCK):
            rows = slice(start, start + BLOCK)
            cosines = vectors[rows] @ bank.vectors.T
            cosines[of_paragraphs[rows, None] == of_hints[None, :]] = UNRELATED
            best = np.argpartition(-cosines, n_kept - 1, axis=1)[:, :n_kept] if n_kept else self._hints[rows]
            nearest = np.take_along_axis(cosines, best, axis=1)
            order = np.argsort(-nearest, axis=1, kind="stable")
            self._hints[rows] = np.take_along_axis(best, order, axis=1)
            self._nearest[rows] = np.take_along_axis(nearest, order, axis=1)
        self._places = {text: place for place, text in enumerate(bank.hints.texts)}
        self._hubness = self._mean(np.zeros_like(self._nearest, dtype=np.bool_))

    def of(self, hint: str) -> Float32Array:
        """(n_paragraphs,) mean cosine of each paragraph's nearest hints, this hint aside."""
        place = self._places.get(as_asked(hint))
        return self._hubness if place is None else self._mean(self._hints == place)

    def _mean(self, left_out: BoolArray) -> Float32Array:
        """(n_paragraphs,) mean of the first `N_NEAREST` that are not left out."""
        counted = ~left_out
        counted &= np.cumsum(counted, axis=1) <= N_NEAREST
        means: Float32Array = (self._nearest * counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)
        return means
