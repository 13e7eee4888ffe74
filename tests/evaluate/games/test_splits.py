"""Games are split by paragraph and seed, unless their file says how."""

from __future__ import annotations

from dataclasses import replace

import pytest

from evaluate.errors import GamesError
from evaluate.games.labelled import select_split, split_of
from tests.evaluate.fakes import labelled_game
from tests.fakes import each

SPLIT_BY_SEED = {
    0: "train",
    2: "validation",
    7: "train",
    10: "test",
    12: "validation",
    11: "test",
}
"""By the first 8 digits of sha256sum over "SEED|alpha:1:1": 0.19, 0.60, 0.41, 0.79, 0.63, 0.72 of 2^32."""


@pytest.mark.parametrize(("seed", "split"), SPLIT_BY_SEED.items())
def test_the_draw_is_stable_over_machines_and_versions(seed: int, split: str) -> None:
    assert split_of(labelled_game(paragraph_id="alpha:1:1"), seed) == split


def test_games_of_one_paragraph_fall_into_one_split_signs_aside() -> None:
    for number in range(50):
        game = labelled_game(game_id=f"g{number}", hint=f"hint {number}")
        assert split_of(game, 0) == split_of(labelled_game(), 0)
        sentence = f"Ivy climbs wall {number}."
        one = labelled_game(paragraph_id="", opening_sentence=sentence)
        other = replace(one, opening_sentence=f"IVY climbs, wall {number}")
        assert split_of(one, 0) == split_of(other, 0)


def test_the_files_own_split_goes_before_the_draw() -> None:
    game = labelled_game(split="test")
    assert {split_of(game, seed) for seed in range(20)} == {"test"}


class TestSelecting:
    games = tuple(
        labelled_game(game_id=f"g{n}", paragraph_id=f"alpha:{n}:1", split=split)
        for n, split in enumerate(("train", "test", "train", "test", "test"))
    )

    def test_a_split_holds_its_games_in_order_and_no_split_means_all(self) -> None:
        chosen = select_split(self.games, "test", 0)
        assert each(chosen, "game_id") == ["g1", "g3", "g4"]
        assert select_split(self.games, None, 0) == list(self.games)

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("dev", "must be one of train, validation, test, got 'dev'"),
            ("", "must be one of train, validation, test, got ''"),
            ("validation", "validation must hold .* has none; .* test 3, train 2"),
        ],
    )
    def test_a_split_without_games_is_refused(self, name: str, says: str) -> None:
        with pytest.raises(GamesError, match=f"--split {says}"):
            select_split(self.games, name, 0)
