"""Games are split by paragraph and seed, unless their file says how."""

from __future__ import annotations

import pytest

from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import select_split, split_of
from tests.evaluate.fakes import labelled_game

SPLIT_BY_SEED = {0: "train", 2: "validation", 7: "train", 10: "test", 12: "validation", 11: "test"}
"""By the first 8 digits of sha256sum over "SEED|alpha:1:1": 0.19, 0.60, 0.41, 0.79, 0.63, 0.72 of 2^32."""


class TestSplits:
    @pytest.mark.parametrize(("seed", "split"), SPLIT_BY_SEED.items())
    def test_the_draw_is_stable_over_machines_and_versions(self, seed: int, split: str) -> None:
        assert split_of(labelled_game(paragraph_id="alpha:1:1"), seed) == split

    def test_games_of_one_paragraph_fall_into_one_split_signs_aside(self) -> None:
        games = [labelled_game(game_id=f"g{n}", hint=f"hint {n}", book_name=f"book {n}") for n in range(50)]
        assert len({split_of(game, 0) for game in games}) == 1
        for number in range(50):
            one = labelled_game(paragraph_id="", opening_sentence=f"Ivy climbs wall {number}.")
            other = labelled_game(paragraph_id="", opening_sentence=f"IVY climbs, wall {number}")
            assert split_of(one, 0) == split_of(other, 0)

    def test_the_files_own_split_goes_before_the_draw(self) -> None:
        assert {split_of(labelled_game(split="test"), seed) for seed in range(20)} == {"test"}


class TestSelecting:
    games = tuple(
        labelled_game(game_id=f"g{n}", paragraph_id=f"alpha:{n}:1", split=split)
        for n, split in enumerate(("train", "test", "train", "test", "test"))
    )

    def test_a_split_holds_its_games_in_order_and_no_split_means_all(self) -> None:
        assert [game.game_id for game in select_split(self.games, "test", 0)] == ["g1", "g3", "g4"]
        assert select_split(self.games, None, 0) == list(self.games)

    @pytest.mark.parametrize("name", ["dev", ""])
    def test_an_unknown_split_is_refused_with_the_known_ones(self, name: str) -> None:
        with pytest.raises(GamesError, match=f"--split must be one of train, validation, test, got '{name}'"):
            select_split(self.games, name, 0)

    def test_an_empty_split_is_refused_with_what_the_file_has(self) -> None:
        with pytest.raises(
            GamesError, match=r"--split validation must hold at least one game, has none; .* test 3, train 2"
        ):
            select_split(self.games, "validation", 0)
