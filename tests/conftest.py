"""Fixtures that all tests share, and the guard that keeps every test off the network."""

import contextlib
import hashlib
import inspect
import ipaddress
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock
from hypothesis import settings as of_hypothesis

from configs.settings import Settings, load
from evaluate.practice.routes import create_server_app, serving
from evaluate.practice.server import PracticeServer
from quarry.embed import bert_graph, exports, four_bits
from quarry.embed.models import export_folder
from quarry.store import Course
from tests.chroma_server import ChromaServer
from tests.evaluate.fakes import (
    Evaluate,
    course_records,
    make_store,
    practice_server,
    run_line,
    write_games,
)
from tests.fakes import use_hashing_embedder
from tests.player.fakes import course

of_hypothesis.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    database=None,
)
of_hypothesis.load_profile("repeatable")


def pytest_configure(config: pytest.Config) -> None:
    """Name the markers, and tell the model libraries to stay off the network before they are imported."""
    config.addinivalue_line(
        "markers", "server: starts a Chroma server on a free loopback port"
    )
    config.addinivalue_line("markers", "long: kills, load, browsers, whole commands")
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["TOKENIZERS_PARALLELISM"] = "false"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests with a browser as long, and run the files of long tests first, from the last name to the first.

    The longest ones, which run whole commands, are in `tests` itself.
    """
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.long)
    long_files = {item.path for item in items if item.get_closest_marker("long")}
    items.sort(key=lambda item: (item.path in long_files, item.path), reverse=True)


@pytest.fixture(autouse=True, scope="session")
def _surroundings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Keep the tests off the network and out of the user's cache folder, and let Ctrl-C end them.

    A test that connects to anything but this machine fails. Commands that a test calls do not handle Ctrl-C, which
    would end the process of the tests.
    """
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6):
            is_local = address[0] == "localhost"
            with contextlib.suppress(ValueError):  # a name
                is_local = ipaddress.ip_address(address[0]).is_loopback
            if not is_local:
                pytest.fail(f"a test must not leave this machine, but calls {address}")
        connect(self, address)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket.socket, "connect", guarded)
        patch.setattr("quarry.interrupts._handled_signals", list)
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture
def hashing_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every embedder is a `HashingEmbedder`, so that no test waits for a model."""
    use_hashing_embedder(monkeypatch)


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Course:
    """The small course; no test changes it."""
    return make_store(tmp_path_factory.mktemp("store"), course())


@pytest.fixture
def evaluate(
    store: Course,
    hashing_embedder: None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Evaluate:
    """Run a command line without a model, in a folder with the small course's `store` and its `games.jsonl`."""
    monkeypatch.chdir(tmp_path)
    Path("store").symlink_to(store.location)
    write_games(Path("games.jsonl"), course_records())
    return run_line


@pytest.fixture(scope="module")
def practice() -> PracticeServer:
    """A practice server with the games of the small course."""
    return practice_server()


@pytest.fixture(scope="module")
def url(practice: PracticeServer) -> Iterator[str]:
    """Where the practice server listens."""
    with serving(create_server_app(practice)) as url:
        yield url


@pytest.fixture
def settings() -> Settings:
    """The default settings."""
    return load()


@pytest.fixture(scope="session")
def models_dir(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folder with minilm exported, made once a session; also in QUARRY_MODELS, for commands and their processes.

    With QUARRY_TEST_MODELS set it is kept there over sessions, under a name that changes with the code that exports.
    """
    cache = os.environ.get("QUARRY_TEST_MODELS")
    if cache:
        digest = hashlib.sha256()
        for module in (exports, bert_graph, four_bits):
            digest.update(inspect.getsource(module).encode())
        folder = Path(cache).resolve() / digest.hexdigest()[:8]
    else:
        folder = tmp_path_factory.mktemp("models")

    minilm = export_folder("minilm", folder)
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / ".lock"):  # the tests run in several processes
        if not (minilm / "model.onnx").is_file():
            exports.export_network("minilm", minilm)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("QUARRY_MODELS", str(folder))
        yield folder


@pytest.fixture(scope="session")
def chroma_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """URL of a Chroma server of our own on a free loopback port; give each test a collection of its own."""
    server = ChromaServer(tmp_path_factory.mktemp("chroma-server"))
    yield server.url
    server.kill()
