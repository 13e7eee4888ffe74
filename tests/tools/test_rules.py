"""tools/rules.py: why each line of a page begins a paragraph or not."""

from pathlib import Path

from tests.contracts.handmade import Run, lines, pdf
from tools.rules import explain

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
        (True, "", TEXT[0]),
        (False, "", TEXT[1]),
        (True, "begins_item", "1. Boats"),
        (True, "begins_item", "2. Trees"),
    ]
    assert list(explain(path, 2)) == [(True, "begins_column", MORE)]
