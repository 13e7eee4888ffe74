"""ingest/pdf/ocr.py: hOCR as glyphs; and scans, where Tesseract is installed."""

from pathlib import Path

import pytest

from ingest.errors import SourceError
from ingest.layout.extract import extract
from ingest.pdf import ocr
from ingest.pdf.model import Glyph, text_of
from ingest.pdf.ocr import DOTS, OcrReader, glyphs_of_hocr, languages

SCANS = Path(__file__).parents[1] / "torture" / "dev"
HOCR = """
<span class='ocr_line' id='line_1_1' title="bbox 100 328 400 353; baseline 0.01 -5; x_size 24; x_descenders 5">
 <span class='ocrx_word' id='word_1_1' title='bbox 100 328 130 348; x_wconf 96'>
  <span class='ocrx_cinfo' title='x_bboxes 100 328 118 348; x_conf 99.5'>A</span>
  <span class='ocrx_cinfo' title='x_bboxes 120 328 130 348; x_conf 99.5'>&amp;</span>
 </span>
</span>
<span class='ocr_line' id='line_1_2' title="bbox 100 428 400 453; baseline 0 -5; x_size 24">
 <span class='ocrx_word' id='word_1_2' title='bbox 100 428 130 448; x_wconf 9'>
  <span class='ocrx_cinfo' title='x_bboxes 100 428 118 448; x_conf 9.5'>~</span>
 </span>
</span>
"""


def _glyphs(hocr: str, right_to_left: bool = False) -> list[Glyph]:
    content = hocr.encode("ascii", "xmlcharrefreplace")
    return glyphs_of_hocr(content, 0, right_to_left)


def test_glyphs_reach_to_the_next_one_a_space_follows_each_word_and_noise_is_left_out() -> (
    None
):
    edges = []
    for glyph in _glyphs(HOCR):
        assert round(glyph.y * DOTS) == 348
        assert round(glyph.size * DOTS) == 24
        x0 = round(glyph.x0 * DOTS)
        x1 = round(glyph.x1 * DOTS)
        edges.append((glyph.text, x0, x1))
    assert edges == [("A", 100, 120), ("&", 120, 130), (" ", 130, 130)]


def test_the_size_of_a_line_is_measured_by_its_small_letters() -> None:
    chars = ""
    for at, char in enumerate("thesame"):
        top = 70 if char in "hlt" else 82
        box = f"x_bboxes {12 * at} {top} {12 * at + 10} 100"
        chars += f"<span class='ocrx_cinfo' title='{box}'>{char}</span>"
    hocr = (
        "<p><span class='ocr_line' title='bbox 0 70 90 100; baseline 0 0; x_size 60'>"
        f"<span class='ocrx_word' title='bbox 0 70 90 100; x_wconf 60'>{chars}</span></span></p>"
    )
    assert round(_glyphs(hocr)[0].size * DOTS) == 40


def test_hebrew_is_given_from_left_to_right_with_brackets_as_they_look() -> None:
    hebrew = HOCR.replace(">A<", ">(<").replace(">&amp;<", ">א<")
    hebrew = hebrew.replace("x_bboxes 100 328 118", "x_bboxes 140 328 150")
    assert text_of(_glyphs(hebrew, right_to_left=True)) == "א) "


def test_without_tesseract_the_command_that_installs_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(ocr, "languages", frozenset)
    path = SCANS / "scan.pdf"
    with pytest.raises(SourceError, match="apt-get install tesseract-ocr"):
        OcrReader(path, path.read_bytes())


@pytest.mark.skipif(
    "eng" not in languages(),
    reason="Tesseract is not installed: the parts are tested above",
)
def test_a_scan_is_read_from_its_images() -> None:
    document = extract(SCANS / "scan-skewed.pdf")
    lines = [line.text for line in document.pages[0].lines]
    assert "The plan fails when households talk to each other" in " ".join(lines)
    assert document.n_seen == len(document.pages)
