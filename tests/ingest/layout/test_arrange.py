"""ingest/layout/arrange.py: reading order, running heads, footnotes and the printed title."""

from __future__ import annotations

from tests.contracts.handmade import Run, grid, lines
from tests.ingest.reading import arranged, in_order

LEFT = [f"left line {number} of the first column here" for number in range(1, 9)]
RIGHT = [f"right line {number} of the second column here" for number in range(1, 9)]


def _texts(*pages: list[Run]) -> list[str]:
    return [line.text for line in in_order(*pages)]


def _body(number: int) -> list[Run]:
    return lines(
        [
            f"page {number} has this line of text, number {row} of it"
            for row in "abcdefghij"
        ],
        50,
        150,
    )


def test_what_runs_across_both_columns_parts_them_into_bands() -> None:
    across = "a line that runs across the whole of the page, over both columns that stand on it, like a wide table"
    page = [*lines(LEFT, 50, 200), *lines(RIGHT, 310, 200), Run(50, 320, across)]
    page += [*lines(LEFT, 50, 350), *lines(RIGHT, 310, 350)]
    assert _texts(page) == [*LEFT, *RIGHT, across, *LEFT, *RIGHT]


def test_running_heads_and_page_numbers_are_left_out() -> None:
    pages = [
        [Run(50, 40, "A Course in Search"), *_body(number), Run(290, 780, str(number))]
        for number in range(1, 5)
    ]
    assert all(text.startswith("page ") for text in _texts(*pages))


def test_a_line_that_comes_once_near_the_edge_stays() -> None:
    pages = [_body(1), [Run(50, 140, "only here in the document"), *_body(2)], _body(3)]
    assert "only here in the document" in _texts(*pages)


def test_footnotes_are_marked_and_follow_the_body() -> None:
    notes = [
        Run(50, 700, "1 See the notes.", size=8),
        Run(50, 710, "which go on here.", size=8),
    ]
    found = in_order([*notes, *_body(1)])
    assert [(line.text, line.footnote) for line in found[-3:]] == [
        ("page 1 has this line of text, number j of it", False),
        ("1 See the notes.", True),
        ("which go on here.", True),
    ]


def test_the_title_is_the_largest_print_of_the_first_page() -> None:
    title = [Run(50, 60, "Finding Things", size=20), Run(50, 84, "Again", size=20)]
    assert arranged([*title, *_body(1)]).title == "Finding Things Again"


def test_lines_in_a_ruled_table_are_marked() -> None:
    runs = [Run(55, 90, "above"), Run(55, 120, "a cell"), Run(55, 190, "below")]
    table = grid([50, 150, 300], [100, 130, 160])
    above, cell, below = in_order(runs, drawing=table)
    assert cell.in_table
    assert not above.in_table
    assert not below.in_table


def test_the_columns_of_the_pages_before_part_a_last_page_of_few_lines() -> None:
    first = [*lines(LEFT, 50, 200), *lines(RIGHT, 310, 200)]
    last = [*lines(LEFT[:3], 50, 200), *lines(RIGHT[:2], 310, 205)]
    assert _texts(first, last) == [*LEFT, *RIGHT, *LEFT[:3], *RIGHT[:2]]


def test_what_is_drawn_off_the_page_is_not_read() -> None:
    page = [*_body(1), Run(2050, 200, "right of it"), Run(50, -500, "above it")]
    assert _texts(page) == [run.text for run in _body(1)]


def test_the_parts_of_a_latin_header_of_a_hebrew_file_read_from_left_to_right() -> None:
    letters = {"a": "א", "b": "ב", "g": "ג", " ": " "}
    mapping = {char: char for char in "HedrLctu"} | letters
    page = [
        Run(50, 100, "Lecture", font="mapped"),
        Run(300, 100, "Here", font="mapped"),
        *(
            Run(50, 200 + 12 * n, "abg gba bag gab abg", font="mapped")
            for n in range(9)
        ),
    ]
    assert in_order(page, to_unicode=mapping)[0].text == "Lecture Here"
