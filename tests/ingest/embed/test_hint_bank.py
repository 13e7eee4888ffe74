from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ingest.arrays import Float32Array
from ingest.embed import TokenStates
from ingest.embed.hint_bank import HINTS, hints_of, load_hints, read_bank
from tests.fakes import HEBREW, HashingEmbedder

ROOT = Path(__file__).resolve().parents[3]


class Counting(HashingEmbedder):
    """Counts how often it read queries."""

    def __init__(self, spec: str = "minilm") -> None:
        super().__init__(spec)
        self.n_reads = 0

    def read_queries(self, texts: Sequence[str]) -> tuple[Float32Array, TokenStates]:
        self.n_reads += 1
        return super().read_queries(texts)


def test_bank_is_read_once_and_kept_beside_the_models(tmp_path: Path) -> None:
    hints = hints_of({"trees that balance": "", "caches and queues": "02"})
    model = Counting()
    first, second = read_bank(hints, model, tmp_path), read_bank(hints, model, tmp_path)
    assert model.n_reads == 1
    np.testing.assert_allclose(first.vectors, second.vectors, atol=1e-3)
    np.testing.assert_array_equal(first.token_ids, second.token_ids)
    np.testing.assert_array_equal(second.starts, [0, 3, 6])
    read_bank(hints_of({"others": ""}), model, tmp_path)
    assert model.n_reads == 2


def test_models_of_latin_script_are_asked_about_hints_in_it_alone(
    tmp_path: Path,
) -> None:
    hints = hints_of({"trees that balance": "", HEBREW: ""})
    assert read_bank(hints, Counting("mpnet"), tmp_path).hints.texts == (
        "trees that balance",
    )
    assert read_bank(hints, Counting("e5"), tmp_path).hints.texts == hints.texts


def test_our_bank_holds_the_hints_of_our_games_and_nothing_else_of_them() -> None:
    games = [
        json.loads(line)
        for name in ("english", "hebrew")
        for line in (ROOT / f"data/games/{name}.jsonl")
        .read_text(encoding="utf-8")
        .splitlines()
    ]
    hints = load_hints()

    assert set(hints.texts) == {" ".join(game["hint"].split()) for game in games}
    assert set(hints.documents) == {""}
    assert list(hints.texts) == sorted(hints.texts)
    assert hints.course == {Path(game["pdf"]).stem for game in games if game.get("pdf")}
    keys = {
        tuple(json.loads(line))
        for line in HINTS.read_text(encoding="utf-8").splitlines()
    }
    assert keys == {("course",), ("hint",)}
