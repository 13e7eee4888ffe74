"""Late interaction: a hint and a paragraph compared word by word."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quarry.ingest.arrays import Float32Array, IntArray
from quarry.ingest.embed import TokenStates
from quarry.ingest.embed.hint_bank import Bank, as_asked
from quarry.ingest.embed.tokens import STEPS, Codes, TokenForm, Words
from quarry.player.search.cache import RememberingEmbedder
from quarry.player.search.hubs import Hubs

PRODUCTS = Path(__file__).with_name("products.onnx")
"""One product of a matrix of 0..255 and a matrix of -128..127; numpy has none that is quick."""
_LARGEST = 127


class WordByWord:
    """For each token of the hint its most similar token in the paragraph, averaged; rare tokens count more.

    Args:
        model: that has read the paragraphs.
        words: what it makes of each document's paragraphs, in the order of the course.
        doc_ids: (n_paragraphs,) the document of each paragraph.
        form: in which the tokens are kept.
        bank: hints of the same model.

    Reference:
        Khattab and Zaharia, ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction over
        BERT, 2020; here with models that were trained for the mean of their tokens.
    """

    def __init__(
        self,
        model: RememberingEmbedder,
        words: Sequence[Words],
        doc_ids: Sequence[str],
        form: TokenForm,
        bank: Bank,
    ) -> None:
        self._model = model
        self._form = form
        self._bank = bank
        self._codes = [document.tokens.codes for document in words]
        self._starts = [document.tokens.starts for document in words]
        counts = np.array([len(starts) - 1 for starts in self._starts])
        self._firsts = np.concatenate([[0], np.cumsum(counts)])
        self._pooled = np.concatenate([document.pooled for document in words])
        self._hubs = Hubs(self._pooled, doc_ids, bank)
        self._frequencies = np.bincount(
            np.concatenate(
                [np.unique(bank.token_ids[start:end]) for start, end in zip(bank.starts, bank.starts[1:], strict=False)]
            )
        )
        self._rows_of = {text: place for place, text in enumerate(bank.hints.texts)}

    @property
    def spec(self) -> str:
        """Of the model."""
        return self._model.spec

    def prepare(self, hint: str) -> None:
        """Read the hint, unless it was read lately."""
        self._model.tokens(hint)

    def parts(self, hint: str, rows: IntArray | None = None) -> Mapping[str, Float32Array]:
        """(n_paragraphs,) or (len(rows),) similarity word by word, -1..1, and hubness, by name."""
        hubness = self._hubs.of(hint)
        return {
            f"words.{self.spec}": self.similarities(hint, rows),
            f"hub.{self.spec}": hubness if rows is None else hubness[rows],
        }

    def glance(self, hint: str) -> Mapping[str, Float32Array]:
        """(n_paragraphs,) cosine with each paragraph as a whole, and hubness, by name."""
        return {f"near.{self.spec}": self._pooled @ self._model.vector(hint), f"hub.{self.spec}": self._hubs.of(hint)}

    def similarities(self, hint: str, rows: IntArray | None = None) -> Float32Array:
        """(n_paragraphs,) or (len(rows),) weighted mean over the hint's tokens of their best cosine, -1..1."""
        codes, starts = self._whole if rows is None else self._of(rows)
        read = self._model.tokens(hint)
        if not len(read.ids) or not len(starts) - 1:
            return np.zeros(len(starts) - 1, dtype=np.float32)
        vectors = self._form.project(read.states)
        largest = np.maximum(np.abs(vectors).max(axis=1), np.float32(1e-9))
        coded = np.rint(vectors * (_LARGEST / largest)[:, None]).astype(np.int8)
        best = np.maximum.reduceat(_product(codes, coded), starts[:-1], axis=0)
        weights = self._rarity(hint, read)
        scale = weights / weights.sum() * largest / (_LARGEST * STEPS)
        similarities: Float32Array = np.vecdot(best.astype(np.float32), scale.astype(np.float32))
        return similarities

    def _rarity(self, hint: str, read: TokenStates) -> Float32Array:
        """(n_tokens,) of the hint: the rarer among the bank's hints, this one aside, the higher."""
        place = self._rows_of.get(as_asked(hint))
        known = read.ids < len(self._frequencies)
        frequencies = np.where(known, self._frequencies[np.where(known, read.ids, 0)], 0).astype(np.float32)
        n_hints = len(self._rows_of)
        if place is not None:
            own = self._bank.token_ids[self._bank.starts[place] : self._bank.starts[place + 1]]
            frequencies -= np.isin(read.ids, own)
            n_hints -= 1
        rarity: Float32Array = np.log((n_hints + 1) / (frequencies + 0.5))
        return rarity

    @functools.cached_property
    def _whole(self) -> tuple[Codes, IntArray]:
        """The tokens of the whole course, in memory."""
        ends = np.cumsum([0, *(len(codes) for codes in self._codes)])
        starts = [known[:-1] + first for known, first in zip(self._starts, ends, strict=False)]
        return np.concatenate(self._codes), np.concatenate([*starts, ends[-1:]])

    def _of(self, rows: IntArray) -> tuple[Codes, IntArray]:
        """The tokens of some paragraphs, read from the disk."""
        documents = np.searchsorted(self._firsts, rows, side="right") - 1
        parts = []
        for document, row in zip(documents.tolist(), (rows - self._firsts[documents]).tolist(), strict=True):
            starts = self._starts[document]
            parts.append(self._codes[document][starts[row] : starts[row + 1]])
        return np.concatenate(parts), np.cumsum([0, *map(len, parts)])


def _product(codes: Codes, coded: NDArray[np.int8]) -> NDArray[np.int32]:
    """(len(codes), len(coded)) products of their rows."""
    product: NDArray[np.int32] = _products().run(None, {"codes": codes, "hint": np.ascontiguousarray(coded.T)})[0]
    return product


@functools.cache
def _products() -> Any:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(PRODUCTS), options, providers=["CPUExecutionProvider"])
