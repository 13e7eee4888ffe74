"""Rates of wrong letters, and the channels they make."""

from __future__ import annotations

import numpy as np
import pytest

from player.questions.kinds import KINDS
from player.questions.question import VIEWS
from player.questions.referees import (
    SOUND,
    UNKNOWN_KIND,
    WRONG,
    letters_of,
    mixture,
    rows_of,
)
from tests.player.questions.models import asked


def test_letters_by_share_of_errors() -> None:
    wrong = np.array([0.06])
    (careful,) = letters_of(wrong)
    assert careful[:, 0] == pytest.approx([0.94, 0.02, 0.02, 0.02])
    (careless,) = letters_of(wrong, slips=0.5)
    assert careless[:, 0] == pytest.approx([0.595, 0.135, 0.135, 0.135])
    (by_chance,) = letters_of(wrong, slips=1.0)
    assert by_chance[:, 0] == pytest.approx(0.25)
    (falls_back,) = letters_of(wrong, falls_back=0.5)
    assert falls_back[:, 2] == pytest.approx([0.51, 0.01, 0.47, 0.01])


def test_every_kind_has_a_rate_under_every_view() -> None:
    for view, kind in WRONG:
        assert view in VIEWS
        assert kind in KINDS
    referees = {each.name: each for each in mixture()}
    letters = referees["paragraph, sound"].letters
    np.testing.assert_allclose(letters.sum(axis=1), 1.0)
    opening, new = rows_of([*asked(1, "opening"), *asked(1, "new kind")])
    assert 1.0 - letters[opening, 1, 1] == pytest.approx(WRONG["paragraph", "opening"])
    assert 1.0 - letters[new, 1, 1] == pytest.approx(UNKNOWN_KIND)


def test_the_weights_of_views_and_sound_referees_sum_to_1_with_the_others() -> None:
    weights = dict.fromkeys((*VIEWS, None), 0.0)
    sound = 0.0
    for each in mixture():
        weights[each.view] += each.weight
        sound += each.weight * (each.errors == SOUND)

    # .8 of the referees look at something, half of them with care
    assert weights == pytest.approx(
        {
            "paragraph": 0.36,
            "opening": 0.2,
            "passages": 0.2,
            "name": 0.04,
            None: 0.2,
        }
    )
    assert sound == pytest.approx(0.4)
