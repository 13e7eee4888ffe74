"""Stores that somebody else made, or that cannot be written: one clear line, or they are searched."""

import base64
import contextlib
import os
import shutil
import sqlite3
import sys
import tempfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from configs.directories import cache
from configs.settings import load
from player.search.build import store_embedder
from quarry.command import main
from quarry.embed.embedders import load_sentence_transformer
from quarry.errors import EmbedderError, StoreError
from quarry.store import create_store, open_store
from quarry.store.damage import CHECKSUMS, DATABASE
from tests.evaluate.fakes import make_store, use_hashing_embedder
from tests.fakes import LOCKS, TREES, each, file_reading, make_reading
from tests.player.fakes import course


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_store(tmp_path / "store", course())
    return tmp_path / "store"


@pytest.fixture
def database(folder: Path) -> Path:
    """The file of the valid database."""
    (path,) = folder.glob(f"*/{DATABASE}")
    return path


def forget() -> None:
    """Empty the cache of opened courses."""
    shutil.rmtree(cache() / "courses")


def refusal(folder: Path, opening: Any = open_store) -> str:
    """Return the one line with which a store is refused."""
    with pytest.raises(StoreError) as raised:
        opening(str(folder))
    (line,) = str(raised.value).splitlines()
    return line


def test_a_pointer_out_of_the_store_or_that_is_no_file_is_refused(
    folder: Path, tmp_path: Path
) -> None:
    pointer, target = folder / "current", tmp_path / "target"
    pointer.rename(target)
    for name in ("../elsewhere", "", "chroma-x/../../y", "chroma-\x1b[2J"):
        pointer.write_text(name, encoding="utf-8")
        fault = "which is no folder chroma-" if name else "current is empty"
        for opening in (open_store, create_store):
            line = refusal(folder, opening)
            assert fault in line
            assert "\x1b" not in line

    for kind in ("link", "pipe", "folder"):
        pointer.unlink()
        if kind == "link":
            pointer.symlink_to(target)
        elif kind == "pipe":
            os.mkfifo(pointer)
        else:
            pointer.mkdir()
        assert "current cannot be read" in refusal(folder)


def test_a_hub_id_that_a_store_names_is_not_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # importing the real one takes long
    module = Mock()
    module.SentenceTransformer.side_effect = OSError("not in the cache")
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    make_store(tmp_path / "store", course(), spec="somebody/a-model")
    store = open_store(f"{tmp_path}/store")
    named = "embed.own=somebody/a-model"
    for changes, message in (
        ([], rf"name it yourself: --set {named}\Z"),
        ([named], r"never because a store names it\); take [^\n]*\Z"),
    ):
        with pytest.raises(EmbedderError, match=message):
            store_embedder(store, load(changes=changes))

    with pytest.raises(EmbedderError):
        load_sentence_transformer("somebody/a-model", may_fetch=True)
    calls = module.SentenceTransformer.call_args_list
    assert [call.kwargs["local_files_only"] for call in calls] == [True, False]


def test_a_store_imports_no_code_that_the_user_has_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "planted_module.py").write_text(
        "import pathlib\npathlib.Path('ran').touch()\n"
        "from tests.fakes import HashingEmbedder\n"
        "def Embedder():\n    return HashingEmbedder('planted_module.Embedder')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    make_store(tmp_path / "store", course(), spec="planted_module.Embedder")
    store = open_store("store")
    with pytest.raises(EmbedderError, match=r"the store names the embedder .*\Z"):
        store_embedder(store, load())

    Path("more.jsonl").write_text(
        '{"paragraph_id": "p", "book_name": "b", "text": "More."}'
    )
    assert main(["ingest", "--store", "store", "more.jsonl"]) == 2
    assert not Path("ran").exists()
    settings = load(changes=["embed.own=planted_module.Embedder"])
    assert store_embedder(store, settings).spec == "planted_module.Embedder"
    assert Path("ran").exists()


FIVE_BYTES = base64.b64encode(zlib.compress(b"five!")).decode()


@pytest.mark.parametrize(
    "change",
    [
        "int_value = NULL WHERE key = 'page'",
        "string_value = '[7]' WHERE key = 'document'",
        f"string_value = '{FIVE_BYTES}' WHERE key = 'sentences'",
    ],
)
def test_broken_metadata_is_one_line(
    folder: Path,
    database: Path,
    change: str,
) -> None:
    with contextlib.closing(sqlite3.connect(database)) as connection, connection:
        statement = f"UPDATE embedding_metadata SET {change}"
        assert connection.execute(statement).rowcount
    forget()
    refusal(folder)


def test_a_damaged_or_missing_database_is_one_line(
    folder: Path, database: Path
) -> None:
    forget()
    for damage in (b"", bytes(range(256)) * 16):
        database.write_bytes(damage)
        refusal(folder)
    database.unlink()
    line = refusal(folder)
    assert "is damaged ([Errno 2]" in line
    assert line.endswith(f"; run: quarry ingest PATH... --store {folder}")


def content_of(paths: Iterable[Path]) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in paths if path.is_file()}


def test_a_store_on_a_full_or_read_only_disk_is_read(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content_of(folder.rglob("*"))

    full = OSError(28, "No space left on device")
    monkeypatch.setattr(tempfile, "TemporaryFile", Mock(side_effect=full))
    forget()
    store = open_store(str(folder))
    assert len(store.vectors) == len(store.paragraphs)
    assert len(store.sentence_vectors) > 0
    assert content_of(folder.rglob("*")) == before


def test_a_damaged_index_is_refused_before_chroma_opens_it_and_crashes(
    tmp_path: Path,
) -> None:
    # of so many passages Chroma writes an index
    texts = [f"{TREES} This is number {number}." for number in range(300)]
    file_reading(create_store(str(tmp_path)), make_reading("trees", texts))
    forget()
    for name in ("*/data_level0.bin", "*/length.bin", CHECKSUMS):
        contents = content_of(tmp_path.glob(f"chroma-*/{name}"))
        assert contents
        for damaged, content in contents.items():
            half = len(content) // 2
            damaged.write_bytes(content[:half] + b"\xff" * half)
        line = refusal(tmp_path)
        assert "is damaged" in line
        assert line.endswith(f"; run: quarry ingest PATH... --store {tmp_path}")
        for damaged, content in contents.items():
            damaged.write_bytes(content)


def test_files_of_others_beside_a_store_do_not_matter(folder: Path) -> None:
    for name in (".DS_Store", "notes.txt", "current.new"):
        (folder / name).write_text("theirs")
    file_reading(create_store(str(folder)), make_reading("locks", [LOCKS]))
    assert LOCKS in each(open_store(str(folder)).paragraphs, "text")
    assert (folder / "notes.txt").read_text() == "theirs"


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
    flipped = text[:-2] + b"!" + text[-1:]
    database.write_bytes(content.replace(text, flipped))

    more = tmp_path / "more.jsonl"
    more.write_text(f'{{"paragraph_id": "p", "book_name": "b", "text": "{LOCKS}"}}')
    assert main(["ingest", str(more), "--store", str(folder)]) == 0
    n_documents = len(set(each(before, "doc_id")))
    notice = f"is built again with {n_documents} document"
    assert notice in capsys.readouterr().err
    forget()
    after = open_store(str(folder))
    texts = each(after.paragraphs, "text")
    assert sorted(texts) == sorted([*each(before, "text"), LOCKS])
    assert len(after.vectors) == len(texts)
