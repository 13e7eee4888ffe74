from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from configs.directories import cache
from configs.settings import Settings
from ingest.arrays import Float32Array
from ingest.executors import InProcess
from ingest.pipeline import read_document as reader
from ingest.pipeline.pipeline import IngestSummary, ingest
from ingest.store import open_store
from tests import fakes
from tests.fakes import RANKING, TREES, lecture_pdf


@pytest.fixture
def ingested(
    tmp_path: Path,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> Callable[..., IngestSummary]:
    """Ingests two lectures, or one of them, in this process."""
    monkeypatch.setattr("ingest.executors.LocalProcesses", lambda _: InProcess())
    for name, text in (("a", TREES), ("b", RANKING)):
        path = tmp_path / "lectures" / f"{name}.pdf"
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(lecture_pdf(name, text))

    def ingested(name: str = "", **changes: Any) -> IngestSummary:
        embed = dataclasses.replace(settings.embed, **changes)
        return ingest(
            [tmp_path / "lectures" / name],
            str(tmp_path / "store"),
            dataclasses.replace(settings, embed=embed),
            progress=False,
        )

    return ingested


def test_what_a_broken_run_had_finished_is_not_done_again(
    ingested: Callable[..., IngestSummary],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level("INFO", "ingest")
    before = set((cache() / "staged").glob("*"))
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

    monkeypatch.setattr("ingest.pipeline.read.read_pdf", read_pdf)
    monkeypatch.setattr("ingest.embed.models.load_embedder", lambda *_: Breaking())
    with pytest.raises(KeyboardInterrupt):
        ingested()
    assert read == ["a", "b"]
    assert TREES in embedded

    read.clear()
    embedded.clear()
    breaks_at.clear()
    assert len(ingested().course.paragraphs) == 2
    assert read == []
    assert "resumed: 2 files had been read before" in caplog.messages
    assert RANKING in embedded
    assert TREES not in embedded
    assert set((cache() / "staged").iterdir()) == before  # those of other tests


def test_other_token_limit_means_embedding_anew_but_not_reading(
    tmp_path: Path,
    ingested: Callable[..., IngestSummary],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        "ingest.embed.models.load_embedder", fakes.load_hashing_embedder
    )
    before = ingested()
    monkeypatch.setattr("ingest.pipeline.read.read_pdf", None)
    after = ingested("a.pdf", max_tokens=64)

    assert {
        outcome.doc_id: outcome.status for outcome in after.outcomes
    } == dict.fromkeys("ab", "embedded anew")
    assert after.course.fingerprint != before.course.fingerprint
    course = open_store(str(tmp_path / "store"))
    assert (course.max_tokens, len(course.paragraphs)) == (64, 2)
    again = ingested(max_tokens=64)
    assert {outcome.status for outcome in again.outcomes} == {"unchanged"}
