"""The referees that may sit at the other end: what each sees of the paragraph, and how it errs."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from quarry.configs.settings import GameSettings
from quarry.ingest.arrays import Float64Array
from quarry.player.questions.kinds import KINDS
from quarry.player.questions.rates import channel, load_rates, scaled
from quarry.player.questions.views import VIEWS, View

CHANCE = 0.75
"""Share of wrong letters of somebody who does not look at the paragraph."""
UNKNOWN_KIND = 0.1
"""Share of wrong letters of a kind that is not known."""


@dataclass(frozen=True, slots=True)
class Care:
    """One way of answering what is seen.

    Attributes:
        name: what it is called.
        weight: prior probability among those who look at something.
        slips: share of the answers that become letters by chance, on top of the kind's own rate.
        falls_back: share of the answers that become the first option: a failed call, an unreadable reply.
        contrary: gives any letter but the fitting one.
    """

    name: str
    weight: float
    slips: float = 0.0
    falls_back: float = 0.0
    contrary: bool = False

    def channel(self, wrong: float) -> Float64Array:
        """(4, 4) probability of each letter given the fitting option.

        Args:
            wrong: share of wrong letters of a careful referee, 0..1.
        """
        if self.contrary:
            return channel(1.0 - wrong)
        letters = (1.0 - self.falls_back) * channel(wrong + (CHANCE - wrong) * self.slips)
        letters[0] += self.falls_back
        return letters


CARES = (
    Care("sound", 0.45),
    Care("careless 15%", 0.20, slips=0.15),
    Care("careless 30%", 0.15, slips=0.30),
    Care("careless 45%", 0.07, slips=0.45),
    Care("falls back 15%", 0.07, falls_back=0.15),
    Care("falls back 40%", 0.05, falls_back=0.40),
    Care("contrary", 0.01, contrary=True),
)
"""Sound: errs as logged. Careless: answers that share by chance. Falls back: gives that share the first option.
Contrary: avoids the fitting option."""
SOUND = "sound"

USELESS, SKEWED = "useless", "skewed"
"""Referees whose answers have nothing to do with the paragraph: each letter by chance, as in a fixed key; or with a
preference for some letter, at the end of which stands the constant one."""
SKEW = 0.3
"""Concentration of the Dirichlet distribution that a skewed referee's letters are drawn from."""
SKEWED_SHARE = 0.3
"""Of the useless referees."""

DESIGNED_FOR = Care("designed for", 1.0, slips=0.2)
"""Whom the questions are chosen for: somewhat careless, so that the batch bears errors."""


@dataclass(frozen=True, slots=True)
class RefereeType:
    """One referee of the mixture.

    Attributes:
        weight: prior probability.
        view: what it sees; None: its answers have nothing to do with the paragraph.
        care: how it answers; of one without a view, only the name counts.
    """

    weight: float
    view: View | None
    care: Care

    @property
    def name(self) -> str:
        """What it is called."""
        return self.care.name if self.view is None else f"{self.view}, {self.care.name}"


def referees_with(views: Mapping[View, float], careless: float, useless: float) -> tuple[RefereeType, ...]:
    """All views with all kinds of care, and those who see nothing.

    Args:
        views: prior probability of each view among those who see something, summing to 1.
        careless: prior probability of all who are not sound, in the proportions of `CARES`.
        useless: prior probability of those who see nothing.
    """
    before = sum(care.weight for care in CARES if care.name != SOUND)
    weight = {care.name: careless * care.weight / before for care in CARES}
    weight[SOUND] = 1.0 - useless - careless
    blind = [(USELESS, 1.0 - SKEWED_SHARE), (SKEWED, SKEWED_SHARE)]
    return (
        *(RefereeType(views[view] * weight[care.name], view, care) for view, care in itertools.product(VIEWS, CARES)),
        *(RefereeType(useless * share, None, Care(name, 1.0)) for name, share in blind),
    )


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """How probable each letter is, for every referee and kind of question.

    Attributes:
        wrong: share of wrong letters of a careful referee, by view and kind.
        referees: the mixture.
        design_views: (n_design_views,) what a bit under each of them counts when questions are chosen, summing to 1.
    """

    wrong: Mapping[tuple[View, str], float]
    referees: tuple[RefereeType, ...]
    design_views: Float64Array
    _kept: dict[tuple[View, str, str], Float64Array] = field(default_factory=dict, compare=False, repr=False)

    def channel(self, view: View, care: Care, kind: str) -> Float64Array:
        """(4, 4) probability of each letter given the fitting option."""
        key = (view, care.name, kind)
        if key not in self._kept:
            self._kept[key] = care.channel(self.wrong.get((view, kind), UNKNOWN_KIND))
        return self._kept[key]

    def design_channels(self, view: View, kinds: Sequence[str]) -> Float64Array:
        """(n_questions, 4, 4) channels of the referee that questions of these kinds are chosen for."""
        found = {kind: self.channel(view, DESIGNED_FOR, kind) for kind in set(kinds)}
        return np.stack([found[kind] for kind in kinds])


def error_model_of(settings: GameSettings) -> ErrorModel:
    """The learned rates and the mixture, as the settings have them."""
    views: dict[View, float] = {
        "paragraph": 1.0 - settings.opening_share - settings.passages_share - settings.name_share,
        "opening": settings.opening_share,
        "passages": settings.passages_share,
        "name": settings.name_share,
    }
    rates = load_rates({name: kind.wrong for name, kind in KINDS.items()})
    return ErrorModel(
        {key: scaled(wrong, settings.error_scale) for key, wrong in rates.items()},
        referees_with(views, settings.careless_share, settings.useless_share),
        np.array([1.0 - settings.design_opening_share, settings.design_opening_share]),
    )
