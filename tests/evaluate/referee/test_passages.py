"""Paragraphs that referees retrieve for a question, and the embedder that compares them."""

from dataclasses import replace
from unittest.mock import Mock

import pytest

from configs.settings import load
from evaluate.referee.passages import (
    CharacterEncoder,
    PassageRetriever,
    build_retriever,
)
from quarry.embed import Models
from quarry.embed.networks import Network
from quarry.errors import EmbedderError
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import make_store
from tests.fakes import each
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


@pytest.fixture
def loaded(monkeypatch: pytest.MonkeyPatch) -> list[Mock]:
    """The embedders that have been loaded; they compare by characters."""
    loaded: list[Mock] = []

    def load_embedder(spec: str, *rest: object) -> Mock:
        loaded.append(Mock(wraps=CharacterEncoder()))
        loaded[-1].spec = spec
        return loaded[-1]

    monkeypatch.setattr("quarry.embed.models.load_embedder", load_embedder)
    return loaded


def test_it_is_never_the_players_model_and_in_other_scripts_characters_serve(
    monkeypatch: pytest.MonkeyPatch,
    loaded: list[Mock],
) -> None:
    monkeypatch.setattr(Network, "path", Mock())
    hebrew = [paragraph("book:1:1", "מנוע חיפוש מספר שלוש. הוא מהיר.")]
    specs = ("minilm", "e5")
    stores = [make_store(spec, course(), spec=spec) for spec in specs]
    stores.append(make_store("hebrew", hebrew, spec="e5"))
    retrievers = [build_retriever(store, EMBED) for store in stores]

    assert not loaded
    assert each(retrievers, "embedder_spec") == ["e5", "minilm", None]
    *encoders, of_hebrew = each(retrievers, "encoder")
    assert encoders == loaded
    assert isinstance(of_hebrew, CharacterEncoder)
    assert each(loaded, "spec") == ["e5", "minilm"]
    monkeypatch.setattr(Network, "path", Mock(side_effect=EmbedderError))
    assert [build_retriever(store, EMBED).embedder_spec for store in stores] == [
        None
    ] * 3


def test_the_four_nearest_are_found_with_the_question_and_the_course_embedded_once(
    loaded: list[Mock],
) -> None:
    models = Models(replace(EMBED, models_dir="models"))
    retriever = PassageRetriever(TEXTS, "e5", models)
    assert not loaded
    first = retriever.retrieve("trees")
    assert len(first) == 4
    assert set(first[:3]) == {"trees grow", "tall trees", "trees stand by walls"}
    assert retriever.retrieve("trees") == first
    assert PassageRetriever(TEXTS, "e5", models).retrieve("trees") == first
    PassageRetriever(TEXTS[1:], "e5", models).retrieve("trees")
    one, again, other = loaded
    one.embed_queries.assert_called_once_with(["trees"])
    one.embed_passages.assert_called_once_with(TEXTS)
    again.embed_passages.assert_not_called()
    other.embed_passages.assert_called_once_with(TEXTS[1:])
