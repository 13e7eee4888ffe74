"""Stores that somebody else made, or that cannot be written: one clear line, or they are searched."""

from __future__ import annotations

import base64
import contextlib
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

from configs.directories import cache
from configs.settings import load
from ingest.command import main
from ingest.embed.embedders import load_sentence_transformer
from ingest.errors import EmbedderError, StoreError
from ingest.store import create_store, open_store
from ingest.store.damage import CHECKSUMS, DATABASE
from ingest.store.folder import current_generation
from player.search.build import store_embedder
from tests.evaluate.fakes import make_store, use_hashing_embedder
from tests.fakes import LOCKS, TREES, file_reading, make_reading
from tests.player.fakes import course


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_store(tmp_path / "store", course())
    return tmp_path / "store"


@pytest.fixture
def database(folder: Path) -> Path:
    """The file of the valid database."""
    current = current_generation(folder)
    assert current is not None
    return current / DATABASE


def one_line(error: pytest.ExceptionInfo[Exception]) -> str:
    text = str(error.value)
    assert len(text.splitlines()) == 1
    return text


@pytest.mark.parametrize(
    "named", ["../elsewhere", "", "chroma-x/../../y", "chroma-\x1b[2J"]
)
def test_a_pointer_out_of_the_store_is_refused(folder: Path, named: str) -> None:
    (folder / "current").write_text(named, encoding="utf-8")
    for opening in (open_store, create_store):
        with pytest.raises(
            StoreError, match=r"current (is empty|names .*, which is no folder chroma-)"
        ) as raised:
            opening(str(folder))
        assert "\x1b" not in one_line(raised)


def test_a_hub_id_that_a_store_names_is_not_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []

    def refuse(spec: str, **options: Any) -> None:
        asked.append(options["local_files_only"])
        raise OSError("not in the cache")

    module = types.SimpleNamespace(
        SentenceTransformer=refuse
    )  # importing the real one takes long
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    make_store(tmp_path / "store", course(), spec="somebody/a-model")
    store = open_store(str(tmp_path / "store"))
    for changes, message in (
        ((), "name it yourself: --set embed.own=somebody/a-model"),
        (("embed.own=somebody/a-model",), "never because a store names it"),
    ):
        with pytest.raises(EmbedderError, match=message) as raised:
            store_embedder(store, load(changes=changes))
        one_line(raised)
    with pytest.raises(EmbedderError):
        load_sentence_transformer("somebody/a-model", may_fetch=True)
    assert asked == [True, False]


def test_a_store_imports_no_code_that_the_user_has_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planted_module.py").write_text(
        "import pathlib\npathlib.Path('ran').touch()\n"
        "from tests.fakes import HashingEmbedder\n"
        "class Embedder(HashingEmbedder):\n    spec = 'planted_module.Embedder'\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    make_store(tmp_path / "store", course(), spec="planted_module.Embedder")
    store = open_store("store")

    with pytest.raises(EmbedderError, match="the store names the embedder") as raised:
        store_embedder(store, load())
    one_line(raised)
    (tmp_path / "more.jsonl").write_text(
        '{"paragraph_id": "p", "book_name": "b", "text": "More."}'
    )
    assert main(["--store", "store", "more.jsonl"]) == 2
    assert not (tmp_path / "ran").exists()
    named = load(changes=("embed.own=planted_module.Embedder",))
    assert store_embedder(store, named).spec == "planted_module.Embedder"
    assert (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("key", "column", "value"),
    [
        ("page", "int_value", None),
        ("document", "string_value", "[7]"),
        (
            "sentences",
            "string_value",
            base64.b64encode(zlib.compress(b"five!")).decode(),
        ),
    ],
)
def test_broken_metadata_is_one_line(
    folder: Path, database: Path, key: str, column: str, value: str | None
) -> None:
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        changed = connection.execute(
            f"UPDATE embedding_metadata SET {column} = ? WHERE key = ?", (value, key)
        ).rowcount
    assert changed
    shutil.rmtree(cache() / "courses")
    with pytest.raises(StoreError) as raised:
        _ = open_store(str(folder)).paragraphs
    one_line(raised)


@pytest.mark.parametrize("damage", [b"", struct.pack("<1000I", *range(1000))])
def test_a_damaged_database_is_one_line(
    folder: Path, database: Path, damage: bytes
) -> None:
    database.write_bytes(damage)
    shutil.rmtree(cache() / "courses")
    with pytest.raises(StoreError) as raised:
        _ = open_store(str(folder)).paragraphs
    one_line(raised)


def test_a_store_on_a_full_or_read_only_disk_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    shutil.rmtree(cache() / "courses")
    store = open_store(str(folder))
    assert len(store.vectors) == len(store.paragraphs)
    assert len(store.sentence_vectors) > 0
    assert {
        path: path.read_bytes() for path in folder.rglob("*") if path.is_file()
    } == before


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of so many passages that Chroma has written its index."""
    folder = tmp_path_factory.mktemp("indexed") / "store"
    texts = [f"{TREES} This is number {number}." for number in range(300)]
    file_reading(create_store(str(folder)), make_reading("trees", texts))
    return folder


@pytest.mark.parametrize(
    "name",
    [
        "*/data_level0.bin",
        "*/length.bin",
        CHECKSUMS,
    ],
)
def test_a_damaged_index_is_refused_before_chroma_opens_it_and_crashes(
    name: str, indexed: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "store"
    shutil.copytree(indexed, folder)
    for damaged in folder.glob(f"chroma-*/{name}"):
        content = damaged.read_bytes()
        damaged.write_bytes(
            content[: len(content) // 2] + b"\xff" * (len(content) // 2)
        )
    with pytest.raises(
        StoreError,
        match=rf"is damaged.*; run: quarry ingest PATH\.\.\. --store {folder}",
    ):
        open_store(str(folder))


def test_files_of_others_beside_a_store_do_not_matter(folder: Path) -> None:
    before = open_store(str(folder)).fingerprint
    for name in (".DS_Store", "notes.txt", "current.new"):
        (folder / name).write_text("theirs")
    store = create_store(str(folder))
    file_reading(store, make_reading("locks", [LOCKS]))
    assert open_store(str(folder)).fingerprint != before
    assert (folder / "notes.txt").read_text() == "theirs"


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_a_pointer_that_is_no_file_is_refused_at_once(
    kind: str, folder: Path, tmp_path: Path
) -> None:
    pointer = folder / "current"
    content = pointer.read_bytes()
    pointer.unlink()
    if kind == "link":
        (tmp_path / "target").write_bytes(content)
        pointer.symlink_to(tmp_path / "target")
    elif kind == "pipe":
        os.mkfifo(pointer)
    else:
        pointer.mkdir()
    with pytest.raises(StoreError, match="current cannot be read") as raised:
        open_store(str(folder))
    one_line(raised)


def test_a_flipped_letter_is_noticed_and_the_next_ingest_builds_the_store_again(
    folder: Path,
    database: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    use_hashing_embedder(monkeypatch)
    before = open_store(str(folder)).paragraphs
    text = before[0].text.encode()
    content = database.read_bytes()
    assert text in content
    database.write_bytes(content.replace(text, text[:-2] + b"!" + text[-1:]))

    more = tmp_path / "more.jsonl"
    more.write_text(f'{{"paragraph_id": "p", "book_name": "b", "text": "{LOCKS}"}}')
    assert main([str(more), "--store", str(folder)]) == 0
    n_kept = len({item.doc_id for item in before})
    assert f"is built again with {n_kept} document" in capsys.readouterr().err
    shutil.rmtree(cache() / "courses")
    after = open_store(str(folder))
    texts = [item.text for item in after.paragraphs if item.doc_id != "b"]
    assert texts == [item.text for item in before]
    assert len(after.vectors) == len(before) + 1


def test_damage_without_a_cache_is_one_line(folder: Path, database: Path) -> None:
    database.unlink()
    shutil.rmtree(cache() / "courses")
    with pytest.raises(StoreError, match=r"is damaged.*; run: quarry ingest") as raised:
        open_store(str(folder))
    one_line(raised)
