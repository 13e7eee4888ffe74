"""The snapshot of a store: the tokens of some of its paragraphs."""

import numpy as np

from quarry.course.course import Tokens

TOKENS = Tokens(np.arange(8, dtype=np.uint8).reshape(4, 2), np.array([0, 1, 1, 4]))
"""The tokens of three paragraphs, of which the second has none."""


def test_some_paragraphs_have_their_tokens() -> None:
    for rows, codes, starts in (
        ([2, 0], [[2, 3], [4, 5], [6, 7], [0, 1]], [0, 3, 4]),
        ([1], [], [0, 0]),
        ([], [], [0]),
    ):
        tokens = TOKENS.of(np.array(rows, dtype=np.intp))
        assert tokens.codes.tolist() == codes
        assert tokens.codes.shape[1] == 2, rows
        assert tokens.starts.tolist() == starts
