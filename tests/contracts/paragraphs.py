"""Paragraphs for tests."""

import numpy as np

from player.belief.places import Places
from quarry.arrays import IntArray
from quarry.course.paragraph import Paragraph


def paragraph(paragraph_id: str, text: str = "") -> Paragraph:
    """Return the paragraph "book:page:ordinal"; its first sentence opens it."""
    doc_id, page, _ = paragraph_id.split(":")
    text = text or f"This is what {paragraph_id} teaches."
    return Paragraph(
        paragraph_id,
        doc_id,
        int(page),
        f"Section {page}",
        text,
        f"{text.split('.')[0]}.",
    )


def first_places(places: Places) -> IntArray:
    """Return (n_paragraphs,) the first place of each paragraph."""
    return np.searchsorted(places.paragraph_rows, np.arange(len(places.paragraphs)))
