"""evaluate/studio/pictures.py: where the words of a page are on its picture."""

import io
from pathlib import Path

import pikepdf
import pytest

from evaluate.studio.pictures import page_words
from tests.contracts.handmade import PAGE_HEIGHT, PAGE_WIDTH, Run, pdf


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_words_are_where_a_cut_and_turned_page_shows_them(
    turn: int, tmp_path: Path
) -> None:
    """The visible part of the page is its upper half, and a word is in the upper left corner."""
    with pikepdf.open(io.BytesIO(pdf([[Run(10, 20, "corner")]]))) as made:
        page = made.pages[0]
        page.CropBox = [0, PAGE_HEIGHT / 2, PAGE_WIDTH, PAGE_HEIGHT]
        page.Rotate = turn
        made.save(tmp_path / "lecture.pdf")
    (word,) = page_words(tmp_path / "lecture.pdf", 1)
    (box,) = word.boxes
    across, down = (box.left + box.right) / 2, (box.top + box.bottom) / 2
    assert 0 < box.left < box.right < 1
    assert 0 < box.top < box.bottom < 1
    assert (across > 0.5) == (turn in (90, 180))
    assert (down > 0.5) == (turn in (180, 270))
