"""Suite that every measure passes."""

import copy
import math
from abc import ABC, abstractmethod
from collections.abc import Callable

from evaluate.runs.record import ReplayRecord
from tests.contracts.records import game_record, play_record

GAMES = {
    "searched": game_record(),
    "played": game_record(
        plays=[play_record(), play_record(repeat=1, won=False, guess_rank=3)]
    ),
    "not found": game_record(rank=None),
    "nothing found": game_record(rank=None, hits=[], book=None),
    "lost at ingest": game_record(rank=None, truth=None),
}


class MeasureContract(ABC):
    """Subclass it and say what the measure is."""

    @abstractmethod
    def measure(self) -> Callable[[ReplayRecord], float]:
        """Return the function that gives the value of a game."""

    def test_every_game_has_one_finite_value_and_stays_as_it_was(self) -> None:
        for name, game in GAMES.items():
            record = copy.deepcopy(game)
            value = self.measure()(record)
            assert math.isfinite(value), name
            assert self.measure()(record) == value, name
            assert record == game, name
