"""The steps that put the formulas of a page on one line, in their order."""

from collections.abc import Sequence

from ingest.layout.formulas.bars import add_underscores, join_fractions
from ingest.layout.formulas.brackets import join_matrices
from ingest.layout.formulas.limits import join_limits
from ingest.layout.formulas.page import FormulaPage
from ingest.pdf.model import Box, Glyph

MAX_RULES = 300
"""Maximum number of thin rules of a page with formulas; more are a plot."""


def with_formulas(glyphs: list[Glyph], rules: Sequence[Box]) -> list[Glyph]:
    """Move the parts of each formula to its baseline, next to each other in the order in which they are read.

    Args:
        glyphs: those of a page in the order of drawing.
        rules: thin horizontal rules; some are bars of fractions and lines over letters.
    """
    by_width = sorted(rules, key=lambda rule: rule.width)
    if len(by_width) > MAX_RULES:
        by_width = []
    page = FormulaPage(glyphs)
    join_matrices(page, by_width)
    add_underscores(page, by_width)
    join_fractions(page, by_width)
    join_limits(page)
    join_matrices(page, [])
    return page.glyphs
