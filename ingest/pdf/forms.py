"""Forms of a page, and the text that they cut off."""

import ctypes

import pypdfium2
import pypdfium2.raw as pdfium

from ingest.pdf.pdfium_text import (
    UNCLIPPED,
    Region,
    are_apart,
    bounds_of,
    clip_of,
    common_region,
)

_KINDS = [pdfium.FPDF_PAGEOBJ_FORM, pdfium.FPDF_PAGEOBJ_TEXT]


def find_cut_texts(page: pypdfium2.PdfPage) -> frozenset[int]:
    """Return the addresses of the text objects that are outside the region of a form around them.

    A figure cut from the page of a book is a form with all of that page.
    """
    cut = set()
    # of each form: the matrix of what is in it, and its region on the page
    forms: dict[object, tuple[pypdfium2.PdfMatrix, Region]] = {}
    forms[None] = pypdfium2.PdfMatrix(), UNCLIPPED
    for item in page.get_objects(filter=_KINDS):
        matrix, region = forms[item.container]
        is_form = pdfium.FPDFPageObj_GetType(item) == pdfium.FPDF_PAGEOBJ_FORM
        if region == UNCLIPPED and not is_form:
            continue  # nearly all text

        address = ctypes.cast(item.raw, ctypes.c_void_p).value or 0
        if is_form:
            clip = clip_of(address)
            if clip != UNCLIPPED:
                region = common_region(region, matrix.on_rect(*clip))
            forms[item] = item.get_matrix().multiply(matrix), region
        elif are_apart(matrix.on_rect(*bounds_of(address)), region):
            cut.add(address)
    return frozenset(cut)
