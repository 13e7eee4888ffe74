"""The suite that every Embedder passes."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.testing import assert_allclose

from quarry.arrays import Float32Array
from quarry.embed import Embedder

TOLERANCE = 1e-5

Side = Callable[[Sequence[str]], Float32Array]

TEXTS = (
    "Trees.",
    "A queue serves whoever came first.",
    "A cache drops the entry that nobody has asked about for the longest time.",
    "ok",
    "The lock makes the second writer wait until the first has finished. " * 3,
    "Networks learn by small corrections that flow backwards from the output to the first layer.",
    "עץ חיפוש שומר את המפתחות לפי הסדר.",
    "Café, naïve, 5 > 3 & x_i: signs of every kind!",
    "Ranking rewards rare words. " * 3,
)
"""More than one batch of different lengths, so that sorting and padding have something to get wrong."""


class EmbedderContract:
    """Suite that every Embedder passes; a subclass gives the fixture `embedder`, with a batch size below len(TEXTS).

    Attributes:
        near_and_far: (query, paragraph near to it, paragraph far from it).
    """

    near_and_far: tuple[tuple[str, str, str], ...] = (
        (
            "trees that keep keys in order",
            "A search tree keeps its keys in order, and a lookup walks down one path of the tree.",
            "Milk turns sour within days when it is left in the sun.",
        ),
        (
            "how the cat sleeps",
            "The cat sleeps on the warm roof, as the cat always does in summer.",
            "Interest rates rose again after the central bank had met.",
        ),
    )

    @pytest.fixture(params=["embed_queries", "embed_passages"])
    def embed(
        self,
        embedder: Embedder,
        request: pytest.FixtureRequest,
    ) -> Side:
        """Return both ways to embed; each keeps the contract."""
        side: Side = getattr(embedder, request.param)
        return side

    def test_each_text_gets_one_float32_row_of_unit_length(
        self,
        embedder: Embedder,
        embed: Side,
    ) -> None:
        assert embedder.spec
        beyond_any_limit = "word " * 2_000
        for texts in ((), TEXTS, ("", " ", beyond_any_limit)):
            vectors = embed(texts)
            assert vectors.shape == (len(texts), embedder.dim)
            assert vectors.dtype == np.float32
            lengths = np.linalg.norm(vectors, axis=1)
            assert_allclose(lengths, 1.0, atol=TOLERANCE)

    def test_order_is_kept_whatever_the_batch(self, embed: Side) -> None:
        alone = np.concatenate([embed([text]) for text in TEXTS])
        assert_allclose(embed(TEXTS), alone, atol=TOLERANCE)
        backwards = embed(TEXTS[::-1])
        assert_allclose(backwards, alone[::-1], atol=TOLERANCE)
        different = np.unique(alone.round(3), axis=0)
        assert len(different) == len(TEXTS)

    def test_threads_do_not_disturb_each_other(self, embed: Side) -> None:
        expected = embed(TEXTS)
        with ThreadPoolExecutor(3) as pool:
            tails = [TEXTS[start:] for start in range(3)]
            parts = pool.map(embed, tails)
            for start, vectors in enumerate(parts):
                assert_allclose(vectors, expected[start:], atol=TOLERANCE)

    def test_near_paragraph_is_closer_to_the_query_than_a_far_one(
        self, embedder: Embedder
    ) -> None:
        for query, near, far in self.near_and_far:
            (asked,) = embedder.embed_queries([query])
            first, second = embedder.embed_passages([near, far]) @ asked
            assert first > second
