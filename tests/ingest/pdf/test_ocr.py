"""ingest/pdf/ocr.py: lines as Tesseract tells them, as glyphs; and scans, where it is installed."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from quarry.ingest.errors import SourceError
from quarry.ingest.pdf import ocr
from quarry.ingest.pdf.extract import extract
from quarry.ingest.pdf.ocr import OcrReader, languages
from quarry.ingest.pdf.ocr_word import SeenChar, SeenWord

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


def test_lines_words_and_characters_are_told_and_blots_left_out() -> None:
    (line,) = ocr._lines(HOCR)
    assert (line.slope, line.baseline) == (0.01, 347.0)
    assert line.size == pytest.approx(26.4)
    assert [(word.text, word.confidence) for word in line.words] == [("A&", 96)]
    assert line.words[0].chars[1] == SeenChar("&", 120, 328, 130, 348)


def test_an_empty_page_has_no_lines() -> None:
    assert ocr._lines("<html><body><div class='ocr_page'></div></body></html>") == []


def test_raised_figures_become_small_and_words_stay_apart() -> None:
    letters = [SeenChar(char, 100 + 12 * at, 80, 110 + 12 * at, 100) for at, char in enumerate("list")]
    mark, following = SeenChar("1", 148, 76, 153, 88), SeenWord((SeenChar("A", 154, 80, 166, 100),), 90)
    word = SeenWord((*letters, mark), 90)
    *glyphs, raised, space = ocr._placed(word, (word, following), 100.0, 25.0, 0)
    assert [glyph.text for glyph in glyphs] == list("list")
    assert all(left.x1 == right.x0 for left, right in itertools.pairwise(glyphs))
    assert raised.size < 0.7 * glyphs[0].size
    assert raised.y < glyphs[0].y
    assert (space.text, space.x0) == (" ", raised.x1)


def test_the_size_of_a_line_is_told_by_its_small_letters() -> None:
    chars = tuple(
        SeenChar(char, 12 * at, 70 if char in "hlt" else 82, 12 * at + 10, 100) for at, char in enumerate("thesame")
    )
    assert ocr._size_of((SeenWord(chars, 90),), 0.0, 100.0) == pytest.approx(18 / ocr.X_HEIGHT)
    assert ocr._size_of((SeenWord(chars[:3], 90),), 0.0, 100.0) == 0.0


def test_what_was_not_recognised_in_a_line_of_prose_leaves_no_gap() -> None:
    def word(x: int) -> SeenWord:
        return SeenWord(
            tuple(SeenChar(char, x + 12 * at, 80, x + 12 * at + 10, 100) for at, char in enumerate("word")), 90
        )

    for n_words, is_closed in ((8, True), (3, False)):
        words = [word(100 + 60 * at) for at in range(n_words)]
        after = word(100 + 60 * n_words + 40)
        *_, space = ocr._placed(words[-1], [*words, after], 100.0, 25.0, 0)
        gap = after.left * 72 / ocr.DPI - space.x0
        assert (gap < 1.1 * 25 * 72 / ocr.DPI) == is_closed


def test_brackets_of_a_hebrew_line_are_given_as_they_look() -> None:
    (line, *_) = ocr._lines(HOCR.replace(">A<", ">(<").replace("&amp;", "א\u200f"))
    assert ocr._as_printed(line).words[0].text == ")א"


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
