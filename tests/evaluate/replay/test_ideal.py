"""Ideal questions, against a simulation that asks them."""

import numpy as np
import pytest

from evaluate.referee.spec import read_spec
from evaluate.replay.ideal import Errors, read_stated_errors, win_probability
from quarry.arrays import Float64Array
from tests.contracts.records import game_record, play_record
from tests.evaluate.fakes import run_of

PRIOR = np.array([0.3, 0.3, 0.2, 0.15, 0.05])
N_GAMES = 20_000


def simulated(prior: Float64Array, truth: int, errors: Errors) -> float:
    """Share of games in which the truth has the most belief after answers to random questions."""
    generator = np.random.default_rng(3)
    answers = (N_GAMES, errors.n_answers, 1)
    options = generator.integers(4, size=(N_GAMES, errors.n_answers, len(prior)))
    is_wrong = generator.random(answers) < errors.wrong
    shift = is_wrong * generator.integers(1, 4, size=answers)
    fits = options == (options[:, :, [truth]] + shift) % 4
    weight = np.where(fits, 1.0 - errors.wrong, errors.wrong / 3.0)
    weight = np.where(generator.random(answers) < errors.declined, 1.0, weight)

    belief = prior * weight.prod(axis=1)
    best = np.isclose(belief, belief.max(axis=1, keepdims=True))
    return float(np.mean(best[:, truth] / best.sum(axis=1)))


@pytest.mark.parametrize(
    "errors",
    [
        Errors(4, 0.1, 0.2),
        Errors(3, 0.0, 0.4),
        Errors(2, 0.5, 0.1),
        Errors(0, 0.0, 0.0),
    ],
)
def test_the_probability_is_that_of_a_simulation(errors: Errors) -> None:
    for truth in (0, 2, 4):
        ideal = win_probability(PRIOR, truth, errors)
        expected = simulated(PRIOR, truth, errors)
        assert ideal == pytest.approx(expected, abs=0.015), truth


def test_twenty_answers_without_an_error_find_one_of_many_thousands() -> None:
    prior = np.full(20_000, 1 / 20_000)
    assert win_probability(prior, 7, Errors(20, 0.0, 0.0)) > 0.999
    assert win_probability(prior, 7, Errors(20, 0.15, 0.35)) < 0.7


@pytest.mark.parametrize(
    ("spec", "errors"),
    {
        "oracle": Errors(20, 0.0, 0.0),
        "noisy:0.25,0.5": Errors(20, 0.5, 0.5),
        "sees:opening,answers:10": Errors(10, 0.0, 0.0),
        "constant:B": Errors(0, 0.0, 0.0),
        "blind": Errors(0, 0.0, 0.0),
        "declined:1": Errors(20, 1.0, 0.0),
    }.items(),
)
def test_the_errors_are_those_of_the_spec(spec: str, errors: Errors) -> None:
    assert read_stated_errors(read_spec(spec)) == errors


def test_ideal_questions_lose_what_the_store_does_not_hold() -> None:
    won = game_record(plays=[play_record()])
    lost = game_record(game_id="g2", plays=[play_record(won=False)])
    missing = game_record(game_id="g3", truth=None, rank=None)
    unread = game_record(game_id="g4", truth=None, rank=None)
    run = run_of([won, lost, missing, unread], referee="oracle")
    assert run.as_json()["win_ideal"] == 0.45
