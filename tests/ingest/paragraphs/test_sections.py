"""ingest/paragraphs/sections.py: which headings a block stands under."""

from dataclasses import replace

from ingest.paragraphs.blocks import Block
from ingest.paragraphs.sections import nest_sections


def _heading(
    text: str,
    size: float,
    bold_share: float = 1.0,
    number: str = "",
) -> Block:
    return Block(
        1,
        "",
        text,
        is_heading=True,
        size_ratio=size,
        bold_share=bold_share,
        number=number,
    )


TEXT = Block(1, "", "one two three four five six seven eight nine ten")


def _path(*headings: Block, title: str = "") -> tuple[str, ...]:
    """Return the headings above a text that follows these headings."""
    return nest_sections([*headings, TEXT], title)[0][-1]


def test_a_smaller_heading_is_a_section_within_a_larger_one() -> None:
    trees = _heading("Trees", 1.6)
    balance = _heading("Balance", 1.2)
    assert _path(trees, balance) == ("Trees", "Balance")
    assert _path(trees, balance, _heading("Graphs", 1.6)) == ("Graphs",)


def test_a_heading_is_not_above_itself_and_a_footnote_under_none() -> None:
    note = replace(TEXT, footnote=True)
    paths, _ = nest_sections([_heading("Trees", 1.6), note, TEXT], "")
    assert paths == [(), (), ("Trees",)]


def test_headings_of_one_size_are_nested_by_their_numbers() -> None:
    trees = _heading("1 Trees", 1.0)
    balance = _heading("Balance", 1.0, number="1.1")
    assert _path(trees, balance) == ("1 Trees", "Balance")
    assert _path(trees, balance, _heading("2 Graphs", 1.0)) == ("2 Graphs",)


def test_of_two_headings_of_one_size_the_bold_one_holds_the_other() -> None:
    light = _heading("Balance", 1.2, bold_share=0.0)
    assert _path(_heading("Trees", 1.2), light) == ("Trees", "Balance")


def test_a_title_of_two_lines_is_one_section() -> None:
    title = [_heading("Trees and", 2.0), _heading("Graphs", 2.0)]
    path = _path(*title, _heading("Why", 1.2), title="Trees and Graphs")
    assert path == ("Trees and Graphs", "Why")


def test_outermost_headings_come_without_title_and_numbers() -> None:
    blocks = [
        _heading("Trees", 2.0),
        _heading("1 Why", 1.2),
        TEXT,
        _heading("1.1 Balance", 1.0),
        _heading("2 How", 1.2),
    ]
    assert nest_sections(blocks, "Trees")[1] == ["Why", "How"]
