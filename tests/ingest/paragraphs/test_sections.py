"""ingest/paragraphs/sections.py: which headings a block stands under."""

from __future__ import annotations

from ingest.paragraphs.blocks import Block
from ingest.paragraphs.sections import outline

TEXT = "one two three four five six seven eight nine ten eleven twelve"


def _heading(text: str, size: float, bold: float = 1.0, number: str = "") -> Block:
    return Block(
        1, "", text, is_heading=True, size_ratio=size, bold=bold, number=number
    )


def _text(footnote: bool = False) -> Block:
    return Block(1, "", TEXT, footnote=footnote)


def test_a_smaller_heading_is_a_section_within_a_larger_one() -> None:
    blocks = [
        _heading("Trees", 1.6),
        _heading("Balance", 1.2),
        _text(),
        _heading("Graphs", 1.6),
        _text(),
    ]
    assert outline(blocks, "")[0] == [
        (),
        ("Trees",),
        ("Trees", "Balance"),
        (),
        ("Graphs",),
    ]


def test_headings_of_one_size_are_nested_by_their_numbers() -> None:
    blocks = [
        _heading("1 Trees", 1.0),
        _heading("Balance", 1.0, number="1.1"),
        _text(),
        _heading("2 Graphs", 1.0),
    ]
    assert outline(blocks, "")[0][2:] == [("1 Trees", "Balance"), ()]


def test_of_two_headings_of_one_size_the_bold_one_holds_the_other() -> None:
    blocks = [_heading("Trees", 1.2), _heading("Balance", 1.2, bold=0.0), _text()]
    assert outline(blocks, "")[0][2] == ("Trees", "Balance")


def test_a_title_of_two_lines_is_one_section() -> None:
    blocks = [
        _heading("Trees and", 2.0),
        _heading("Graphs", 2.0),
        _heading("Why", 1.2),
        _text(),
        _heading("How", 1.2),
    ]
    assert outline(blocks, "Trees and Graphs")[0][3] == ("Trees and Graphs", "Why")


def test_outermost_headings_come_without_title_and_numbers() -> None:
    blocks = [
        _heading("Trees", 2.0),
        _heading("1 Why", 1.2),
        _text(),
        _heading("1.1 Balance", 1.0),
        _heading("2 How", 1.2),
    ]
    assert outline(blocks, "Trees")[1] == ["Why", "How"]


def test_a_footnote_stands_under_no_heading() -> None:
    blocks = [_heading("Trees", 1.6), _text(footnote=True), _text()]
    assert outline(blocks, "")[0][1:] == [(), ("Trees",)]
