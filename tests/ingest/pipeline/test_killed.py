from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from quarry.configs.executors import InProcess
from quarry.configs.places import cache
from quarry.configs.settings import Settings
from quarry.ingest.arrays import Float32Array
from quarry.ingest.pipeline import pipeline
from quarry.ingest.pipeline import read_document as reader
from quarry.ingest.store import open_store
from tests import fakes
from tests.fakes import NETWORKS, RANKING, TREES, lecture_pdf


def test_what_a_broken_run_had_finished_is_not_done_again(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = set((cache() / "staged").glob("*"))
    lectures, store = tmp_path / "lectures", str(tmp_path / "store")
    lectures.mkdir()
    for name, text in (("a", TREES), ("b", RANKING), ("c", NETWORKS)):
        (lectures / f"{name}.pdf").write_bytes(lecture_pdf(name, text))
    real_read: Any = reader.read_pdf
    read: list[str] = []
    embedded: list[str] = []
    breaks_at = {RANKING}

    def read_pdf(path: Path, *arguments: object) -> object:
        read.append(path.stem)
        return real_read(path, *arguments)

    class Breaking(fakes.HashingEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Float32Array:
            if breaks_at & set(texts):
                raise KeyboardInterrupt
            embedded.extend(texts)
            return super().embed_passages(texts)

    monkeypatch.setattr("quarry.ingest.pipeline.read.read_pdf", read_pdf)
    monkeypatch.setattr("quarry.ingest.embed.models.load_embedder", lambda *_: Breaking())
    monkeypatch.setattr("quarry.configs.executors.LocalProcesses", lambda _: InProcess())
    with pytest.raises(KeyboardInterrupt):
        pipeline.ingest([lectures], store, settings, progress=False)
    assert (read, TREES in embedded) == (["a", "b", "c"], True)
    read.clear()
    embedded.clear()
    breaks_at.clear()
    pipeline.ingest([lectures], store, settings, progress=False)
    assert (read, TREES in embedded, RANKING in embedded, NETWORKS in embedded) == ([], False, True, True)
    assert len(open_store(store).paragraphs) == 3
    assert set((cache() / "staged").iterdir()) == before  # those of other tests


def test_other_token_limit_means_embedding_anew_but_not_reading(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    lectures, store = tmp_path / "lectures", str(tmp_path / "store")
    lectures.mkdir()
    for name, text in (("a", TREES), ("b", RANKING)):
        (lectures / f"{name}.pdf").write_bytes(lecture_pdf(name, text))
    monkeypatch.setattr("quarry.ingest.embed.models.load_embedder", fakes.load_hashing_embedder)
    monkeypatch.setattr("quarry.configs.executors.LocalProcesses", lambda _: InProcess())
    before = pipeline.ingest([lectures], store, settings, progress=False)
    monkeypatch.setattr("quarry.ingest.pipeline.read.read_pdf", None)
    shorter = dataclasses.replace(settings, embed=dataclasses.replace(settings.embed, max_tokens=64))
    after = pipeline.ingest([lectures / "a.pdf"], store, shorter, progress=False)
    assert {outcome.doc_id: outcome.status for outcome in after.outcomes} == dict.fromkeys("ab", "embedded anew")
    assert after.fingerprint != before.fingerprint
    assert (open_store(store).max_tokens, len(open_store(store).paragraphs)) == (64, 2)
    again = pipeline.ingest([lectures], store, shorter, progress=False)
    assert {outcome.status for outcome in again.outcomes} == {"unchanged"}
