"""A store and settings -> an orchestrator: one that notices when the store is changed under it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from configs.settings import Settings, load
from ingest.errors import StoreError
from ingest.paragraph import Paragraph
from ingest.store import ParagraphStore, open_store
from player.protocol import RoundStart
from player.search import build
from player.search.build import build_orchestrator
from player.search.types import Hit, Query
from tests.evaluate.fakes import make_store
from tests.fakes import load_hashing_embedder
from tests.player.fakes import course, paragraph


@pytest.fixture(autouse=True)
def _embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "load_embedder", load_hashing_embedder)


NEW = paragraph("third:1:1", "Volcanoes erupt with lava. Later lessons mention ash.")


def first_id(found: Sequence[Hit]) -> str:
    return found[0].paragraph.paragraph_id


def test_a_store_that_is_ingested_into_is_noticed_at_the_next_search(tmp_path: Path) -> None:
    make_store(tmp_path / "store", course())
    searches = build_orchestrator(open_store(str(tmp_path / "store")), load())
    hint = Query("Volcanoes erupt with lava", keywords="off")
    assert first_id(searches.search(hint).hits) != "third:1:1"
    make_store(tmp_path / "store", [*course(), NEW])
    found = searches.search(hint)
    assert (first_id(found.hits), found.cached) == ("third:1:1", False)
    assert len(searches.paragraphs) == len(course()) + 1


def test_a_game_is_played_over_the_store_as_it_is_now(tmp_path: Path) -> None:
    from player.player import build_player

    make_store(tmp_path / "store", course())
    player = build_player(open_store(str(tmp_path / "store")), load())
    start = RoundStart("", "third", "eruptions of molten rock", "geology", "")
    assert len(player.plan(start).result.hits) == len(course())
    make_store(tmp_path / "store", [*course(), NEW])
    plan = player.plan(start)
    assert plan.fits.shape[-2] == len(plan.result.hits) == len(course()) + 1
    assert first_id(plan.result.hits) == "third:1:1"


def test_a_store_that_is_gone_is_an_error_and_not_an_empty_answer(tmp_path: Path) -> None:
    make_store(tmp_path / "store", course())
    searches = build_orchestrator(open_store(str(tmp_path / "store")), load())
    searches.search(Query("merge"))
    (tmp_path / "store" / "current").unlink()
    with pytest.raises(StoreError, match="no store there"):
        searches.search(Query("quick heap"))


def test_a_search_costs_one_stat(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_store(tmp_path / "store", course())
    searches = build_orchestrator(open_store(str(tmp_path / "store")), load())
    searches.search(Query("merge"))
    asked: list[Path] = []
    stat = Path.stat

    def counted(self: Path, **more: bool) -> object:
        asked.append(self)
        return stat(self, **more)

    monkeypatch.setattr(Path, "stat", counted)
    searches.search(Query("quick heap"))
    assert asked == [tmp_path / "store" / "current"]


@pytest.mark.server
def test_a_change_on_a_server_is_noticed_too(chroma_url: str) -> None:
    def fill(paragraphs: Sequence[Paragraph]) -> ParagraphStore:
        return make_store(chroma_url, paragraphs)

    searches = build_orchestrator(fill(course()), load())
    hint = Query("Volcanoes erupt with lava", keywords="off")
    assert first_id(searches.search(hint).hits) != "third:1:1"
    fill([*course(), NEW])
    assert first_id(searches.search(hint).hits) == "third:1:1"


class Says:
    """A rewriter that says one thing."""

    def __init__(self, text: str) -> None:
        self._text = text

    def rewrite(self, query: Query, hits: Sequence[Hit]) -> str:
        return self._text


def test_what_one_rewriter_led_to_is_not_given_to_another(tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", course())
    weak = replace(load().search, threshold=0.9999, lowered_threshold=0.0)
    settings: Settings = replace(load(), search=weak)
    query = Query("zzz")
    rewritten = [
        build_orchestrator(store, settings, rewriter=Says(text)).search(query)
        for text in ("merge quick", "vertex edge")
    ]
    assert [result.cached for result in rewritten] == [False, False]
    assert build_orchestrator(store, settings).search(query).cached is False
    assert build_orchestrator(store, settings).search(query).cached is True
