"""Optical character recognition by Tesseract: pages that are images, and text layers that make no sense.

Tesseract is a program of its own (Debian: tesseract-ocr, for Hebrew tesseract-ocr-heb as well). Each page is recognised
once, and its characters go the way of all glyphs. Without Tesseract such pages are counted and left out.
"""

from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pypdfium2
from numpy.typing import NDArray

from quarry.ingest.errors import SourceError
from quarry.ingest.pdf.model import SKIPPED, Box, Fonts, Glyph, GlyphPage

REMEDY = "install Tesseract (apt-get install tesseract-ocr tesseract-ocr-heb) and ingest it again"
"""The advice that messages about scanned pages end with."""

DPI = 250
"""Dots per inch at which pages are rendered."""
MIN_CONFIDENCE = 10
"""Mean confidence of a line's words, in per cent, up to which the line is noise."""
SURE_FROM = 75
"""Confidence of a word, in per cent, from which its characters count as certain."""
X_HEIGHT = 0.45
"""Height of small letters without ascenders, and of most Hebrew letters, in font sizes."""
MIN_X_LETTERS = 5
"""Such letters that a line must have for its font size to be measured; `x_size` of Tesseract is often too large."""
SAME_SIZE = 0.12
"""Relative difference up to which two measured font sizes are the same."""
FOREIGN = 70
"""Mean confidence of the English model, in per cent, up to which the Hebrew model is tried."""
HEBREW_SHARE = 0.3
"""Share of Hebrew letters from which a page is read with the Hebrew model."""

_X_LETTERS = frozenset("acemnorsuvwxzאבגדהוזחטימסעפצרשתכנם")
_MIRRORED = str.maketrans("()[]{}", ")(][}{")
_OPTIONS = ("--dpi", str(DPI), "-c", "tessedit_create_hocr=1", "-c", "hocr_char_boxes=1")


@functools.cache
def languages() -> frozenset[str]:
    """Return the languages that the installed Tesseract reads, by its names; empty if it is not installed."""
    if shutil.which("tesseract") is None:
        return frozenset()
    listed = subprocess.run(["tesseract", "--list-langs"], capture_output=True, text=True, check=False)
    return frozenset(listed.stdout.split()) & {"eng", "heb"}


@dataclass(frozen=True, slots=True)
class OcrChar:
    """A recognised character and the left, top and right of its box, in dots from the top left corner of the page."""

    text: str
    x0: float
    top: float
    x1: float


@dataclass(frozen=True, slots=True)
class OcrLine:
    """A recognised line.

    Attributes:
        words: confidence in per cent, and characters.
        slope: dots downwards per dot to the right.
        baseline: its height at the left edge of the page, in dots from the top.
        size: font size in dots.
    """

    words: tuple[tuple[float, tuple[OcrChar, ...]], ...]
    slope: float
    baseline: float
    size: float


def recognise(image: NDArray[np.uint8], of: Sequence[str]) -> list[OcrLine]:
    """Return the lines of a page's image, (height, width) grey values, in languages by Tesseract's names."""
    header = f"P5 {image.shape[1]} {image.shape[0]} 255\n".encode()
    done = subprocess.run(
        ["tesseract", "stdin", "stdout", "-l", "+".join(of), *_OPTIONS],
        input=header + image.tobytes(),
        capture_output=True,
        check=False,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    )
    return lines_of_hocr(done.stdout)


def lines_of_hocr(hocr: bytes) -> list[OcrLine]:
    """Return the lines of Tesseract's hOCR output; lines of noise are left out."""
    import lxml.html

    if not hocr.strip():
        return []
    lines = []
    for element in lxml.html.document_fromstring(hocr).xpath("//*[span[@class='ocrx_word']]"):
        values = _values(element)
        slope, offset = values.get("baseline", (0.0, 0.0))
        baseline = values["bbox"][3] + offset - slope * values["bbox"][0]
        words = [(_values(word)["x_wconf"][0], _chars(word)) for word in element.iterfind("span[@class='ocrx_word']")]
        words = [word for word in words if word[1]]
        if words and sum(confidence for confidence, _ in words) > MIN_CONFIDENCE * len(words):
            chars = [char for _, chars in words for char in chars if char.text in _X_LETTERS]
            heights = [baseline + slope * (char.x0 + char.x1) / 2 - char.top for char in chars]
            size = median(heights) / X_HEIGHT if len(heights) >= MIN_X_LETTERS else values.get("x_size", (0.0,))[0]
            lines.append(OcrLine(tuple(words), slope, baseline, max(1.0, size)))
    return lines


def _values(element: Any) -> dict[str, tuple[float, ...]]:
    """Parse an hOCR title: "bbox 1 2 3 4; x_wconf 96"."""
    fields = (field.split() for field in element.get("title").split(";"))
    return {name: tuple(map(float, numbers)) for name, *numbers in fields}


def _chars(word: Any) -> tuple[OcrChar, ...]:
    found = []
    for element in word.iterfind(".//span[@class='ocrx_cinfo']"):
        text = "".join(char for char in element.text_content() if ord(char) not in SKIPPED)
        if text:
            found.append(OcrChar(text, *_values(element)["x_bboxes"][:3]))
    return tuple(found)


class OcrReader:
    """One PDF read from images of its pages.

    Raises:
        SourceError: Tesseract is not installed, or the file is encrypted, damaged or without pages.
    """

    name = "tesseract"

    def __init__(self, path: Path, content: bytes) -> None:
        if not languages():
            raise SourceError(f"{path}: no text layer; {REMEDY}")
        self.fonts = Fonts(drawn=False)
        self._font = self.fonts.number("image")
        self._path = path
        self._of: tuple[str, ...] = ()
        try:
            self._document = pypdfium2.PdfDocument(content)
            self._n_pages = len(self._document)
        except pypdfium2.PdfiumError as error:
            raise SourceError(f"{path}: must be a whole PDF, is damaged; get the file again") from error

    @property
    def n_pages(self) -> int:
        """How many pages it has."""
        return self._n_pages

    def metadata(self, key: str) -> str:
        """A value of the file's metadata, "" if it is not there."""
        return str(self._document.get_metadata_value(key))

    def page(self, index: int) -> GlyphPage:
        """The page at a position, 0-based.

        Raises:
            SourceError: it is damaged.
        """
        image = self._image(index)
        lines = recognise(image, self._of) if self._of else self._begin(image)
        width, height = self._document.get_page_size(index)
        return GlyphPage(width, height, self._glyphs(lines), ruled=False)

    def tables(self, index: int) -> Sequence[Box]:
        """No tables: Tesseract does not report ruled lines."""
        return ()

    def close(self) -> None:
        """Free the file."""
        self._document.close()

    def _image(self, index: int) -> NDArray[np.uint8]:
        try:
            page = self._document[index]
            bitmap = page.render(scale=DPI / 72, grayscale=True)
            image = np.ascontiguousarray(bitmap.to_numpy().reshape(bitmap.height, -1)[:, : bitmap.width])
            bitmap.close()
            page.close()
        except pypdfium2.PdfiumError as error:
            raise SourceError(
                f"{self._path} page {index + 1}: must be readable, is damaged; get the file again"
            ) from error
        return image

    def _begin(self, image: NDArray[np.uint8]) -> list[OcrLine]:
        """Choose the document's languages by its first page, and return the lines of that page."""
        print(f"{self._path.name}: pages are images, Tesseract reads them, some seconds each", file=sys.stderr)
        self._of = ("eng",) if "eng" in languages() else ("heb",)
        lines = recognise(image, self._of)
        confidences = [confidence for line in lines for confidence, _ in line.words]
        if languages() == {"eng", "heb"} and sum(confidences) <= FOREIGN * len(confidences):
            hebrew = recognise(image, ("heb", "eng"))
            letters = [char.text for line in hebrew for _, chars in line.words for char in chars if char.text.isalpha()]
            if sum("\u0590" <= letter <= "\u05ff" for letter in letters) > HEBREW_SHARE * len(letters):
                self._of, lines = ("heb", "eng"), hebrew
        return lines

    def _glyphs(self, lines: Sequence[OcrLine]) -> list[Glyph]:
        """Turn characters into glyphs in points, with a space after each word; nearly equal font sizes become equal."""
        usual = median(line.size for line in lines) if lines else 0.0
        glyphs: list[Glyph] = []
        for line in lines:
            size = (usual if abs(line.size / usual - 1) < SAME_SIZE else line.size) * 72 / DPI
            left, right = line.words[0][1][0].x0, line.words[-1][1][-1].x1
            y = (line.baseline + line.slope * (left + right) / 2) * 72 / DPI
            for confidence, chars in line.words:
                printed = self._in_place(chars)
                # each glyph reaches to the next one, so that no gap between two letters looks like a space
                edges = [*(char.x0 * 72 / DPI for char in printed), printed[-1].x1 * 72 / DPI]
                for char, (x0, x1) in zip(printed, itertools.pairwise(edges), strict=True):
                    glyphs.append(Glyph(char.text, x0, x1, y, size, self._font, False, confidence >= SURE_FROM))
                glyphs.append(Glyph(" ", edges[-1], edges[-1], y, size, self._font, False))
        return glyphs

    def _in_place(self, chars: Sequence[OcrChar]) -> Sequence[OcrChar]:
        """Characters from left to right as printed; Tesseract gives Hebrew, and its brackets, as it is read."""
        if self._of == ("eng",):
            return chars
        return sorted(
            (replace(char, text=char.text.translate(_MIRRORED)) for char in chars), key=lambda char: char.x0 + char.x1
        )
