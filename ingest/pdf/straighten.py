"""A page that was scanned askew, and what was recognised in it, made straight.

The engine sees the page as it is up to `STEEP`: moving columns by whole dots frays the letters.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from quarry.ingest.pdf.ocr_word import Image, SeenChar, SeenLine

MAX_DEGREES = 5.0
"""How far a page may be turned; beyond that it is left as it is."""
COARSE, FINE = 0.1, 0.02
"""Steps in degrees of the two searches."""
THINNING = 8
"""Only every so many columns are looked at."""
NEARLY = 0.98
"""Share of the greatest sharpness from which on a slope is as good."""
DARK = 128
"""Grey value below which a dot is ink."""
MIN_INK = 500
"""Dots of ink, after thinning, below which a page tells no slope."""
STEEP = 0.035
"""Slope from which on a page is made straight before it is recognised; two degrees."""
LEAST_SLOPE = 0.0007
"""Slope up to which a page is straight enough: two dots across a page."""


def slope_of(image: Image) -> float:
    """The slope of a page's lines, dots downwards for each dot to the right: where rows of ink and white are sharpest.

    Args:
        image: (height, width) grey values.
    """
    ys, columns = np.nonzero(image[:, ::THINNING] < DARK)
    if len(ys) < MIN_INK:
        return 0.0
    xs = columns * THINNING
    offset = image.shape[1]  # no row below 0, however much it slopes

    def sharpness(degrees: float) -> float:
        rows = np.round(ys - math.tan(math.radians(degrees)) * xs).astype(np.int64) + offset
        return float((np.diff(np.bincount(rows).astype(np.float64)) ** 2).sum())

    def sharpest(candidates: NDArray[np.float64]) -> float:
        found = np.array([sharpness(float(degrees)) for degrees in candidates])
        return float(candidates[found >= NEARLY * found.max()].mean())

    best = sharpest(np.arange(-MAX_DEGREES, MAX_DEGREES + COARSE / 2, COARSE))
    best = sharpest(np.arange(best - COARSE, best + COARSE + FINE / 2, FINE))
    return math.tan(math.radians(best)) if abs(best) < MAX_DEGREES else 0.0


def not_steep(image: Image) -> tuple[Image, float]:
    """A page as the engine can see it, made straight only if it is steep, and the slope that is left in it."""
    slope = slope_of(image)
    return (straightened(image, slope), 0.0) if abs(slope) > STEEP else (image, slope)


def levelled(lines: Sequence[SeenLine], slope: float, shape: tuple[int, ...]) -> list[SeenLine]:
    """Lines that were recognised in a page of a slope where they stand once it is straightened.

    Args:
        lines: with their places on the page as it is.
        slope: as `slope_of` tells it.
        shape: height and width of the page, in dots.
    """
    if abs(slope) < LEAST_SLOPE:
        return list(lines)
    height, width = shape

    def moved(char: SeenChar) -> SeenChar:
        up = slope * ((char.x0 + char.x1) / 2 - width / 2)
        aside = slope * ((char.top + char.bottom) / 2 - up - height / 2)
        return SeenChar(
            char.text, round(char.x0 + aside), round(char.top - up), round(char.x1 + aside), round(char.bottom - up)
        )

    return [
        replace(
            line,
            words=tuple(replace(word, chars=tuple(map(moved, word.chars))) for word in line.words),
            slope=line.slope - slope,
            baseline=line.baseline + slope * width / 2,
        )
        for line in lines
    ]


def straightened(image: Image, slope: float) -> Image:
    """A page with its lines level: columns moved up or down, then rows to the side, by whole dots.

    Args:
        image: (height, width) grey values.
        slope: as `slope_of` tells it.
    """
    if abs(slope) < LEAST_SLOPE:
        return image
    return np.ascontiguousarray(_sheared(_sheared(image, slope).T, -slope).T)


def _sheared(image: Image, slope: float) -> Image:
    """An image whose columns are moved up by `slope` dots for each dot from its middle."""
    height, width = image.shape
    moved = np.full_like(image, 255)
    shifts = np.round(slope * (np.arange(width) - width / 2)).astype(np.int64)
    edges = [0, *(np.flatnonzero(np.diff(shifts)) + 1).tolist(), width]
    for left, right in itertools.pairwise(edges):
        up = int(shifts[left])
        if abs(up) >= height:
            continue
        if up >= 0:
            moved[: height - up, left:right] = image[up:, left:right]
        else:
            moved[-up:, left:right] = image[: height + up, left:right]
    return moved
