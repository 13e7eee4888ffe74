"""Rates of wrong letters, and the channels they make."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from configs.settings import Settings
from player.questions.kinds import KINDS
from player.questions.referees import (
    SOUND,
    UNKNOWN_KIND,
    WRONG,
    ErrorProfile,
    error_model_of,
)
from player.questions.views import VIEWS


@pytest.mark.parametrize(
    ("errors", "fitting", "letters"),
    [
        (ErrorProfile("sound", 1.0), 0, [0.94, 0.02, 0.02, 0.02]),
        (ErrorProfile("half", 1.0, slips=0.5), 0, [0.595, 0.135, 0.135, 0.135]),
        (ErrorProfile("all", 1.0, slips=1.0), 0, [0.25] * 4),
        (ErrorProfile("falls back", 1.0, falls_back=0.5), 2, [0.51, 0.01, 0.47, 0.01]),
    ],
)
def test_letters_of_an_error_profile(
    errors: ErrorProfile, fitting: int, letters: list[float]
) -> None:
    np.testing.assert_allclose(errors.channel(0.06)[:, fitting], letters)


def test_every_kind_has_a_rate_under_every_view(settings: Settings) -> None:
    model = error_model_of(settings.game)
    assert set(model.kinds) == set(KINDS)
    assert set(WRONG) <= {(view, kind) for view in VIEWS for kind in KINDS}
    assert model.letters.shape == (len(model.referees), len(KINDS) + 1, 4, 4)
    np.testing.assert_allclose(model.letters.sum(axis=2), 1.0)
    careful = [each.name for each in model.referees].index("paragraph, sound")
    right = model.letters[careful, model.rows_of(["opening", "new kind"]), 1, 1]
    np.testing.assert_allclose(
        right, [1.0 - WRONG["paragraph", "opening"], 1.0 - UNKNOWN_KIND]
    )


def test_the_weights_of_referees_follow_the_settings_and_sum_to_1(
    settings: Settings,
) -> None:
    game = replace(
        settings.game,
        careless_share=0.5,
        useless_share=0.2,
        opening_share=0.3,
        passages_share=0.1,
        name_share=0.1,
    )
    referees = error_model_of(game).referees
    assert sum(referee.weight for referee in referees) == pytest.approx(1.0)
    by_view = {
        view: sum(each.weight for each in referees if each.view == view)
        for view in (*VIEWS, None)
    }
    assert by_view == pytest.approx(
        {"paragraph": 0.4, "opening": 0.24, "passages": 0.08, "name": 0.08, None: 0.2}
    )
    sound = sum(referee.weight for referee in referees if referee.errors.name == SOUND)
    assert sound == pytest.approx(0.3)
