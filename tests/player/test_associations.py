"""Associative words from a vocabulary with vectors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from player.associations import Associations, load_associations, write_associations
from player.words import is_stop_word, stems

# components in units of 0.5: violin along the first axis, casino along the second, quickly between them
MADE = Associations(
    "words",
    ("violin", "casino", "quickly"),
    np.array([[2, 0], [0, 2], [1, 1]], dtype=np.int8),
    0.5,
    np.eye(2, dtype=np.float32),
    np.array([3.5, 4.5, 3.5], dtype=np.float32),
    np.array([1.0, 0.0, 0.0, -3.0, 0.0, -30.0, 0.0, 0.0, 0.0, 0.0]),
)
QUERIES = np.array([[0.6, 0.8], [1.0, 0.0], [0.0, 1.0]], dtype=np.float32)


def test_features_are_nearness_frequency_and_endings() -> None:
    np.testing.assert_allclose(
        MADE.features(QUERIES),
        [
            [6.0, 10.0, 0.0, 0.0, 0.0, 0, 0, 0, 0, 0],
            [8.0, 0.0, 10.0, 1.0, 1.0, 0, 0, 0, 0, 0],
            [7.0, 5.0, 5.0, 0.0, 0.0, 1, 0, 0, 0, 0],
        ],
        atol=1e-5,
    )


def test_words_are_ranked_by_the_weighted_features() -> None:
    # 6 - 0, 8 - 3 and 7 - 30; with the queries turned round 0 - 0, 10 - 3 and 5 - 30
    assert MADE.rank(QUERIES) == ["violin", "casino", "quickly"]
    assert MADE.rank(QUERIES[::-1]) == ["casino", "violin", "quickly"]


def test_a_vocabulary_comes_back_from_its_file(tmp_path: Path) -> None:
    write_associations(MADE, tmp_path / "a.npz")
    read = load_associations(tmp_path / "a.npz")
    assert (read.spec, read.words, read.scale) == (MADE.spec, MADE.words, MADE.scale)
    assert read.rank(QUERIES) == MADE.rank(QUERIES)


def test_the_players_own_vocabulary_has_no_stop_words_and_one_word_a_stem() -> None:
    own = load_associations()
    assert len(own.words) > 10_000
    assert len(own.words) == len(own.vectors) == len(own.zipf) == len({stems(word)[0] for word in own.words})
    assert not any(map(is_stop_word, own.words))
    # vectors were cut to fewer components, and are nearly of unit length still
    lengths = own.scale * np.linalg.norm(own.vectors.astype(np.float32), axis=1)
    assert float(lengths.mean()) == pytest.approx(0.9, abs=0.1)
