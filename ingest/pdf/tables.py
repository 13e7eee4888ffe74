"""Tables with rules, found by pdfplumber."""

import io
import itertools
import re
from collections.abc import Sequence
from typing import Any

import pdfplumber

from ingest.pdf.model import Box, Table

_Row = Sequence[str | None]
"""Texts of the cells of a row; None is the rest of a merged cell."""

MAX_TABLE_PAGES = 200
"""Maximum number of pages of a file that are searched for tables, at 0.2 s each."""
MAX_CELL = 0.5
"""Maximum share of the text of a table in one cell; with more, the table is a frame around that cell."""
MIN_FRAMED = 200
"""Minimum number of characters in a frame around a text."""

MIN_DATA_ROWS = 3
MAX_ENTRY = 200
"""Minimum number of rows of a table of data, and maximum number of characters in a cell of such a row."""

_TABLES = {
    "vertical_strategy": "lines",
    "horizontal_strategy": "lines",
    "edge_min_length": 6,
    "snap_tolerance": 2,
}


class RuledTables:
    """Tables of one PDF, which is opened on the first call."""

    def __init__(self, content: bytes) -> None:
        self._content = content
        self._document: Any = None
        self._n_asked = 0

    def on(self, index: int) -> Sequence[Table]:
        """Return the tables of two rows and two columns or more on a page, 0-based.

        Return none if pdfplumber cannot read the page, or after `MAX_TABLE_PAGES` calls.
        """
        if self._n_asked == MAX_TABLE_PAGES:
            return ()

        self._n_asked += 1
        try:
            self._document = self._document or pdfplumber.open(
                io.BytesIO(self._content)
            )
            page = self._document.pages[index]
            left, top, right, bottom = page.bbox
            tables = []
            for table in page.find_tables(_TABLES):
                x0, y0, x1, y1 = table.bbox
                # backgrounds of the parts of a slide
                is_page = x1 - x0 > right - left - 1 and y1 - y0 > bottom - top - 1
                if is_page:
                    continue
                texts = table.extract()
                if not _is_grid(texts):
                    continue
                data_rows = _data_rows(table.rows, texts)
                rows = [_box(row.bbox, left, top) for row in data_rows]
                tables.append(Table(_box(table.bbox, left, top), rows))
            page.close()
            return tables
        # pdfminer raises errors of many kinds, its own and those of Python, on damaged files
        except Exception:
            return ()

    def close(self) -> None:
        """Free the file."""
        if self._document is not None:
            self._document.close()


def _box(edges: tuple[float, float, float, float], left: float, top: float) -> Box:
    """Return a rectangle of pdfplumber on a page with a left and a top edge."""
    x0, y0, x1, y1 = edges
    return Box(x0 - left, y0 - top, x1 - left, y1 - top)


def _data_rows(rows: Sequence[Any], texts: Sequence[_Row]) -> list[Any]:
    """Return the rows with short texts in two cells or more; none if they are few, as in a layout of boxes."""
    found = []
    for row, cells in zip(rows, texts, strict=True):
        lengths = [len(cell or "") for cell in cells]
        n_texts = sum(map(_has_word, cells))
        if None not in cells and n_texts >= 2 and max(lengths) <= MAX_ENTRY:
            found.append(row)
    is_data = len(found) >= MIN_DATA_ROWS and 2 * len(found) > len(rows)
    return found if is_data else []


def _has_word(cell: str | None) -> bool:
    """Return whether a cell has a word, unlike that of a tick or a mark."""
    return re.search(r"[^\W\d_]{2}", cell or "") is not None


def _is_grid(rows: Sequence[_Row]) -> bool:
    """Return whether a table has two rows of two cells, and does not frame one cell with most of the text.

    A frame around a column, as a coloured bar or bullet next to each of its paragraphs, is no table either.
    """
    n_rows = sum(len(row) - row.count(None) >= 2 for row in rows)
    lengths = [len(cell or "") for row in rows for cell in row]
    is_frame = max(lengths, default=0) > max(MIN_FRAMED, MAX_CELL * sum(lengths))
    columns = itertools.zip_longest(*rows, fillvalue="")
    if sum(any(map(_has_text, column)) for column in columns) == 1:
        is_frame = sum(lengths) > MIN_FRAMED
    return n_rows >= 2 and not is_frame


def _has_text(cell: str | None) -> bool:
    """Return whether a cell has a letter or a digit, unlike that of a bullet."""
    return any(map(str.isalnum, cell or ""))
