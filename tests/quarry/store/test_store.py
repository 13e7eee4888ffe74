"""Stores in folders: opening, and refusals."""

import re
from pathlib import Path

import pytest

from quarry.errors import StoreError
from quarry.store import Store, open_store
from quarry.store.folder import CONTENT_FILE
from quarry.store.server import Server
from tests.contracts.store import StoreContract
from tests.fakes import TREES, file_reading, make_reading


class TestFolderStore(StoreContract):
    backend = "Folder"

    @pytest.fixture
    def location(self, tmp_path: Path) -> str:
        return f"{tmp_path}/store"

    def damage(self, store: Store) -> None:
        path = Path(store.location, f"{store.collection}.1", CONTENT_FILE)
        content = path.read_bytes()
        row = content.index(b"A search tree")
        path.write_bytes(content[:row] + b"B" + content[row + 1 :])


@pytest.mark.server
class TestServerStore(StoreContract):
    backend = "Server"

    @pytest.fixture
    def location(self, chroma_url: str) -> str:
        return chroma_url

    def damage(self, store: Store) -> None:
        server = Server(store.location, store.collection)
        parts = f"{server._name_of_parts(f'{store.collection}.1')}"
        collection = server._client.get_collection(parts, embedding_function=None)
        collection.update(ids=["0"], metadatas=[{"base64": "AAAA"}])


def test_opening_a_store_that_is_not_there_says_how_to_make_it_and_makes_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("kept")

    for name in ("none", "none/deeper", "empty", "file/below"):
        option = f"--store {tmp_path}/{name}"
        missing = rf"^{option} holds no store; run: quarry ingest PATH\.\.\. {option}\Z"
        with pytest.raises(FileNotFoundError, match=missing):
            open_store(f"{tmp_path}/{name}")
    quoted = f"run: quarry ingest PATH... --store '{tmp_path}/a b'"
    with pytest.raises(StoreError, match=re.escape(quoted)):
        open_store(f"{tmp_path}/a b")

    course = Store(f"{tmp_path}/none").course
    assert not course.paragraphs
    assert course.identity is None
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["empty", "file"]


def test_folder_or_file_of_others_is_refused_in_one_line_and_left_alone(
    tmp_path: Path,
) -> None:
    thesis = tmp_path / "thesis.tex"
    thesis.write_text("years of work")
    for location, fault in (
        (tmp_path, "holds 'thesis.tex' and no store; name a new folder"),
        (thesis, "cannot be opened: it is a file; name a folder$"),
    ):
        for attempt in (Store, open_store):
            with pytest.raises(StoreError, match=rf"^--store {location} {fault}"):
                attempt(str(location))

    below = Store(str(thesis / "below"))
    lost = r"could not be written: .*nothing stored was lost.*\Z"
    with pytest.raises(StoreError, match=lost):
        file_reading(below, make_reading("trees", [TREES]))
    assert list(tmp_path.iterdir()) == [thesis]
    assert thesis.read_text() == "years of work"


def test_collection_name_that_chroma_would_refuse_is_refused(tmp_path: Path) -> None:
    for name in ("ab", "with space", "ends-"):
        refused = rf"--collection '{name}' is no valid name; take 3 to 202 of "
        with pytest.raises(StoreError, match=refused):
            Store(str(tmp_path), name)
