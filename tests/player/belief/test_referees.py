"""Rates of wrong letters, and the channels they make."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest

from player.belief.referees import (
    UNKNOWN_KIND,
    WRONG,
    mixture,
)
from player.question import VIEWS
from player.questions.kinds import KINDS, WRONG_BY_KIND
from tests.player.questions.models import asked, sound


def test_letters_by_share_of_errors() -> None:
    careful = sound(0.06)
    for slips, right, other in (
        (0.0, 0.94, 0.02),
        (0.5, 0.595, 0.135),
        (1.0, 0.25, 0.25),
    ):
        (letters,) = replace(careful, slips=slips).letters_for(asked(1))
        assert letters[:, 0] == pytest.approx([right, other, other, other])
    (falls_back,) = replace(careful, falls_back=0.5).letters_for(asked(1))
    assert falls_back[:, 2] == pytest.approx([0.51, 0.01, 0.47, 0.01])


def test_every_kind_has_a_rate_under_every_view() -> None:
    for view, kind in WRONG:
        assert view in VIEWS
        assert kind in KINDS
    careful, *_ = mixture(WRONG_BY_KIND)
    assert careful.view == "paragraph"
    for kind, wrong in (
        ("opening", WRONG["paragraph", "opening"]),
        ("new kind", UNKNOWN_KIND),
    ):
        (letters,) = careful.letters_for(asked(1, kind))
        assert 1.0 - letters[1, 1] == pytest.approx(wrong)
        np.testing.assert_allclose(letters.sum(axis=0), 1.0)


def test_the_weights_of_views_and_sound_referees_sum_to_1_with_the_others() -> None:
    weights = defaultdict(list)
    for each in mixture(WRONG_BY_KIND):
        weights[each.view].append(each.weight)

    # .8 of the referees look at something, half of them with care
    assert {view: sum(parts) for view, parts in weights.items()} == pytest.approx(
        {
            "paragraph": 0.36,
            "opening": 0.2,
            "passages": 0.2,
            "name": 0.04,
            None: 0.2,
        }
    )
    assert sum(max(weights[view]) for view in VIEWS) == pytest.approx(0.4)
