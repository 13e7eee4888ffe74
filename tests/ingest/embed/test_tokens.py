from __future__ import annotations

import numpy as np
import pytest

from ingest.embed import TokenStates
from ingest.embed.vectors import MIDDLE, STEPS, TokenForm, compact, form_of

PLAIN = TokenForm(np.eye(4, dtype=np.float32), "plain")
"""A form that keeps vectors of four numbers as they are."""


def read(*texts: list[list[float]]) -> TokenStates:
    """The states of texts of tokens of four numbers."""
    states = np.array(
        [state for text in texts for state in text], dtype=np.float32
    ).reshape(-1, 4)
    starts = np.cumsum([0, *map(len, texts)])
    return TokenStates(states, np.arange(len(states)), starts)


EAST, NORTH, UP = [1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]


def test_like_tokens_become_one_and_half_as_many_are_left() -> None:
    tokens = compact(read([EAST, NORTH, EAST, NORTH], [UP, UP, UP]), PLAIN)
    assert tokens.starts.tolist() == [0, 2, 3]
    vectors = (tokens.codes.astype(int) - MIDDLE) / STEPS
    # one unit is beyond what is kept of a component, which is cut at half a unit
    assert sorted(vectors[:2].argmax(axis=1).tolist()) == [0, 1]
    assert vectors[2].argmax() == 2
    assert vectors.max() == pytest.approx((STEPS - MIDDLE) / STEPS)


@pytest.mark.parametrize(
    ("spec", "dim", "n_components"),
    [("minilm", 384, 128), ("mpnet", 768, 192), ("e5", 384, 192)],
)
def test_each_exported_model_has_an_orthonormal_form(
    spec: str, dim: int, n_components: int
) -> None:
    form = form_of(spec)
    assert form is not None
    assert form.basis.shape == (dim, n_components)
    np.testing.assert_allclose(
        form.basis.T @ form.basis, np.eye(n_components), atol=0.01
    )


@pytest.mark.parametrize(
    "spec", ["", "/somewhere/my-own-model", "../token_forms/minilm", "another"]
)
def test_other_models_have_none(spec: str) -> None:
    assert form_of(spec) is None
