"""Faults of Chroma servers, as docs/guides/deploy.md lists them, with a real server."""

import contextlib
import gc
import re
import socket
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from configs.settings import load, merge_settings
from player.search.build import build_orchestrator
from player.search.results import Query
from quarry.command import main
from quarry.errors import StoreError
from quarry.store import Store, chroma, open_store
from quarry.store.content import save_content
from tests.chroma_server import ChromaServer
from tests.fakes import (
    CACHES,
    LOCKS,
    TREES,
    each,
    file_reading,
    make_reading,
)

pytestmark = pytest.mark.usefixtures("hashing_embedder")


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
        file_reading(Store(*self.place), make_reading(doc_id, texts))

    def ingest(self, lectures: Path) -> int:
        location, name = self.place
        return main(
            ["ingest", f"{lectures}", f"--store={location}", f"--collection={name}"]
        )

    @property
    def texts(self) -> list[str]:
        return each(open_store(*self.place).paragraphs, "text")


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


@contextlib.contextmanager
def fault(name: str, server: ChromaServer) -> Iterator[None]:
    """Kill a server, or stop it; our client waits half a second for one that is stopped."""
    client: Any = chroma.server_at(server.url)
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


faults = pytest.mark.parametrize("name_of_fault", ["killed", "stopped"])


@pytest.mark.long
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
        broken = fault(name_of_fault, remote.server)

        def save_after_fault(*arguments: Any) -> None:
            stack.enter_context(broken)
            save_content(*arguments)

        patch.setattr("quarry.store.server.save_content", save_after_fault)
        assert remote.ingest(lectures) == 2
    *_, line = capsys.readouterr().err.splitlines()

    fault_line = (
        f"quarry ingest: {remote.server.url}: could not be written: .*; "
        "nothing stored was lost, run the same command again"
    )
    assert re.fullmatch(fault_line, line)
    assert remote.texts == [LOCKS]
    assert remote.ingest(lectures) == 0
    resumed = "resumed: 2 paragraphs had been embedded before the interruption"
    assert resumed in capsys.readouterr().err
    assert remote.texts == [CACHES, LOCKS, TREES]


@pytest.mark.long
@pytest.mark.server
@faults
def test_a_fault_in_mid_search_means_the_course_in_memory_and_a_notice(
    name_of_fault: str,
    remote: RemoteCourse,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
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
        for host, fault in (
            ("127.0.0.1:port", "cannot be opened: it is not an address "),
            ("a..b", "cannot be opened: it is not an address "),
            ("xn--a", "cannot be opened: it is not an address "),
            ("127.0.0.1:1", "cannot be opened: "),
            (f"127.0.0.1:{silent.getsockname()[1]}", "does not answer within 0.2 s"),
        ):
            location = f"http://{host}"
            refused = rf"^--store {location} {fault}.*\Z"
            for attempt in (Store, open_store, chroma.server_at):
                with pytest.raises(StoreError, match=refused):
                    attempt(location)


def test_a_client_that_nobody_uses_any_more_closes_its_connections(
    server: ChromaServer,
) -> None:
    client: Any = chroma.server_at(server.url)
    session = client._server._session
    del client
    chroma.server_at.cache_clear()
    gc.collect()
    assert session.is_closed


def test_the_host_may_be_an_ipv6_address(monkeypatch: pytest.MonkeyPatch) -> None:
    client = Mock()
    monkeypatch.setattr("httpx.get", Mock())
    monkeypatch.setattr("chromadb.HttpClient", client)
    chroma.server_at.__wrapped__("http://[::1]:8000")
    assert client.call_args.kwargs == {"host": "[::1]", "port": 8000, "ssl": False}
