"""ingest/layout/gaps.py, on glyphs."""

import itertools

from tests.ingest.layout.glyphs import glyphs
from tests.ingest.layout.read_lines import read_lines


def test_columns_with_little_white_between_are_parted_if_they_are_drawn_one_by_one() -> (
    None
):
    left = []
    right = []
    for y in (20, 32, 44):
        left.append(glyphs("a" * 30, 50, y))
        right.append(glyphs("b" * 30, 208, y))  # 8 points, less than an em
    by_columns = list(itertools.chain(*left, *right))
    assert read_lines(by_columns) == ["a" * 30, "b" * 30] * 3

    by_rows = itertools.chain.from_iterable(zip(left, right, strict=True))
    whole = "a" * 30 + " " + "b" * 30
    assert read_lines(list(itertools.chain(*by_rows))) == [whole] * 3


def test_a_stretched_space_after_a_sentence_is_no_gap() -> None:
    for stop, n_parts in ((".", 1), ("a", 2)):
        row = glyphs(f"a a a a a{stop}", 50) + glyphs("b b b b", 114)
        assert len(read_lines(row)) == n_parts, stop
