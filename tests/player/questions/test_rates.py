"""Learned rates, and the channels they make."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import numpy as np
import pytest

from configs.settings import Settings
from player.questions.pool import FITTERS
from player.questions.rates import (
    LEAST,
    PRIOR_STRENGTH,
    RATES_FILE,
    Counts,
    Rates,
    channel,
    learned,
    load_priors,
    load_rates,
    rates_yaml,
    scaled,
)
from player.questions.referees import CARELESS, REFEREES, RefereeType, error_model_of, referees_with


@pytest.mark.parametrize("wrong", [0.002, 0.1, 0.33, 0.75])
@pytest.mark.parametrize("not_relevant", [0.002, 0.1, 0.9])
def test_the_columns_of_a_channel_sum_to_1(wrong: float, not_relevant: float) -> None:
    noise = channel(Rates(wrong, not_relevant))
    assert noise.shape == (5, 4)
    np.testing.assert_allclose(noise.sum(axis=0), 1.0)
    np.testing.assert_allclose(noise[4], not_relevant)
    assert noise[0, 0] == pytest.approx((1.0 - not_relevant) * (1.0 - wrong))
    assert noise[0, 1] == pytest.approx((1.0 - not_relevant) * wrong / 3.0)


def test_without_logged_answers_the_prior_stays() -> None:
    prior = Rates(0.2, 0.1)
    assert learned(prior, Counts()) == prior


def test_logged_answers_count_against_the_strength_of_the_prior() -> None:
    # 70 questions, 10 of them declined; of the 60 letters 15 are wrong
    assert PRIOR_STRENGTH == 40.0
    found = learned(Rates(0.05, 0.02), Counts(asked=70.0, declined=10.0, wrong=15.0))
    assert found.wrong == pytest.approx((40 * 0.05 + 15) / (40 + 60))
    assert found.not_relevant == pytest.approx((40 * 0.02 + 10) / (40 + 70))


def test_no_rate_is_0() -> None:
    assert learned(Rates(0.0, 0.0), Counts(asked=1e6)) == Rates(LEAST, LEAST)


def test_there_are_rates_for_every_kind_of_question() -> None:
    assert set(load_rates()) == set(FITTERS)


def test_slips_are_letters_by_chance() -> None:
    rates = Rates(0.1, 0.05)
    half = RefereeType("half", 1.0, slips=0.5).channel("word", rates)
    np.testing.assert_allclose(half[:4], 0.5 * channel(rates)[:4] + 0.5 * 0.95 / 4.0)
    np.testing.assert_allclose(RefereeType("useless", 1.0, slips=1.0).channel("word", rates)[:4], 0.95 / 4.0)


def test_who_gets_the_gist_slips_on_letters_alone() -> None:
    gist = RefereeType("gist", 1.0, slips=0.0, slips_on_letters=1.0)
    rates = Rates(0.1, 0.05)
    np.testing.assert_allclose(gist.channel("subject", rates), channel(rates))
    np.testing.assert_allclose(gist.channel("word", rates)[:4], 0.95 / 4.0)


def test_a_contrary_referee_gives_every_letter_but_the_fitting_one() -> None:
    noise = RefereeType("contrary", 1.0, contrary=True).channel("word", Rates(0.01, 0.0))
    np.testing.assert_allclose(noise[:4].diagonal(), 0.01)
    np.testing.assert_allclose(noise[1, 0], 0.33)


def test_rates_written_to_a_file_are_those_that_are_read(tmp_path: Path) -> None:
    priors = {"word": Rates(0.06, 0.04), "pair": Rates(0.05, 0.03)}
    counts = Counts(asked=70.0, declined=10.0, wrong=15.0)
    path = tmp_path / "rates.yaml"
    path.write_text(rates_yaml(priors, {"word": counts}), encoding="utf-8")
    assert load_priors(path) == priors
    assert load_rates(path) == {"word": learned(priors["word"], counts), "pair": priors["pair"]}


def test_the_rates_file_is_one_that_the_command_writes() -> None:
    lines = RATES_FILE.read_text(encoding="utf-8").splitlines()
    written = rates_yaml(load_priors(), {}).splitlines()
    comments = [line for line in lines if line.startswith("#")]
    assert comments == [line for line in written if line.startswith("#")]
    assert [line.split(":")[0] for line in lines[len(comments) :]] == list(FITTERS)


def test_scaling_multiplies_the_odds() -> None:
    # odds 1/4 and 1/9 become 1/2 and 2/9
    assert astuple(scaled(Rates(0.2, 0.1), 2.0)) == pytest.approx((1 / 3, 2 / 11))
    assert scaled(Rates(0.2, 0.1), 1.0) == Rates(0.2, 0.1)


def test_the_weights_of_referees_can_be_set_and_sum_to_1() -> None:
    weights = {referee.name: referee.weight for referee in referees_with(0.5, 0.2)}
    assert sum(weights.values()) == pytest.approx(1.0)
    assert [weights[name] for name in CARELESS] == pytest.approx([0.125] * 4)
    assert weights["useless"] == 0.2
    assert weights["gist"] == 0.03
    assert weights["sound"] == pytest.approx(0.24)


def test_the_settings_give_the_referees_as_they_stand(settings: Settings) -> None:
    model = error_model_of(settings.game)
    assert [referee.weight for referee in model.referees] == pytest.approx([referee.weight for referee in REFEREES])
    assert model.rates == dict(load_rates())
