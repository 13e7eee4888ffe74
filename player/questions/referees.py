"""The mixture of possible referees: what each referee sees of the paragraph, and how often it errs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from configs.settings import GameSettings
from ingest.arrays import Float64Array
from player.questions.kinds import KINDS
from player.questions.question import DESIGN_VIEWS, VIEWS, Question, View

CHANCE = 0.75
"""Share of wrong letters of a referee who does not look at the paragraph."""
UNKNOWN_KIND = 0.1
"""Share of wrong letters for a kind of question that is not known."""
WRONG: Mapping[tuple[View, str], float] = {
    ("paragraph", "opening"): 0.00698,
    ("paragraph", "anywhere"): 0.01808,
    ("opening", "opening"): 0.00763,
    ("opening", "anywhere"): 0.01558,
    ("passages", "opening"): 0.00759,
    ("passages", "anywhere"): 0.03365,
}
"""Share of wrong letters of careful respondents by view and kind, estimated from logged answers with a Beta prior
that weighs 40 answers; see docs/notebook/questions.md. Others have the `wrong` of their kind."""


SOUND = "sound"
PROFILES: tuple[tuple[str, float, float, float], ...] = (
    (SOUND, 0.45, 0.0, 0.0),
    ("careless 15%", 0.20, 0.15, 0.0),
    ("careless 30%", 0.15, 0.30, 0.0),
    ("careless 45%", 0.07, 0.45, 0.0),
    ("falls back 15%", 0.07, 0.0, 0.15),
    ("falls back 40%", 0.05, 0.0, 0.40),
)
"""Error profiles of referees who look at something: name, weight, share of answers by chance in addition to the rate of
the kind of question, share of answers that are the first option, after a failed call or an unreadable reply. A sound
referee errs as often as the logged ones; the settings set its weight against that of the others."""
USELESS, SKEWED = "useless", "skewed"
"""Referees whose answers do not depend on the paragraph: all letters are equally likely, or one is preferred."""
SKEW = 0.3
"""Concentration of the Dirichlet distribution of a skewed referee's letters."""
SKEWED_SHARE = 0.3
"""Share of the skewed referees among those who see nothing."""
DESIGN_SLIPS = 0.2
"""Questions are chosen for a somewhat careless referee, so that the batch tolerates errors."""


@dataclass(frozen=True, slots=True)
class Referee:
    """One referee of the mixture.

    Attributes:
        weight: prior probability.
        view: None if its answers do not depend on the paragraph.
        errors: name of its error profile.
        letters: (n_kinds + 1, 4, 4) probability of each letter given the fitting option, by kind of question; the last
            one is that of any unknown kind.
    """

    weight: float
    view: View | None
    errors: str
    letters: Float64Array

    @property
    def name(self) -> str:
        """The name of the view and of the error profile."""
        return self.errors if self.view is None else f"{self.view}, {self.errors}"


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """The mixture of referees, and the referees that questions are chosen for.

    Attributes:
        referees: the mixture.
        design: a referee for each of `DESIGN_VIEWS`; the weights sum to 1.
    """

    referees: tuple[Referee, ...]
    design: tuple[Referee, ...]


def rows_of(questions: Sequence[Question]) -> list[int]:
    """Return the rows of the kinds of questions in the letters of a referee."""
    rows = {kind: row for row, kind in enumerate(KINDS)}
    return [rows.get(question.kind, len(rows)) for question in questions]


def letters_of(
    wrong: Float64Array, slips: float = 0.0, falls_back: float = 0.0
) -> Float64Array:
    """Return the (n_kinds, 4, 4) probability of each letter given the fitting option.

    Wrong letters are equally likely.

    Args:
        wrong: (n_kinds,) share of wrong letters of a careful referee.
        slips: share of the answers that are letters by chance.
        falls_back: share of the answers that are the first option.
    """
    wrong = wrong + (CHANCE - wrong) * slips
    wrong = wrong[:, None, None]
    is_right = np.eye(4, dtype=np.bool_)
    looked = np.where(is_right, 1.0 - wrong, wrong / 3.0)
    letters = (1.0 - falls_back) * looked
    letters[:, 0] += falls_back
    return letters


def error_model_of(settings: GameSettings) -> ErrorModel:
    """Return the error model of the settings: learned rates, and all views with all error profiles."""
    views: dict[View, float] = {
        "opening": settings.opening_share,
        "passages": settings.passages_share,
        "name": settings.name_share,
    }
    views["paragraph"] = 1.0 - sum(views.values())
    careless, useless = settings.careless_share, settings.useless_share
    n_careless = sum(weight for name, weight, *_ in PROFILES if name != SOUND)
    referees = []
    for view in VIEWS:
        for name, weight, slips, falls_back in PROFILES:
            share = careless * weight / n_careless
            if name == SOUND:
                share = 1.0 - useless - careless
            letters = letters_of(_rates(view), slips, falls_back)
            referees.append(Referee(views[view] * share, view, name, letters))

    by_chance = letters_of(np.full(len(KINDS) + 1, CHANCE))
    for name, share in ((USELESS, 1.0 - SKEWED_SHARE), (SKEWED, SKEWED_SHARE)):
        referees.append(Referee(useless * share, None, name, by_chance))

    opening = settings.design_opening_share
    design = []
    for view, share in zip(DESIGN_VIEWS, (1.0 - opening, opening), strict=True):
        letters = letters_of(_rates(view), DESIGN_SLIPS)
        design.append(Referee(share, view, "designed for", letters))
    return ErrorModel(tuple(referees), tuple(design))


def _rates(view: View) -> Float64Array:
    """Return the (n_kinds + 1,) share of wrong letters of a careful referee."""
    rates = [WRONG.get((view, name), kind.wrong) for name, kind in KINDS.items()]
    return np.array([*rates, UNKNOWN_KIND])
