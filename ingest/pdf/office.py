"""Word and PowerPoint files, by python-docx and python-pptx."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from quarry.ingest.errors import SourceError
from quarry.ingest.pdf.pieces import Kind, Piece, TextFile, on_one_line

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_FIXED_PITCH = re.compile(r"code|mono|courier|consol|verbatim|source", re.IGNORECASE)


def read_docx(path: Path, content: bytes) -> TextFile:
    """A Word file.

    Raises:
        SourceError: it is damaged, encrypted or no Word file.
    """
    import docx

    document = _opened(path, content, docx.Document)
    pieces = [piece for element in document.element.body for piece in _word_pieces(element, document)]
    core = document.core_properties
    titles = [piece.text for piece in pieces if piece.kind == "heading" and piece.level == 0]
    title = next(iter(titles), on_one_line(core.title or ""))
    return TextFile(tuple(pieces), "python-docx", title, _day(core.created))


def _word_pieces(element: Any, document: Any) -> Iterator[Piece]:
    """The pieces of one element of a Word file's body; what stands in a table is one for each cell."""
    from docx.oxml.ns import qn
    from docx.text.paragraph import Paragraph

    if element.tag == qn("w:tbl"):
        for cell in element.iter(qn("w:tc")):
            yield Piece(on_one_line(" ".join(_word_text(paragraph) for paragraph in cell.iter(qn("w:p")))), "table")
    elif element.tag == qn("w:sdt"):
        for child in element.iter(qn("w:p")):
            yield from _word_pieces(child, document)
    elif element.tag == qn("w:p"):
        paragraph = Paragraph(element, document)
        style = paragraph.style.name if paragraph.style is not None else ""
        heading = _HEADING.match(style or "")
        kind: Kind = "paragraph"
        if heading or style in ("Title", "Subtitle"):
            kind = "heading"
        elif style and _FIXED_PITCH.search(style):
            kind = "code"
        elif (style or "").startswith("List") or element.find(f"{qn('w:pPr')}/{qn('w:numPr')}") is not None:
            kind = "item"
        yield Piece(on_one_line(_word_text(element)), kind, int(heading[1]) if heading else 0)


def _word_text(element: Any) -> str:
    """The text of a Word paragraph as it is printed, formulas on one line; no marks of notes, nothing deleted."""
    from docx.oxml.ns import qn

    parts = []
    for item in element.iter(qn("w:t"), qn("w:tab"), qn("w:br"), qn("w:noBreakHyphen"), f"{_MATH}t"):
        if item.tag in (qn("w:t"), f"{_MATH}t"):
            parts.append(item.text or "")
        else:
            parts.append("-" if item.tag == qn("w:noBreakHyphen") else " ")
    return "".join(parts)


def read_pptx(path: Path, content: bytes) -> TextFile:
    """A PowerPoint file; hidden slides and speaker's notes are left out.

    Raises:
        SourceError: it is damaged, encrypted or no PowerPoint file.
    """
    import pptx

    deck = _opened(path, content, pptx.Presentation)
    pieces: list[Piece] = []
    for number, slide in enumerate(deck.slides, 1):
        if slide._element.get("show") == "0":
            continue
        title = slide.shapes.title
        if title is not None and on_one_line(title.text_frame.text):
            pieces.append(Piece(on_one_line(title.text_frame.text), "heading", 1, number))
        rest = [shape for shape in slide.shapes if title is None or shape.shape_id != title.shape_id]
        pieces += (piece for shape in _in_order(rest) for piece in _slide_pieces(shape, number))
    core = deck.core_properties
    first = next((piece.text for piece in pieces if piece.kind == "heading"), "")
    return TextFile(tuple(pieces), "python-pptx", first, _day(core.created), len(deck.slides))


def _in_order(shapes: Iterable[Any]) -> list[Any]:
    """Shapes from top to bottom as they are read, placeholders before what was drawn beside them."""
    return sorted(shapes, key=lambda shape: (not shape.is_placeholder, shape.top or 0, shape.left or 0))


def _slide_pieces(shape: Any, number: int) -> Iterator[Piece]:
    if shape.shape_type is not None and shape.shape_type == 6:  # a group
        for inner in _in_order(shape.shapes):
            yield from _slide_pieces(inner, number)
    elif getattr(shape, "has_table", False) and shape.has_table:
        for row in shape.table.rows:
            for cell in row.cells:
                yield Piece(on_one_line(cell.text), "table", 0, number)
    elif shape.has_text_frame:
        for paragraph in shape.text_frame.paragraphs:
            yield Piece(on_one_line(_slide_text(paragraph._p)), "paragraph", 0, number)


def _slide_text(element: Any) -> str:
    """The text of a slide's paragraph, formulas and line breaks included."""
    from pptx.oxml.ns import qn

    items = element.iter(qn("a:t"), qn("a:br"), f"{_MATH}t")
    return "".join(" " if item.tag == qn("a:br") else item.text or "" for item in items)


def _opened(path: Path, content: bytes, opener: Callable[[Any], Any]) -> Any:
    """What a library makes of a file.

    Raises:
        SourceError: it cannot be opened.
    """
    suffix = path.suffix.lower()
    if content[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise SourceError(f"{path}: must be a {suffix} file without a password, is encrypted or of an old format")
    try:
        return opener(io.BytesIO(content))
    except (KeyError, ValueError, OSError, zipfile.BadZipFile, SyntaxError) as error:
        raise SourceError(f"{path}: must be a whole {suffix} file, is damaged; get the file again") from error


def _day(moment: datetime.datetime | None) -> str:
    return moment.date().isoformat() if moment is not None else ""
