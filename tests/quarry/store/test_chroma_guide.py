"""docs/guides/chroma.md: a store is opened with plain chromadb and sentence-transformers, and gives the same ids."""

import re
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import chromadb
import numpy as np
import pytest
from chromadb.config import Settings as ChromaSettings
from sentence_transformers import SentenceTransformer

from configs.settings import load
from quarry.embed.models import load_embedder
from quarry.embed.networks import MINILM
from quarry.store import ChromaIndex, Store, open_store
from tests.fakes import (
    CACHES,
    LOCKS,
    NETWORKS,
    RANKING,
    TREES,
    each,
    embedded,
    file_reading,
    make_reading,
    read_page,
)


def test_the_code_of_the_guide_finds_what_our_vectors_find(
    tmp_path: Path,
    models_dir: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    guide = read_page("docs/guides/chroma.md")
    (code,) = re.findall(r"```python\n(.*?)```", guide, flags=re.DOTALL)
    (hint,) = re.findall(r'encode\(\["(.*?)"\]', code)
    monkeypatch.chdir(tmp_path)
    embedder = load_embedder("minilm", models_dir, load().embed)
    readings = (
        make_reading("trees", [TREES, CACHES, LOCKS]),
        make_reading("learning", [NETWORKS, RANKING]),
    )
    updates = [embedded(reading, embedder) for reading in readings]
    Store("data/store").change(updates, embedder_spec="minilm")

    local = SentenceTransformer(str(MINILM.path().parent), device="cpu")
    published = Mock(return_value=local)
    monkeypatch.setattr("sentence_transformers.SentenceTransformer", published)
    values: dict[str, object] = {}
    exec(code, values)
    published.assert_called_once_with("sentence-transformers/all-MiniLM-L6-v2")
    course = open_store("data/store")
    (query,) = embedder.embed_queries([hint])
    best = np.argsort(-course.vectors @ query, kind="stable")
    paragraphs = [course.paragraphs[row] for row in best]
    assert values["ids"] == each(paragraphs, "paragraph_id")
    assert values["name"] == f"{paragraphs[0].doc_id}.pdf"


def test_a_client_of_the_users_own_and_ours_do_not_collide(tmp_path: Path) -> None:
    settings = ChromaSettings(anonymized_telemetry=False, allow_reset=True)
    location = str(tmp_path)
    store = Store(location)
    file_reading(store, make_reading("trees", [TREES, CACHES]))
    theirs: Any = chromadb.PersistentClient(
        str(tmp_path / "course.1"), settings=settings
    )
    collection = theirs.get_collection("course", embedding_function=None)
    course = open_store(location)
    assert len(ChromaIndex(course).nearest(course.vectors[0], 9)) == 2
    file_reading(store, make_reading("locks", [LOCKS]))
    assert collection.metadata["embedder"] == "minilm"
    theirs.close()
    assert not Store(location).damage
