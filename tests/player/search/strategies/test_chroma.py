"""The presets `dual` and `known-bots`, which ask Chroma's own index, next to Chroma asked by hand."""

import uuid
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from configs.settings import load
from player.player import Player
from player.round import RoundStart
from player.search.build import build_orchestrator, index_of
from player.search.rank import FARTHEST
from player.search.results import Query, SearchResult
from quarry.addresses import is_url
from quarry.arrays import Float32Array
from quarry.store import Course
from quarry.store.folder import DATABASE
from quarry.store.store import generations_at
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import make_store
from tests.fakes import HashingEmbedder, each
from tests.player.fakes import ids_of

WORDS = "heap tree graph lock cache page index row key join scan sort hash log"
HINT = "how a cache of pages and an index are kept"
IN_TREES = Query(HINT, "trees")


class NoTies(HashingEmbedder):
    """An embedder to which no two texts are alike."""

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        vectors = super().embed_passages(texts)
        for vector, text in zip(vectors, texts, strict=True):
            seed = zlib.crc32(text.encode())
            vector += np.random.default_rng(seed).normal(0.0, 0.02, self.dim)
            vector /= np.linalg.norm(vector)
        return vectors


def made(location: str, **n_paragraphs: int) -> Course:
    """A course of lectures of random sentences, every second of which is a heading by its kind."""
    paragraphs = []
    for seed, (doc_id, n) in enumerate(n_paragraphs.items()):
        random = np.random.default_rng(seed)
        sentences = random.choice(WORDS.split(), (n, 9))
        for row, words in enumerate(sentences):
            item = paragraph(f"{doc_id}:1:{row}", f"{doc_id} {' '.join(words)}.")
            paragraphs.append(replace(item, kind="heading" if row % 2 else "prose"))
    collection = f"course-{uuid.uuid4().hex[:8]}"
    return make_store(location, paragraphs, NoTies(), collection=collection)


@pytest.fixture(
    scope="module",
    params=["folder", pytest.param("server", marks=pytest.mark.server)],
)
def store(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Course:
    location = str(tmp_path_factory.mktemp("store"))
    if request.param == "server":
        location = request.getfixturevalue("chroma_url")
    return made(location, trees=30, locks=25, Caches=4)


def asked_by_hand(store: Course, doc_id: str = "") -> list[str]:
    """Return the 20 paragraph_ids that plain Chroma finds, in the course or in a document."""
    asked: dict[str, Any] = {
        "query_embeddings": NoTies().embed_queries([HINT]),
        "n_results": 20,
        "where": {"pdf_name": f"{doc_id}.pdf"} if doc_id else None,
    }

    generations = generations_at(store.location, store.collection)
    with generations.open_collection(store.generation) as paragraphs:
        metadatas = paragraphs.query(**asked)["metadatas"]
        assert metadatas is not None
        return each(metadatas[0], "paragraph_id")


def searched(store: Course, preset: str, query: Query, *changes: str) -> SearchResult:
    settings = load(preset, changes=["search.cache_size=0", *changes])
    return build_orchestrator(store, settings, NoTies()).search(query)


def test_dual_and_known_bots_are_the_queries_of_the_first_record(store: Course) -> None:
    """15 filtered by exact stem, then the first 5 of 20 unfiltered that are new; no spill-over."""
    for book_name, doc_id in {
        " trees ": "trees",
        "Caches": "Caches",
        "caches.PDF": "Caches",
        "": "",
        "tree": "",
    }.items():
        query = Query(HINT, book_name)
        filtered = asked_by_hand(store, doc_id)
        assert ids_of(searched(store, "known-bots", query).hits) == filtered

        filtered = filtered[:15] if doc_id else []
        unfiltered = asked_by_hand(store)
        new = [found for found in unfiltered if found not in filtered][:5]
        hits = searched(store, "dual", query).hits
        assert ids_of(hits) == filtered + new
        assert each(hits, "slot") == ["book"] * len(filtered) + ["global"] * len(new)
        assert {*each(hits, "strategy")} == {"chroma"}


def test_a_hit_of_chroma_has_the_relevance_of_the_exact_scan(store: Course) -> None:
    scan = searched(store, "known-bots", IN_TREES, "search.strategies=[dense]").hits
    expected = dict(zip(ids_of(scan), each(scan, "relevance"), strict=True))
    hits = searched(store, "known-bots", IN_TREES).hits
    relevance = dict(zip(ids_of(hits), each(hits, "relevance"), strict=True))
    same = expected.keys() & relevance.keys()
    # the index of a server is approximate, and rarely misses one
    assert len(same) >= len(scan) - is_url(store.location)
    for paragraph_id in same:
        approx = pytest.approx(expected[paragraph_id], abs=1e-5)
        assert relevance[paragraph_id] == approx


def test_a_game_has_a_belief_in_every_paragraph_or_with_dual_in_its_hits(
    store: Course,
) -> None:
    settings = load("dual")
    assert settings.game.candidates == 0
    searches = build_orchestrator(store, settings, NoTies())
    whole = searches.rank_course(IN_TREES).course_order
    assert whole is not None
    assert len(whole.rows) == len(store.paragraphs)
    assert np.isfinite(whole.log_odds).all()

    start = RoundStart("", IN_TREES.book_name, IN_TREES.hint)
    result = Player(searches, settings.game).search(start)
    ranking = result.course_order
    assert ranking is not None
    ranked = [store.paragraphs[row] for row in ranking.rows]
    assert ranked == each(result.hits, "paragraph")
    assert len(ranked) == len(ranking.log_odds) == 20


def test_chroma_is_asked_for_all_candidates_of_a_game(store: Course) -> None:
    settings = load("known-bots", None, ["game.candidates=40"])
    player = Player(build_orchestrator(store, settings, NoTies()), settings.game)
    result = player.search(RoundStart("", "", HINT))
    assert result.course_order is not None
    assert len(result.hits) == 20
    assert (result.course_order.log_odds > -FARTHEST).sum() == 40


def test_any_split_of_twenty_slots_shows_fusion_the_same_paragraphs(
    store: Course,
) -> None:
    n_found = []
    for pdf_k, global_k in ((1, 2), (15, 5), (30, 10)):
        changes = [f"search.pdf_k={pdf_k}", f"search.global_k={global_k}"]
        index = index_of(store, load("dual", None, changes), NoTies())
        scored = index.strategies["chroma"].score(Query(HINT, keywords="off"))
        n_found.append(np.isfinite(scored.log_odds).sum())
    few, usual, many = n_found
    assert few == usual < many


def test_a_store_that_fails_is_named_and_keywords_answer(tmp_path: Path) -> None:
    course = made(str(tmp_path), trees=30)
    (tmp_path / f"{course.collection}.{course.generation}" / DATABASE).unlink()
    result = searched(course, "dual", Query("a heap and a tree", "trees"))
    (failure,) = result.failures
    assert failure.strategy == "chroma"
    assert "is damaged" in failure.reason
    assert {*each(result.hits, "strategy")} == {"keyword"}
