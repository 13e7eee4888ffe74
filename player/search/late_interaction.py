"""Late interaction (MaxSim): token-by-token similarity of a hint and paragraphs, and their hubness."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from configs.settings import Settings
from player.search.cache import CachingEmbedder
from quarry.arrays import BoolArray, Float32Array, IntArray
from quarry.course.course import Tokens
from quarry.course.text import one_line
from quarry.embed import Models, TokenEmbedder, TokenStates
from quarry.embed.embedders import onnx_session
from quarry.embed.hint_bank import EmbeddedHints, Hints, load_hints, read_bank
from quarry.embed.vectors import STEPS, load_basis, project
from quarry.store import Course

PRODUCTS = Path(__file__).with_name("products.onnx")
"""This ONNX graph multiplies a uint8 matrix by an int8 matrix; numpy has no fast integer product."""
_LARGEST = 127
"""Largest code of a component of a hint."""
N_NEAREST = 20
"""Number of nearest hints of a bank whose mean cosine with a paragraph is its hubness."""
BLOCK = 4_096
"""Number of paragraphs that are compared with the bank in one product."""
UNRELATED = -1.0
"""Cosine that leaves out a hint."""


@dataclass(eq=False)
class LateInteraction:
    """Scorer by the mean, over the hint's tokens, of the best cosine with a paragraph's token; rare tokens count more.

    Attributes:
        embedder: the embedder of the paragraphs.
        tokens: the tokens of the paragraphs.
        hubs: hubness of the paragraphs.
        bank: hints, embedded by the same embedder.

    Reference:
        Khattab and Zaharia, ColBERT: Efficient and Effective Passage Search via Contextualized Late Interaction over
        BERT, 2020; here with models that were trained for the mean of their tokens.
    """

    embedder: CachingEmbedder
    tokens: Tokens
    hubs: Hubs
    bank: EmbeddedHints

    def __post_init__(self) -> None:
        ids = self.bank.token_ids.tolist()
        self._frequencies: Counter[int] = Counter()
        for start, end in itertools.pairwise(self.bank.starts.tolist()):
            self._frequencies.update(set(ids[start:end]))

    def similarities(self, hint: str, rows: IntArray | None = None) -> Float32Array:
        """Return (n_paragraphs,) or (len(rows),) the weighted mean of the best cosine of each token of the hint."""
        tokens = self.tokens if rows is None else self.tokens.of(rows)
        states = self.embedder.embed(hint).tokens
        assert states is not None, "late_interaction_of takes embedders that give them"
        n_paragraphs = len(tokens.starts) - 1
        if not len(states.ids) or not n_paragraphs:
            return np.zeros(n_paragraphs, dtype=np.float32)

        vectors = project(states.states, load_basis(self.embedder.embedder.spec))
        largest = np.maximum(np.abs(vectors).max(axis=1), np.float32(1e-9))
        coded = np.rint(vectors * (_LARGEST / largest)[:, None]).astype(np.int8)
        matrices = {"codes": tokens.codes, "hint": np.ascontiguousarray(coded.T)}
        (products,) = _products().run(None, matrices)
        best = np.maximum.reduceat(products, tokens.starts[:-1], axis=0)

        weights = self._rarity(hint, states)
        scale = weights / weights.sum() * largest / (_LARGEST * STEPS)
        similarities: Float32Array = np.vecdot(
            best.astype(np.float32), scale.astype(np.float32)
        )
        return similarities

    def _rarity(self, hint: str, states: TokenStates) -> Float32Array:
        """Return (n_tokens,) the rarity of each token of the hint among the other hints of the bank."""
        bank, row = self.bank, self.hubs.rows_of_hints.get(one_line(hint))
        counts = [self._frequencies[token] for token in states.ids.tolist()]
        frequencies = np.array(counts, dtype=np.float32)
        n_hints = len(self.hubs.rows_of_hints)
        if row is not None:
            own_tokens = bank.token_ids[bank.starts[row] : bank.starts[row + 1]]
            frequencies -= np.isin(states.ids, own_tokens)
            n_hints -= 1
        rarity: Float32Array = np.log((n_hints + 1) / (frequencies + 0.5))
        return rarity


class Hubs:
    """Hubness of a course's paragraphs: the mean cosine of each paragraph with its nearest hints of a bank.

    Hints for the paragraph's lecture and the hint that is searched for are left out. If the whole bank was written for
    the course, every paragraph has hubness 0.

    Args:
        vectors: (n_paragraphs, dim) unit vectors.
        doc_ids: (n_paragraphs,) the document of each.
        bank: hints, embedded by the same model.

    Attributes:
        rows_of_hints: the row of each hint in the bank, by text.

    Reference:
        Lample et al., Word Translation Without Parallel Data, 2018; this is the paragraphs' term of CSLS.
    """

    def __init__(
        self, vectors: Float32Array, doc_ids: Sequence[str], bank: EmbeddedHints
    ) -> None:
        is_about_course = bank.hints.source_doc_ids.intersection(doc_ids)
        hints = bank.vectors[: 0 if is_about_course else None]
        documents = np.array([*bank.hints.doc_id_by_hint.values()][: len(hints)])
        # one more than is averaged, to replace the hint that is searched for
        n_nearest = min(N_NEAREST + 1, len(hints))
        self._nearest = np.empty((len(doc_ids), n_nearest), dtype=np.float32)
        self._hints = np.empty((len(doc_ids), n_nearest), dtype=np.int32)

        for start in range(0, len(doc_ids), BLOCK):
            rows = slice(start, start + BLOCK)
            cosines = vectors[rows] @ hints.T
            is_own = np.array(doc_ids[rows])[:, None] == documents[None, :]
            cosines[is_own] = UNRELATED
            best = np.argsort(-cosines, axis=1, kind="stable")[:, :n_nearest]
            self._hints[rows] = best
            self._nearest[rows] = np.take_along_axis(cosines, best, axis=1)

        self.rows_of_hints = {
            text: row for row, text in enumerate(bank.hints.doc_id_by_hint)
        }
        self._hubness = self._mean(np.zeros_like(self._nearest, dtype=np.bool_))

    def of(self, hint: str) -> Float32Array:
        """Return (n_paragraphs,) the hubness of each paragraph, without this hint."""
        row = self.rows_of_hints.get(one_line(hint))
        return self._hubness if row is None else self._mean(self._hints == row)

    def _mean(self, is_asked: BoolArray) -> Float32Array:
        """Return (n_paragraphs,) the mean of the first `N_NEAREST` cosines with hints that are not asked."""
        counted = ~is_asked
        counted &= np.cumsum(counted, axis=1) <= N_NEAREST
        means: Float32Array = (self._nearest * counted).sum(axis=1) / np.maximum(
            counted.sum(axis=1), 1
        )
        return means


def late_interaction_of(
    course: Course,
    settings: Settings,
    embedder: CachingEmbedder,
    hints: Hints | None = None,
) -> LateInteraction | None:
    """Make the scorer that compares hint and paragraph token by token; None if the store holds no tokens.

    Args:
        course: the course to search.
        settings: settings of embedding.
        embedder: the store's embedder.
        hints: the bank of hints; None takes the bundled one.
    """
    tokens = course.tokens
    if tokens is None or not isinstance(embedder.embedder, TokenEmbedder):
        return None
    folder = Models(settings.embed).folder
    bank = read_bank(hints or load_hints(), embedder.embedder, folder)
    doc_ids = [paragraph.doc_id for paragraph in course.paragraphs]
    hubs = Hubs(course.vectors, doc_ids, bank)
    return LateInteraction(embedder, tokens, hubs, bank)


@functools.cache
def _products() -> Any:
    return onnx_session(PRODUCTS, threads=1)
