"""ingest/pdf/ocr.py: scans where ocrmypdf and Tesseract are installed, and the remedy where they are not."""

import io
from pathlib import Path

import pikepdf
import pytest

from ingest.errors import SourceError
from ingest.pdf import ocr
from ingest.pdf.ocr import REMEDY, ocr_languages, with_text_layer
from tests.contracts.handmade import Run, pdf
from tests.ingest.reading import extracted

SCAN = Path(__file__).parents[1] / "torture" / "dev" / "scan-skewed.pdf"


def _mixed() -> bytes:
    """Set a page of text, and add the first page of a scan."""
    written = io.BytesIO()
    with (
        pikepdf.open(io.BytesIO(pdf([[Run(50, 100, "a page of text")]]))) as whole,
        pikepdf.open(SCAN) as scan,
    ):
        whole.pages.append(scan.pages[0])
        whole.save(written)
    return written.getvalue()


def test_without_ocr_the_pages_and_what_to_install_are_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ocr, "ocr_languages", tuple)
    document = extracted(_mixed())
    assert document.notes == (f"no readable text on 1 page (2); {REMEDY}",)
    assert [len(page.lines) for page in document.pages] == [1, 0]
    says = r"lecture.pdf: no readable text on \d pages \(1-\d\); run `make ocr`"
    with pytest.raises(SourceError, match=says):
        extracted(SCAN.read_bytes())


def test_a_page_whose_font_does_not_tell_its_letters_needs_ocr(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ocr, "ocr_languages", tuple)
    note = f"no readable text on 1 page (1); {REMEDY}"
    for known, expected in (("abcdef", (note,)), ("abcdefgh", ())):
        mapping = dict.fromkeys("abcdefghi", "\x01") | {char: char for char in known}
        lines = [
            Run(50, y, "abcdefghi " * 3, font="mapped") for y in range(100, 160, 20)
        ]
        assert (
            extracted(pdf([[*lines, Run(50, 300, "a line")]], mapping)).notes
            == expected
        )


@pytest.mark.skipif(
    "eng" not in ocr_languages(),
    reason="ocrmypdf is not installed: make ocr",
)
def test_pages_of_images_are_read_and_pages_of_text_stay() -> None:
    document = extracted(_mixed())
    text, scan = document.pages
    assert [line.text for line in text.lines] == ["a page of text"]
    words = " ".join(line.text for line in scan.lines)
    assert "The plan fails when households talk to each other" in words
    assert document.notes == ("1 page (2) read by OCR",)


def test_a_file_that_ocr_cannot_process_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("ocrmypdf", reason="ocrmypdf is not installed: make ocr")
    monkeypatch.setattr(ocr, "ocr_languages", lambda: ("eng",))
    with pytest.raises(SourceError, match=r"OCR failed \(\w+: "):
        with_text_layer(b"%PDF-1.4 nothing", [1])
