"""The suite that a store passes in a folder and on a server."""

from __future__ import annotations

import uuid
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings as ChromaSettings

from ingest.embed.vectors import embed_reading
from ingest.errors import EmbedderMismatchError, StoreError, StoreMissingError
from ingest.paragraph import Alias, Reading, RejectedParagraph
from ingest.store import Course, DocumentUpdate, Store, chroma, create_store, open_store
from ingest.store.folder import current_generation
from tests.fakes import (
    CACHES,
    HEBREW,
    LOCKS,
    NETWORKS,
    RANKING,
    TREES,
    HashingEmbedder,
    each,
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
    def store(self, location: str, collection: str) -> Store:
        return create_store(location, collection)

    def test_what_was_written_is_read_back(
        self, store: Store, location: str, collection: str
    ) -> None:
        trees = make_reading(
            "trees",
            [TREES, HEBREW],
            rejected=[("short", "Ω ≤ x"), ("code", "a;"), ("short", "b")],
        )
        caches = make_reading(
            "caches",
            [CACHES],
            aliases=[Alias("Caches: why?", "title"), Alias("מטמון", "metadata")],
        )
        sections = ("עצים", 'AVL, "1962"')
        placed = replace(trees.paragraphs[0], heading=sections[1], section=sections)
        authors = ("Ada Byron", "ברוך לוי")
        known = replace(
            trees.document,
            authors=authors,
            date="2024-10-14",
            lecture_number=4,
            reader="pdfplumber",
        )
        trees = replace(
            trees, document=known, paragraphs=(placed, *trees.paragraphs[1:])
        )
        for reading in (trees, caches):
            file_reading(store, reading)
        again = open_store(location, collection)
        assert again.documents == (caches.document, trees.document)
        assert again.paragraphs == caches.paragraphs + trees.paragraphs
        np.testing.assert_allclose(
            again.vectors,
            HashingEmbedder().embed_passages([CACHES, TREES, HEBREW]),
            atol=1e-7,
        )
        assert again.vectors.dtype == np.float32
        assert again.embedder_spec == "minilm"
        assert list(again.rejected()) == [
            RejectedParagraph("trees", 1, "Ω ≤ x", "short"),
            RejectedParagraph("trees", 1, "a;", "code"),
            RejectedParagraph("trees", 1, "b", "short"),
        ]

    def test_more_records_than_fit_into_a_request_are_written_and_read(
        self,
        store: Store,
        location: str,
        collection: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(chroma, "CHUNK", 2)
        texts = [TREES, CACHES, RANKING, NETWORKS, LOCKS]
        file_reading(store, make_reading("all", texts))
        file_reading(
            store, make_reading("one", [HEBREW])
        )  # 6 in all: the last chunk of a read is empty
        again = open_store(location, collection)
        assert texts_of(again) == [*texts, HEBREW]
        expected = HashingEmbedder().embed_passages([*texts, HEBREW])
        np.testing.assert_allclose(again.vectors, expected, atol=1e-7)

    @pytest.mark.parametrize("n_written", range(4))
    def test_change_that_broke_off_is_not_seen_and_leaves_nothing_behind(
        self,
        n_written: int,
        store: Store,
        location: str,
        collection: str,
    ) -> None:
        old, kept = make_reading("trees", [TREES]), make_reading("other", [RANKING])
        store.change([update(old), update(kept)])
        before = store.course.fingerprint
        new = [
            update(make_reading("trees", [CACHES, LOCKS])),
            update(make_reading("more", [NETWORKS])),
        ]
        with (
            full_disk_after(n_written),
            pytest.raises(StoreError) as caught,
        ):  # 2 documents, their records, the commit
            store.change(new, dropped=["other"])
        assert str(caught.value) == (
            f"{location}: could not be written: [Errno 28] No space left on device; nothing stored was lost, "
            "run the same command again"
        )
        again = open_store(location, collection)
        for seen in (store.course, again):
            assert seen.documents == (kept.document, old.document)
            assert seen.paragraphs == kept.paragraphs + old.paragraphs
            assert (
                seen.vectors.shape,
                seen.sentence_rows.tolist(),
                len(seen.aliases),
            ) == (
                (2, 8),
                [0, 0, 1, 1],
                2,
            )
            assert seen.fingerprint == before
        create_store(location, collection).change(new, dropped=["other"])
        assert texts_of(open_store(location, collection)) == [NETWORKS, CACHES, LOCKS]
        assert (n_records(store), n_records(store, "-documents")) == (3, 2)

    def test_arrays_are_read_through_the_memory_map_and_made_once(
        self,
        store: Store,
        location: str,
        collection: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        file_reading(store, make_reading("trees", [TREES, LOCKS]))
        before = open_store(location, collection)
        assert isinstance(before.vectors.base, np.memmap)
        monkeypatch.setattr("ingest.store.opening._read", None)
        assert open_store(location, collection).paragraphs == before.paragraphs

    @pytest.mark.parametrize("name", ["course.pickle", "vectors.npy"])
    def test_a_damaged_cache_is_made_anew(
        self, name: str, store: Store, location: str, collection: str
    ) -> None:
        file_reading(store, make_reading("trees", [TREES, LOCKS]))
        (cached_of(store.course) / name).write_bytes(b"torn")
        again = open_store(location, collection)
        assert texts_of(again) == [TREES, LOCKS]
        assert again.vectors.shape == (2, 8)

    def test_arrays_of_an_earlier_generation_stay_with_whom_has_them_open(
        self, store: Store, location: str, collection: str
    ) -> None:
        file_reading(store, make_reading("trees", [TREES]))
        before = open_store(location, collection)
        known = before.generation()
        file_reading(store, make_reading("caches", [CACHES]))
        assert before.generation() not in (None, known)
        assert before.vectors.shape == (1, 8)
        assert np.isfinite(before.vectors).all()
        folder = cached_of(open_store(location, collection))
        assert list(folder.parent.glob(f"{folder.name.partition('-')[0]}-*")) == [
            folder
        ]

    def test_of_two_that_change_what_they_have_both_seen_the_second_is_refused(
        self, store: Store, location: str, collection: str
    ) -> None:
        other = create_store(location, collection)
        file_reading(store, make_reading("trees", [TREES]))
        with pytest.raises(
            StoreError,
            match="another ingest has changed it meanwhile; run this one again",
        ):
            file_reading(other, make_reading("caches", [CACHES]))
        assert texts_of(open_store(location, collection)) == [TREES]

    def test_names_have_vectors_that_are_those_of_queries(
        self, store: Store, location: str, collection: str
    ) -> None:
        names = [Alias("Search trees", "title"), Alias("Trees I", "metadata")]
        store.change(
            [
                update(make_reading("trees", [TREES], aliases=names)),
                update(make_reading("copy", [], same_as="trees")),
            ]
        )
        again = open_store(location, collection)
        assert again.aliases == (
            ("copy", Alias("copy", "stem")),
            ("trees", Alias("trees", "stem")),
            *(("trees", name) for name in names),
        )
        expected = HashingEmbedder().embed_queries(
            ["copy", "trees", "Search trees", "Trees I"]
        )
        np.testing.assert_allclose(again.alias_vectors, expected, atol=1e-6)
        file_reading(store, make_reading("trees", [TREES], aliases=names[1:]))
        _, aliases = zip(*store.course.aliases, strict=True)
        assert each(aliases, "text") == ["copy", "trees", "Trees I"]

    def test_words_are_filed_with_their_document_and_go_with_it(
        self, store: Store, location: str, collection: str
    ) -> None:
        model = HashingEmbedder("minilm")
        trees, caches = (
            make_reading("trees", [TREES, LOCKS]),
            make_reading("caches", [CACHES]),
        )
        updates = []
        for item in (caches, trees):
            updates.append(
                DocumentUpdate(item, embed_reading(item, model, [model]), "minilm")
            )
        store.change(updates)
        again = open_store(location, collection)
        assert again.word_specs == ("minilm",)
        words = again.words("minilm")
        known = [item.vectors.words["minilm"] for item in updates]
        np.testing.assert_array_equal(
            words.tokens.codes, np.concatenate([words.tokens.codes for words in known])
        )
        lengths = np.hstack([np.diff(part.tokens.starts) for part in known])
        np.testing.assert_array_equal(np.diff(words.tokens.starts), lengths)
        np.testing.assert_allclose(
            words.pooled, np.concatenate(each(known, "pooled")), atol=1e-3
        )
        store.change([], ["trees"])
        assert len(open_store(location, collection).words("minilm").pooled) == 1

    def test_fingerprint_changes_with_paragraphs_names_and_embedder(
        self, location: str, collection: str, store: Store
    ) -> None:
        fingerprints = [store.course.fingerprint]
        for reading in (
            make_reading("trees", [TREES]),
            make_reading("trees", [TREES, CACHES]),
            make_reading(
                "trees", [TREES, CACHES], aliases=[Alias("Search trees", "title")]
            ),
            make_reading("copy", [], content=repr([TREES, CACHES])),
            make_reading("copy", [], content=repr([TREES, CACHES]), same_as="trees"),
        ):
            file_reading(store, reading)
            fingerprints.append(store.course.fingerprint)
        by_other_embedder = create_store(location, f"{collection}-e5")
        file_reading(by_other_embedder, make_reading("trees", [TREES]), "e5")
        fingerprints.append(by_other_embedder.course.fingerprint)
        assert len(set(fingerprints)) == len(fingerprints) == 7

    def test_vectors_of_another_embedder_are_refused(
        self, store: Store, location: str, collection: str
    ) -> None:
        store.require_embedder("e5")  # an empty store takes any
        file_reading(store, make_reading("trees", [TREES]), "minilm")
        again = create_store(location, collection)
        again.require_embedder("minilm")
        with pytest.raises(
            EmbedderMismatchError,
            match=r"--embedder must be 'minilm', with which .* was made, got 'e5'",
        ):
            again.require_embedder("e5")
        with pytest.raises(
            EmbedderMismatchError,
            match="leave --embedder out, or ingest into another --store",
        ):
            file_reading(again, make_reading("caches", [CACHES]), "e5")
        assert texts_of(again.course) == [TREES]
        assert open_store(location, collection).embedder_spec == "minilm"

    def test_opening_a_store_without_paragraphs_says_how_to_get_some(
        self, store: Store, location: str, collection: str
    ) -> None:
        for any_ok in (False, True):
            with pytest.raises(
                StoreMissingError, match=r"run: quarry ingest PATH\.\.\. --store"
            ):
                open_store(location, collection, all_rejected_ok=any_ok)
        file_reading(
            store, make_reading("notes", [], rejected=[("short", "Fig. 1")]), "minilm"
        )
        store.require_embedder(
            "e5"
        )  # which a store without paragraphs does not have yet
        with pytest.raises(
            StoreError,
            match=rf"'{collection}' must hold paragraphs, it is empty; run: quarry ingest",
        ):
            open_store(location, collection)
        inspected = open_store(location, collection, all_rejected_ok=True)
        assert each(inspected.rejected(), "text") == ["Fig. 1"]

    @pytest.mark.parametrize(
        "metadata", [{"format": 99}, {"made by": "someone else"}, None]
    )
    def test_collection_of_another_format_is_refused_and_left_alone(
        self,
        metadata: dict[str, Any] | None,
        store: Store,
        location: str,
        collection: str,
    ) -> None:
        file_reading(store, make_reading("trees", [TREES]))
        client = raw_client(location)  # which closes its connections when it goes
        foreign = client.create_collection(
            f"{collection}-x", embedding_function=None, metadata=metadata
        )
        foreign.add(ids=["theirs"], embeddings=[[1.0, 0.0]])
        for attempt in (create_store, open_store):
            with pytest.raises(
                StoreError,
                match=rf"'{collection}-x' must have store format 3, got .*--collection",
            ):
                attempt(location, f"{collection}-x")
        assert foreign.get()["ids"] == ["theirs"]
        assert client.get_collection(f"{collection}-x").metadata == metadata

    @pytest.mark.parametrize("name", ["ab", "with space", "ends-"])
    def test_collection_name_that_chroma_would_refuse_is_refused(
        self, name: str, location: str
    ) -> None:
        with pytest.raises(
            StoreError,
            match=rf"--collection must be 3 to 202 of .*, got '{name}'; take another name",
        ):
            create_store(location, name)


def cached_of(course: Course) -> Path:
    """The folder in the cache that holds a course."""
    mapped = course.vectors.base
    assert isinstance(mapped, np.memmap)
    return Path(str(mapped.filename)).parent


def texts_of(course: Course) -> list[str]:
    return each(course.paragraphs, "text")


def update(reading: Reading, spec: str = "minilm") -> DocumentUpdate:
    """A reading with the vectors of a HashingEmbedder."""
    return DocumentUpdate(reading, embed_reading(reading, HashingEmbedder(spec)), spec)


def raw_client(location: str) -> Any:
    """Chroma at a store's location, past our code."""
    options = ChromaSettings(anonymized_telemetry=False)
    if location.startswith("http"):
        host, port = location.removeprefix("http://").split(":")
        client: Any = chromadb.HttpClient(host=host, port=int(port), settings=options)
        weakref.finalize(client, client._server._session.close)
        return client
    return chromadb.PersistentClient(
        str(current_generation(Path(location))), settings=options
    )


def n_records(store: Store, part: str = "") -> int:
    """How many paragraphs, or other records, lie in Chroma, in force or not."""
    client = raw_client(store.location)
    return int(client.get_collection(f"{store.collection}{part}").count())
