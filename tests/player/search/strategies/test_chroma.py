"""The presets `dual` and `known-bots`, which ask Chroma's own index, next to Chroma asked by hand."""

from __future__ import annotations

import shutil
import uuid
import zlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pytest

from configs.settings import load
from ingest.arrays import Float32Array
from ingest.embed.vectors import embed_reading
from ingest.paragraph import Reading
from ingest.store import Course, DocumentUpdate, Store, create_store, open_store
from ingest.store.chroma import Collections, folder_at, server_collections
from ingest.store.folder import current_generation
from player.errors import LateStrategyError
from player.search.build import build_orchestrator
from player.search.orchestrator import SearchOrchestrator
from player.search.types import Query
from tests.fakes import HashingEmbedder, make_reading

WORDS = [
    "heap",
    "tree",
    "graph",
    "lock",
    "cache",
    "page",
    "index",
    "row",
    "key",
    "join",
    "scan",
    "sort",
    "hash",
    "log",
]
HINT = "how a cache of pages and an index are kept"


class NoTies(HashingEmbedder):
    """An embedder to which no two texts are alike."""

    def embed_passages(self, texts: Sequence[str]) -> Float32Array:
        noise = [
            np.random.default_rng(zlib.crc32(text.encode())).normal(0.0, 0.02, self.dim)
            for text in texts
        ]
        vectors = super().embed_passages(texts) + np.array(
            noise, dtype=np.float32
        ).reshape(-1, self.dim)
        unit: Float32Array = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        return unit


def write(store: Store, found: Reading) -> None:
    store.change([DocumentUpdate(found, embed_reading(found, NoTies()), "minilm")])


def reading(doc_id: str, n_paragraphs: int, seed: int) -> Reading:
    """A lecture of random sentences, every second of which is a heading by its kind."""
    random = np.random.default_rng(seed)
    found = make_reading(
        doc_id,
        [f"{doc_id} {' '.join(random.choice(WORDS, 9))}." for _ in range(n_paragraphs)],
    )
    kinds = [
        replace(item, kind="heading" if row % 2 else "prose")
        for row, item in enumerate(found.paragraphs)
    ]
    return replace(found, paragraphs=tuple(kinds))


@pytest.fixture(params=["folder", pytest.param("server", marks=pytest.mark.server)])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Course:
    is_server = request.param == "server"
    location = (
        request.getfixturevalue("chroma_url") if is_server else str(tmp_path / "store")
    )
    made = create_store(location, f"course-{uuid.uuid4().hex[:8]}")
    for seed, (doc_id, n) in enumerate((("trees", 30), ("locks", 25), ("Caches", 4))):
        write(made, reading(doc_id, n, seed))
    return open_store(location, made.collection)


def asked_by_hand(store: Course, n_results: int, **more: Any) -> list[str]:
    """Return the paragraph_ids that plain Chroma finds."""
    vector = NoTies().embed_queries([HINT])

    def ids(client: Any) -> list[str]:
        found = client.get_collection(store.collection, embedding_function=None).query(
            query_embeddings=vector, n_results=n_results, **more
        )
        return [metadata["paragraph_id"] for metadata in found["metadatas"][0]]

    if store.location.startswith("http"):
        return ids(server_collections(store.location, store.collection)._client)
    folder = current_generation(Path(store.location))
    assert folder is not None
    with folder_at(folder) as client:
        return ids(client)


def orchestrator(store: Course, preset: str, *changes: str) -> SearchOrchestrator:
    return build_orchestrator(
        store, load(preset, changes=["search.cache_size=0", *changes]), NoTies()
    )


@pytest.mark.parametrize("book", ["trees", "Caches", "caches.PDF", "", "tree"])
def test_dual_and_known_bots_are_the_queries_of_the_first_record(
    store: Course, book: str
) -> None:
    doc_id = {"trees": "trees", "Caches": "Caches", "caches.PDF": "Caches"}.get(
        book, ""
    )
    filtered = (
        asked_by_hand(store, 15, where={"pdf_name": f"{doc_id}.pdf"}) if doc_id else []
    )
    unfiltered = asked_by_hand(store, 20)
    new = [found for found in unfiltered if found not in filtered][:5]

    hits = orchestrator(store, "dual").search(Query(HINT, book)).hits
    assert [hit.paragraph.paragraph_id for hit in hits] == filtered + new
    assert {hit.strategy for hit in hits} == {"chroma"}

    hits = orchestrator(store, "known-bots").search(Query(HINT, book)).hits
    filtered = (
        asked_by_hand(store, 20, where={"pdf_name": f"{doc_id}.pdf"})
        if doc_id
        else unfiltered
    )
    assert [hit.paragraph.paragraph_id for hit in hits] == filtered


def test_chroma_and_the_exact_scan_find_the_same(store: Course) -> None:
    for preset in ("dual", "known-bots"):
        ours, scan = (
            orchestrator(store, preset, f"search.strategies=[{name}]")
            .search(Query(HINT, "trees"))
            .hits
            for name in ("chroma", "dense")
        )
        assert [hit.paragraph for hit in ours] == [hit.paragraph for hit in scan]
        assert [hit.relevance for hit in ours] == pytest.approx(
            [hit.relevance for hit in scan], abs=1e-5
        )


def test_a_game_has_a_belief_in_every_passage_or_with_dual_in_its_hits(
    store: Course,
) -> None:
    searches = orchestrator(store, "dual")
    whole = searches.candidates(Query(HINT, "trees", k=1_000)).ranking
    assert whole is not None
    assert len(whole.rows) == len(store.paragraphs)
    assert np.isfinite(whole.log_odds).all()

    assert load("dual").game.candidates == 0
    result = searches.candidates(Query(HINT, "trees"))
    assert result.ranking is not None
    ranked = [store.paragraphs[row] for row in result.ranking.rows]
    assert ranked == [hit.paragraph for hit in result.hits]
    assert len(ranked) == len(result.ranking.log_odds) == 20


@pytest.mark.server
def test_records_that_a_broken_ingest_left_are_not_found(chroma_url: str) -> None:
    made = create_store(chroma_url, f"course-{uuid.uuid4().hex[:8]}")
    write(made, reading("trees", 30, 0))
    course = open_store(chroma_url, made.collection)
    before = orchestrator(course, "dual").search(Query(HINT, "trees")).hits
    near = np.repeat(NoTies().embed_queries([HINT]), 60, axis=0)
    left = server_collections(chroma_url, made.collection)
    left.write(
        "",
        [f"trees@left#{row}" for row in range(60)],
        [{"doc_id": "trees"}] * 60,
        near,
        [HINT] * 60,
    )
    assert orchestrator(course, "dual").search(Query(HINT, "trees")).hits == before


def test_a_store_that_fails_is_named_and_keywords_answer(tmp_path: Path) -> None:
    made = create_store(str(tmp_path / "store"))
    write(made, reading("trees", 30, 0))
    searches = orchestrator(open_store(made.location), "dual")
    shutil.rmtree(tmp_path / "store" / made.course.token)
    found = searches.search(Query("a heap and a tree", "trees"))
    assert [failure.strategy for failure in found.failures] == ["chroma"]
    assert "is gone" in found.failures[0].reason
    assert {hit.strategy for hit in found.hits} == {"keyword"}


def test_a_store_that_hangs_is_late(
    store: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    never = Event()
    monkeypatch.setattr(Collections, "nearest", lambda *_: never.wait())
    found = orchestrator(store, "dual", "search.deadline_s=0.5").search(
        Query("a heap and a tree", "trees")
    )
    never.set()
    assert [type(failure) for failure in found.failures] == [LateStrategyError]
