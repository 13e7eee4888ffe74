"""How surely a book's name means a document."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReferenceCalibration:
    """Fitted numbers of the resolution of book names with one embedder; see references.py.

    Attributes:
        weights: of each feature of a name and a document.
        none: utility of "none of these".
        letters: the weights where meanings are not compared, that of the meaning being 0.
        letters_none: utility of "none of these" there.
        unrelated: cosine that unrelated names have.
    """

    weights: tuple[float, ...]
    none: float
    letters: tuple[float, ...]
    letters_none: float
    unrelated: float
