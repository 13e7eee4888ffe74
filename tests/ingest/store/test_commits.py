"""Who may write to a store on a server, and what happens to readers and writers when the server is away."""

from __future__ import annotations

import os
import signal
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from quarry.ingest.errors import StoreError
from quarry.ingest.store import client, commits, course, open_store, store_to_change
from quarry.ingest.store.client import Collections, server_at
from quarry.ingest.store.commits import Generation, latest_generation, leased, publish
from tests.chroma_server import ChromaServer
from tests.fakes import CACHES, LOCKS, TREES, file_reading, make_reading

pytestmark = pytest.mark.server


@pytest.fixture
def collections(chroma_url: str) -> Collections:
    found = Collections(chroma_url, f"course-{uuid.uuid4().hex[:8]}", server_at(chroma_url))
    found.make()
    return found


def test_of_two_generations_of_one_number_the_first_one_counts(collections: Collections) -> None:
    assert latest_generation(collections) == Generation()
    first, second = Generation(1, "first", {"trees": "trees@1"}), Generation(1, "second")
    publish(collections, first)
    with pytest.raises(StoreError, match="another ingest has changed it meanwhile"):
        publish(collections, second)
    assert latest_generation(collections) == first
    publish(collections, Generation(2, "second"))
    assert (latest_generation(collections).token, collections.ids("-commits")) == ("second", ["generation-2"])


def test_a_lease_excludes_others_while_its_holder_shows_signs_of_life(
    collections: Collections, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "BEAT_S", 0.2)
    with leased(collections) as is_held:
        with (
            pytest.raises(StoreError, match="another ingest is at work on it; wait until it ends"),
            leased(collections),
        ):
            pytest.fail("both hold it")
        assert is_held()
    with leased(collections) as is_held:  # free at once
        assert is_held()


def test_a_lease_of_a_dead_writer_expires_and_the_dead_one_knows(
    collections: Collections, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commits, "LEASE_S", 0.5)
    with leased(collections) as is_held, leased(collections) as is_held_now:  # the first shows no sign of life
        assert (is_held(), is_held_now()) == (False, True)
    with leased(collections):
        assert not is_held()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ChromaServer]:
    started = ChromaServer(tmp_path / "server")
    yield started
    started.kill()


def during(monkeypatch: pytest.MonkeyPatch, n_writes: int, action: Callable[[], object]) -> None:
    """Do something before the write of a number."""
    write, left = Collections.write, iter(range(n_writes))

    def interrupted(self: Collections, part: client.Part, *arguments: object, **options: object) -> None:
        if part != "-commits" and next(left, None) is None:
            monkeypatch.setattr(Collections, "write", write)
            action()
        write(self, part, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Collections, "write", interrupted)


def away_for_a_second(server: ChromaServer) -> None:
    server.kill()
    threading.Timer(1.0, server.start).start()


@pytest.mark.parametrize("n_writes", [0, 1])
def test_a_server_killed_in_mid_ingest_and_started_again_has_the_whole_of_it(
    server: ChromaServer, n_writes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with store_to_change(server.url) as store:
        file_reading(store, make_reading("trees", [TREES]))
        during(monkeypatch, n_writes, lambda: away_for_a_second(server))
        file_reading(store, make_reading("caches", [CACHES]))
    assert [item.text for item in open_store(server.url).paragraphs] == [CACHES, TREES]


def test_a_server_that_stays_away_leaves_what_was(server: ChromaServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "ATTEMPTS_S", 0.5)
    with store_to_change(server.url) as store:
        file_reading(store, make_reading("trees", [TREES]))
        during(monkeypatch, 1, server.kill)
        with pytest.raises(StoreError, match=r"could not be written: .*; nothing stored was lost"):
            file_reading(store, make_reading("caches", [CACHES]))
    server.start()
    assert [item.text for item in open_store(server.url).paragraphs] == [TREES]
    monkeypatch.setattr(commits, "LEASE_S", 0.5)
    with store_to_change(server.url) as store:
        file_reading(store, make_reading("locks", [LOCKS]))
        collections = Collections(server.url, "course", server_at(server.url))
        assert len(collections.ids("")) == 2  # what the ingest that broke off had written is gone


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="there is no SIGSTOP here")
def test_readers_of_a_stopped_server_are_told_soon_and_keep_what_they_have(
    server: ChromaServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(course, "CHECK_S", 0.5)
    monkeypatch.setattr(client, "ATTEMPTS_S", 0.5)
    with store_to_change(server.url) as store:
        file_reading(store, make_reading("trees", [TREES]))
    known = open_store(server.url)
    token = known.generation()
    os.kill(server.process.pid, signal.SIGSTOP)
    try:
        started = time.monotonic()
        with pytest.raises(StoreError, match="could not be read"):
            known.generation()
        assert time.monotonic() - started < 5
        assert (len(known.vectors), len(known.sentence_vectors)) == (1, 2)
    finally:
        os.kill(server.process.pid, signal.SIGCONT)
    assert known.generation() == token
