from __future__ import annotations

from pathlib import Path

import pytest

from quarry.ingest.store.folder import CHECKSUMS, current_generation, next_generation


def put(folder: Path, name: str, text: str) -> None:
    with next_generation(folder) as new:
        (new / name).write_text(text)


def held_texts(folder: Path) -> dict[str, str]:
    current = current_generation(folder)
    assert current is not None
    return {path.name: path.read_text() for path in current.iterdir() if path.name != CHECKSUMS}


def test_change_is_made_in_a_copy_and_in_force_when_it_is_whole(tmp_path: Path) -> None:
    put(tmp_path / "store", "a", "1")
    before = current_generation(tmp_path / "store")
    with next_generation(tmp_path / "store") as new:
        (new / "a").write_text("2")
        (new / "b").write_text("3")
        assert current_generation(tmp_path / "store") == before
        assert held_texts(tmp_path / "store") == {"a": "1"}
    assert held_texts(tmp_path / "store") == {"a": "2", "b": "3"}


def test_change_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    put(tmp_path, "a", "1")
    with pytest.raises(IsADirectoryError), next_generation(tmp_path) as new:
        new.write_text("this is a folder")
    assert held_texts(tmp_path) == {"a": "1"}
    assert len(list(tmp_path.glob("chroma-*"))) == 1


def test_copy_of_a_killed_change_is_removed_by_the_next(tmp_path: Path) -> None:
    put(tmp_path, "a", "1")
    (tmp_path / "chroma-torn").mkdir()
    put(tmp_path, "a", "2")
    assert (held_texts(tmp_path), len(list(tmp_path.glob("chroma-*")))) == ({"a": "2"}, 1)
