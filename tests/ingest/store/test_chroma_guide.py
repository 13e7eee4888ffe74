"""docs/guides/chroma.md: a store is opened with plain chromadb and sentence-transformers, and gives the same ids."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import chromadb
import numpy as np
import pytest
import sentence_transformers
from chromadb.config import Settings as ChromaSettings

from configs.directories import cache
from configs.settings import EmbedSettings
from ingest.embed.exports import minilm_folder
from ingest.embed.models import load_embedder
from ingest.embed.vectors import embed_reading
from ingest.store import DocumentUpdate, create_store, open_store
from ingest.store.folder import current_generation
from tests.fakes import (
    CACHES,
    LOCKS,
    NETWORKS,
    RANKING,
    TREES,
    file_reading,
    make_reading,
)

GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "chroma.md"


def test_the_code_of_the_guide_finds_what_our_vectors_find(
    tmp_path: Path, models_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embedder = load_embedder(
        "minilm", models_dir, EmbedSettings(max_tokens=256, threads=1, models_dir="")
    )
    readings = [
        make_reading("trees", [TREES, CACHES, LOCKS]),
        make_reading("learning", [NETWORKS, RANKING]),
    ]
    store = create_store(str(tmp_path / "data" / "store"))
    store.change(
        [
            DocumentUpdate(reading, embed_reading(reading, embedder), "minilm")
            for reading in readings
        ]
    )
    monkeypatch.chdir(tmp_path)
    asked: list[str] = []
    published = sentence_transformers.SentenceTransformer

    def local(name: str) -> object:
        asked.append(name)
        return published(str(minilm_folder()), device="cpu")

    monkeypatch.setattr(sentence_transformers, "SentenceTransformer", local)
    (code,) = re.findall(
        r"```python\n(.*?)```", GUIDE.read_text(encoding="utf-8"), flags=re.DOTALL
    )
    values: dict[str, object] = {}
    exec(compile(code, str(GUIDE), "exec"), values)
    assert asked == ["sentence-transformers/all-MiniLM-L6-v2"]
    course = open_store(str(tmp_path / "data" / "store"))
    (hint,) = re.findall(r'encode\(\["(.*?)"\]', code)
    best = np.argsort(
        -(course.vectors @ embedder.embed_queries([hint])[0]), kind="stable"
    )
    assert values["ids"] == [course.paragraphs[row].paragraph_id for row in best]
    assert values["name"] == f"{course.paragraphs[best[0]].doc_id}.pdf"


def test_a_client_of_the_users_own_and_ours_do_not_collide(tmp_path: Path) -> None:
    settings = ChromaSettings(anonymized_telemetry=False, allow_reset=True)
    store = create_store(str(tmp_path))
    file_reading(store, make_reading("trees", [TREES, CACHES]))
    current = current_generation(tmp_path)
    theirs: Any = chromadb.PersistentClient(str(current), settings=settings)
    collection = theirs.get_collection("course", embedding_function=None)
    shutil.rmtree(cache() / "courses")
    assert len(open_store(str(tmp_path)).paragraphs) == 2
    file_reading(store, make_reading("locks", [LOCKS]))
    assert collection.metadata["embedder"] == "minilm"
    theirs.close()
    assert len(open_store(str(tmp_path)).paragraphs) == 3
