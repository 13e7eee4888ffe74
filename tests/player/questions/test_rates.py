"""Learned rates, and the channels they make."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from quarry.configs.settings import Settings
from quarry.player.questions.kinds import KINDS
from quarry.player.questions.rates import (
    LEAST,
    PRIOR_STRENGTH,
    Counts,
    learned,
    load_logged,
    load_rates,
    scaled,
)
from quarry.player.questions.referees import ERROR_PROFILES, SOUND, ErrorProfile, error_model_of
from quarry.player.questions.views import VIEWS, View


def test_a_rate_is_the_mean_of_prior_and_logged_letters() -> None:
    assert learned(0.2, Counts()) == pytest.approx(0.2)
    assert PRIOR_STRENGTH == 40.0
    assert learned(0.05, Counts(given=60.0, wrong=15.0)) == pytest.approx((40 * 0.05 + 15) / (40 + 60))
    assert learned(0.0, Counts(given=1e6)) == LEAST


@pytest.mark.parametrize(
    ("errors", "fitting", "letters"),
    [
        (ErrorProfile("sound", 1.0), 0, [0.94, 0.02, 0.02, 0.02]),
        (ErrorProfile("half", 1.0, slips=0.5), 0, [0.595, 0.135, 0.135, 0.135]),
        (ErrorProfile("all", 1.0, slips=1.0), 0, [0.25] * 4),
        (ErrorProfile("falls back", 1.0, falls_back=0.5), 2, [0.51, 0.01, 0.47, 0.01]),
        (ErrorProfile("contrary", 1.0, contrary=True), 1, [0.94 / 3, 0.06, 0.94 / 3, 0.94 / 3]),
    ],
)
def test_letters_of_an_error_profile(errors: ErrorProfile, fitting: int, letters: list[float]) -> None:
    np.testing.assert_allclose(errors.channel(0.06)[:, fitting], letters)


def test_rates_are_those_of_the_counts_of_a_file(tmp_path: Path) -> None:
    logged: dict[tuple[View, str], Counts] = {
        ("opening", "anywhere"): Counts(60.0, 15.0),
        ("paragraph", "anywhere"): Counts(9.0, 0.5),
    }
    path = tmp_path / "rates.yaml"
    path.write_text("opening:\n  anywhere: {given: 60, wrong: 15}\nparagraph:\n  anywhere: {given: 9, wrong: 0.5}\n")
    assert load_logged(path) == logged
    rates = load_rates({"anywhere": 0.06, "other": 0.1}, path)
    assert rates["opening", "anywhere"] == learned(0.06, Counts(60.0, 15.0))
    assert rates["passages", "anywhere"] == pytest.approx(0.06)
    assert rates["opening", "other"] == pytest.approx(0.1)


def test_the_bundled_rates_are_of_known_views_and_kinds() -> None:
    assert {view for view, _ in load_logged()} <= set(VIEWS)
    assert {kind for _, kind in load_logged()} <= set(KINDS)


def test_scaling_multiplies_the_odds() -> None:
    # odds 1/4 become 1/2
    assert scaled(0.2, 2.0) == pytest.approx(1 / 3)
    assert scaled(0.2, 1.0) == pytest.approx(0.2)


def test_the_weights_of_referees_follow_the_settings_and_sum_to_1(settings: Settings) -> None:
    game = replace(
        settings.game, careless_share=0.5, useless_share=0.2, opening_share=0.3, passages_share=0.1, name_share=0.1
    )
    referees = error_model_of(game).referees
    assert sum(referee.weight for referee in referees) == pytest.approx(1.0)
    by_view = {view: sum(each.weight for each in referees if each.view == view) for view in (*VIEWS, None)}
    assert by_view == pytest.approx({"paragraph": 0.4, "opening": 0.24, "passages": 0.08, "name": 0.08, None: 0.2})
    sound = sum(referee.weight for referee in referees if referee.errors.name == SOUND)
    assert sound == pytest.approx(0.3)


def test_the_settings_give_every_view_and_care(settings: Settings) -> None:
    model = error_model_of(settings.game)
    assert (
        len({referee.name for referee in model.referees}) == len(model.referees) == len(VIEWS) * len(ERROR_PROFILES) + 2
    )
    assert set(model.wrong) == {(view, kind) for view in VIEWS for kind in KINDS}
