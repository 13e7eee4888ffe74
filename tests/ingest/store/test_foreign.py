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
from pathlib import Path
from typing import Any

import pytest

from quarry.configs.places import cache
from quarry.configs.settings import load
from quarry.ingest.embed.embedders import load_sentence_transformer
from quarry.ingest.errors import EmbedderError, StoreError
from quarry.ingest.store import create_store, open_store
from quarry.ingest.store.folder import CHECKSUMS, current_generation
from quarry.player.search.build import store_embedder
from tests.evaluate.fakes import make_store
from tests.fakes import TREES, file_reading, make_reading
from tests.player.fakes import course


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_store(tmp_path / "store", course())
    return tmp_path / "store"


def one_line(error: pytest.ExceptionInfo[Exception]) -> str:
    text = str(error.value)
    assert len(text.splitlines()) == 1
    return text


@pytest.mark.parametrize("named", ["../elsewhere", "", "chroma-x/../../y", "chroma-\x1b[2J"])
def test_a_pointer_out_of_the_store_is_refused(folder: Path, named: str) -> None:
    (folder / "current").write_text(named, encoding="utf-8")
    for opening in (open_store, create_store):
        with pytest.raises(StoreError, match="must name a folder") as raised:
            opening(str(folder))
        assert "\x1b" not in one_line(raised)


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
        load_sentence_transformer("somebody/a-model", may_fetch=True)
    assert asked == [True, False]


@pytest.mark.parametrize(
    ("key", "column", "value"),
    [
        ("page", "int_value", None),
        ("section", "string_value", "[1"),
        ("document", "string_value", "[7]"),
        ("heading", "key", "other"),
        ("sentences", "string_value", "no vectors"),
        ("sentences", "string_value", base64.b64encode(zlib.compress(b"five!")).decode()),
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


def test_a_store_on_a_full_disk_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    shutil.rmtree(cache() / "courses")
    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    store = open_store(str(folder))
    assert (len(store.paragraphs), len(store.vectors)) == (12, 12)


def test_a_generation_that_is_a_link_is_refused(folder: Path, tmp_path: Path) -> None:
    current = current_generation(folder)
    assert current is not None
    shutil.move(current, tmp_path / "elsewhere")
    current.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match=r"must name a folder .* of the store"):
        open_store(str(folder))


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of so many passages that Chroma has written its index."""
    folder = tmp_path_factory.mktemp("indexed") / "store"
    texts = [f"{TREES} This is number {number}." for number in range(300)]
    file_reading(create_store(str(folder)), make_reading("trees", texts))
    return folder


@pytest.mark.parametrize("name", ["*/data_level0.bin", "*/header.bin", "*/link_lists.bin", "*/length.bin", CHECKSUMS])
def test_a_damaged_index_is_refused_before_chroma_opens_it_and_crashes(
    name: str, indexed: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    shutil.copytree(indexed, folder)
    for damaged in folder.glob(f"chroma-*/{name}"):
        content = damaged.read_bytes()
        damaged.write_bytes(content[: len(content) // 2] + b"\xff" * (len(content) // 2))
    with pytest.raises(StoreError, match=r"must hold the index that ingest wrote, it is damaged; ingest anew"):
        open_store(str(folder))
