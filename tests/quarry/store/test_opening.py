from pathlib import Path
from unittest.mock import Mock

import pytest

from quarry.errors import StoreError
from quarry.store import cache, create_store, open_store
from quarry.store.cache import cached
from tests.contracts.store import StoreContract
from tests.fakes import TREES, file_reading, make_reading


class TestFolderStore(StoreContract):
    @pytest.fixture
    def location(self, tmp_path: Path) -> str:
        return f"{tmp_path}/store"


@pytest.mark.server
class TestServerStore(StoreContract):
    @pytest.fixture
    def location(self, chroma_url: str) -> str:
        return chroma_url


def test_opening_a_store_that_is_not_there_says_how_to_make_it_and_makes_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").write_text("kept")

    for name in ("none", "none/deeper", "empty", "file", "file/below"):
        option = f"--store {tmp_path}/{name}"
        missing = rf"^{option} holds no store; run: quarry ingest PATH\.\.\. {option}\Z"
        with pytest.raises(FileNotFoundError, match=missing):
            open_store(f"{tmp_path}/{name}")

    course = create_store(f"{tmp_path}/none").course
    assert not course.paragraphs
    assert course.token == ""
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
        with pytest.raises(StoreError, match=rf"^--store {location} {fault}"):
            create_store(str(location))
    below = create_store(str(thesis / "below"))
    lost = r"could not be written: .*nothing stored was lost.*\Z"
    with pytest.raises(StoreError, match=lost):
        file_reading(below, make_reading("trees", [TREES]))
    assert list(tmp_path.iterdir()) == [thesis]
    assert thesis.read_text() == "years of work"


def test_collection_name_that_chroma_would_refuse_is_refused(tmp_path: Path) -> None:
    for name in ("ab", "with space", "ends-"):
        refused = rf"--collection '{name}' is no valid name; take 3 to 202 of "
        with pytest.raises(StoreError, match=refused):
            create_store(str(tmp_path), name)


def test_what_is_made_of_a_course_is_made_once_and_again_for_other_code_or_after_damage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    location, folder = f"{tmp_path}/store", tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    file_reading(create_store(location), make_reading("trees", [TREES]))

    def is_made(name: str) -> bool:
        paragraphs = open_store(location).paragraphs
        make = Mock(return_value=(name, paragraphs))
        value, shared = cached(paragraphs, name, make)
        assert value == name
        assert shared is paragraphs
        return make.called

    assert is_made("one")
    assert is_made("two")
    assert not is_made("one")
    assert not is_made("two")
    for path in folder.rglob("*-*.pickle"):
        path.write_bytes(path.read_bytes()[:20])
    assert is_made("one")
    monkeypatch.setattr(cache, "code_digest", lambda: "changed")
    assert is_made("two")
    assert len([*folder.rglob("*-*.pickle")]) == 2
    assert cached([], "one", object) is not cached([], "one", object)
