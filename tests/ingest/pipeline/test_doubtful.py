"""ingest/pipeline/doubtful.py: the paragraphs in doubt, beside pictures of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from quarry.ingest.paragraph import Paragraph
from quarry.ingest.pipeline.doubtful import doubtful, page
from tests.contracts.handmade import lines, pdf

SURE = Paragraph("a:1:1", "a", 1, "", "It is <so>. And more.", "It is <so>.", reader="pypdfium2", place=(100.0, 130.0))


def test_the_least_sure_come_first_and_the_sure_not_at_all() -> None:
    half, most = replace(SURE, paragraph_id="a:1:2", sureness=0.5), replace(SURE, paragraph_id="a:1:3", sureness=0.9)
    seen = replace(SURE, paragraph_id="a:1:4", reader="tesseract")
    assert doubtful([SURE, seen, most, half]) == [half, most, seen]


def test_a_paragraph_is_shown_beside_its_picture(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf([lines(["It is so. And more."], 50, 110)]))
    shown = page([SURE], {"a": str(path)})
    assert "data:image/png;base64," in shown
    assert "It is &lt;so&gt;." in shown


def test_a_file_that_is_gone_has_no_picture(tmp_path: Path) -> None:
    shown = page([replace(SURE, alternatives=("And more.",))], {"a": str(tmp_path / "gone.pdf")})
    assert "<img" not in shown
    assert "<li>And more.</li>" in shown
