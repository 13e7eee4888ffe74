"""Faults of Chroma servers, as docs/guides/deploy.md lists them, with a real server."""

import contextlib
import gc
import itertools
import re
import socket
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from configs.settings import load, merge_settings
from player.search.build import build_orchestrator
from player.search.results import Query
from quarry.command import main
from quarry.errors import StoreChangedError, StoreError
from quarry.store import chroma, course, create_store, open_store
from quarry.store.chroma import Collections, server_collections
from tests.chroma_server import ChromaServer
from tests.fakes import (
    CACHES,
    LOCKS,
    TREES,
    each,
    file_reading,
    load_hashing_embedder,
    make_reading,
)


@pytest.fixture(autouse=True)
def _embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("quarry.embed.models.load_embedder", load_hashing_embedder)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChromaServer]:
    started = ChromaServer(tmp_path_factory.mktemp("server"))
    yield started
    started.kill()


class RemoteCourse:
    """A course on a server, in a collection of the test's own."""

    def __init__(self, server: ChromaServer) -> None:
        self.server = server
        self.place = server.url, f"course-{uuid.uuid4().hex[:8]}"

    def write(self, doc_id: str, *texts: str) -> None:
        file_reading(create_store(*self.place), make_reading(doc_id, texts))

    def ingest(self, lectures: Path) -> int:
        location, name = self.place
        return main(
            ["ingest", f"{lectures}", f"--store={location}", f"--collection={name}"]
        )

    @property
    def texts(self) -> list[str]:
        return each(open_store(*self.place).paragraphs, "text")

    @property
    def n_passages(self) -> int:
        """How many passages Chroma holds, valid or not."""
        return len(server_collections(*self.place).ids(""))


@pytest.fixture
def remote(server: ChromaServer) -> RemoteCourse:
    return RemoteCourse(server)


@pytest.fixture
def lectures(tmp_path: Path) -> Path:
    """A paragraphs file with two books."""
    path = tmp_path / "course.jsonl"
    row = '{"paragraph_id": "%s", "book_name": "%s", "text": "%s"}\n'
    trees = row % ("t", "trees", TREES)
    caches = row % ("c", "caches", CACHES)
    path.write_text(trees + caches)
    return path


def before_second_write(
    monkeypatch: pytest.MonkeyPatch, action: Callable[[], object]
) -> None:
    """Do something before the second write of passages or documents."""
    write, numbers = Collections.write, itertools.count()

    def interrupted(*arguments: Any, **options: Any) -> None:
        if arguments[1] != "-commits" and next(numbers) == 1:
            action()
        write(*arguments, **options)

    monkeypatch.setattr(Collections, "write", interrupted)


@contextlib.contextmanager
def fault(name: str, server: ChromaServer) -> Iterator[None]:
    """Kill a server, or stop it; our client waits half a second for one that is stopped."""
    client: Any = chroma._server_at(server.url, chroma.ANSWER_S)
    session = client._server._session
    if name == "killed":
        server.kill()
    else:
        server.pause()
        session.timeout = 0.5
    try:
        yield
    finally:
        server.start() if name == "killed" else server.resume()
        session.timeout = chroma.ANSWER_S


@pytest.mark.server
def test_what_a_writer_has_begun_is_not_swept_by_one_that_publishes_before_it(
    remote: RemoteCourse, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote.write("trees", TREES)
    slow = create_store(*remote.place)
    before_second_write(monkeypatch, lambda: remote.write("locks", LOCKS))
    with pytest.raises(StoreChangedError):
        file_reading(slow, make_reading("caches", [CACHES]))
    assert remote.texts == [LOCKS, TREES]
    remote.write("caches", CACHES)
    assert len(remote.texts) == remote.n_passages == 3


faults = pytest.mark.parametrize("name_of_fault", ["killed", "stopped"])


@pytest.mark.server
@faults
def test_a_fault_in_mid_ingest_is_one_line_and_the_same_command_finishes(
    name_of_fault: str,
    remote: RemoteCourse,
    lectures: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    remote.write("locks", LOCKS)
    with monkeypatch.context() as patch, contextlib.ExitStack() as stack:
        patch.setattr(chroma, "PATIENCE_S", 0.5)
        broken = fault(name_of_fault, remote.server)
        before_second_write(patch, lambda: stack.enter_context(broken))
        assert remote.ingest(lectures) == 2
    *_, line = capsys.readouterr().err.splitlines()

    fault_line = (
        f"quarry ingest: {remote.server.url}: could not be written: .*; "
        "nothing stored was lost, run the same command again"
    )
    assert re.fullmatch(fault_line, line)
    assert remote.texts == [LOCKS]
    assert remote.ingest(lectures) == 0
    resumed = "resumed: 3 passages had been embedded before the interruption"
    assert resumed in capsys.readouterr().err
    assert remote.texts == [CACHES, LOCKS, TREES]
    assert remote.n_passages == 3


@pytest.mark.server
def test_a_server_that_is_soon_back_does_not_end_an_ingest(
    remote: RemoteCourse,
    lectures: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    back = threading.Timer(1.0, remote.server.start)

    def fail() -> None:
        remote.server.kill()
        back.start()

    before_second_write(monkeypatch, fail)
    assert remote.ingest(lectures) == 0
    back.join()
    assert remote.texts == [CACHES, TREES]


@pytest.mark.server
@faults
def test_a_fault_in_mid_search_means_the_course_in_memory_and_a_notice(
    name_of_fault: str,
    remote: RemoteCourse,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(course, "CHECK_S", chroma.ANSWER_S)
    monkeypatch.setattr(chroma, "ASK_AGAIN_S", 0.01)
    remote.write("trees", TREES, CACHES)
    unhurried = merge_settings(load(), {"search": {"deadline_s": 120.0}}, "test")
    searches = build_orchestrator(open_store(*remote.place), unhurried)
    hint = Query("keys in order", keywords="off")
    before = searches.search(hint)
    with fault(name_of_fault, remote.server):
        during = searches.search(hint)

    assert during.hits == before.hits != ()
    assert [failure.strategy for failure in during.failures] == ["store"]
    assert "\n" not in str(during.failures[0])
    remote.write("locks", LOCKS)
    deadline = time.monotonic() + 60.0
    while (after := searches.search(hint)).failures and time.monotonic() < deadline:
        time.sleep(0.05)
    assert len(after.hits) == 3
    assert not after.failures


def test_a_server_that_refuses_or_does_not_answer_is_one_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chroma, "GREETING_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for port, fault in (
            (1, "cannot be opened: "),
            (silent.getsockname()[1], "does not answer within 0.2 s"),
        ):
            location = f"http://127.0.0.1:{port}"
            refused = rf"^--store {location} {fault}.*\Z"
            for attempt in (create_store, open_store):
                with pytest.raises(StoreError, match=refused):
                    attempt(location)


@pytest.mark.server
def test_a_frozen_server_is_given_up_soon_and_makes_one_search_wait(
    remote: RemoteCourse,
) -> None:
    remote.write("trees", TREES)
    opened = open_store(*remote.place)
    assert opened.generation() == opened.token
    remote.server.pause()
    try:
        begin = time.monotonic()
        refused = rf"{remote.server.url}.*\Z"
        for _ in range(3):
            with pytest.raises(StoreError, match=refused):
                opened.generation()
        assert time.monotonic() - begin < 1.5 * course.CHECK_S

        begin = time.monotonic()
        with pytest.raises(StoreError, match=refused):
            open_store(*remote.place)
        assert time.monotonic() - begin < 5.0
    finally:
        remote.server.resume()


def test_a_client_that_nobody_uses_any_more_closes_its_connections(
    server: ChromaServer,
) -> None:
    client: Any = chroma._server_at(server.url, 7.0)
    session = client._server._session
    del client
    chroma._server_at.cache_clear()
    gc.collect()
    assert session.is_closed
