"""Fixtures of the harness's tests."""

from __future__ import annotations

import pytest

from tests.evaluate.fakes import use_hashing_embedder


@pytest.fixture
def fast_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """No model is loaded, neither the player's nor the referee's."""
    use_hashing_embedder(monkeypatch)
