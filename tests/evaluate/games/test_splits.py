"""Games are split by paragraph and seed, unless their file says how."""

from __future__ import annotations

import pytest

from evaluate.errors import GamesError
from evaluate.games.labelled import select_split, split_of
from tests.evaluate.fakes import labelled_game
from tests.fakes import each

GAMES = [
    labelled_game(game_id=f"g{n}", paragraph_id=f"alpha:{n}:1", split=split)
    for n, split in enumerate(("train", "test", "train", "test", "test"))
]


@pytest.mark.parametrize(
    ("seed", "split"), [(0, "train"), (12, "validation"), (7, "train"), (10, "test")]
)
def test_the_draw_is_stable_over_machines_and_versions(seed: int, split: str) -> None:
    """sha256sum over "SEED|alpha:1:1" begins with 0.19, 0.63, 0.41, 0.79 of 2^32."""
    assert split_of(labelled_game(paragraph_id="alpha:1:1"), seed) == split


def test_games_of_one_paragraph_fall_into_one_split_signs_aside() -> None:
    for number in range(50):
        sentence = f"Ivy climbs wall {number}."
        one = labelled_game(paragraph_id="", opening_sentence=sentence)
        other = labelled_game(
            paragraph_id="", opening_sentence=sentence.upper()[:-1], hint="another"
        )
        assert split_of(one, 0) == split_of(other, 0)


def test_a_split_holds_its_games_in_order_and_no_split_means_all() -> None:
    assert each(select_split(GAMES, "test", 0), "game_id") == ["g1", "g3", "g4"]
    assert select_split(GAMES, None, 0) == GAMES


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("dev", "must be one of train, validation, test, got 'dev'"),
        ("validation", "validation must hold .* has none; .* test 3, train 2"),
    ],
)
def test_a_split_without_games_is_refused(name: str, says: str) -> None:
    with pytest.raises(GamesError, match=f"--split {says}"):
        select_split(GAMES, name, 0)
