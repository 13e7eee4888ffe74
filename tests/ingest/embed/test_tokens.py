from __future__ import annotations

import numpy as np
import pytest

from ingest.embed import TokenStates
from ingest.embed.vectors import MIDDLE, STEPS, TokenForm, compact, form_of


def test_like_tokens_become_one_and_half_as_many_are_left() -> None:
    plain = TokenForm(np.eye(4, dtype=np.float32), "plain")
    east, north, up, _ = plain.basis
    states = np.array([east, north, east, north, up, up, up])
    tokens = compact(TokenStates(states, np.arange(7), np.array([0, 4, 7])), plain)
    assert tokens.starts.tolist() == [0, 2, 3]
    vectors = (tokens.codes.astype(int) - MIDDLE) / STEPS
    # one unit is beyond what is kept of a component, which is cut at half a unit
    assert sorted(vectors[:2].argmax(axis=1)) == [0, 1]
    assert vectors[2].argmax() == 2
    assert vectors.max() == pytest.approx((STEPS - MIDDLE) / STEPS)


def test_each_exported_model_has_an_orthonormal_form_and_others_have_none() -> None:
    shapes = {"minilm": (384, 128), "mpnet": (768, 192), "e5": (384, 192)}
    for spec, shape in shapes.items():
        form = form_of(spec)
        assert form is not None
        assert form.basis.shape == shape
        products = form.basis.T @ form.basis
        np.testing.assert_allclose(products, np.eye(shape[1]), atol=0.01)
    for spec in ("", "/somewhere/my-own-model", "../token_forms/minilm", "another"):
        assert form_of(spec) is None
