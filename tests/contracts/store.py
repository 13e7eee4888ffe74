"""The suite that a store passes in a folder and on a server."""

import uuid
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from quarry.course.paragraph import Alias, Reading
from quarry.embed.vectors import embed_reading
from quarry.errors import EmbedderMismatchError, StoreError, StoreMissingError
from quarry.store import Course, DocumentUpdate, Store, chroma, create_store, open_store
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
    def store(self, location: str) -> Store:
        return create_store(location, f"course-{uuid.uuid4().hex[:8]}")

    def test_what_was_written_is_read_back_in_several_requests(
        self,
        store: Store,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(chroma, "CHUNK", 1)
        names = [Alias("Search trees", "title"), Alias("עצים", "metadata")]
        rejected = [("short", "Ω ≤ x"), ("code", "a;")]
        trees = make_reading("trees", [TREES, HEBREW], rejected=rejected, aliases=names)
        document = replace(
            trees.document,
            authors=("Ada Byron", "ברוך לוי"),
            date="2024-10-14",
            lecture_number=4,
            reader="pdfplumber",
        )
        first, second = trees.paragraphs
        section = ("עצים", 'AVL, "1962"')
        first = replace(first, heading=section[1], section=section)
        trees = replace(trees, document=document, paragraphs=(first, second))
        caches = make_reading("caches", [CACHES])
        copy = make_reading("copy", [], same_as="trees")
        for reading in (trees, caches, copy):
            file_reading(store, reading)

        again = reopen(store)
        assert again.documents == (caches.document, copy.document, document)
        assert again.paragraphs == (*caches.paragraphs, first, second)
        assert again.embedder_spec == "minilm"
        embedder = HashingEmbedder()
        expected = embedder.embed_passages([CACHES, TREES, HEBREW])
        assert_allclose(again.vectors, expected, atol=1e-7)
        assert again.vectors.dtype == np.float32
        doc_ids, aliases = zip(*again.aliases, strict=True)
        assert doc_ids == ("caches", "copy", *["trees"] * 3)
        assert aliases[2:] == document.aliases
        expected = embedder.embed_queries(each(aliases, "text"))
        assert_allclose(again.alias_vectors, expected, atol=1e-6)
        assert tuple(again.rejected()) == trees.rejected

    @pytest.mark.parametrize("n_written", range(4))
    def test_change_that_broke_off_is_not_seen_and_leaves_nothing_behind(
        self,
        n_written: int,
        store: Store,
    ) -> None:
        """The writes are two documents, their records, and the commit."""
        first = make_reading("trees", [TREES])
        other = make_reading("other", [RANKING])
        store.change([update(first), update(other)])
        before = store.course.fingerprint
        new = [
            update(make_reading("trees", [CACHES, LOCKS])),
            update(make_reading("more", [NETWORKS])),
        ]
        fault = (
            rf"^{store.location}: could not be written: OSError: \[Errno 28\] No space left on device; "
            r"nothing stored was lost, run the same command again\Z"
        )
        with full_disk_after(n_written), pytest.raises(StoreError, match=fault):
            store.change(new, dropped=["other"])

        for seen in (store.course, reopen(store)):
            assert seen.documents == (other.document, first.document)
            assert texts_of(seen) == [RANKING, TREES]
            assert seen.vectors.shape == (2, 8)
            assert seen.fingerprint == before
        create_store(store.location, store.collection).change(new, dropped=["other"])
        assert texts_of(reopen(store)) == [NETWORKS, CACHES, LOCKS]
        with records_of(store) as records:
            assert len(records.ids("")) == 3
            assert len(records.ids("-documents")) == 2

    def test_arrays_are_mapped_from_the_cache_which_is_made_once_and_again_after_damage(
        self,
        store: Store,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        write(store, "trees", TREES, LOCKS)
        for name in ("course.pickle", "vectors.npy"):
            (cached_of(store.course) / name).write_bytes(b"torn")
            before = reopen(store)
            assert texts_of(before) == [TREES, LOCKS]
            assert before.vectors.shape == (2, 8)
        monkeypatch.setattr("quarry.store.opening._content_of", None)
        assert reopen(store).paragraphs == before.paragraphs

    def test_arrays_of_an_earlier_generation_stay_with_whom_has_them_open(
        self, store: Store
    ) -> None:
        write(store, "trees", TREES)
        before = reopen(store)
        generation = before.generation()
        write(store, "caches", CACHES)
        assert before.generation() not in (None, generation)
        assert before.vectors.shape == (1, 8)
        assert np.isfinite(before.vectors).all()
        folder = cached_of(reopen(store))
        course = folder.name.partition("-")[0]
        assert list(folder.parent.glob(f"{course}-*")) == [folder]

    def test_of_two_that_change_what_they_have_both_seen_the_second_is_refused(
        self, store: Store
    ) -> None:
        other = create_store(store.location, store.collection)
        write(store, "trees", TREES)
        refused = "another ingest has changed it meanwhile; run this one again"
        with pytest.raises(StoreError, match=refused):
            write(other, "caches", CACHES)
        assert texts_of(reopen(store)) == [TREES]

    def test_tokens_are_filed_with_their_document_and_go_with_it(
        self, store: Store
    ) -> None:
        caches = make_reading("caches", [CACHES])
        trees = make_reading("trees", [TREES, LOCKS])
        store.change([update(caches), update(trees)])

        again = reopen(store)
        both = update(make_reading("both", [CACHES, TREES, LOCKS]))
        expected = both.vectors.tokens
        assert again.tokens is not None
        assert expected is not None
        np.testing.assert_equal(asdict(again.tokens), asdict(expected))
        store.change([], ["trees"])
        tokens = reopen(store).tokens
        assert tokens is not None
        assert len(tokens.starts) == 2

    def test_fingerprint_changes_with_paragraphs_names_and_embedder(
        self, store: Store
    ) -> None:
        trees = make_reading("trees", [TREES])
        more = make_reading("trees", [TREES, CACHES])
        named = replace(more.document, aliases=(Alias("Search trees", "title"),))
        fingerprints = {store.course.fingerprint}
        for reading in (
            trees,
            more,
            replace(more, document=named),
            make_reading("copy", [], same_as="trees"),
        ):
            file_reading(store, reading)
            fingerprints.add(store.course.fingerprint)

        by_other_embedder = create_store(store.location, f"{store.collection}-e5")
        file_reading(by_other_embedder, trees, "e5")
        fingerprints.add(by_other_embedder.course.fingerprint)
        assert len(fingerprints) == 6

    def test_vectors_of_another_embedder_are_refused(self, store: Store) -> None:
        store.require_embedder("e5")  # an empty store takes any
        file_reading(store, make_reading("trees", [TREES]), "minilm")
        again = create_store(store.location, store.collection)
        again.require_embedder("minilm")
        refused = (
            r"--embedder is 'e5', but .* was made with 'minilm'; leave --embedder out"
        )
        with pytest.raises(EmbedderMismatchError, match=refused):
            again.require_embedder("e5")
        with pytest.raises(EmbedderMismatchError, match=refused):
            file_reading(again, make_reading("caches", [CACHES]), "e5")
        assert texts_of(reopen(store)) == [TREES]

    def test_opening_a_store_without_paragraphs_says_how_to_get_some(
        self, store: Store
    ) -> None:
        command = r"run: quarry ingest PATH\.\.\. --store"
        with pytest.raises(StoreMissingError, match=command):
            reopen(store)
        rejected = [("short", "Fig. 1")]
        file_reading(store, make_reading("notes", [], rejected=rejected))
        store.require_embedder("e5")  # it has none without paragraphs
        empty = rf"'{store.collection}' is empty; {command}"
        with pytest.raises(StoreError, match=empty):
            reopen(store)
        inspected = open_store(store.location, store.collection, all_rejected_ok=True)
        assert each(inspected.rejected(), "text") == ["Fig. 1"]

    def test_collection_of_another_format_is_refused_and_left_alone(
        self, store: Store
    ) -> None:
        write(store, "trees", TREES)
        for version in (99, None):
            name = f"{store.collection}-{version}"
            metadata = {"format": version} if version else None
            with records_of(store) as records:
                client: Any = records._client
                foreign = client.create_collection(
                    name, embedding_function=None, metadata=metadata
                )
                foreign.add(ids=["theirs"], embeddings=[[1.0, 0.0]])

                refused = rf"'{name}' has store format .*, not 4; .*--collection"
                for attempt in (create_store, open_store):
                    with pytest.raises(StoreError, match=refused):
                        attempt(store.location, name)
                assert foreign.get()["ids"] == ["theirs"]


def write(store: Store, doc_id: str, *texts: str) -> None:
    file_reading(store, make_reading(doc_id, texts))


def reopen(store: Store) -> Course:
    return open_store(store.location, store.collection)


def cached_of(course: Course) -> Path:
    """The folder in the cache that holds a course."""
    mapped = course.vectors.base
    assert isinstance(mapped, np.memmap)
    return Path(str(mapped.filename)).parent


def texts_of(course: Course) -> list[str]:
    return each(course.paragraphs, "text")


def update(reading: Reading) -> DocumentUpdate:
    """A reading with the vectors of a HashingEmbedder, and those of its tokens."""
    vectors = embed_reading(reading, HashingEmbedder())
    return DocumentUpdate(reading, vectors, "minilm")


def records_of(store: Store) -> AbstractContextManager[chroma.Collections]:
    """All records that Chroma holds of a course, valid or not."""
    token = reopen(store).token
    return chroma.collections_of(store.location, store.collection, token)
