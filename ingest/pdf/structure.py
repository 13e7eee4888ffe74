"""Structure of a tagged page: the paragraph, item or cell to which each piece of its text belongs.

Word processors and presentation programs write it for screen readers (ISO 32000-1, 14.7 and 14.8).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

from ingest.pdf.pdfium_text import by_address

GROUPS = frozenset(
    (
        *("Document", "Part", "Art", "Sect", "Div", "Figure", "Index"),
        *("L", "TOC", "Table", "TR", "THead", "TBody", "TFoot"),
    )
)
"""Types of elements that hold paragraphs, items or cells: text of their own is in no element."""

INLINE = frozenset(
    (
        *("Span", "Link", "Annot", "Quote", "Reference", "Code", "Formula"),
        *("Em", "Strong", "Sub", "Lbl", "LBody", "NonStruct", "Private"),
        *("Ruby", "RB", "RT", "RP", "Warichu", "WT", "WP"),
    )
)
"""Types of elements inside a paragraph or an item."""

MAX_CHILDREN = 50_000
"""Maximum number of children of one element; a file with more is damaged, and its structure is not read."""

_n_children = by_address(pdfium.FPDF_StructElement_CountChildren)
_child = by_address(pdfium.FPDF_StructElement_GetChildAtIndex)
_piece = by_address(pdfium.FPDF_StructElement_GetChildMarkedContentID)
_type_of = by_address(pdfium.FPDF_StructElement_GetType)
_object = by_address(pdfium.FPDFPage_GetObject)
_piece_of_object = by_address(pdfium.FPDFPageObj_GetMarkedContentID)


def find_elements(page: pypdfium2.PdfPage, numbers: Iterator[int]) -> dict[int, int]:
    """Return the number of the element of each object of a page that is in one, by the address of the object.

    Args:
        numbers: new numbers of elements.
    """
    tree = pdfium.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return {}
    try:
        pieces = _find_pieces(tree, numbers)
    finally:
        pdfium.FPDF_StructTree_Close(tree)

    elements = {}
    raw = ctypes.cast(page.raw, ctypes.c_void_p).value
    for index in range(pdfium.FPDFPage_CountObjects(page.raw) if pieces else 0):
        address = _object(raw, index)
        number = pieces.get(_piece_of_object(address), 0)
        if number:
            elements[address] = number
    return elements


def _find_pieces(tree: Any, numbers: Iterator[int]) -> dict[int, int]:
    """Return the number of the element of each marked piece of text, by the identifier of the piece on its page."""
    waiting: list[tuple[int | None, int]] = []  # nodes, and the elements around them
    for position in range(pdfium.FPDF_StructTree_CountChildren(tree)):
        root = pdfium.FPDF_StructTree_GetChildAtIndex(tree, position)
        waiting.append((ctypes.cast(root, ctypes.c_void_p).value, 0))

    pieces: dict[int, int] = {}
    seen = set()  # a damaged file may name a node twice
    while waiting:
        node, number = waiting.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        kind = _type(node)
        if kind in GROUPS:
            number = 0
        elif kind not in INLINE:
            number = next(numbers)

        n_children = _n_children(node)
        if n_children > MAX_CHILDREN:
            return {}
        for position in range(n_children):
            piece = _piece(node, position)
            if piece >= 0:
                pieces[piece] = number
            else:
                waiting.append((_child(node, position), number))
    return pieces


def _type(node: int) -> str:
    """Return the standard type of a node, such as "P"."""
    size = _type_of(node, None, 0)
    buffer = ctypes.create_string_buffer(size)
    _type_of(node, ctypes.addressof(buffer), size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")
