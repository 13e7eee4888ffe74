"""Errors of the player come back whole from a worker process."""

import pickle

from player.errors import (
    AllStrategiesFailedError,
    LateStrategyError,
    SearchError,
    UnavailableError,
)


def test_an_error_is_the_same_after_it_was_pickled() -> None:
    for error in (
        SearchError("dense", "no network"),
        LateStrategyError("dense", "no answer"),
        AllStrategiesFailedError(SearchError("dense", "no network")),
        UnavailableError("away", retry_after_s=3.0),
    ):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        assert vars(copy).keys() == vars(error).keys()
