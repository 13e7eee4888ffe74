"""Optical character recognition (OCR) of scanned pages by Tesseract.

Tesseract is a separate program (Debian: tesseract-ocr, for Hebrew tesseract-ocr-heb as well). Each page is recognised
once, and its characters become glyphs like those of any page. Without Tesseract, scanned pages are left out and
counted.
"""

import functools
import io
import itertools
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

from ingest.errors import SourceError
from ingest.pdf.model import SKIPPED, Glyph, GlyphPage
from ingest.pdf.pdfium import PdfiumReader
from quarry.languages.english import ENGLISH
from quarry.languages.registry import LANGUAGES, language_of_word

REMEDY = "install Tesseract (apt-get install tesseract-ocr tesseract-ocr-heb) and ingest it again"
"""The advice that messages about scanned pages end with."""

DPI = 250
"""Dots per inch at which pages are rendered."""
DOTS = DPI / 72
"""Dots per point."""
MIN_CONFIDENCE = 10
"""Minimal mean confidence of the words of a line, in per cent; a line below it is noise."""
X_HEIGHT = 0.45
"""Height of small letters without ascenders, and of most Hebrew letters, in font sizes."""
MIN_X_LETTERS = 5
"""Number of such letters that measure the font size of a line; Tesseract's own `x_size` is often too large."""
SAME_SIZE = 0.12
"""Relative difference up to which two measured font sizes are the same."""
SCRIPT_SHARE = 0.3
"""Minimal share of letters in another script than Latin on a page in a language with such a script."""

_X_LETTERS = frozenset("acemnorsuvwxzאבגדהוזחטימסעפצרשתכנם")
_MIRRORED = str.maketrans("()[]{}", ")(][}{")
_INVISIBLE = dict.fromkeys(SKIPPED)
_OPTIONS = (
    "--dpi",
    str(DPI),
    "-c",
    "tessedit_create_hocr=1",
    "-c",
    "hocr_char_boxes=1",
)


class _Char(NamedTuple):
    """A character with three edges of its box, in dots from the top left corner of the page."""

    text: str
    left: float
    top: float
    right: float


@functools.cache
def languages() -> frozenset[str]:
    """Return the languages that the installed Tesseract reads, by its names; empty if it is not installed."""
    if shutil.which("tesseract") is None:
        return frozenset()
    listed = subprocess.run(
        ["tesseract", "--list-langs"], capture_output=True, text=True, check=False
    )
    return frozenset(listed.stdout.split()) & {each.tesseract for each in LANGUAGES}


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
        """Return the page at a position, 0-based. The first call chooses between English and all languages.

        Raises:
            SourceError: the page is damaged.
        """
        with self.opened(index) as page:
            width, height = page.get_size()
            picture = page.render(scale=DOTS, grayscale=True).to_pil()
        content = io.BytesIO()
        picture.save(content, "PPM")
        image = content.getvalue()
        if self._languages:
            glyphs = self._recognise(image, self._languages)
        else:
            self._languages = "+".join(sorted(languages(), reverse=True))
            glyphs = self._recognise(image, self._languages)
            letters = [glyph.text for glyph in glyphs if glyph.text.isalpha()]
            n_others = sum(
                language_of_word(letter) is not ENGLISH for letter in letters
            )
            if "+" in self._languages and n_others <= SCRIPT_SHARE * len(letters):
                self._languages = ENGLISH.tesseract
                glyphs = self._recognise(image, self._languages)
        return GlyphPage(width, height, glyphs, ruled=False)

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


@dataclass(frozen=True, slots=True)
class _SeenLine:
    """A recognised line: the characters of its words, its baseline and its font size, in dots."""

    words: list[list[_Char]]
    y: float
    size: float


def glyphs_of_hocr(hocr: bytes, font: int, right_to_left: bool) -> list[Glyph]:
    """Return the glyphs of a page from Tesseract's hOCR output, in points; lines of noise are left out.

    A space follows each word. Nearly equal font sizes become equal.

    Args:
        font: number of the font that all glyphs get.
        right_to_left: whether words are in logical order, as in Hebrew, so that their characters must be sorted.
    """
    import lxml.html

    if not hocr.strip():
        return []
    document = lxml.html.document_fromstring(hocr)
    elements = document.xpath("//*[span[@class='ocrx_word']]")
    lines = list(filter(None, map(_line_of, elements)))
    usual = median(line.size for line in lines) if lines else 0.0
    glyphs = []
    for line in lines:
        y = line.y / DOTS
        is_usual = abs(line.size / usual - 1) < SAME_SIZE
        size = (usual if is_usual else line.size) / DOTS
        for chars in line.words:
            if right_to_left:
                chars.sort(key=lambda char: char.left + char.right)
            # each glyph reaches to the next one, so that no gap between two letters looks like a space
            end = chars[-1].right
            space = _Char(" ", end, 0.0, end)
            for char, following in itertools.pairwise([*chars, space, space]):
                text = char.text.translate(_MIRRORED) if right_to_left else char.text
                x0 = char.left / DOTS
                x1 = following.left / DOTS
                glyphs.append(Glyph(text, x0, x1, y, size, font, False))
    return glyphs


def _line_of(element: Any) -> _SeenLine | None:
    """Read a line of hOCR, None if it is noise."""
    words = []
    confidence = 0.0
    for word in element.iterfind("span[@class='ocrx_word']"):
        if chars := _chars(word):
            words.append(chars)
            confidence += _values(word)["x_wconf"][0]
    if confidence <= MIN_CONFIDENCE * len(words):
        return None

    values = _values(element)
    left, _, _, bottom = values["bbox"]
    slope, offset = values.get("baseline", (0.0, 0.0))
    baseline = bottom + offset - slope * left
    heights = []
    for char in itertools.chain.from_iterable(words):
        if char.text in _X_LETTERS:
            base = baseline + slope * (char.left + char.right) / 2
            heights.append(base - char.top)
    (size,) = values.get("x_size", (0.0,))
    if len(heights) >= MIN_X_LETTERS:
        size = median(heights) / X_HEIGHT
    middle = (words[0][0].left + words[-1][-1].right) / 2
    return _SeenLine(words, baseline + slope * middle, max(1.0, size))


def _values(element: Any) -> dict[str, tuple[float, ...]]:
    """Parse an hOCR title: "bbox 1 2 3 4; x_wconf 96"."""
    values = {}
    for field in element.get("title").split(";"):
        name, *numbers = field.split()
        values[name] = tuple(map(float, numbers))
    return values


def _chars(word: Any) -> list[_Char]:
    """Read the visible characters of a word of hOCR."""
    chars = []
    for element in word.iterfind(".//span[@class='ocrx_cinfo']"):
        text = element.text_content().translate(_INVISIBLE)
        if text:
            left, top, right, _ = _values(element)["x_bboxes"]
            chars.append(_Char(text, left, top, right))
    return chars
