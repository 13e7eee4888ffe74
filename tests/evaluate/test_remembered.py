"""Queries that are embedded once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evaluate.remembered import RememberingEmbedder
from tests.fakes import HashingEmbedder


class Counting(HashingEmbedder):
    """Counts the queries it embeds."""

    n_queries = 0

    def embed_queries(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.n_queries += len(texts)
        return super().embed_queries(texts)


def test_no_query_is_embedded_twice_and_vectors_stay_the_same() -> None:
    plain, counting = HashingEmbedder(), Counting()
    remembering = RememberingEmbedder(counting)
    for texts in (["one", "two", "one"], ["two"], []):
        np.testing.assert_array_equal(remembering.embed_queries(texts), plain.embed_queries(texts))
        np.testing.assert_array_equal(remembering.embed_passages(texts), plain.embed_passages(texts))
    assert counting.n_queries == 2
    assert (remembering.spec, remembering.dim) == (plain.spec, plain.dim)
