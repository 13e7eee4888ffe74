"""The mixture of possible referees: what each referee sees of the paragraph, and how often it errs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from configs.settings import GameSettings
from ingest.arrays import Float64Array
from player.questions.kinds import KINDS
from player.questions.views import DESIGN_VIEWS, VIEWS, View

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


def channel(wrong: float) -> Float64Array:
    """Return the (4, 4) probability of each letter given the fitting option; wrong letters are equally likely."""
    letters = np.full((4, 4), wrong / 3.0)
    np.fill_diagonal(letters, 1.0 - wrong)
    return letters


@dataclass(frozen=True, slots=True)
class ErrorProfile:
    """How often a referee errs on what it sees.

    Attributes:
        name: name of the profile.
        weight: prior probability among the referees who look at something.
        slips: share of the answers that are letters by chance, in addition to the rate of the kind of question.
        falls_back: share of the answers that are the first option, after a failed call or an unreadable reply.
    """

    name: str
    weight: float
    slips: float = 0.0
    falls_back: float = 0.0

    def channel(self, wrong: float) -> Float64Array:
        """Return the (4, 4) probability of each letter given the fitting option.

        Args:
            wrong: share of wrong letters of a careful referee, 0..1.
        """
        letters = (1.0 - self.falls_back) * channel(
            wrong + (CHANCE - wrong) * self.slips
        )
        letters[0] += self.falls_back
        return letters


SOUND = "sound"
ERROR_PROFILES = (
    ErrorProfile(SOUND, 0.45),
    ErrorProfile("careless 15%", 0.20, slips=0.15),
    ErrorProfile("careless 30%", 0.15, slips=0.30),
    ErrorProfile("careless 45%", 0.07, slips=0.45),
    ErrorProfile("falls back 15%", 0.07, falls_back=0.15),
    ErrorProfile("falls back 40%", 0.05, falls_back=0.40),
)
"""A sound referee errs as often as the logged ones."""
USELESS, SKEWED = "useless", "skewed"
"""Referees whose answers do not depend on the paragraph: all letters are equally likely, or one is preferred."""
SKEW = 0.3
"""Concentration of the Dirichlet distribution of a skewed referee's letters."""
SKEWED_SHARE = 0.3
"""Share of the skewed referees among those who see nothing."""
DESIGNED_FOR = ErrorProfile("designed for", 1.0, slips=0.2)
"""The profile that questions are chosen for: somewhat careless, so that the batch tolerates errors."""


@dataclass(frozen=True, slots=True)
class RefereeType:
    """One referee of the mixture.

    Attributes:
        weight: prior probability.
        view: None if its answers do not depend on the paragraph.
        errors: without a view, only the name counts.
    """

    weight: float
    view: View | None
    errors: ErrorProfile

    @property
    def name(self) -> str:
        """The name of the view and of the error profile."""
        return (
            self.errors.name
            if self.view is None
            else f"{self.view}, {self.errors.name}"
        )


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """The probability of each letter, for every referee and kind of question.

    Attributes:
        referees: the mixture.
        kinds: row of each kind of question in the arrays; the last row is that of any other kind.
        letters: (n_referees, n_kinds + 1, 4, 4) probability of each letter given the fitting option.
        design_letters: (n_design_views, n_kinds + 1, 4, 4) the same for the referee that questions are chosen for.
        design_views: (n_design_views,) weight of each design view when questions are chosen, summing to 1.
    """

    referees: tuple[RefereeType, ...]
    kinds: Mapping[str, int]
    letters: Float64Array
    design_letters: Float64Array
    design_views: Float64Array

    def rows_of(self, kinds: Sequence[str]) -> list[int]:
        """Return the rows of kinds of questions in the arrays."""
        return [self.kinds.get(kind, len(self.kinds)) for kind in kinds]


def error_model(
    wrong: Mapping[tuple[View, str], float],
    referees: tuple[RefereeType, ...],
    design_views: Float64Array,
) -> ErrorModel:
    """Return the error model of a mixture.

    Args:
        wrong: share of wrong letters of a careful referee, by view and kind.
    """
    kinds = sorted({kind for _, kind in wrong})

    def of(view: View | None, errors: ErrorProfile) -> list[Float64Array]:
        if view is None:
            return [channel(CHANCE)] * (len(kinds) + 1)
        rates = [wrong.get((view, kind), UNKNOWN_KIND) for kind in (*kinds, "")]
        return [errors.channel(rate) for rate in rates]

    return ErrorModel(
        referees,
        {kind: row for row, kind in enumerate(kinds)},
        np.array([of(referee.view, referee.errors) for referee in referees]),
        np.array([of(view, DESIGNED_FOR) for view in DESIGN_VIEWS]),
        design_views,
    )


def error_model_of(settings: GameSettings) -> ErrorModel:
    """Return the error model of the settings: learned rates, and all views with all error profiles."""
    shares: dict[View, float] = {
        "opening": settings.opening_share,
        "passages": settings.passages_share,
        "name": settings.name_share,
    }
    shares["paragraph"] = 1.0 - sum(shares.values())
    careless, useless = settings.careless_share, settings.useless_share
    before = sum(errors.weight for errors in ERROR_PROFILES if errors.name != SOUND)
    weights = {
        errors.name: careless * errors.weight / before for errors in ERROR_PROFILES
    }
    weights[SOUND] = 1.0 - useless - careless
    looking = tuple(
        RefereeType(shares[view] * weights[errors.name], view, errors)
        for view, errors in itertools.product(VIEWS, ERROR_PROFILES)
    )
    blind = (
        RefereeType(useless * (1.0 - SKEWED_SHARE), None, ErrorProfile(USELESS, 1.0)),
        RefereeType(useless * SKEWED_SHARE, None, ErrorProfile(SKEWED, 1.0)),
    )
    rates = {
        (view, name): WRONG.get((view, name), kind.wrong)
        for view, (name, kind) in itertools.product(VIEWS, KINDS.items())
    }
    opening = settings.design_opening_share
    return error_model(rates, (*looking, *blind), np.array([1.0 - opening, opening]))
