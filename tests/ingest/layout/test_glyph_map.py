"""ingest/layout/glyph_map.py: glyphs found by their places."""

import math

from ingest.layout.glyph_map import GlyphMap
from ingest.pdf.model import text_of
from tests.ingest.layout.glyphs import glyph, glyphs


def test_glyphs_are_found_between_two_edges_and_near_a_height() -> None:
    # "ab" is 10 points wide; 119 and 121 are in two parts of the page
    places = GlyphMap([*glyphs("ab", 0, 119), *glyphs("cd", 0, 121), glyph(" ", 0, 9)])
    for edges, y, reach, text in (
        ((0, 10), 120, 1, "abcd"),
        ((6, 10), 120, 1, "bd"),
        ((0, 10), 120, 0.5, ""),
        ((10, 20), 120, 1, ""),
        ((0, 5), 100, 20, "a"),
        ((0, 10), 0, math.inf, "abcd"),
    ):
        assert text_of(places.near(*edges, y, reach)) == text


def test_a_glyph_that_has_moved_is_found_at_its_new_place() -> None:
    (moved,) = glyphs("a", 0, 119)
    places = GlyphMap([moved])
    places.remove(moved)
    moved.y = 200
    places.add(moved)
    assert places.near(0, 5, 119, 10) == []
    assert places.near(0, 5, 200, 10) == [moved]
