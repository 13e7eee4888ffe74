"""ingest/paragraphs/line_group.py: measures of the lines of a paragraph, and lines that look alike."""

from dataclasses import replace

from ingest.paragraphs.line_group import LineGroup, same_print
from tests.ingest.paragraphs.lines import line


def test_the_margin_of_an_item_is_the_start_of_its_text() -> None:
    bullet, *words = line("• Trees grow").words
    words = [replace(word, x0=60.0) for word in words]
    lines = [line("", words=(bullet, *words)), line("and fall", x0=45.0)]
    assert LineGroup(lines, 1).margin == 60
    assert LineGroup(lines).margin == 45


def test_the_room_at_the_end_of_a_box_is_measured_from_its_margin() -> None:
    # 20 points, 2 font sizes, of the column are left; a box has the same on both sides
    end = line("of trees.", x0=70.0, x1=280.0)
    assert LineGroup([end, end]).room == 0
    assert LineGroup([end, end], 1).room == 2
    assert LineGroup([line("Trees", x1=280.0)]).room == 2


def test_the_leading_is_the_distance_of_two_lines_of_one_column() -> None:
    first = line("Trees grow")
    for second, leading in (
        (line("and fall", y=114.0), 14),
        (line("and fall", y=114.0, rise=5.0), 12),  # 3 are usual
        (line("and fall", y=114.0, column=1), 0),
    ):
        assert LineGroup([first, second]).leading == leading


def test_lines_of_one_print_are_alike_in_size_weight_and_pitch() -> None:
    first = line("Trees grow")
    for features, expected in (
        ({"size": 10.4}, True),
        ({"size": 12.0}, True),  # its words are in the size of the other line
        ({"bold_share": 1.0}, False),
        ({"mono_share": 1.0}, False),
    ):
        assert same_print(first, line("and fall", **features)) is expected, features
    words = [replace(word, size=12.0) for word in first.words]
    assert not same_print(first, line("", words=tuple(words), size=12.0))
