"""ingest/pdf/straighten.py: pages that were scanned askew."""

from __future__ import annotations

import math

import numpy as np
import pytest

from quarry.ingest.pdf.ocr_word import Image, SeenChar, SeenLine, SeenWord
from quarry.ingest.pdf.straighten import levelled, slope_of, straightened


def page(degrees: float) -> Image:
    """A page of lines of dots that slope by so many degrees."""
    image = np.full((1200, 900), 255, dtype=np.uint8)
    xs = np.arange(100, 800)
    for y in range(150, 1050, 40):
        ys = np.round(y + math.tan(math.radians(degrees)) * (xs - 450)).astype(int)
        for thick in range(8):
            image[ys + thick, xs] = 0
    return image


@pytest.mark.parametrize("degrees", [-2.5, -1.0, 0.4, 1.0, 3.0])
def test_the_slope_of_a_page_is_told_and_undone(degrees: float) -> None:
    askew = page(degrees)
    assert math.degrees(math.atan(slope_of(askew))) == pytest.approx(degrees, abs=0.08)
    assert abs(math.degrees(math.atan(slope_of(straightened(askew, slope_of(askew)))))) < 0.1


def test_a_straight_page_stays_as_it_is() -> None:
    image = page(0.0)
    assert straightened(image, slope_of(image)) is image


def test_an_empty_page_has_no_slope() -> None:
    assert slope_of(np.full((300, 200), 255, dtype=np.uint8)) == 0.0


def test_what_was_recognised_askew_stands_level_afterwards() -> None:
    slope = math.tan(math.radians(1.0))

    def char(x: int) -> SeenChar:
        foot = 500 + round(slope * (x - 450))
        return SeenChar("a", x - 5, foot - 20, x + 5, foot)

    line = SeenLine((SeenWord((char(105), char(795)), 90),), slope, 500 - slope * 450, 30.0)
    (told,) = levelled([line], slope, (1200, 900))
    assert [round(one.bottom) for one in told.words[0].chars] == pytest.approx([500, 500], abs=1)
    assert told.slope == 0.0
    assert told.baseline == pytest.approx(500, abs=0.5)
