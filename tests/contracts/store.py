"""The promises of a store, which it keeps in a folder and on a server."""

import errno
import os
import uuid
from dataclasses import asdict, replace
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.testing import assert_allclose

from quarry.course.course import Course, EmbedderFit
from quarry.course.paragraph import Alias
from quarry.course.piece import Piece
from quarry.errors import (
    EmbedderMismatchError,
    StoreChangedError,
    StoreDamagedError,
    StoreError,
    StoreMissingError,
)
from quarry.store import (
    ChromaIndex,
    Store,
    StoredDocument,
    current_identity,
    open_store,
)
from quarry.store.generations import DRAFT, Generations
from quarry.store.store import generations_at
from tests.fakes import (
    CACHES,
    HEBREW,
    LOCKS,
    NETWORKS,
    RANKING,
    TREES,
    HashingEmbedder,
    each,
    embedded,
    file_reading,
    make_reading,
    run_python,
)

STEPS = (
    "quarry.store.chroma.write_paragraphs",
    "quarry.store.{}.save_content",
    "quarry.store.{}.{}.rename",
)
"""The steps of a change, with the backend's module and class."""


class StoreContract:
    """Suite that each store passes; a subclass gives the fixture `location`, its class name, and how to damage it."""

    backend: str

    def damage(self, store: Store) -> None:
        """Change a byte of the valid content, behind the back of the program."""
        raise NotImplementedError

    @pytest.fixture
    def store(self, location: str) -> Store:
        return Store(location, f"course-{uuid.uuid4().hex[:8]}")

    # --- what is kept

    def test_what_was_written_is_read_back(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("quarry.store.chroma.PARAGRAPHS_A_REQUEST", 1)
        monkeypatch.setattr("quarry.store.server.PART_BYTES", 999)
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
        with monkeypatch.context() as patch:  # what is written is not read again
            name = f"quarry.store.{self.backend.lower()}.{self.backend}.read"
            patch.setattr(name, pytest.fail)
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
        assert again.rejected == trees.rejected

    def test_the_calibration_is_that_of_the_latest_change(self, store: Store) -> None:
        trees, fit = stored("trees", TREES), EmbedderFit(-1.0, 2.0)
        store.change([trees], embedder_spec="minilm", embedder_fit=fit)
        assert reopen(store).embedder_fit == fit
        store.change([trees])
        assert reopen(store).embedder_fit is None
        store.change([stored("trees")], embedder_fit=fit)
        assert store.course.embedder_fit is None

    def test_tokens_are_filed_with_their_document_and_go_with_it(
        self, store: Store
    ) -> None:
        def check_tokens(*texts: str) -> None:
            vectors = asdict(stored("all", *texts).vectors)
            np.testing.assert_equal(asdict(reopen(store))["tokens"], vectors["tokens"])

        write(store, "caches", CACHES)
        write(store, "trees", TREES, LOCKS)
        check_tokens(CACHES, TREES, LOCKS)
        store.change([], ["trees"])
        check_tokens(CACHES)
        trees = stored("trees", TREES)
        without = replace(trees.vectors, tokens=None)
        store.change([replace(trees, vectors=without)])
        assert reopen(store).tokens is None

    def test_fingerprint_changes_with_paragraphs_names_editions_and_embedder(
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
            replace(more, pieces=(Piece("pypdf:page", "trees", 1, 1, TREES),)),
            replace(more, pieces=(Piece("pypdf:page", "trees", 1, 1, CACHES),)),
            make_reading("copy", [], same_as="trees"),
        ):
            file_reading(store, reading)
            fingerprints.add(store.course.fingerprint)

        by_other_embedder = Store(store.location, f"{store.collection}-e5")
        file_reading(by_other_embedder, trees, "e5")
        fingerprints.add(by_other_embedder.course.fingerprint)
        assert len(fingerprints) == 8

    def test_a_collection_named_like_a_draft_is_not_removed(self, store: Store) -> None:
        like_draft = Store(store.location, f"{store.collection}{DRAFT}x")
        write(like_draft, "caches", CACHES)
        write(store, "trees", TREES)
        write(store, "locks", LOCKS)
        assert texts_of(reopen(like_draft)) == [CACHES]

    def test_vectors_of_another_embedder_are_refused(self, store: Store) -> None:
        store.require_embedder("e5")  # an empty store takes any
        write(store, "trees", TREES)
        refused = (
            r"--embedder is 'e5', but .* was made with 'minilm'; leave --embedder out"
        )
        with pytest.raises(EmbedderMismatchError, match=refused):
            file_reading(store, make_reading("caches", [CACHES]), "e5")
        assert texts_of(reopen(store)) == [TREES]

    def test_a_store_whose_last_paragraph_is_dropped_takes_any_embedder(
        self, store: Store
    ) -> None:
        rejected = make_reading("notes", [], rejected=[("short", "Fig. 1")])
        updates = [stored("trees", TREES), embedded(rejected)]
        store.change(updates, embedder_spec="minilm")
        store.change([], ["trees"])
        caches = make_reading("caches", [CACHES])
        other = HashingEmbedder("e5", dim=16)
        store.change([embedded(caches, other)], embedder_spec="e5")
        assert texts_of(reopen(store)) == [CACHES]

    def test_opening_a_store_without_paragraphs_says_how_to_get_some(
        self, store: Store
    ) -> None:
        command = rf"run: quarry ingest PATH\.\.\. --store {store.location} --collection {store.collection}\Z"
        missing = f"holds no collection '{store.collection}'; {command}"
        with pytest.raises(StoreMissingError, match=missing):
            reopen(store)
        rejected = [("short", "Fig. 1")]
        file_reading(store, make_reading("notes", [], rejected=rejected))
        store.require_embedder("e5")  # it has none without paragraphs
        with pytest.raises(StoreError, match=f"holds no paragraphs; {command}"):
            reopen(store)
        inspected = open_store(store.location, store.collection, all_rejected_ok=True)
        assert each(inspected.rejected, "text") == ["Fig. 1"]

    def test_a_store_of_another_version_is_refused_and_left_alone(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with monkeypatch.context() as patch:
            patch.setattr("quarry.store.content.HEADER", "header-99")
            write(store, "trees", TREES)
        refused = (
            "has store format 99, not 5; remove it, or ingest into another --store"
        )
        for attempt in (Store, open_store):
            with pytest.raises(StoreError, match=refused):
                attempt(store.location, store.collection)

    # --- whole or not at all

    @pytest.mark.parametrize("step", STEPS)
    def test_a_change_that_fails_is_not_seen_and_leaves_nothing_behind(
        self, step: str, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        write(store, "trees", TREES)
        write(store, "other", RANKING)
        before = store.course.fingerprint
        new = [stored("trees", CACHES, LOCKS), stored("more", NETWORKS)]
        fault = (
            rf"^{store.location}: could not be written: OSError: \[Errno 28\] No space left on device; "
            r"nothing stored was lost, run the same command again\Z"
        )
        full = Mock(side_effect=OSError(errno.ENOSPC, "No space left on device"))
        with monkeypatch.context() as patch:
            patch.setattr(step.format(self.backend.lower(), self.backend), full)
            with pytest.raises(StoreError, match=fault):
                store.change(new, dropped=["other"])

        for seen in (store.course, reopen(store)):
            assert texts_of(seen) == [RANKING, TREES]
            assert seen.vectors.shape == (2, 8)
            assert seen.fingerprint == before
        assert not drafts_of(store)
        store.change(new, dropped=["other"])
        assert texts_of(reopen(store)) == [NETWORKS, CACHES, LOCKS]

    @pytest.mark.long
    def test_a_store_killed_at_random_moments_is_whole(self, store: Store) -> None:
        ran = run_python(
            "-m",
            "tests.contracts.kill_writers",
            store.location,
            store.collection,
            os.environ.get("QUARRY_TEST_KILLS", "4"),
        )
        assert (ran.returncode, ran.stderr) == (0, "")
        write(Store(store.location, store.collection), "a", TREES)
        assert not drafts_of(store)

    # --- two at once

    def test_of_two_that_change_what_they_have_both_seen_the_second_is_refused(
        self, store: Store
    ) -> None:
        other = Store(store.location, store.collection)
        write(store, "trees", TREES)
        refused = "another ingest has changed it meanwhile; run this one again"
        with pytest.raises(StoreChangedError, match=refused):
            write(other, "caches", CACHES)
        assert texts_of(reopen(store)) == [TREES]

    @pytest.mark.parametrize("n_meanwhile", range(1, 4))
    def test_a_writer_that_others_overtake_is_refused(
        self, n_meanwhile: int, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """It sleeps after its last look at the store, before it makes its content valid."""
        write(store, "trees", TREES)
        slow = Store(store.location, store.collection)
        backend = type(generations_at(store.location, store.collection))
        rename = backend.rename

        def overtaken(self: Generations, name: str, new: str) -> None:
            monkeypatch.setattr(backend, "rename", rename)
            for number in range(n_meanwhile):
                write(store, f"other-{number}", LOCKS)
            rename(self, name, new)

        monkeypatch.setattr(backend, "rename", overtaken)
        with pytest.raises(StoreChangedError):
            write(slow, "caches", CACHES)
        assert texts_of(reopen(store)) == [*[LOCKS] * n_meanwhile, TREES]
        assert not drafts_of(store)

    # --- readers

    def test_readers_keep_what_they_opened_and_notice_that_it_has_changed(
        self, store: Store
    ) -> None:
        write(store, "trees", TREES, LOCKS)
        before = reopen(store)
        index = ChromaIndex(before)
        late = ChromaIndex(before)
        (vector,) = HashingEmbedder().embed_queries([LOCKS])
        found = index.nearest(vector, 2, "trees")
        assert [*found] == [1, 0]
        assert current_identity(before) == before.identity

        write(store, "caches", CACHES)
        assert current_identity(before) not in (None, before.identity)
        assert late.nearest(vector, 2) == found
        write(store, "trees", RANKING)
        assert texts_of(before) == [TREES, LOCKS]
        assert np.isfinite(before.vectors).all()
        with pytest.raises(StoreError, match="is gone; open it again"):
            ChromaIndex(before).nearest(vector, 1)

    # --- damage

    def test_a_damaged_content_is_refused_in_one_line_and_never_replaced(
        self, store: Store
    ) -> None:
        write(store, "trees", TREES)
        self.damage(store)
        line = r"\.1 is damaged \(.*\); remove it, or ingest its files into [^\n]*\Z"
        for opened in (open_store, Store):
            with pytest.raises(StoreDamagedError, match=line):
                opened(store.location, store.collection)


def drafts_of(store: Store) -> list[str]:
    """Return the drafts of unfinished changes, and check that no other generation is left that nobody needs."""
    identities = generations_at(store.location, store.collection).list_identities()
    ours = sorted(name for name in identities if store.collection in name)
    drafts = [name for name in ours if name.startswith(f"{store.collection}{DRAFT}")]
    numbered = [name for name in ours if name.startswith(f"{store.collection}.")]
    assert len(numbered) - len(drafts) <= 2
    assert len(ours) - len(numbered) in (0, len(numbered))  # contents on a server
    return drafts


def stored(doc_id: str, *texts: str) -> StoredDocument:
    return embedded(make_reading(doc_id, texts))


def write(store: Store, doc_id: str, *texts: str) -> None:
    file_reading(store, make_reading(doc_id, texts))


def reopen(store: Store) -> Course:
    return open_store(store.location, store.collection)


def texts_of(course: Course) -> list[str]:
    return each(course.paragraphs, "text")
