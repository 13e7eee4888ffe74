"""What a broken run had finished is kept for the next."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from configs.directories import cache
from configs.settings import Settings
from ingest.arrays import Float32Array
from ingest.executors import InProcess
from ingest.pipeline import read_document
from ingest.pipeline.pipeline import ingest
from tests import fakes
from tests.fakes import RANKING, TREES, lecture_pdf


def test_what_a_broken_run_had_finished_is_not_done_again(
    tmp_path: Path,
    settings: Settings,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level("INFO", "ingest")
    paths = tmp_path / "a.pdf", tmp_path / "b.pdf"
    for path, text in zip(paths, (TREES, RANKING), strict=True):
        path.write_bytes(lecture_pdf(path.stem, text))
    before = set((cache() / "staged").glob("*"))
    real_read: Any = read_document.read_pdf
    done: list[str] = []
    breaks_at = {RANKING}

    def read_pdf(path: Path, *arguments: object) -> object:
        done.append(path.name)
        return real_read(path, *arguments)

    class Breaking(fakes.HashingEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> Float32Array:
            if breaks_at & set(texts):
                raise KeyboardInterrupt
            done.extend(texts)
            return super().embed_passages(texts)

    monkeypatch.setattr("ingest.executors.LocalProcesses", lambda _: InProcess())
    monkeypatch.setattr("ingest.pipeline.read.read_pdf", read_pdf)
    monkeypatch.setattr("ingest.embed.models.load_embedder", lambda *_: Breaking())
    store = str(tmp_path / "store")
    with pytest.raises(KeyboardInterrupt):
        ingest(paths, store, settings, progress=False)
    assert {"a.pdf", "b.pdf", TREES} <= set(done)

    done.clear()
    breaks_at.clear()
    summary = ingest(paths, store, settings, progress=False)
    assert len(summary.course.paragraphs) == 2
    assert "resumed: 2 files had been read before" in caplog.messages
    assert RANKING in done
    assert not {"a.pdf", "b.pdf", TREES} & set(done)
    assert set((cache() / "staged").iterdir()) == before  # those of other tests
