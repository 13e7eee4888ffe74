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

MAX_DEPTH = 64
"""Maximum depth of an element; deeper ones, as in a damaged file, are left out."""


def find_elements(page: pypdfium2.PdfPage, numbers: Iterator[int]) -> dict[int, int]:
    """Return the number of the element of each marked piece of text of a page, by the identifier of the piece.

    Args:
        numbers: new numbers of elements.
    """
    tree = pdfium.FPDF_StructTree_GetForPage(page.raw)
    if not tree:
        return {}
    elements: dict[int, int] = {}
    for index in range(pdfium.FPDF_StructTree_CountChildren(tree)):
        child = pdfium.FPDF_StructTree_GetChildAtIndex(tree, index)
        _add_elements(child, 0, numbers, elements, 0)
    pdfium.FPDF_StructTree_Close(tree)
    return elements


def _add_elements(
    element: Any,
    number: int,
    numbers: Iterator[int],
    elements: dict[int, int],
    depth: int,
) -> None:
    """Add the pieces of an element to `elements`; `number` is that of the element around it."""
    if not element or depth > MAX_DEPTH:
        return
    if _type(element) not in INLINE:
        number = next(numbers)
    for index in range(pdfium.FPDF_StructElement_CountChildren(element)):
        piece = pdfium.FPDF_StructElement_GetChildMarkedContentID(element, index)
        if piece >= 0:
            elements[piece] = number
            continue
        child = pdfium.FPDF_StructElement_GetChildAtIndex(element, index)
        _add_elements(child, number, numbers, elements, depth + 1)


def _type(element: Any) -> str:
    """Return the standard type of an element, such as "P"."""
    size = pdfium.FPDF_StructElement_GetType(element, None, 0)
    buffer = ctypes.create_string_buffer(size)
    pdfium.FPDF_StructElement_GetType(element, buffer, size)
    return buffer.raw.decode("utf-16-le", "replace").rstrip("\0")
