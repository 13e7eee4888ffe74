from __future__ import annotations

import dataclasses
import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pebble
import pytest

from quarry.configs.settings import Settings
from quarry.ingest.arrays import Float32Array
from quarry.ingest.pipeline import pipeline
from quarry.ingest.pipeline import read_document as reader
from quarry.ingest.store import open_store
from tests import fakes
from tests.fakes import CACHES, LOCKS, NETWORKS, RANKING, TREES, lecture_pdf

ROOT = Path(__file__).resolve().parents[3]
N_KILLS = 20
SEED = 20261122


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_ingest_killed_at_any_moment_leaves_the_store_as_before_or_as_after(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("quarry.ingest.embed.models.load_embedder", fakes.load_hashing_embedder)
    monkeypatch.setattr(pebble, "ProcessPool", fakes.InlinePool)
    lectures, changed = tmp_path / "lectures", tmp_path / "changed"
    for folder, texts in ((lectures, (TREES, RANKING)), (changed, (TREES, NETWORKS, CACHES, LOCKS))):
        folder.mkdir()
        for number, text in enumerate(texts):
            (folder / f"lecture{number}.pdf").write_bytes(lecture_pdf(f"Lecture {number}", text))
    before = pipeline.ingest([lectures], str(tmp_path / "store"), settings, progress=False).fingerprint
    done = subprocess.run(
        [sys.executable, "-m", "tests.ingest.pipeline.kill_often", str(tmp_path), str(N_KILLS), str(SEED)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["before"] == before != told["after"]
    assert len(told["after"]) == 16
    left = Counter(kill["left"] for kill in told["kills"])
    assert set(left) <= {before, told["after"]}
    assert left[before] >= N_KILLS / 4  # most of the time goes into what comes before the commit
    assert sum(kill["killed"] for kill in told["kills"]) == N_KILLS
    assert {kill["rerun"] for kill in told["kills"]} == {told["after"]}
    assert {kill["generations"] for kill in told["kills"]} == {1}


def test_what_a_broken_run_had_finished_is_not_done_again(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
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

    monkeypatch.setattr("quarry.ingest.pipeline.read_files.read_pdf", read_pdf)
    monkeypatch.setattr("quarry.ingest.embed.models.load_embedder", lambda *_: Breaking())
    monkeypatch.setattr(pebble, "ProcessPool", fakes.InlinePool)
    with pytest.raises(KeyboardInterrupt):
        pipeline.ingest([lectures], store, settings, progress=False)
    assert (read, TREES in embedded) == (["a", "b", "c"], True)
    read.clear()
    embedded.clear()
    breaks_at.clear()
    pipeline.ingest([lectures], store, settings, progress=False)
    assert (read, TREES in embedded, RANKING in embedded, NETWORKS in embedded) == ([], False, True, True)
    assert len(open_store(store).paragraphs) == 3
    assert not (tmp_path / "store" / "staged" / "course").exists()


def test_other_token_limit_means_embedding_anew_but_not_reading(
    tmp_path: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    lectures, store = tmp_path / "lectures", str(tmp_path / "store")
    lectures.mkdir()
    for name, text in (("a", TREES), ("b", RANKING)):
        (lectures / f"{name}.pdf").write_bytes(lecture_pdf(name, text))
    monkeypatch.setattr("quarry.ingest.embed.models.load_embedder", fakes.load_hashing_embedder)
    monkeypatch.setattr(pebble, "ProcessPool", fakes.InlinePool)
    before = pipeline.ingest([lectures], store, settings, progress=False)
    monkeypatch.setattr("quarry.ingest.pipeline.read_files.read_pdf", None)
    shorter = dataclasses.replace(settings, embed=dataclasses.replace(settings.embed, max_tokens=64))
    after = pipeline.ingest([lectures / "a.pdf"], store, shorter, progress=False)
    assert {outcome.doc_id: outcome.status for outcome in after.outcomes} == dict.fromkeys("ab", "embedded anew")
    assert after.fingerprint != before.fingerprint
    assert (open_store(store).max_tokens, len(open_store(store).paragraphs)) == (64, 2)
    again = pipeline.ingest([lectures], store, shorter, progress=False)
    assert {outcome.status for outcome in again.outcomes} == {"unchanged"}
