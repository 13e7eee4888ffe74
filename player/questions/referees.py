"""The referees that may sit at the other end, and how each would answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from configs.settings import GameSettings
from player.questions.rates import FloatArray, Rates, channel, load_rates, scaled

CHANCE = 0.75
"""Share of wrong letters of somebody who does not look at the paragraph."""
MEANING_KINDS = frozenset({"subject", "purpose"})
"""Kinds that ask what is meant, not what is written."""


@dataclass(frozen=True, slots=True)
class RefereeType:
    """One way of answering.

    Attributes:
        name: what it is called.
        weight: prior probability.
        slips: share of the answers that become letters by chance, on top of the kind's own rates.
        slips_on_letters: the same for kinds that ask what is written; None takes `slips`.
        contrary: gives any letter but the fitting one.
        declines: share of "Not Relevant", whatever is asked; None takes the kind's own rates.
        declines_meaning: the same for kinds that ask what is meant.
    """

    name: str
    weight: float
    slips: float = 0.0
    slips_on_letters: float | None = None
    contrary: bool = False
    declines: float | None = None
    declines_meaning: float | None = None

    def channel(self, kind: str, rates: Rates) -> FloatArray:
        """(5, 4) probability of each of this referee's answers given the fitting option."""
        declines = self.declines_meaning if kind in MEANING_KINDS else None
        declines = self.declines if declines is None else declines
        if declines is not None:
            rates = replace(rates, not_relevant=declines)
        if self.contrary:
            return channel(replace(rates, wrong=1.0 - rates.wrong))
        slips = self.slips
        if self.slips_on_letters is not None and kind not in MEANING_KINDS:
            slips = self.slips_on_letters
        wrong = rates.wrong + (CHANCE - rates.wrong) * slips
        return channel(replace(rates, wrong=wrong))


REFEREES = (
    RefereeType("sound", 0.44),
    RefereeType("careless 15%", 0.10, slips=0.15),
    RefereeType("careless 30%", 0.10, slips=0.30),
    RefereeType("careless 45%", 0.10, slips=0.45),
    RefereeType("careless 60%", 0.10, slips=0.60),
    RefereeType("gist", 0.03, slips=0.05, slips_on_letters=0.85),
    RefereeType("declining", 0.02, declines=0.6),
    RefereeType("useless", 0.10, slips=1.0),
    RefereeType("contrary", 0.01, contrary=True),
)
"""Sound: errs as logged. Careless: answers that share by chance. Gist: gets the meaning and does not look at letters.
Declining: says "Not Relevant" to most. Useless: answers by chance, so that its answers tell nothing. Contrary: avoids
the fitting option."""


SOUND, USELESS = "sound", "useless"
CARELESS = ("careless 15%", "careless 30%", "careless 45%", "careless 60%")
"""Names of the referees whose weights can be set."""


def referees_with(careless: float, useless: float) -> tuple[RefereeType, ...]:
    """`REFEREES` with other weights: the careless share theirs in its proportion, the sound one has what is left.

    Args:
        careless: prior probability of all careless ones.
        useless: prior probability of the useless one.
    """
    before = sum(referee.weight for referee in REFEREES if referee.name in CARELESS)
    weights = {referee.name: referee.weight for referee in REFEREES}
    weights |= {name: careless * weights[name] / before for name in CARELESS} | {USELESS: useless}
    weights[SOUND] = 1.0 - sum(weight for name, weight in weights.items() if name != SOUND)
    return tuple(replace(referee, weight=weights[referee.name]) for referee in REFEREES)


DESIGNED_FOR = RefereeType("designed for", 1.0, slips=0.2, declines_meaning=0.5)
"""Whom the questions are chosen for: somewhat careless, so that the batch bears errors; and one of two declines what
is not to be seen in the text, as referees by rules and wary ones do."""


@dataclass(frozen=True, slots=True)
class ErrorModel:
    """How probable each answer is, for every referee and kind of question.

    Attributes:
        rates: of the sound referee, by kind.
        fallback: of kinds without rates of their own.
        referees: the mixture.
    """

    rates: Mapping[str, Rates]
    fallback: Rates
    referees: tuple[RefereeType, ...] = REFEREES
    channels: dict[tuple[str, str], FloatArray] = field(default_factory=dict, compare=False, repr=False)

    def channel(self, referee: RefereeType, kind: str) -> FloatArray:
        """(5, 4) probability of each answer given the fitting option."""
        key = (referee.name, kind)
        if key not in self.channels:
            self.channels[key] = referee.channel(kind, self.rates.get(kind, self.fallback))
        return self.channels[key]

    def design_channels(self, kinds: Sequence[str]) -> FloatArray:
        """(n_questions, 5, 4) channels of the referee that questions of these kinds are chosen for."""
        return np.stack([self.channel(DESIGNED_FOR, kind) for kind in kinds])


def error_model_of(settings: GameSettings) -> ErrorModel:
    """The learned rates and the mixture, as the settings have them."""
    fallback = Rates(settings.wrong_rate, settings.not_relevant_rate)
    return ErrorModel(
        {kind: scaled(rates, settings.error_scale) for kind, rates in load_rates().items()},
        scaled(fallback, settings.error_scale),
        referees_with(settings.careless_share, settings.useless_share),
    )


def sound_only(rates: Rates) -> ErrorModel:
    """A model in which every referee errs alike on every kind: answers are independent given the paragraph."""
    return ErrorModel({}, rates, (RefereeType("sound", 1.0),))
