"""Tables with rules, found by pdfplumber in the rectangles that are drawn on a page."""

import itertools
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from pdfplumber.table import TableFinder

from ingest.pdf.model import Box, Glyph, Table

_Row = Sequence[str | None]
"""Texts of the cells of a row; None is the rest of a merged cell."""

MAX_CELL = 0.5
"""Maximum share of the text of a table in one cell; with more, the table is a frame around that cell."""
MIN_FRAMED = 200
"""Minimum number of characters in a frame around a text."""

MIN_DATA_ROWS = 3
"""Minimum number of rows of a table of data."""

MAX_ENTRY = 200
"""Maximum number of characters in a cell of a row of data."""

MAX_RULE = 3.0
"""Maximum width of a rule, in points; a wider rectangle is the background of a text."""

MIN_TEXT = 30
"""Minimum number of characters of a text in a row of cells; shorter ones are names, values and tiles of a drawing."""

MIN_PADDING = 0.4
"""Minimum white space between the texts of two cells, in ems."""
MIN_COLUMN_GAP = 1.2
"""Usual minimum of the white space between two columns of a table, in ems."""

_SETTINGS = {
    "vertical_strategy": "explicit",
    "horizontal_strategy": "explicit",
    "edge_min_length": 6,
    "snap_tolerance": 2,
}


def find_tables(
    rules: Iterable[Box], glyphs: Sequence[Glyph], width: float
) -> list[Table]:
    """Return the tables of two rows and two columns or more on a page.

    Args:
        rules: lines, as wide as they are drawn, and rectangles.
        width: that of the page.
    """
    lines = [_rectangle(box) for box in rules]
    if len(lines) < 2:
        return []
    candidates = _tables_between(lines)
    # frames are no cells, and Word fills a cell line by line
    thin = [line for line in lines if min(line["width"], line["height"]) <= MAX_RULE]
    ruled = candidates
    if candidates and len(thin) < len(lines):
        ruled = _tables_between(thin)

    tables = []
    for candidate in candidates:
        x0, _, x1, _ = candidate.bbox
        # backgrounds of the parts of a slide
        if x1 - x0 > width - 1:
            continue
        if table := _make_table(candidate, ruled, glyphs):
            tables.append(table)
    return tables


def _make_table(
    candidate: Any, ruled: Iterable[Any], glyphs: Iterable[Glyph]
) -> Table | None:
    """Make a table of one that pdfplumber has found; return None if it is a frame, or the background of a text.

    Args:
        ruled: the tables between thin lines.
    """
    box = _box_of_rows(candidate)
    inside = [glyph for glyph in glyphs if box.holds_glyph(glyph)]
    texts = _texts(candidate.rows, inside)
    ruled_inside = [other for other in ruled if _is_inside(other, box)]
    is_marked = not ruled_inside and _is_marked_text(candidate.rows, inside)
    if not _is_grid(texts) or is_marked:
        return None

    data_rows = [Box(*row.bbox) for row in _data_rows(candidate.rows, texts)]
    text_rows: list[list[Box]] = []
    for other in ruled_inside:
        ruled_texts = texts if other is candidate else _texts(other.rows, inside)
        text_rows += _text_rows(other.rows, ruled_texts, inside, data_rows)
    return Table(box, data_rows, text_rows)


def _tables_between(lines: Sequence[dict[str, Any]]) -> list[Any]:
    """Return the tables that pdfplumber finds between lines."""
    settings = {
        **_SETTINGS,
        "explicit_vertical_lines": lines,
        "explicit_horizontal_lines": lines,
    }
    no_page: Any = None  # it would be asked for other lines and for texts
    tables: list[Any] = TableFinder(no_page, settings).tables if len(lines) > 1 else []
    return tables


def _box_of_rows(table: Any) -> Box:
    """Return the box of the rows of two cells or more; boxes of text above and below them may touch a table."""
    boxes = []
    for row in table.rows:
        if sum(cell is not None for cell in row.cells) > 1:
            boxes.append(row.bbox)
    x0, top, x1, bottom = zip(*(boxes or [table.bbox]), strict=True)
    return Box(min(x0), min(top), max(x1), max(bottom))


def _is_inside(table: Any, box: Box) -> bool:
    """Return whether the middle of a table is inside a rectangle."""
    x0, top, x1, bottom = table.bbox
    return box.holds((x0 + x1) / 2, (top + bottom) / 2)


def _text_rows(
    rows: Sequence[Any],
    all_texts: Sequence[_Row],
    glyphs: Sequence[Glyph],
    data_rows: Iterable[Box],
) -> list[list[Box]]:
    """Return the cells with text of the rows with a text of some length, unless text crosses the side of a cell."""
    if not _is_grid(all_texts):
        return []
    text_rows = []
    for row, texts in zip(rows, all_texts, strict=True):
        _, top, _, bottom = row.bbox
        middle = (top + bottom) / 2
        is_data = any(data.top < middle < data.bottom for data in data_rows)
        has_text = any(len(text or "") >= MIN_TEXT for text in texts)
        cells = zip(row.cells, texts, strict=True)
        boxes = [Box(*cell) for cell, text in cells if text]
        if has_text and not is_data and not _is_crossed(boxes, glyphs):
            text_rows.append(boxes)
    return text_rows


def _is_crossed(cells: Sequence[Box], glyphs: Iterable[Glyph]) -> bool:
    """Return whether the side of a cell is inside a word or between two words of a line, as in no table."""
    sides = _sides(cells)
    return any(_is_crossed_by(sides, line) for line in _lines_in(cells, glyphs))


def _is_marked_text(rows: Iterable[Any], glyphs: Iterable[Glyph]) -> bool:
    """Return whether cells are the backgrounds of words and lines: they cross most lines, which are long and whole."""
    cells = [Box(*cell) for row in rows for cell in row.cells if cell]
    sides = _sides(cells)
    lines = _lines_in(cells, glyphs)
    n_crossed = 0
    for line in lines:
        gaps = [right.x0 - left.x1 for left, right in itertools.pairwise(line)]
        is_whole = len(line) >= MIN_TEXT and max(gaps) < MIN_COLUMN_GAP * line[0].size
        n_crossed += is_whole and _is_crossed_by(sides, line)
    return 2 * n_crossed > len(lines)


def _lines_in(cells: Sequence[Box], glyphs: Iterable[Glyph]) -> list[list[Glyph]]:
    """Return the visible glyphs inside some cells by line, from left to right."""
    lines: defaultdict[int, list[Glyph]] = defaultdict(list)
    for glyph in glyphs:
        is_visible = glyph.text != " "
        if is_visible and any(cell.top < glyph.y < cell.bottom for cell in cells):
            lines[round(glyph.y)].append(glyph)
    return [sorted(line, key=lambda glyph: glyph.x0) for line in lines.values()]


def _sides(cells: Sequence[Box]) -> set[float]:
    """Return the left and right edges of some cells."""
    return {cell.x0 for cell in cells} | {cell.x1 for cell in cells}


def _is_crossed_by(sides: Iterable[float], line: Sequence[Glyph]) -> bool:
    """Return whether the side of a cell is between two glyphs of a line that are near each other."""
    for left, right in itertools.pairwise(line):
        is_near = right.x0 - left.x1 < MIN_PADDING * left.size
        if is_near and any(left.middle < side < right.middle for side in sides):
            return True
    return False


def _rectangle(box: Box) -> dict[str, Any]:
    """Return a rectangle in the form of pdfplumber."""
    return {
        "object_type": "rect",
        "x0": box.x0,
        "x1": box.x1,
        "top": box.top,
        "bottom": box.bottom,
        "doctop": box.top,
        "y0": -box.bottom,
        "y1": -box.top,
        "width": box.width,
        "height": box.height,
    }


def _texts(rows: Sequence[Any], glyphs: Sequence[Glyph]) -> list[_Row]:
    """Return the texts of the cells of each row; None for the rest of a merged cell."""
    texts: list[_Row] = []
    for row in rows:
        box = Box(*row.bbox)
        inside = [glyph for glyph in glyphs if box.holds_glyph(glyph)]
        texts.append([cell and _text_in(Box(*cell), inside) for cell in row.cells])
    return texts


def _text_in(cell: Box, glyphs: Iterable[Glyph]) -> str:
    """Return the text inside a cell."""
    parts = []
    for glyph in glyphs:
        if cell.holds_glyph(glyph):
            parts.append(" " + glyph.text if glyph.parted else glyph.text)
    return "".join(parts)


def _data_rows(rows: Sequence[Any], texts: Sequence[_Row]) -> list[Any]:
    """Return the rows with short texts in two cells or more; none if they are few, as in a layout of boxes."""
    data_rows = []
    for row, cells in zip(rows, texts, strict=True):
        lengths = [len(cell or "") for cell in cells]
        n_texts = sum(map(_has_word, cells))
        if None not in cells and n_texts >= 2 and max(lengths) <= MAX_ENTRY:
            data_rows.append(row)
    is_data = len(data_rows) >= MIN_DATA_ROWS and 2 * len(data_rows) > len(rows)
    return data_rows if is_data else []


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
