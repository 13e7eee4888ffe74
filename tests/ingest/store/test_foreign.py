"""Stores that somebody else made, or that cannot be written: one clear line, or they are searched."""

from __future__ import annotations

import base64
import os
import shutil
import sqlite3
import struct
import sys
import tempfile
import types
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quarry.configs.places import cache
from quarry.configs.settings import load
from quarry.ingest.embed import exports
from quarry.ingest.errors import EmbedderError, StoreError
from quarry.ingest.store import create_store, open_store
from quarry.ingest.store.generations import current_generation
from quarry.player.search.build import store_embedder
from tests.evaluate.fakes import make_store
from tests.player.fakes import course


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_store(tmp_path / "store", course())
    return tmp_path / "store"


def one_line(error: pytest.ExceptionInfo[Exception]) -> str:
    text = str(error.value)
    assert len(text.splitlines()) == 1
    return text


@pytest.mark.parametrize("named", ["../elsewhere", "/etc", "..", "", "chroma-x/../../y", "chroma-\x1b[2J", "models"])
def test_a_pointer_out_of_the_store_is_refused(folder: Path, named: str) -> None:
    (folder / "current").write_text(named, encoding="utf-8")
    for opening in (open_store, create_store):
        with pytest.raises(StoreError, match="must name a folder") as raised:
            opening(str(folder))
        assert "\x1b" not in one_line(raised)


def test_a_pointer_that_is_no_text_is_refused(folder: Path) -> None:
    (folder / "current").write_bytes(b"\xff\xfe")
    with pytest.raises(StoreError, match="must be readable") as raised:
        open_store(str(folder))
    one_line(raised)


def test_a_generation_that_is_a_link_out_of_the_store_is_refused(folder: Path, tmp_path: Path) -> None:
    current = current_generation(folder)
    assert current is not None
    shutil.move(current, tmp_path / "elsewhere")
    current.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="must be in the store, it leads out of it"):
        open_store(str(folder))


@pytest.mark.parametrize("name", ["staged"])
def test_folders_that_are_links_out_of_the_store_are_not_written_through(
    folder: Path, tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("QUARRY_MODELS", raising=False)
    (tmp_path / "elsewhere").mkdir()
    shutil.rmtree(folder / name, ignore_errors=True)
    (folder / name).symlink_to(tmp_path / "elsewhere")
    store = create_store(str(folder))
    reaches: dict[str, Callable[[], object]] = {
        "staged": lambda: store.staging_dir,
    }
    reach = reaches[name]
    with pytest.raises(StoreError, match="must be in the store, it leads out of it"):
        reach()
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_hub_id_that_a_store_names_is_not_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def refuse(spec: str, **options: Any) -> None:
        asked.append(options["local_files_only"])
        raise OSError("not in the cache")

    module = types.SimpleNamespace(SentenceTransformer=refuse)  # importing the real one takes long
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    make_store(tmp_path / "store", course(), spec="somebody/a-model")
    with pytest.raises(EmbedderError, match="never because a store names it") as raised:
        store_embedder(open_store(str(tmp_path / "store")), load())
    one_line(raised)
    with pytest.raises(EmbedderError):
        exports.load_sentence_transformer("somebody/a-model", may_fetch=True)
    assert asked == [True, False]


@pytest.mark.parametrize(
    ("key", "column", "value"),
    [
        ("page", "int_value", None),
        ("opening_sentence", "string_value", None),
        ("section", "string_value", "[1"),
        ("near_identical", "string_value", "{"),
        ("document", "string_value", "[7]"),
        ("passages", "string_value", None),
        ("heading", "key", "other"),
        ("sentences", "string_value", "no vectors"),
        ("sentences", "string_value", base64.b64encode(zlib.compress(b"five!")).decode()),
        ("alias_vectors", "key", "other"),
    ],
)
def test_broken_metadata_is_one_line(folder: Path, key: str, column: str, value: str | None) -> None:
    current = current_generation(folder)
    assert current is not None
    with sqlite3.connect(current / "chroma.sqlite3") as database:
        changed = database.execute(f"UPDATE embedding_metadata SET {column} = ? WHERE key = ?", (value, key)).rowcount
    database.close()
    assert changed
    shutil.rmtree(cache() / "courses")
    with pytest.raises(StoreError) as raised:
        _ = open_store(str(folder)).paragraphs
    one_line(raised)


@pytest.mark.parametrize("damage", [b"", b"not a database" * 300, struct.pack("<1000I", *range(1000))])
def test_a_damaged_database_is_one_line(folder: Path, damage: bytes) -> None:
    current = current_generation(folder)
    assert current is not None
    (current / "chroma.sqlite3").write_bytes(damage)
    shutil.rmtree(cache() / "courses")
    with pytest.raises(StoreError) as raised:
        _ = open_store(str(folder)).paragraphs
    one_line(raised)


def test_a_store_that_cannot_be_written_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    honest = os.access
    monkeypatch.setattr(
        os,
        "access",  # as root, who may write anything, sees it as well
        lambda path, mode: not Path(path).is_relative_to(folder) and honest(path, mode),
    )
    shutil.rmtree(cache() / "courses")
    store = open_store(str(folder))
    assert len(store.vectors) == len(store.paragraphs)
    assert len(store.sentence_vectors) > 0
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before


def test_a_full_disk_does_not_keep_a_store_from_being_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**options: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    shutil.rmtree(cache() / "courses")
    store = open_store(str(folder))
    assert len(store.paragraphs) == 12
    assert len(store.vectors) == 12
