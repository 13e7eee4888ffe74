"""Every paragraph at a glance: cosines to two digits."""

from __future__ import annotations

import numpy as np

from quarry.player.search import coarse as module
from quarry.player.search.coarse import Coarse


def test_cosines_are_right_to_two_digits() -> None:
    vectors = np.random.default_rng(5).normal(size=(module.BLOCK + 100, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = Coarse(vectors).cosines(vectors[7])
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, vectors @ vectors[7], atol=5e-3)
    assert int(found.argmax()) == 7


def test_equal_vectors_are_equally_near() -> None:
    vectors = np.tile(np.array([[0.6, -0.8]], dtype=np.float32), (70, 1))
    assert len(set(Coarse(vectors).cosines(np.array([0.0, -1.0], dtype=np.float32)).tolist())) == 1


def test_no_vectors_have_no_cosines() -> None:
    assert Coarse(np.empty((0, 8), dtype=np.float32)).cosines(np.ones(8, dtype=np.float32)).tolist() == []
