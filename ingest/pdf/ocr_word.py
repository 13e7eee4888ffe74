"""A page as an OCR engine tells it: lines of words of characters with boxes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]
RISE = 0.22
"""Font sizes between a baseline and the foot of a figure or a note's mark from which on it is raised."""


@dataclass(frozen=True, slots=True)
class SeenChar:
    """A character as it was recognised; edges in dots of the image, downwards from its top."""

    text: str
    x0: int
    top: int
    x1: int
    bottom: int


@dataclass(frozen=True, slots=True)
class SeenWord:
    """A word as it was recognised, its characters in reading order, with the confidence in it, 0..100."""

    chars: tuple[SeenChar, ...]
    confidence: int

    @property
    def text(self) -> str:
        """The word."""
        return "".join(char.text for char in self.chars)

    @property
    def left(self) -> int:
        """Its left edge."""
        return min(char.x0 for char in self.chars)


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A line as it was recognised.

    Attributes:
        words: in reading order.
        slope, baseline: its baseline stands at `baseline` + `slope` * x, in dots.
        size: its font size, in dots.
    """

    words: tuple[SeenWord, ...]
    slope: float
    baseline: float
    size: float
