"""ingest/layout/bullets.py: drawn squares before lines are bullets, other squares are none."""

from dataclasses import replace

import pytest

from ingest.layout.bullets import add_bullets
from ingest.layout.rows import find_rows
from ingest.paragraphs.blocks import find_blocks
from ingest.pdf.model import Box
from tests.contracts.handmade import PAGE_HEIGHT, lines
from tests.ingest.layout.glyphs import glyphs
from tests.ingest.reading import arranged

ITEMS = [
    "a line that fills the width of the column, as others do",
    "and another one that fills the width of the column also",
]


def test_a_drawn_square_is_the_bullet_of_an_item() -> None:
    squares = ""
    for y in (200, 212):
        squares += f"40 {PAGE_HEIGHT - y + 2} 4 4 re f\n"
    page = lines(ITEMS, 50, 200)
    first, second = find_blocks(arranged(page, drawing=squares))
    assert (first.text, first.number) == (ITEMS[0], "•")
    assert (second.text, second.number) == (ITEMS[1], "•")
    (joined,) = find_blocks(arranged(page))
    assert joined.text == " ".join(ITEMS)


@pytest.mark.parametrize(
    ("word", "dot", "text"),
    [
        ("keys", Box(40, 94, 44, 98), "•keys"),
        ("מפתח", Box(76, 94, 80, 98), "מפתח•"),  # read from the right
        ("keys", Box(76, 94, 80, 98), "keys"),  # the end of a proof
        ("מפתח", Box(40, 94, 44, 98), "מפתח"),
        ("keys", Box(10, 94, 14, 98), "keys"),  # far away
        ("keys", Box(40, 84, 44, 88), "keys"),  # above the line
    ],
)
def test_a_dot_belongs_to_the_line_that_begins_next_to_it(
    word: str, dot: Box, text: str
) -> None:
    rows = find_rows(glyphs(word, 50))
    add_bullets(rows, [dot])
    (row,) = rows
    assert "".join(glyph.text for glyph in row.glyphs) == text


def test_a_dot_between_two_words_is_the_bullet_of_a_column_or_an_arrow() -> None:
    dot = Box(86, 94, 90, 98)
    for dots, n_bullets in (([dot], 0), ([dot, replace(dot, top=194, bottom=198)], 1)):
        rows = find_rows(glyphs("a", 50) + glyphs("a", 100))
        add_bullets(rows, dots)
        assert sum(len(row.glyphs) for row in rows) == 2 + n_bullets
