"""Structure of a tagged page: the paragraph, item or cell to which each marked piece of its text belongs.

Word processors and presentation programs write it for screen readers (ISO 32000-1, 14.8).
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any

import pypdfium2
import pypdfium2.raw as pdfium

INLINE = frozenset(
    (
        *("Span", "Link", "Annot", "Quote", "Reference", "Code", "Formula"),
        *("Em", "Strong", "Sub", "Lbl", "LBody", "NonStruct"),
        *("Ruby", "RB", "RT", "RP", "Warichu", "WT", "WP"),
    )
)
"""Types of elements inside a paragraph or an item (ISO 32000-1, tables 336 to 340)."""


def find_elements(page: pypdfium2.PdfPage, numbers: Iterator[int]) -> dict[int, int]:
    """Return the number of the element of each marked piece of text of a page, by the identifier of the piece.

    Args:
        numbers: new numbers of elements.
    """
    tree = pdfium.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return {}
    waiting = []  # nodes, and the numbers of the elements around them
    for position in range(pdfium.FPDF_StructTree_CountChildren(tree)):
        waiting.append((pdfium.FPDF_StructTree_GetChildAtIndex(tree, position), 0))

    elements: dict[int, int] = {}
    seen: set[int | None] = {None}  # a damaged file may name a node twice
    while waiting:
        node, number = waiting.pop()
        address = ctypes.cast(node, ctypes.c_void_p).value
        if address in seen:
            continue
        seen.add(address)
        if _type(node) not in INLINE:
            number = next(numbers)
        for position in range(pdfium.FPDF_StructElement_CountChildren(node)):
            piece = pdfium.FPDF_StructElement_GetChildMarkedContentID(node, position)
            if piece >= 0:
                elements[piece] = number
            else:
                child = pdfium.FPDF_StructElement_GetChildAtIndex(node, position)
                waiting.append((child, number))
    pdfium.FPDF_StructTree_Close(tree)
    return elements


def _type(node: Any) -> str:
    """Return the standard type of a node, such as "P"."""
    size = pdfium.FPDF_StructElement_GetType(node, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDF_StructElement_GetType(node, buffer, size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")
