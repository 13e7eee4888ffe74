"""The fast replay and the real search find the same hits in the same order, under any settings."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from configs.settings import SearchSettings, Settings, load
from evaluate.games import LabelledGame, match_games
from evaluate.tuning.course import Prepared, RememberingEmbedder, prepare
from evaluate.tuning.fast import search_all
from ingest.store import ParagraphStore
from player.search.build import build_orchestrator
from player.search.types import Query
from tests.evaluate.fakes import labelled_game, make_store
from tests.fakes import HashingEmbedder
from tests.player.fakes import SUBJECTS, course, paragraph

K = 8


def paragraphs() -> list[Any]:
    """The course's twelve, a third book whose first paragraph is a twin of one of theirs, and one of two sentences."""
    found = course()
    twin = paragraph("third:1:1", found[0].text)
    more = [
        paragraph(f"third:{page}:1", f"{name} returns with {own}. Nothing of {name.lower()} is left out. It ends here.")
        for page, (name, own) in enumerate(SUBJECTS, 2)
    ]
    return [*found, twin, *more]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> ParagraphStore:
    return make_store(tmp_path_factory.mktemp("store"), paragraphs())


@pytest.fixture(scope="module")
def games() -> list[LabelledGame]:
    """Hints of several kinds, with names that are exact, loose, unknown and missing."""
    names = ("first", "frist", "second lecture", "third", "", "oceanography", "thrid book", "first")
    hints = (
        "merge quick heap",
        "bucket of collisions",
        "walking along edges",
        "producers waiting",
        "what was used least lately",
        "grammar and tokens of a language",
        "heap",
        "zzz",
    )
    return [
        labelled_game(game_id=f"g{row}", hint=hint, book_name=name, paragraph_id="first:2:1")
        for row, (name, hint) in enumerate(zip(names, hints, strict=True))
    ]


@pytest.fixture(scope="module")
def base() -> Settings:
    settings = load()
    return replace(settings, search=replace(settings.search, cache_size=0, k=K, pdf_k=5, global_k=3, global_pool=K))


@pytest.fixture(scope="module")
def embedder() -> RememberingEmbedder:
    return RememberingEmbedder(HashingEmbedder())


@pytest.fixture(scope="module")
def prepared(
    store: ParagraphStore, games: list[LabelledGame], base: Settings, embedder: RememberingEmbedder
) -> Prepared:
    return prepare(games, match_games(games, store.paragraphs), store, base, embedder, progress=False)


def hundredths(low: float, high: float) -> st.SearchStrategy[float]:
    """Numbers as people and studies set them; a lift of 1e-15 would be lost in the rounding of one of the two."""
    return st.integers(round(100 * low), round(100 * high)).map(lambda number: number / 100)


@st.composite
def search_settings(draw: Any) -> dict[str, Any]:
    pdf_k = draw(st.integers(0, K))
    filter_confidence = draw(hundredths(0.05, 1.0))
    sentence_weight = draw(hundredths(0.0, 1.0))
    threshold = draw(hundredths(0.01, 0.99))
    return {
        "pdf_k": pdf_k,
        "global_k": draw(st.integers(0 if pdf_k else 1, K - pdf_k)),
        "global_pool": draw(st.sampled_from([K, 12, 40])),
        "filter_confidence": filter_confidence,
        "boost_confidence": draw(hundredths(0.0, 1.0)) * filter_confidence,
        "boost": draw(hundredths(0.0, 3.0)),
        "sentence_weight": sentence_weight,
        "sentence_mean_weight": draw(st.sampled_from([0.0, 1.0 - sentence_weight, 0.5 * (1.0 - sentence_weight)])),
        "rule_weight": draw(hundredths(0.0, 4.0)),
        "threshold": threshold,
        "lowered_threshold": draw(hundredths(0.0, 1.0)) * threshold,
        "keywords": draw(st.sampled_from(["rule", "off"])),
        "merge": draw(st.sampled_from(["slots", "relevance"])),
        "cascade": draw(st.booleans()),
    }


@hypothesis_settings(
    derandomize=True, max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(changes=search_settings())
def test_both_find_the_same_hits_in_the_same_order(
    store: ParagraphStore,
    games: list[LabelledGame],
    base: Settings,
    embedder: RememberingEmbedder,
    prepared: Prepared,
    changes: dict[str, Any],
) -> None:
    settings: SearchSettings = replace(base.search, **changes)
    orchestrator = build_orchestrator(store, replace(base, search=settings), embedder)
    found = search_all(prepared, settings)
    for row, game in enumerate(games):
        result = orchestrator.search(Query(game.hint, game.book_name))
        hits = [prepared.ids[column] for column in found.columns[row] if column >= 0]
        assert hits == [hit.paragraph.paragraph_id for hit in result.hits], (game.hint, result.answered_by)
        assert bool(found.relevant[row]) == result.relevant


def test_the_course_has_what_may_go_wrong(prepared: Prepared) -> None:
    assert prepared.twins
    assert len(set(prepared.book.tolist())) > 1
    assert len(set(prepared.confidence.tolist())) > 3


def test_ranks_are_places_from_1_and_0_where_there_is_none(prepared: Prepared, base: Settings) -> None:
    found = search_all(prepared, base.search)
    ranks = found.ranks(prepared.truth)
    for row, rank in enumerate(ranks.tolist()):
        ids = [prepared.ids[column] for column in found.columns[row] if column >= 0]
        assert rank == (ids.index("first:2:1") + 1 if "first:2:1" in ids else 0)


def test_games_may_be_taken_apart(prepared: Prepared, base: Settings) -> None:
    rows = np.array([5, 1])
    part = search_all(prepared.only(rows), base.search)
    assert (part.columns == search_all(prepared, base.search).columns[rows]).all()
