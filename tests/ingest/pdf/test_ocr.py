"""ingest/pdf/ocr.py: hOCR as glyphs; and scans, where Tesseract is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarry.ingest.errors import SourceError
from quarry.ingest.pdf import ocr
from quarry.ingest.pdf.extract import extract
from quarry.ingest.pdf.ocr import OcrChar, OcrLine, OcrReader, languages, lines_of_hocr

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


def _reader(of: tuple[str, ...]) -> OcrReader:
    reader = object.__new__(OcrReader)
    reader._of, reader._font = of, 0
    return reader


def test_lines_words_and_characters_are_parsed_and_noise_left_out() -> None:
    (line,) = lines_of_hocr(HOCR.encode())
    assert (line.slope, line.baseline, line.size) == (0.01, 347.0, 24.0)
    ((confidence, chars),) = line.words
    assert confidence == 96
    assert chars == (OcrChar("A", 100, 328, 118), OcrChar("&", 120, 328, 130))


def test_an_empty_page_has_no_lines() -> None:
    assert lines_of_hocr(b"") == []
    assert lines_of_hocr(b"<html><body><div class='ocr_page'></div></body></html>") == []


def test_the_size_of_a_line_is_measured_by_its_small_letters() -> None:
    box = "<span class='ocrx_cinfo' title='x_bboxes {} {} {} 100'>{}</span>"
    chars = "".join(
        box.format(12 * at, 70 if char in "hlt" else 82, 12 * at + 10, char) for at, char in enumerate("thesame")
    )
    word = f"<span class='ocrx_word' title='bbox 0 70 90 100; x_wconf 90'>{chars}</span>"
    hocr = f"<p><span class='ocr_line' title='bbox 0 70 90 100; baseline 0 0; x_size 40'>{word}</span></p>"
    assert [line.size for line in lines_of_hocr(hocr.encode())] == [pytest.approx(18 / ocr.X_HEIGHT)]


def test_glyphs_reach_to_the_next_one_and_words_are_parted_by_a_space() -> None:
    words = tuple(
        (90.0, tuple(OcrChar(char, x + 12 * at, 80, x + 12 * at + 10) for at, char in enumerate("of")))
        for x in (100, 140)
    )
    glyphs = _reader(("eng",))._glyphs([OcrLine(words, 0.0, 100.0, 25.0)])
    assert "".join(glyph.text for glyph in glyphs) == "of of "
    points = 72 / ocr.DPI
    assert [(round(glyph.x0 / points), round(glyph.x1 / points)) for glyph in glyphs[:3]] == [
        (100, 112),
        (112, 122),
        (122, 122),
    ]
    assert {(round(glyph.y / points), round(glyph.size / points)) for glyph in glyphs} == {(100, 25)}


def test_hebrew_is_given_from_left_to_right_with_brackets_as_they_look() -> None:
    chars = [OcrChar("(", 120, 80, 130), OcrChar("א", 100, 80, 118)]
    assert "".join(char.text for char in _reader(("heb", "eng"))._in_place(chars)) == "א)"


def test_without_tesseract_the_command_that_installs_it_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ocr, "languages", frozenset)
    path = SCANS / "scan.pdf"
    with pytest.raises(SourceError, match="apt-get install tesseract-ocr"):
        OcrReader(path, path.read_bytes())


@pytest.mark.skipif("eng" not in languages(), reason="Tesseract is not installed: the parts are tested above")
def test_a_scan_is_read_from_its_images() -> None:
    document = extract(SCANS / "scan-skewed.pdf")
    lines = [line.text for line in document.pages[0].lines]
    assert "The plan fails when households talk to each other" in " ".join(lines)
    assert document.readers[1] == "tesseract"
