"""ingest/layout/gutters.py: zones with columns of their own, told by white space and by the order of drawing."""

import random

from tests.contracts.handmade import Run, lines
from tests.ingest.layout.zones import read_zones
from tests.ingest.reading import in_order


def _column(
    name: str, n_lines: int, x: float, y: float, leading: float = 12
) -> list[Run]:
    texts = [f"{name} column with line {number}" for number in range(n_lines)]
    return lines(texts, x, y, leading)


def _texts(*parts: list[Run]) -> list[str]:
    page = [run for part in parts for run in part]
    return [line.text for line in in_order(page)]


def test_a_page_of_random_zones_is_read_zone_by_zone() -> None:
    whole, in_order = read_zones(seed=3, n_pages=12)
    assert whole >= 0.99
    assert in_order >= 0.98


def test_columns_of_two_lines_are_parted_if_they_are_drawn_one_by_one() -> None:
    left = _column("left", 2, 50, 100)
    right = _column("right", 2, 300, 100)
    assert _texts(left, right) == [run.text for run in left + right]

    by_rows = [run for row in zip(left, right, strict=True) for run in row]
    assert _texts(by_rows) == [
        f"{one.text} {other.text}" for one, other in zip(left, right, strict=True)
    ]


def test_a_short_column_is_parted_though_its_rows_are_between_those_of_the_other() -> (
    None
):
    left = _column("left", 8, 50, 100, leading=14)
    right = _column("right", 2, 300, 107, leading=14)
    assert _texts(left, right) == [run.text for run in left + right]


def test_a_short_note_is_parted_from_a_title_next_to_it() -> None:
    note = lines(["a note of two lines", "next to the title"], 50, 100, 8, 6.5)
    title = Run(200, 105, "The title of the section", size=13)
    text = _column("text", 4, 200, 130)
    expected = [run.text for run in [*note, title, *text]]
    assert _texts(note, [title], text) == expected


def test_a_heading_level_with_the_next_column_is_no_part_of_the_zone_above_them() -> (
    None
):
    zones = [
        _column("name", 4, 50, 100),
        _column("of the abstract", 30, 220, 100),
        [
            Run(50, 498, "The heading"),
            *_column("first of the text, which is wider,", 8, 50, 522),
        ],
        _column("last of the text", 10, 310, 498),
    ]
    expected = [run.text for zone in zones for run in zone]
    assert _texts(*zones) == expected


def test_zones_with_the_same_gutter_are_read_in_the_order_of_drawing() -> None:
    zones = [
        _column("first", 3, 50, 100),
        _column("second", 3, 300, 100),
        _column("third", 3, 50, 150),
        _column("fourth", 3, 300, 150),
    ]
    expected = [run.text for zone in zones for run in zone]
    assert _texts(*zones) == expected


def test_a_column_next_to_narrower_ones_below_a_wide_one_stays_whole() -> None:
    note = _column("note", 12, 50, 100)
    wide = [
        Run(
            170,
            100 + 12 * number,
            f"a wide line {number} of the text over both columns of it",
        )
        for number in range(4)
    ]
    left = _column("left", 6, 170, 160)
    right = _column("right", 6, 350, 160)
    expected = [run.text for run in note + wide + left + right]
    assert _texts(note, wide, left, right) == expected


def test_long_columns_are_found_in_a_file_that_draws_in_any_order() -> None:
    left = _column("left", 9, 50, 100)
    right = _column("right", 9, 300, 100)
    shuffled = random.Random(1).sample(left + right, 18)
    assert _texts(shuffled) == [run.text for run in left + right]


def test_a_note_next_to_lines_with_more_space_is_parted_from_them() -> None:
    wide = "a line that runs over the whole width of the page and the note next to it"
    text = [Run(50, 100, wide), Run(50, 112, "the last line of it")]
    rows = (133.6, 155.2, 177.8, 200.2)
    rows_of_text = [Run(50, y, f"a row at {y} with words") for y in rows]
    note = _column("note", 3, 300, 157.0, leading=14)
    expected = [run.text for run in [*text, *rows_of_text, *note]]
    assert _texts(text, rows_of_text, [Run(50, 222, wide)], note) == [*expected, wide]


def test_the_last_line_of_a_text_above_columns_stays_with_its_text() -> None:
    wide = [
        Run(
            50,
            100,
            "a line that runs over the whole width of the page and both columns below it",
        )
    ]
    wide.append(Run(50, 112, "the last line of it"))
    left = _column("left", 8, 50, 140)
    right = _column("right", 8, 300, 140)
    lines_read = in_order([*wide, *left, *right])
    assert lines_read[0].column == lines_read[1].column != lines_read[2].column
