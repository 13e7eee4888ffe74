"""Print why each line of a page begins a paragraph or not: `python -m tools.rules lecture.pdf 3`.

A line that begins one is marked. The rules are those of ingest/paragraphs/beginnings.py.
"""

import itertools
import sys
from collections.abc import Iterator
from pathlib import Path

from ingest.layout.arrange import arrange
from ingest.layout.extract import extract
from ingest.paragraphs.beginnings import Break, deciding_rule, group_lines
from ingest.paragraphs.habits import measure_habits
from ingest.paragraphs.line_group import LineGroup


def explain(path: Path, page: int) -> Iterator[tuple[bool, str, str]]:
    """Yield for each line of a page whether a paragraph begins, the rule that decided, and the text of the line.

    The rule is "" for the first line of a document, and where a paragraph goes on because no rule applies.
    """
    arranged = arrange(extract(path))
    habits = measure_habits(arranged)
    lines = itertools.chain.from_iterable(arranged.pages)
    groups = group_lines([line for line in lines if not line.footnote], habits)

    whole = list(itertools.chain.from_iterable(group.lines for group in groups))
    position = 0
    above: LineGroup | None = None
    for group in groups:
        for n_above, line in enumerate(group.lines):
            position += 1
            following = whole[position] if position < len(whole) else None
            if n_above:
                above = LineGroup(group.lines[:n_above], group.marker)
            rule = ""
            if above:
                rule, _ = deciding_rule(Break(above, line, following, habits))
            if line.page == page:
                yield n_above == 0, rule, line.text
        above = group


def main() -> None:
    """Print the lines of a page."""
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        sys.exit("usage: python -m tools.rules FILE PAGE")
    for begins, rule, text in explain(Path(sys.argv[1]), int(sys.argv[2])):
        print(f"{'¶' if begins else ' '} {rule:22} {text}")


if __name__ == "__main__":
    main()
