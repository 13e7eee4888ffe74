"""pdfplumber as a reader: slow, good at ruled tables, and a second opinion on text."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pdfplumber
from pdfplumber.utils.exceptions import PdfminerException

from quarry.ingest.errors import SourceError
from quarry.ingest.pdf.model import MAX_SLANT, SKIPPED, UNKNOWN, Box, Fonts, Glyph, GlyphPage, character

_TABLES = {
    "vertical_strategy": "lines",
    "horizontal_strategy": "lines",
    "edge_min_length": 6,
    "snap_tolerance": 2,
}


MAX_CELL = 0.7
"""Share of the text of a table from which on a cell is what the others frame."""
MIN_FRAMED = 200
"""Characters from which on a table may be a frame around a text."""
CHARS_APART = 3
"""Every so many characters one is looked at to tell in which cell text stands."""


class PlumberReader:
    """One PDF opened with pdfplumber.

    A raised character's baseline is that of its line where the file raises it by "text rise"; LaTeX, typst and office
    programs move the text instead.

    Raises:
        SourceError: it is encrypted, or damaged.
    """

    name = "pdfplumber"

    def __init__(self, path: Path, content: bytes) -> None:
        self.fonts = Fonts()
        self._path = path
        try:
            self._document = pdfplumber.open(io.BytesIO(content))
            self._n_pages = len(self._document.pages)
        except Exception as error:  # pdfminer raises many kinds, its own and those of Python, on damaged files
            cause = error.args[0] if isinstance(error, PdfminerException) and error.args else error
            if "Password" in type(cause).__name__ or "Encryption" in type(cause).__name__:
                raise SourceError(f"{path}: is encrypted; save it without a password") from error
            raise SourceError(f"{path}: must be a whole PDF, is damaged; get the file again") from error

    @property
    def n_pages(self) -> int:
        """How many pages it has."""
        return self._n_pages

    def metadata(self, key: str) -> str:
        """A value of the file's metadata, "" if it is not there."""
        value = self._document.metadata.get(key)
        return value if isinstance(value, str) else ""

    def page(self, index: int) -> GlyphPage:
        """The page at a position, 0-based.

        Raises:
            SourceError: it is damaged.
        """
        page = self._document.pages[index]
        try:
            left, top, _, _ = page.bbox
            ruled = len(page.rects) + len(page.lines) + len(page.curves) > 0
            return GlyphPage(float(page.width), float(page.height), self._glyphs(page.chars, left, top), ruled)
        except Exception as error:
            raise SourceError(
                f"{self._path} page {index + 1}: must be readable, is damaged; get the file again"
            ) from error
        finally:
            page.close()

    def tables(self, index: int) -> Sequence[Box]:
        """The ruled tables of two rows and two columns or more on a page, 0-based.

        Raises:
            SourceError: it is damaged.
        """
        page = self._document.pages[index]
        try:
            left, top, _, _ = page.bbox
            found = [table for table in page.find_tables(_TABLES) if _is_grid(table, page.chars)]
            boxes = [table.bbox for table in found]
            return [Box(x0 - left, y0 - top, x1 - left, y1 - top) for x0, y0, x1, y1 in boxes]
        except Exception as error:
            raise SourceError(
                f"{self._path} page {index + 1}: must be readable, is damaged; get the file again"
            ) from error
        finally:
            page.close()

    def close(self) -> None:
        """Free the file."""
        self._document.close()

    def _glyphs(self, chars: Sequence[dict[str, Any]], left: float, top: float) -> list[Glyph]:
        glyphs: list[Glyph] = []
        for char in chars:
            a, b, _, _, _, origin = char["matrix"]
            if abs(math.degrees(math.atan2(b, a))) > MAX_SLANT:
                continue
            text = _text(char["text"])
            if not text:
                continue
            x0, x1 = char["x0"] - left, char["x1"] - left
            y = char["top"] + (char["y1"] - origin) - top
            size = max(char["size"], 0.5)
            font = self.fonts.number(char["fontname"])
            self.fonts.saw(font, text, (x1 - x0) / size)
            if glyphs and glyphs[-1].x0 == x0 and glyphs[-1].y == y and glyphs[-1].x1 == x1:
                continue  # drawn twice, to look bold
            glyphs.append(Glyph(text, x0, x1, y, size, font, parted=False))
        return glyphs


def _text(raw: str) -> str:
    """The text of one glyph; UNKNOWN for pdfminer's "(cid:12)", "" for what cannot be seen."""
    if raw.startswith("(cid:"):
        return UNKNOWN
    return "".join(character(ord(char)) for char in raw if ord(char) not in SKIPPED)


def _is_grid(table: Any, chars: Sequence[dict[str, Any]]) -> bool:
    """Whether a table has two rows with two cells each, and no text in one that is most of it, as a frame."""
    if sum(sum(cell is not None for cell in row.cells) >= 2 for row in table.rows) < 2:
        return False
    left, top, right, bottom = table.bbox
    inside = [char for char in chars if left < char["x0"] < right and top < char["top"] < bottom][::CHARS_APART]
    if len(inside) * CHARS_APART < MIN_FRAMED:
        return True
    return all(sum(_is_in(char, cell) for char in inside) <= MAX_CELL * len(inside) for cell in table.cells)


def _is_in(char: dict[str, Any], cell: tuple[float, float, float, float]) -> bool:
    return bool(cell[0] <= char["x0"] < cell[2] and cell[1] <= (char["top"] + char["bottom"]) / 2 < cell[3])
