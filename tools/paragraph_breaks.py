"""Print why each line of a page begins a paragraph or not: `python -m tools.paragraph_breaks lecture.pdf 3`.

The rules are those of ingest/paragraphs/beginnings.py. A paragraph that continues an earlier one over a display, a
column or a page is marked with "+" instead of "¶" (ingest/paragraphs/continuations.py).
"""

import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from ingest.errors import SourceError
from ingest.layout.arrange import arrange
from ingest.layout.extract import extract
from ingest.layout.line import PlacedLine
from ingest.paragraphs.beginnings import Break, deciding_rule, group_lines
from ingest.paragraphs.continuations import join_continuations
from ingest.paragraphs.habits import TypesettingHabits, measure_habits
from ingest.paragraphs.line_group import LineGroup


def explain(path: Path, page: int) -> Iterator[tuple[str, str, str]]:
    """Yield for each line of a page its mark, the rule that decided, and its text; footnotes come last.

    The rule is "" for the first line of a document, and where a paragraph goes on because no rule applies.

    Raises:
        SourceError: the file cannot be read, or has no such page.
    """
    arranged = arrange(extract(path))
    if not 0 < page <= len(arranged.pages):
        raise SourceError(f"{path} has pages 1 to {len(arranged.pages)}, not {page}.")
    habits = measure_habits(arranged)
    lines = list(itertools.chain.from_iterable(arranged.pages))
    for is_note in (False, True):
        part = [line for line in lines if line.footnote == is_note]
        for line, mark, rule in _explain_lines(part, habits):
            if line.page == page:
                yield mark, rule, line.text


def _explain_lines(
    lines: Sequence[PlacedLine], habits: TypesettingHabits
) -> Iterator[tuple[PlacedLine, str, str]]:
    """Yield the lines of paragraphs with their marks and rules."""
    groups = group_lines(lines, habits)
    members = [list(group.lines) for group in groups]
    whole = list(itertools.chain.from_iterable(members))
    rules: list[str] = []
    above: LineGroup | None = None
    for group in groups:
        for n_above, line in enumerate(group.lines):
            following = whole[len(rules) + 1 : len(rules) + 2]
            if n_above:
                above = LineGroup(group.lines[:n_above], group.marker)
            line_break = above and Break(above, line, (*following, None)[0], habits)
            rules.append(deciding_rule(line_break)[0] if line_break else "")
        above = group

    begun = {_position(group.first) for group in join_continuations(groups, habits)}
    marks = []
    for part in members:
        is_joined = _position(part[0]) not in begun and not part[0].footnote
        marks += ["+" if is_joined else "¶", *[" "] * (len(part) - 1)]
    yield from zip(whole, marks, rules, strict=True)


def _position(line: PlacedLine) -> tuple[int, float, float]:
    return line.page, line.y, line.x0


def main() -> None:
    """Print the lines of a page."""
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        sys.exit("usage: python -m tools.paragraph_breaks FILE PAGE")
    try:
        for mark, rule, text in explain(Path(sys.argv[1]), int(sys.argv[2])):
            print(f"{mark} {rule:22} {text}")
    except SourceError as error:
        sys.exit(str(error))
    except BrokenPipeError:  # as by `| head`
        sys.stderr.close()


if __name__ == "__main__":
    main()
