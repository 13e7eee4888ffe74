"""The suite that a ParagraphStore passes, whether it lies in a folder or on a server."""

from __future__ import annotations

import functools
import os
import uuid
from dataclasses import replace
from typing import Any

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings as ChromaSettings

from ingest import store as module
from ingest.errors import EmbedderMismatchError, StoreError
from ingest.paragraph import Alias, RejectedParagraph
from ingest.store import ParagraphStore, create_store, open_store
from tests.fakes import (
    CACHES,
    HEBREW,
    LOCKS,
    NETWORKS,
    RANKING,
    TREES,
    HashingEmbedder,
    file_reading,
    full_disk_after,
    make_reading,
)


class StoreContract:
    """What every store does; a subclass gives the fixture `location`."""

    @pytest.fixture
    def location(self) -> str:
        raise NotImplementedError

    @pytest.fixture
    def collection(self) -> str:
        return f"course-{uuid.uuid4().hex[:8]}"

    @pytest.fixture
    def store(self, location: str, collection: str) -> ParagraphStore:
        return create_store(location, collection)

    def test_what_was_written_is_read_back(self, store: ParagraphStore, location: str, collection: str) -> None:
        trees = make_reading("trees", [TREES, HEBREW], rejected=[("short", "Ω ≤ x"), ("code", "a;"), ("short", "b")])
        caches = make_reading("caches", [CACHES], aliases=[Alias("Caches: why?", "title"), Alias("מטמון", "metadata")])
        for reading in (trees, caches):
            file_reading(store, reading)
        again = open_store(location, collection)
        assert again.documents == (caches.document, trees.document)
        assert again.paragraphs == caches.paragraphs + trees.paragraphs
        np.testing.assert_allclose(again.vectors, HashingEmbedder().embed_passages([CACHES, TREES, HEBREW]), atol=1e-7)
        assert again.vectors.dtype == np.float32
        assert again.embedder_spec == "minilm"
        assert list(again.rejected()) == [
            RejectedParagraph("trees", 1, "Ω ≤ x", "short"),
            RejectedParagraph("trees", 1, "a;", "code"),
            RejectedParagraph("trees", 1, "b", "short"),
        ]

    def test_sections_authors_date_and_lecture_number_are_read_back(
        self, store: ParagraphStore, location: str, collection: str
    ) -> None:
        reading = make_reading("trees", [TREES])
        placed = replace(reading.paragraphs[0], heading='AVL, "1962"', section=("עצים", 'AVL, "1962"'))
        known = replace(reading.document, authors=("Ada Byron", "ברוך לוי"), date="2024-10-14", lecture_number=4)
        file_reading(store, replace(reading, document=known, paragraphs=(placed,)))
        file_reading(store, make_reading("caches", [CACHES]))
        again = open_store(location, collection)
        assert again.documents == (make_reading("caches", [CACHES]).document, known)
        assert again.paragraphs[1] == placed

    def test_a_store_sees_what_it_has_just_written(self, store: ParagraphStore) -> None:
        assert texts_of(store) == []
        assert store.vectors.shape == (0, 0)
        file_reading(store, make_reading("trees", [TREES]))
        assert texts_of(store) == [TREES]
        assert store.vectors.shape == (1, 8)

    def test_paragraphs_stand_in_reading_order_and_not_in_that_of_their_ids(self, store: ParagraphStore) -> None:
        texts = [f"{TREES} Number {number}." for number in range(12)]
        file_reading(store, make_reading("trees", texts))
        assert texts_of(store) == texts  # by id, trees:1:10 stands before trees:1:2

    def test_more_records_than_fit_into_a_request_are_written_and_read(
        self, store: ParagraphStore, location: str, collection: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(module, "WRITE_CHUNK", 2)
        monkeypatch.setattr(module, "READ_CHUNK", 3)
        texts = [TREES, CACHES, RANKING, NETWORKS, LOCKS]
        file_reading(store, make_reading("all", texts))
        file_reading(store, make_reading("one", [HEBREW]))  # 6 in all: the last chunk of a read is empty
        again = open_store(location, collection)
        assert texts_of(again) == [*texts, HEBREW]
        expected = HashingEmbedder().embed_passages([*texts, HEBREW])
        np.testing.assert_allclose(again.vectors, expected, atol=1e-7)

    def test_document_written_again_replaces_what_stood_there(
        self, store: ParagraphStore, location: str, collection: str
    ) -> None:
        file_reading(store, make_reading("trees", [TREES, LOCKS, CACHES]))
        file_reading(store, make_reading("other", [RANKING]))
        file_reading(store, make_reading("trees", [NETWORKS]))
        again = open_store(location, collection)
        assert texts_of(again) == [RANKING, NETWORKS]
        assert n_records(store) == 2

    def test_same_document_written_twice_is_there_once(self, store: ParagraphStore) -> None:
        reading = make_reading("trees", [TREES, CACHES])
        file_reading(store, reading)
        before = store.fingerprint
        file_reading(store, reading)
        assert store.paragraphs == reading.paragraphs
        assert store.fingerprint == before
        assert n_records(store) == 2

    @pytest.mark.parametrize("n_written", [0, 1, 2])
    def test_document_whose_writing_broke_off_is_not_seen_and_swept_later(
        self,
        n_written: int,
        store: ParagraphStore,
        location: str,
        collection: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(module, "WRITE_CHUNK", 1)
        old = make_reading("trees", [TREES])
        file_reading(store, old)
        with full_disk_after(n_written), pytest.raises(StoreError) as caught:
            file_reading(store, make_reading("trees", [CACHES, LOCKS]))
        assert str(caught.value) == (
            f"{location}: trees could not be written: [Errno 28] No space left on device; nothing stored was lost"
        )
        again = open_store(location, collection)
        for seen in (store, again):
            assert seen.documents == (old.document,)
            assert seen.paragraphs == old.paragraphs
            assert seen.vectors.shape == (1, 8)
        assert n_records(again) == 1 + n_written
        again.sweep()
        assert n_records(again) == 1
        assert open_store(location, collection).paragraphs == old.paragraphs

    def test_first_document_whose_writing_broke_off_is_swept_too(
        self, store: ParagraphStore, location: str, collection: str
    ) -> None:
        with full_disk_after(1), pytest.raises(StoreError):
            file_reading(store, make_reading("trees", [TREES]))
        again = create_store(location, collection)
        assert (again.documents, again.paragraphs, n_records(again)) == ((), (), 1)
        again.sweep()
        assert n_records(again) == 0

    def test_sweep_leaves_what_is_in_force(self, store: ParagraphStore) -> None:
        store.sweep()
        file_reading(store, make_reading("trees", [TREES, CACHES]))
        file_reading(store, make_reading("other", [RANKING]))
        store.sweep()
        assert len(store.paragraphs) == n_records(store) == 3

    def test_forgotten_document_is_gone_with_its_paragraphs(
        self, store: ParagraphStore, location: str, collection: str
    ) -> None:
        file_reading(store, make_reading("trees", [TREES, CACHES]))
        file_reading(store, make_reading("other", [RANKING]))
        store.forget("trees")
        again = open_store(location, collection)
        for seen in (store, again):
            assert [document.doc_id for document in seen.documents] == ["other"]
            assert texts_of(seen) == [RANKING]
        assert n_records(store) == 1

    def test_twin_has_names_and_no_paragraphs(self, store: ParagraphStore, location: str, collection: str) -> None:
        original = make_reading("trees", [TREES])
        twin = make_reading("copy", [], content=repr([TREES]), same_as="trees")
        assert twin.document.version == original.document.version
        file_reading(store, original)
        file_reading(store, twin)
        again = open_store(location, collection)
        assert again.documents == (twin.document, original.document)
        assert again.paragraphs == original.paragraphs

    def test_fingerprint_is_that_of_the_content_whatever_the_way_to_it(
        self, store: ParagraphStore, location: str, collection: str
    ) -> None:
        trees, caches = make_reading("trees", [TREES]), make_reading("caches", [CACHES])
        for reading in (trees, caches):
            file_reading(store, reading)
        other_way = create_store(location, f"{collection}-b")
        for reading in (caches, make_reading("trees", [LOCKS]), trees):
            file_reading(other_way, reading)
        assert len(store.fingerprint) == 16
        assert int(store.fingerprint, 16) > 0
        assert store.fingerprint == open_store(location, collection).fingerprint == other_way.fingerprint

    def test_fingerprint_changes_with_paragraphs_names_and_embedder(
        self, location: str, collection: str, store: ParagraphStore
    ) -> None:
        fingerprints = [store.fingerprint]
        for reading in (
            make_reading("trees", [TREES]),
            make_reading("trees", [TREES, CACHES]),
            make_reading("trees", [TREES, CACHES], aliases=[Alias("Search trees", "title")]),
            make_reading("copy", [], content=repr([TREES, CACHES])),
            make_reading("copy", [], content=repr([TREES, CACHES]), same_as="trees"),
        ):
            file_reading(store, reading)
            fingerprints.append(store.fingerprint)
        by_other_embedder = create_store(location, f"{collection}-e5")
        file_reading(by_other_embedder, make_reading("trees", [TREES]), "e5")
        fingerprints.append(by_other_embedder.fingerprint)
        assert len(set(fingerprints)) == len(fingerprints) == 7

    def test_vectors_of_another_embedder_are_refused(
        self, store: ParagraphStore, location: str, collection: str
    ) -> None:
        store.require_embedder("e5")  # an empty store takes any
        file_reading(store, make_reading("trees", [TREES]), "minilm")
        again = open_store(location, collection)
        again.require_embedder("minilm")
        with pytest.raises(
            EmbedderMismatchError, match=r"--embedder must be 'minilm', with which .* was made, got 'e5'"
        ):
            again.require_embedder("e5")
        with pytest.raises(EmbedderMismatchError, match="leave --embedder out, or ingest into another --store"):
            file_reading(again, make_reading("caches", [CACHES]), "e5")
        assert texts_of(again) == [TREES]
        assert open_store(location, collection).embedder_spec == "minilm"

    def test_document_of_which_nothing_was_kept_binds_the_store_to_no_embedder(self, store: ParagraphStore) -> None:
        file_reading(store, make_reading("notes", [], rejected=[("short", "a")]), "minilm")
        assert store.embedder_spec == ""
        store.require_embedder("e5")

    def test_opening_a_store_without_paragraphs_says_how_to_get_some(
        self, store: ParagraphStore, location: str, collection: str
    ) -> None:
        with pytest.raises(StoreError, match=rf"'{collection}' must hold paragraphs, got none; run: python -m ingest"):
            open_store(location, collection)
        with pytest.raises(StoreError, match="got none"):
            open_store(location, collection, all_rejected_ok=True)
        file_reading(store, make_reading("notes", [], rejected=[("short", "Fig. 1")]))
        with pytest.raises(StoreError, match="got none"):
            open_store(location, collection)
        inspected = open_store(location, collection, all_rejected_ok=True)
        assert [item.text for item in inspected.rejected()] == ["Fig. 1"]

    def test_collections_do_not_see_each_other(self, store: ParagraphStore, location: str, collection: str) -> None:
        other = create_store(location, f"{collection}-2")
        file_reading(store, make_reading("trees", [TREES]))
        file_reading(other, make_reading("trees", [CACHES]), "e5")
        assert texts_of(open_store(location, collection)) == [TREES]
        assert texts_of(open_store(location, f"{collection}-2")) == [CACHES]

    @pytest.mark.parametrize("metadata", [{"format": 99}, {"made by": "someone else"}, None])
    def test_collection_of_another_format_is_refused_and_left_alone(
        self, metadata: dict[str, Any] | None, location: str, collection: str
    ) -> None:
        foreign = raw_client(location).create_collection(collection, embedding_function=None, metadata=metadata)
        foreign.add(ids=["theirs"], embeddings=[[1.0, 0.0]])
        for attempt in (create_store, open_store) if location.startswith("http") else (create_store,):
            with pytest.raises(StoreError, match=rf"'{collection}' must have store format 1, got .*--collection"):
                attempt(location, collection)
        assert foreign.get()["ids"] == ["theirs"]
        assert raw_client(location).get_collection(collection).metadata == metadata

    @pytest.mark.parametrize("name", ["ab", "with space", "ends-"])
    def test_collection_name_that_chroma_refuses_is_refused_in_one_line(self, name: str, location: str) -> None:
        with pytest.raises(StoreError) as caught:
            create_store(location, name)
        assert str(caught.value).startswith(f"--store {location} cannot be opened: ")
        assert "\n" not in str(caught.value)


def texts_of(store: ParagraphStore) -> list[str]:
    return [paragraph.text for paragraph in store.paragraphs]


@functools.cache
def raw_client(location: str) -> Any:
    """Chroma at a store's location, past our code."""
    options = ChromaSettings(anonymized_telemetry=False)
    if location.startswith("http"):
        host, port = location.removeprefix("http://").split(":")
        return chromadb.HttpClient(host=host, port=int(port), settings=options)
    return chromadb.PersistentClient(os.path.join(location, "chroma"), settings=options)


def n_records(store: ParagraphStore) -> int:
    """How many paragraphs lie in Chroma, in force or not."""
    return int(raw_client(store.location).get_collection(store._name).count())
