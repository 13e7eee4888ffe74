"""Tesseract as a reader: pages that are images, and lines whose glyphs the file does not tell.

It is a program of its own (Debian: tesseract-ocr; for Hebrew tesseract-ocr-script-hebr, or at least tesseract-ocr-heb,
whose words are used, too; for accents tesseract-ocr-script-latn), asked only where the text layer is absent or says
nothing; without it such pages are named and left out.
"""

from __future__ import annotations

import contextlib
import functools
import html
import os
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from statistics import median

import numpy as np
import pypdfium2

from quarry.ingest.errors import SourceError
from quarry.ingest.pdf.lexicon import installed as tesseract_installed
from quarry.ingest.pdf.model import SKIPPED, Box, Fonts, Glyph, GlyphPage
from quarry.ingest.pdf.ocr_correction import Vocabulary, proofread
from quarry.ingest.pdf.ocr_retry import with_second_look
from quarry.ingest.pdf.ocr_word import RISE, Image, SeenChar, SeenLine, SeenWord
from quarry.ingest.pdf.straighten import levelled, not_steep, straightened

REMEDY = (
    "install Tesseract (apt-get install tesseract-ocr tesseract-ocr-heb tesseract-ocr-script-hebr "
    "tesseract-ocr-script-latn) and ingest it again"
)
"""What to do where it is missing."""

DPI = 250
"""Dots an inch at which pages are looked at."""
MIN_CONFIDENCE = 30
"""Per cent of a line's words on average, below which what was recognised is taken for blots."""
SURE_FROM = 75
"""Per cent from which on a word counts as told."""
SIZE_OF_X_SIZE = 1.1
"""Font size over the height from descender to ascender that Tesseract tells; it is often a third too large."""
X_HEIGHT = 0.45
"""Height of small letters without ascenders, and of most Hebrew ones, in font sizes."""
MIN_X_LETTERS = 5
"""Such letters of a line below which their height tells nothing."""
SAME_SIZE = 0.12
"""Share by which the heights of the letters of two lines of one font may differ as they are measured."""
MAX_HOLE = 3.0
"""Font sizes of white space inside a line of prose up to which something was there that was not recognised."""
HOLE = 0.5
"""What is left of it."""
MIN_PROSE = 6
"""Words from which on a line is prose, whose holes are no gaps between columns."""
FOREIGN = 70
"""Per cent of confidence up to which a page may be in another language than English."""
SPACE = 0.12
"""Font sizes that are kept free between two words."""
_HEBREW_SHARE = 0.3
_MIRROR = str.maketrans("()[]{}", ")(][}{")
_X_LETTERS = frozenset("acemnorsuvwxzאבגדהוזחטימסעפצרשתכנם")
_TOLD_EVERY_S = 15.0

_OUTPUT = ("-c", "hocr_char_boxes=1", "-c", "tessedit_create_hocr=1")
_LINE = re.compile(
    r"class='ocr_(?:line|caption|header|textfloat)'[^>]*title=\"bbox (\d+) (\d+) (\d+) (\d+); ([^\"]*)\""
)
_WORD = re.compile(r"class='ocrx_word'[^>]*title='bbox (\d+) (\d+) (\d+) (\d+); x_wconf (\d+)'")
_CHAR = re.compile(r"class='ocrx_cinfo' title='x_bboxes (\d+) (\d+) (\d+) (\d+);[^']*'>([^<]*)<")


@functools.cache
def languages() -> frozenset[str]:
    """The languages that Tesseract reads here, by its names for them; empty if it is not installed."""
    return tesseract_installed()[1] & {"eng", "heb", "Hebrew", "Latin"}


def recognise(image: Image, of: Sequence[str], layout: int = 3) -> list[SeenLine]:
    """The lines of an image, from top to bottom.

    Args:
        image: (height, width) grey values, at `DPI`.
        of: the languages to expect, most frequent first.
        layout: Tesseract's page segmentation mode: 3 finds columns, 6 takes it for one block.
    """
    header = f"P5 {image.shape[1]} {image.shape[0]} 255\n".encode()
    told = subprocess.run(
        ["tesseract", "stdin", "stdout", "-l", "+".join(of), "--psm", str(layout), "--dpi", str(DPI), *_OUTPUT],
        input=header + image.tobytes(),
        capture_output=True,
        check=False,
        env={**os.environ, "OMP_THREAD_LIMIT": "1"},
    )
    lines = _lines(told.stdout.decode("utf-8", "replace"))
    return lines if of[0] == "eng" else [_as_printed(line) for line in lines]


def _as_printed(line: SeenLine) -> SeenLine:
    """A line of Hebrew with its brackets as they look: the engine tells them as they are read."""
    return replace(
        line,
        words=tuple(
            replace(word, chars=tuple(replace(char, text=char.text.translate(_MIRROR)) for char in word.chars))
            for word in line.words
        ),
    )


def _lines(hocr: str) -> list[SeenLine]:
    found: list[SeenLine] = []
    starts = [*_LINE.finditer(hocr)]
    for start, end in zip(starts, [match.start() for match in starts[1:]] + [len(hocr)], strict=False):
        left, _, _, bottom = (int(edge) for edge in start.groups()[:4])
        values = {key: rest for key, *rest in (item.split() for item in start[5].split(";") if item.strip())}
        slope, offset = (float(value) for value in values.get("baseline", ["0", "0"]))
        words = _words(hocr[start.end() : end])
        base = bottom + offset - slope * left
        size = _size_of(words, slope, base) or float(values.get("x_size", ["0"])[0]) * SIZE_OF_X_SIZE
        if size > 0 and words and not _is_blot(words):
            found.append(SeenLine(words, slope, base, size))
    return found


def _is_blot(words: Sequence[SeenWord]) -> bool:
    """Whether a line is none: its words are unsure, and there are hardly any letters, as of a formula, in it."""
    mean = sum(word.confidence for word in words) / len(words)
    n_letters = sum(char.text.isalnum() for word in words for char in word.chars)
    return mean <= (MIN_CONFIDENCE if n_letters < MIN_X_LETTERS - 2 else MIN_CONFIDENCE / 3)


def _size_of(words: Sequence[SeenWord], slope: float, base: float) -> float:
    """The font size of a line in dots, told by its letters without ascenders; 0 if it has too few."""
    heights = [
        base + slope * (char.x0 + char.x1) / 2 - char.top
        for word in words
        for char in word.chars
        if char.text in _X_LETTERS
    ]
    return median(heights) / X_HEIGHT if len(heights) >= MIN_X_LETTERS else 0.0


def _words(hocr: str) -> tuple[SeenWord, ...]:
    words = []
    starts = [*_WORD.finditer(hocr)]
    for start, end in zip(starts, [match.start() for match in starts[1:]] + [len(hocr)], strict=False):
        chars = tuple(
            SeenChar(text, int(match[1]), int(match[2]), int(match[3]), int(match[4]))
            for match in _CHAR.finditer(hocr[start.end() : end])
            if (text := "".join(char for char in html.unescape(match[5]) if ord(char) not in SKIPPED))
        )
        if chars:
            words.append(SeenWord(chars, int(start[5])))
    return tuple(words)


def render(page: pypdfium2.PdfPage) -> Image:
    """A page as it is seen, in grey, at `DPI`."""
    bitmap = page.render(scale=DPI / 72, grayscale=True)
    try:
        return np.ascontiguousarray(bitmap.to_numpy().reshape(bitmap.height, -1)[:, : bitmap.width])
    finally:
        bitmap.close()


class OcrReader:
    """One PDF read from the images of its pages.

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
        try:
            self._document = pypdfium2.PdfDocument(content)
            self._n_pages = len(self._document)
        except pypdfium2.PdfiumError as error:
            raise SourceError(f"{path}: must be a whole PDF, is damaged; get the file again") from error
        self._of: tuple[str, ...] = ()
        self._vocabulary = Vocabulary(())
        self._body = 0.0
        self._last_index, self._last_step = -1, 1
        self._seen: dict[int, Future[list[SeenLine]]] = {}
        self._n_workers = max(1, min(2, os.cpu_count() or 1))
        self._pool = ThreadPoolExecutor(self._n_workers)
        self._started = self._told = time.monotonic()
        self._n_read = 0

    @property
    def n_pages(self) -> int:
        """How many pages it has."""
        return self._n_pages

    def metadata(self, key: str) -> str:
        """A value of the file's metadata, "" if it is not there."""
        return str(self._document.get_metadata_value(key))

    def page(self, index: int) -> GlyphPage:
        """The page at a position, 0-based, and the next one begun with if pages are asked for in turn.

        Raises:
            SourceError: it is damaged.
        """
        if not self._of:
            self._begin(index)
        step = index - self._last_index
        ahead = self._n_workers if step == self._last_step and step > 0 else 1
        self._last_index, self._last_step = index, step
        if index not in self._seen:
            self._seen[index] = self._pool.submit(self._recognised, self.image(index))
        for position in range(index + step, min(index + step * ahead, self._n_pages), max(1, step)):
            if position not in self._seen:
                with contextlib.suppress(SourceError):  # named when it is asked for
                    self._seen[position] = self._pool.submit(self._recognised, self.image(position))
        lines = proofread(self._seen.pop(index).result(), self._vocabulary)
        self._tell()
        width, height = self._document.get_page_size(index)
        return GlyphPage(width, height, self._glyphs(lines), ruled=False)

    @property
    def of(self) -> tuple[str, ...]:
        """The languages of the document, by Tesseract's names, once a page was read."""
        return self._of

    def tables(self, index: int) -> Sequence[Box]:
        """None: nothing is known of lines."""
        return ()

    def close(self) -> None:
        """Free the file."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._document.close()

    def image(self, index: int) -> Image:
        """The page at a position, 0-based, as it is seen.

        Raises:
            SourceError: it is damaged.
        """
        try:
            page = self._document[index]
            try:
                return render(page)
            finally:
                page.close()
        except pypdfium2.PdfiumError as error:
            raise SourceError(
                f"{self._path} page {index + 1}: must be readable, is damaged; get the file again"
            ) from error

    def _recognised(self, image: Image) -> list[SeenLine]:
        image, slope = not_steep(image)
        return self._looked_at_again(image, slope, recognise(image, self._of))

    def _looked_at_again(self, image: Image, slope: float, lines: Sequence[SeenLine]) -> list[SeenLine]:
        level = levelled(lines, slope, image.shape)
        return with_second_look(straightened(image, slope), level, self._of, recognise, "Latin" in languages())

    def _begin(self, index: int) -> None:
        """Recognise the page at a position, and tell by it in which language the document is."""
        installed = languages()
        hebrew = ("Hebrew",) if "Hebrew" in installed else tuple(name for name in ("heb", "eng") if name in installed)
        image, slope = not_steep(self.image(index))
        english = recognise(image, ("eng",)) if "eng" in installed else []
        words = [word for line in english for word in line.words]
        self._of, lines = ("eng",), english
        if hebrew != ("eng",) and sum(word.confidence for word in words) <= FOREIGN * len(words):
            other = recognise(image, hebrew)
            letters = [char for line in other for word in line.words for char in word.text if char.isalpha()]
            n_hebrew = sum("\u0590" <= char <= "\u05ff" for char in letters)
            if n_hebrew > _HEBREW_SHARE * len(letters) or "eng" not in installed:
                self._of, lines = hebrew, other
        self._vocabulary = Vocabulary(self._of)
        begun: Future[list[SeenLine]] = Future()
        begun.set_result(self._looked_at_again(image, slope, lines))
        self._seen[index] = begun

    def _tell(self) -> None:
        """Say on standard error how far it is, now and then."""
        self._n_read += 1
        now = time.monotonic()
        if now - self._told > _TOLD_EVERY_S:
            self._told = now
            speed = self._n_read / (now - self._started)
            print(
                f"{self._path.name}: {self._n_read} of {self._n_pages} pages read by OCR, {speed:.1f} pages/s",
                file=sys.stderr,
            )

    def _glyphs(self, lines: Sequence[SeenLine]) -> list[Glyph]:
        """The characters of lines as glyphs in points, its font sizes made few."""
        if not lines:
            return []
        usual = median(line.size for line in lines for _ in line.words)
        if not self._body or abs(usual / self._body - 1) > SAME_SIZE:
            self._body = usual
        glyphs: list[Glyph] = []
        for line in lines:
            size = self._body if abs(line.size / self._body - 1) < SAME_SIZE else line.size
            middle = (line.words[0].chars[0].x0 + line.words[-1].chars[-1].x1) / 2
            base = line.baseline + line.slope * middle
            for word in line.words:
                glyphs += _placed(word, line.words, base, size, self._font, self._of != ("eng",))
        return glyphs


def _placed(
    word: SeenWord, line: Sequence[SeenWord], base: float, size: float, font: int, hebrew: bool = False
) -> list[Glyph]:
    """A word as glyphs in points: each reaches to the next one, raised figures are small, and a space follows.

    In prose the space after a word reaches over what was not recognised, so that the line stays whole.
    """
    points = 72 / DPI
    chars = sorted(word.chars, key=lambda char: char.x0 + char.x1) if hebrew else word.chars
    lefts = [char.x0 for char in chars]
    for position in range(1, len(lefts)):  # boxes of neighbours overlap now and then
        lefts[position] = max(lefts[position], lefts[position - 1] + 1)
    right = max(char.x1 for char in chars)
    following = min((other.left for other in line if other.left > word.left), default=right)
    end = max(lefts[-1] + 1.0, min(right, following - SPACE * size))
    if len(line) >= MIN_PROSE and HOLE * size < following - end < MAX_HOLE * size:
        end = following - HOLE * size
    glyphs = []
    for char, left, edge in zip(chars, lefts, [*lefts[1:], end], strict=True):
        raised = char.text.isdecimal() and base - char.bottom > RISE * size and char.bottom - char.top < 0.55 * size
        y = base - (0.35 * size if raised else 0.0)
        em = 0.65 * size if raised else size
        sure = word.confidence >= SURE_FROM
        glyphs.append(Glyph(char.text, left * points, edge * points, y * points, em * points, font, False, sure))
    return [*glyphs, Glyph(" ", end * points, end * points, base * points, size * points, font, False)]
