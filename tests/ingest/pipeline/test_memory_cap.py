"""A file that unfolds in memory fails by itself."""

from __future__ import annotations

import dataclasses
import zlib
from pathlib import Path

import pytest

from configs.settings import load
from ingest.pipeline.pipeline import ingest
from tests import fakes
from tests.contracts.handmade import lines, pdf

CAP_MB = 500
PROSE = [
    "The keeper of the light wrote down the height of the water every hour for",
    "forty years. Nobody had asked him to, and nobody read what he wrote until",
    "the new pier was planned and somebody wanted to know how high it must be.",
]


def _bomb() -> bytes:
    """A PDF of a few kB whose page draws a path of a hundred million points."""
    squeezer = zlib.compressobj(9)
    once = (
        b"".join(squeezer.compress(b"0 0 m\n" * 1_000_000) for _ in range(100))
        + squeezer.flush()
    )
    stream = zlib.compress(once, 9)
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << >> >>",
        b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%b\nendstream"
        % (len(stream), stream),
    )
    content, places = b"%PDF-1.5\n", []
    for number, item in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%b\nendobj\n" % (number, item)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (
        content
        + b"xref\n0 5\n0000000000 65535 f \n%btrailer << /Root 1 0 R /Size 5 >>\nstartxref\n%d\n%%%%EOF"
        % (
            table,
            len(content),
        )
    )


def test_a_pdf_that_takes_more_memory_than_it_may_fails_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "ingest.embed.models.load_embedder", fakes.load_hashing_embedder
    )
    content = _bomb()

    assert len(content) < 20_000
    (tmp_path / "bomb.pdf").write_bytes(content)
    (tmp_path / "good.pdf").write_bytes(pdf([lines(PROSE, 50, 100)]))
    settings = load()
    settings = dataclasses.replace(
        settings,
        ingest=dataclasses.replace(settings.ingest, memory_mb=CAP_MB, workers=1),
    )
    paths = [tmp_path / "bomb.pdf", tmp_path / "good.pdf"]
    summary = ingest(
        paths, str(tmp_path / "store"), settings, embedder_spec="minilm", progress=False
    )
    (failed,) = summary.failed
    assert failed.doc_id == "bomb"
    assert f"more than {CAP_MB} MB of memory" in failed.detail
    assert len(summary.course.documents) == 1
