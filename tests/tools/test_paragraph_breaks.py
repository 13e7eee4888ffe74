"""tools/paragraph_breaks.py: why each line of a page begins a paragraph or not."""

from pathlib import Path

import pytest

from ingest.errors import SourceError
from tests.contracts.handmade import Run, lines, pdf
from tools.paragraph_breaks import explain

TEXT = [
    "Sorting puts records in order by comparing the keys",
    "of pairs, and most of its cost lies in moving records.",
]
MORE = "Trees put boats in order by comparing their masts."


def test_each_line_has_the_rule_that_decided(tmp_path: Path) -> None:
    path = tmp_path / "lecture.pdf"
    items = [Run(50, 200, "1. Boats"), Run(50, 212, "2. Trees")]
    path.write_bytes(pdf([[*lines(TEXT, 50, 100), *items], [Run(50, 300, MORE)]]))
    assert list(explain(path, 1)) == [
        ("¶", "", TEXT[0]),
        (" ", "", TEXT[1]),
        ("¶", "begins_item", "1. Boats"),
        ("¶", "begins_item", "2. Trees"),
    ]
    assert list(explain(path, 2)) == [("¶", "begins_column", MORE)]
    with pytest.raises(SourceError, match=r"has pages 1 to 2, not 3\.$"):
        list(explain(path, 3))


def test_a_paragraph_that_continues_an_earlier_one_is_marked(tmp_path: Path) -> None:
    path = tmp_path / "lecture.pdf"
    formula = Run(150, 130, "x = y + z")
    rest = lines(["where x is a key that is compared with other keys.", *TEXT], 50, 150)
    path.write_bytes(pdf([[*lines([TEXT[0], "of pairs"], 50, 100), formula, *rest]]))
    marks = [mark for mark, _, text in explain(path, 1) if text != "x = y + z"]
    assert marks[:3] == ["¶", " ", "+"]
