"""Words of names: which are alike."""

import numpy as np
import pytest

from player.search.books.name_words import likenesses


def test_likeness_of_words() -> None:
    for word, others, expected in (
        ("graph", ["graph", "graphs", "grasp", "tree"], [1.0, 0.85, 0.0, 0.0]),
        ("prob", ["probability", "problem"], [0.85, 0.85]),
        ("pr", ["probability", "pr"], [0.0, 1.0]),
        ("graphs", ["graph"], [0.7]),
        ("evidense", ["evidence"], [1 - 1 / 8 - 0.1]),
        ("tree", ["search"], [0.0]),
        ("cat", ["car", "catalogue", ""], [0.0, 0.85, 0.0]),
        ("word", [], []),
    ):
        assert likenesses(word, others) == pytest.approx(np.array(expected)), word
