"""Optical character recognition (OCR) of scanned pages by Tesseract.

Tesseract is a separate program (Debian: tesseract-ocr, for Hebrew tesseract-ocr-heb as well). Each page is recognised
once, and its characters become glyphs like those of any page. Without Tesseract, scanned pages are left out and
counted.
"""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pypdfium2

from quarry.ingest.errors import SourceError
from quarry.ingest.pdf.model import SKIPPED, Glyph, GlyphPage
from quarry.ingest.pdf.pdfium import PdfiumReader

REMEDY = "install Tesseract (apt-get install tesseract-ocr tesseract-ocr-heb) and ingest it again"
"""The advice that messages about scanned pages end with."""

DPI = 250
"""Dots per inch at which pages are rendered."""
MIN_CONFIDENCE = 10
"""Minimal mean confidence of the words of a line, in per cent; a line below it is noise."""
X_HEIGHT = 0.45
"""Height of small letters without ascenders, and of most Hebrew letters, in font sizes."""
MIN_X_LETTERS = 5
"""Number of such letters that measure the font size of a line; Tesseract's own `x_size` is often too large."""
SAME_SIZE = 0.12
"""Relative difference up to which two measured font sizes are the same."""
HEBREW_SHARE = 0.3
"""Minimal share of Hebrew letters on a page in Hebrew."""

_X_LETTERS = frozenset("acemnorsuvwxzאבגדהוזחטימסעפצרשתכנם")
_MIRRORED = str.maketrans("()[]{}", ")(][}{")
_OPTIONS = ("--dpi", str(DPI), "-c", "tessedit_create_hocr=1", "-c", "hocr_char_boxes=1")

_Char = tuple[str, float, float, float]
"""A character with the left, top and right of its box, in dots from the top left corner of the page."""


@functools.cache
def languages() -> frozenset[str]:
    """Return the languages that the installed Tesseract reads, by its names; empty if it is not installed."""
    if shutil.which("tesseract") is None:
        return frozenset()
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False)
    return frozenset(listed.stdout.split()) & {"eng", "heb"}


class OcrReader(PdfiumReader):
    """Reader that recognises the text of each page from an image of it.

    Raises:
        SourceError: Tesseract is not installed, or the file is encrypted, damaged or without pages.
    """

    name = "tesseract"

    def __init__(self, path: Path, content: bytes) -> None:
        if not languages():
            raise SourceError(f"{path}: no text layer; {REMEDY}")
        super().__init__(path, content)
        self._font = self.fonts.number("image")
        self._languages = ""

    def page(self, index: int) -> GlyphPage:
        """Return the page at a position, 0-based. The first call chooses between English and Hebrew.

        Raises:
            SourceError: the page is damaged.
        """
        image = self._image(index)
        if not self._languages:
            self._languages = min(languages())
            if len(languages()) > 1:
                letters = [glyph.text for glyph in self._recognise(image, "heb+eng") if glyph.text.isalpha()]
                if sum("\u0590" <= letter <= "\u05ff" for letter in letters) > HEBREW_SHARE * len(letters):
                    self._languages = "heb+eng"
        glyphs = self._recognise(image, self._languages)
        width, height = self._document.get_page_size(index)
        return GlyphPage(width, height, glyphs, ruled=False)

    def _image(self, index: int) -> bytes:
        """Render a page as a greyscale image in the PGM format."""
        try:
            page = self._document[index]
            bitmap = page.render(scale=DPI / 72, grayscale=True)
            pixels = np.ascontiguousarray(bitmap.to_numpy().reshape(bitmap.height, -1)[:, : bitmap.width])
            bitmap.close()
            page.close()
        except pypdfium2.PdfiumError as error:
            raise self.damaged(index) from error
        return f"P5 {pixels.shape[1]} {pixels.shape[0]} 255\n".encode() + pixels.tobytes()

    def _recognise(self, image: bytes, of: str) -> list[Glyph]:
        """Recognise an image in languages by Tesseract's names, such as "heb+eng"."""
        done = subprocess.run(
            ["tesseract", "stdin", "stdout", "-l", of, *_OPTIONS],
            input=image,
            capture_output=True,
            check=False,
            env={**os.environ, "OMP_THREAD_LIMIT": "1"},
        )
        return glyphs_of_hocr(done.stdout, self._font, of != "eng")


def glyphs_of_hocr(hocr: bytes, font: int, right_to_left: bool) -> list[Glyph]:
    """Return the glyphs of a page from Tesseract's hOCR output, in points; lines of noise are left out.

    A space follows each word. Nearly equal font sizes become equal.

    Args:
        font: number of the font that all glyphs get.
        right_to_left: whether words are in logical order, as in Hebrew, so that their characters must be sorted.
    """
    import lxml.html

    lines = []
    for element in lxml.html.document_fromstring(hocr).xpath("//*[span[@class='ocrx_word']]") if hocr.strip() else ():
        values = _values(element)
        slope, offset = values.get("baseline", (0.0, 0.0))
        baseline = values["bbox"][3] + offset - slope * values["bbox"][0]
        words = [(_values(word)["x_wconf"][0], _chars(word)) for word in element.iterfind("span[@class='ocrx_word']")]
        words = [word for word in words if word[1]]
        if words and sum(confidence for confidence, _ in words) > MIN_CONFIDENCE * len(words):
            chars = [char for _, chars in words for char in chars if char[0] in _X_LETTERS]
            heights = [baseline + slope * (x0 + x1) / 2 - top for _, x0, top, x1 in chars]
            size = median(heights) / X_HEIGHT if len(heights) >= MIN_X_LETTERS else values.get("x_size", (0.0,))[0]
            middle = (words[0][1][0][1] + words[-1][1][-1][3]) / 2
            lines.append((words, baseline + slope * middle, max(1.0, size)))
    usual = median(size for _, _, size in lines) if lines else 0.0
    glyphs: list[Glyph] = []
    for words, y, size in lines:
        y, size = y * 72 / DPI, (usual if abs(size / usual - 1) < SAME_SIZE else size) * 72 / DPI
        for _, chars in words:
            if right_to_left:
                chars = sorted(chars, key=lambda char: char[1] + char[3])
            # each glyph reaches to the next one, so that no gap between two letters looks like a space
            edges = [*(char[1] * 72 / DPI for char in chars), chars[-1][3] * 72 / DPI]
            for (text, *_), (x0, x1) in zip(chars, itertools.pairwise(edges), strict=True):
                text = text.translate(_MIRRORED) if right_to_left else text
                glyphs.append(Glyph(text, x0, x1, y, size, font, False))
            glyphs.append(Glyph(" ", edges[-1], edges[-1], y, size, font, False))
    return glyphs


def _values(element: Any) -> dict[str, tuple[float, ...]]:
    """Parse an hOCR title: "bbox 1 2 3 4; x_wconf 96"."""
    fields = (field.split() for field in element.get("title").split(";"))
    return {name: tuple(map(float, numbers)) for name, *numbers in fields}


def _chars(word: Any) -> list[_Char]:
    boxes = [
        (element.text_content(), _values(element)["x_bboxes"])
        for element in word.iterfind(".//span[@class='ocrx_cinfo']")
    ]
    texts = (("".join(char for char in text if ord(char) not in SKIPPED), box) for text, box in boxes)
    return [(text, box[0], box[1], box[2]) for text, box in texts if text]
