"""Errors of the player come back whole from a worker process."""

import pickle
from collections.abc import Iterator

import evaluate.errors
import ingest.errors
import quarry.errors
from configs.errors import QuarryError
from player.errors import (
    AllStrategiesFailedError,
    HangingError,
    LateStrategyError,
    SearchError,
    UnavailableError,
)


def test_an_error_is_the_same_after_it_was_pickled() -> None:
    for error in (
        SearchError("dense", "no network"),
        LateStrategyError("dense", "no answer"),
        HangingError("8 earlier calls of it have not returned"),
        AllStrategiesFailedError(SearchError("dense", "no network")),
        UnavailableError("away", retry_after_s=3.0),
    ):
        copy = pickle.loads(pickle.dumps(error))
        assert type(copy) is type(error)
        assert str(copy) == str(error)
        assert vars(copy).keys() == vars(error).keys()


def kinds_of(error: type[QuarryError]) -> Iterator[type[QuarryError]]:
    for kind in error.__subclasses__():
        yield kind
        yield from kinds_of(kind)


def test_every_error_is_made_again_as_dask_makes_it() -> None:
    kinds = {*kinds_of(QuarryError)}
    assert {
        evaluate.errors.EvaluateError,
        ingest.errors.IngestError,
        quarry.errors.StoreMissingError,
    } < kinds
    for kind in kinds:
        assert isinstance(kind.__new__(kind, "a text"), kind)
