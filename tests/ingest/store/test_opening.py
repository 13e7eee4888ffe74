from __future__ import annotations

import socket
from pathlib import Path

import pytest

from configs.settings import EmbedSettings
from ingest.errors import IngestError, StoreError, StoreMissingError
from ingest.store import cache, create_store, open_store
from ingest.store.cache import cached
from tests.contracts.store import StoreContract
from tests.fakes import TREES, file_reading, make_reading

EMBED = EmbedSettings(max_tokens=64, threads=1, models_dir="")


class TestFolderStore(StoreContract):
    @pytest.fixture
    def location(self, tmp_path: Path) -> str:
        return str(tmp_path / "store")


@pytest.mark.server
class TestServerStore(StoreContract):
    @pytest.fixture
    def location(self, chroma_url: str) -> str:
        return chroma_url


@pytest.mark.parametrize("name", ["none", "none/deeper", "empty", "file", "file/below"])
def test_opening_a_store_that_is_not_there_says_how_to_make_it_and_makes_nothing(
    name: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("kept")
    location = str(tmp_path / name)
    with pytest.raises(StoreMissingError) as caught:
        open_store(location)
    assert str(caught.value) == (
        f"--store must be a folder made by ingest, got {location}: no store there; "
        f"run: quarry ingest PATH... --store {location}"
    )
    assert isinstance(caught.value, FileNotFoundError)
    assert isinstance(caught.value, IngestError)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["empty", "file"]


def test_folder_with_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work")
    with pytest.raises(
        StoreError,
        match=rf"^--store {tmp_path} holds 'thesis.tex' and no store; name a new folder",
    ):
        create_store(str(tmp_path))
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_store_where_a_file_stands_in_the_way_is_refused_in_one_line(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("kept")

    with pytest.raises(
        StoreError,
        match=rf"^--store {tmp_path}/file cannot be opened: it is a file; name a folder$",
    ):
        create_store(str(tmp_path / "file"))
    with pytest.raises(
        StoreError, match=r"could not be written: .*nothing stored was lost"
    ) as caught:
        file_reading(
            create_store(str(tmp_path / "file" / "below")),
            make_reading("trees", [TREES]),
        )
    assert "\n" not in str(caught.value)
    assert (tmp_path / "file").read_text() == "kept"


def test_store_is_made_with_its_first_document_and_not_before(tmp_path: Path) -> None:
    course = create_store(str(tmp_path / "store")).course
    assert (course.documents, course.paragraphs, course.token) == ((), (), "")
    assert not (tmp_path / "store").exists()


def test_server_that_does_not_answer_is_refused_in_one_line() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        location = f"http://127.0.0.1:{probe.getsockname()[1]}"
    for attempt in (create_store, open_store):
        with pytest.raises(
            StoreError, match=rf"^--store {location} cannot be opened: .*"
        ) as caught:
            attempt(location)
        assert "\n" not in str(caught.value)


def test_what_is_made_of_a_course_is_made_once_and_again_for_other_code_or_after_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    file_reading(create_store(str(tmp_path / "store")), make_reading("trees", [TREES]))
    made: list[str] = []

    def ask(name: str) -> None:
        paragraphs = open_store(str(tmp_path / "store")).paragraphs

        def make() -> tuple[str, object]:
            made.append(name)
            return name, paragraphs

        value, held = cached(paragraphs, name, make)
        assert value == name
        assert held is paragraphs

    for name in ("one", "two", "one", "two"):
        ask(name)
    assert made == ["one", "two"]
    for path in (tmp_path / "cache").rglob("*-*.pickle"):
        path.write_bytes(path.read_bytes()[:20])
    ask("one")
    monkeypatch.setattr(cache, "code_digest", lambda: "changed")
    ask("two")
    assert made == ["one", "two", "one", "two"]
    assert len([*(tmp_path / "cache").rglob("*-*.pickle")]) == 2
    assert cached([], "one", object) is not cached([], "one", object)
