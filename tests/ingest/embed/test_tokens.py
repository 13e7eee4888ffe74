from __future__ import annotations

import numpy as np
import pytest

from quarry.ingest.embed import TokenStates
from quarry.ingest.embed.vectors import MIDDLE, STEPS, TokenForm, compact, form_of

PLAIN = TokenForm(np.eye(4, dtype=np.float32), "plain")
"""A form that keeps vectors of four numbers as they are."""


def read(*texts: list[list[float]]) -> TokenStates:
    """The states of texts of tokens of four numbers."""
    states = np.array([state for text in texts for state in text], dtype=np.float32).reshape(-1, 4)
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


def test_codes_are_within_half_a_step_of_the_vectors() -> None:
    generator = np.random.default_rng(3)
    form = TokenForm(np.linalg.qr(generator.normal(size=(60, 40)))[0].astype(np.float32), "any")
    states = generator.normal(size=(1, 60)).astype(np.float32)
    tokens = compact(TokenStates(states, np.zeros(1, dtype=np.int64), np.array([0, 1])), form)
    expected = states[0] @ form.basis / np.linalg.norm(states[0] @ form.basis)
    assert np.abs(expected).max() < 0.49
    np.testing.assert_allclose((tokens.codes[0].astype(float) - MIDDLE) / STEPS, expected, atol=0.51 / STEPS)
    assert tokens.codes.max() <= 127


def test_text_without_tokens_has_one_that_is_like_none() -> None:
    tokens = compact(read([EAST], [], [NORTH]), PLAIN)
    assert tokens.starts.tolist() == [0, 1, 2, 3]
    assert (tokens.codes[1] == MIDDLE).all()


@pytest.mark.parametrize(("spec", "dim", "n_components"), [("minilm", 384, 128), ("mpnet", 768, 192), ("e5", 384, 192)])
def test_each_exported_model_has_an_orthonormal_form(spec: str, dim: int, n_components: int) -> None:
    form = form_of(spec)
    assert form is not None
    assert form.basis.shape == (dim, n_components)
    np.testing.assert_allclose(form.basis.T @ form.basis, np.eye(n_components), atol=0.01)


@pytest.mark.parametrize("spec", ["", "/somewhere/my-own-model", "../token_forms/minilm", "another"])
def test_other_models_have_none(spec: str) -> None:
    assert form_of(spec) is None
