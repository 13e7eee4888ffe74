"""Stores that somebody else made, or that cannot be written: one clear line, or they are searched."""

import errno
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from configs.settings import load
from player.search.stores import store_embedder
from quarry.command import main
from quarry.embed.embedders import load_sentence_transformer
from quarry.errors import (
    EmbedderError,
    StoreChangedError,
    StoreDamagedError,
    StoreError,
)
from quarry.store import ChromaIndex, Course, Store, open_store
from quarry.store import folder as folder_module
from quarry.store.content import HEADER
from quarry.store.folder import CHECKSUMS, CONTENT_FILE, DATABASE
from tests.evaluate.fakes import make_store
from tests.fakes import LOCKS, TREES, each, file_reading, make_reading, refusal
from tests.player.fakes import course


def opened(folder: Path) -> Course:
    return open_store(str(folder))


def texts_of(folder: Path) -> list[str]:
    return each(opened(folder).paragraphs, "text")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    make_store(tmp_path / "store", course())
    return tmp_path / "store"


@pytest.fixture
def content(folder: Path) -> Path:
    """The file of the valid content."""
    return folder / "course.1" / CONTENT_FILE


Ingest = Callable[[], int]


@pytest.fixture
def ingest_locks(folder: Path, tmp_path: Path, hashing_embedder: None) -> Ingest:
    """Ingest LOCKS into the store, and return the exit code of the command."""
    more = tmp_path / "more.jsonl"
    more.write_text(f'{{"paragraph_id": "p", "book_name": "b", "text": "{LOCKS}"}}')
    return lambda: main(["ingest", str(more), "--store", str(folder)])


def damage(folder: Path) -> str:
    """Return the one line with which a store is refused."""
    line = refusal(StoreDamagedError, opened, folder)
    assert line.endswith("; remove it, or ingest its files into another --store")
    return line


def test_a_hub_id_that_a_store_names_is_not_fetched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # importing the real one takes long
    module = Mock()
    module.SentenceTransformer.side_effect = OSError("not in the cache")
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    make_store(tmp_path / "store", course(), spec="somebody/a-model")
    store = opened(tmp_path / "store")
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


def test_a_content_that_is_damaged_or_holds_other_things_is_one_line_and_runs_nothing(
    folder: Path, content: Path
) -> None:
    with np.load(content) as loaded:
        arrays = dict(loaded)
    for other in (b"", b"PK\x03\x04", bytes(range(256)) * 16):
        content.write_bytes(other)
        assert "course.1 is damaged (" in damage(folder)

    class Planted:
        """A value that makes a folder when its pickle is loaded."""

        def __reduce__(self) -> tuple[Any, ...]:
            return os.mkdir, (f"{folder}/ran",)

    vectors = arrays["0/paragraphs"]
    planted = np.array([Planted()], dtype=object)
    for name, array, fault in (
        ("0/paragraphs", vectors * np.nan, "NaN"),
        ("0/paragraphs", vectors[1:], "a paragraph has no vector"),
        ("0/paragraphs", planted, "allow_pickle=False"),
        (HEADER, np.frombuffer(b'{"readings": [1]}', np.uint8), "readings.0"),
    ):
        np.savez(content, **{**arrays, name: array})
        assert fault in damage(folder)
    np.savez_compressed(content, **arrays)
    assert "compressed" in damage(folder)
    assert not (folder / "ran").exists()


def test_a_flipped_bit_is_noticed_wherever_it_matters(
    folder: Path, content: Path
) -> None:
    before = opened(folder)
    whole = content.read_bytes()
    n_noticed = 0

    for place in np.random.default_rng(0).integers(len(whole), size=200).tolist():
        flipped = bytearray(whole)
        flipped[place] ^= 4
        content.write_bytes(flipped)
        try:
            after = opened(folder)
        except StoreError:
            n_noticed += 1
        else:  # in a field of the zip file that nobody reads, such as a date
            assert after.paragraphs == before.paragraphs
            np.testing.assert_array_equal(after.vectors, before.vectors)
    assert n_noticed > 150


def content_of(paths: Iterable[Path]) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in paths if path.is_file()}


def test_a_store_is_read_and_searched_without_a_write(folder: Path) -> None:
    before = content_of(folder.rglob("*"))
    store = opened(folder)
    assert len(ChromaIndex(store).nearest(store.vectors[0], 3)) == 3
    assert len(store.vectors) == len(store.paragraphs)
    assert len(store.alias_vectors) > 0
    assert content_of(folder.rglob("*")) == before


def test_a_damaged_database_is_refused_before_chroma_opens_it_and_crashes(
    tmp_path: Path,
) -> None:
    # of so many paragraphs Chroma writes an index
    texts = [f"tree{n} heap{n} lock{n} cache{n}." for n in range(1_000)]
    file_reading(Store(str(tmp_path)), make_reading("words", texts))
    course = opened(tmp_path)

    for name in ("*/data_level0.bin", "*/length.bin", CHECKSUMS, DATABASE):
        contents = content_of(tmp_path.glob(f"course.1/{name}"))
        assert contents
        for damaged, content in contents.items():
            half = len(content) // 2
            damaged.write_bytes(content[:half] + b"\xff" * half)
        with pytest.raises(StoreError, match=r"course.1 is damaged [^\n]*\Z"):
            ChromaIndex(course).nearest(course.vectors[0], 1)
        assert Store(str(tmp_path)).damage is not None
        for damaged, content in contents.items():
            damaged.write_bytes(content)
    assert ChromaIndex(course).nearest(course.vectors[0], 1)


def test_files_of_others_beside_a_store_do_not_matter(folder: Path) -> None:
    for name in (".DS_Store", "notes.txt", "course.new"):
        (folder / name).write_text("theirs")
    file_reading(Store(str(folder)), make_reading("locks", [LOCKS]))
    assert LOCKS in texts_of(folder)
    assert (folder / "notes.txt").read_text() == "theirs"


def test_a_store_that_cannot_be_read_for_a_moment_is_not_damaged_and_stays(
    folder: Path,
    content: Path,
    tmp_path: Path,
    ingest_locks: Ingest,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = opened(folder).fingerprint

    def require_refused() -> None:
        with pytest.raises(StoreError, match=r"cannot be read: .*; run it again"):
            opened(folder)
        assert ingest_locks() == 2

    numbers = errno.EMFILE, errno.EIO, errno.EACCES, errno.ENOENT
    failures = [OSError(number, os.strerror(number)) for number in numbers]
    for failure in (*failures, MemoryError()):
        with monkeypatch.context() as patch:
            patch.setattr(folder_module, "load_content", Mock(side_effect=failure))
            require_refused()
        assert opened(folder).fingerprint == before

    mount = tmp_path / "mount"
    content.rename(mount)
    content.symlink_to(mount)
    mount.rename(tmp_path / "away")
    require_refused()
    (tmp_path / "away").rename(mount)
    assert opened(folder).fingerprint == before


def test_a_bug_is_no_damage_of_a_store(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("load_content", "check_database"):
        with monkeypatch.context() as patch:
            patch.setattr(folder_module, name, Mock(side_effect=AttributeError))
            with pytest.raises(AttributeError):
                Store(str(folder))


def test_a_generation_that_comes_while_a_damaged_one_is_opened_keeps_its_documents(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Store(str(folder))

    def read_late(*_: object) -> None:
        monkeypatch.undo()
        file_reading(other, make_reading("locks", [LOCKS]))
        raise ValueError("damaged")

    monkeypatch.setattr(folder_module, "check_database", read_late)
    late = Store(str(folder))
    assert late.damage is not None
    with pytest.raises(StoreChangedError):
        file_reading(late, make_reading("trees", [TREES]))
    assert LOCKS in texts_of(folder)


def test_an_ingest_makes_a_damaged_database_again_and_refuses_a_damaged_content(
    folder: Path,
    tmp_path: Path,
    ingest_locks: Ingest,
    capsys: pytest.CaptureFixture[str],
) -> None:
    texts = texts_of(folder)
    # the paragraphs file is new, and then unchanged
    for number, damaged in enumerate((DATABASE, CHECKSUMS), 1):
        (folder / f"course.{number}" / damaged).unlink()
        assert ingest_locks() == 0
        assert "it is made again with its documents" in capsys.readouterr().err
        assert sorted(texts_of(folder)) == sorted([*texts, LOCKS])
        assert Store(str(folder)).damage is None

    content = folder / "course.3" / CONTENT_FILE
    content.write_bytes(content.read_bytes()[:-100])
    assert ingest_locks() == 2
    assert f"{folder}/course.3 is damaged (" in capsys.readouterr().err
    assert "course.4" not in os.listdir(folder)

    content.parent.rename(tmp_path / "removed")
    assert sorted(texts_of(folder)) == sorted([*texts, LOCKS])
