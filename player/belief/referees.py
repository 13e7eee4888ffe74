"""The mixture of possible referees, which differ in their view of the paragraph and in their rate of errors."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from player.question import DESIGN_VIEWS, VIEWS, Question, View
from quarry.arrays import Float64Array

WRONG_BY_CHANCE = 0.75
"""Share of wrong letters of a referee who does not look at the paragraph."""
UNKNOWN_KIND = 0.1
"""Share of wrong letters for an unknown kind of question."""
WRONG: Mapping[tuple[View, str], float] = {
    ("paragraph", "opening"): 0.00698,
    ("paragraph", "anywhere"): 0.01808,
    ("opening", "opening"): 0.00763,
    ("opening", "anywhere"): 0.01558,
    ("passages", "opening"): 0.00759,
    ("passages", "anywhere"): 0.03365,
}
"""Share of wrong letters of careful respondents by view and kind, estimated from logged answers with a Beta prior
that weighs as much as 40 answers; see docs/notebook/questions.md. Other pairs have the `wrong` of their kind."""


VIEW_SHARES: Mapping[View, float] = {
    "opening": 0.25,
    "passages": 0.25,
    "name": 0.05,
}
"""Prior probabilities of the views of a referee; the rest is that of the whole paragraph. They were judged, not fitted:
the answers of a referee soon show its view."""
CARELESS_SHARE = 0.4
"""Prior probability of a referee who guesses some answers; docs/notebook/referees.md compares others."""
USELESS_SHARE = 0.2
"""Prior probability of a referee who guesses all answers; docs/notebook/referees.md compares others."""
DESIGN_OPENING_SHARE = 0.5
"""Weight of the referee who sees only the opening sentence, when questions are chosen. It is about the weight of all
referees who do not see the whole paragraph."""
CARELESS: tuple[tuple[float, float, float], ...] = (
    (0.20, 0.15, 0.0),
    (0.15, 0.30, 0.0),
    (0.07, 0.45, 0.0),
    (0.07, 0.0, 0.15),
    (0.05, 0.0, 0.40),
)
"""Error profiles of careless referees: weight relative to the others; share of answers by chance, in addition to the
rate of the kind of question; share of answers that are the first option, after a failed call or an unreadable reply."""
SKEW = 0.3
"""Concentration of the Dirichlet distribution of a skewed referee's letters."""
SKEWED_SHARE = 0.3
"""Share of the skewed referees among those who do not look at the paragraph."""
DESIGN_SLIPS = 0.2
"""Share of answers by chance of the referee for whom questions are chosen, so that the batch tolerates errors."""


@dataclass(frozen=True, slots=True)
class RefereeModel:
    """One referee of the mixture.

    Attributes:
        weight: prior probability.
        view: its view; None if its answers do not depend on the paragraph.
        wrong: share of wrong letters without slips, by kind of question; UNKNOWN_KIND for others.
        slips: share of the answers that are letters by chance.
        falls_back: share of the answers that are the first option.
        is_skewed: whether its answers do not depend on the paragraph, and prefer some letters.
    """

    weight: float
    view: View | None
    wrong: Mapping[str, float]
    slips: float = 0.0
    falls_back: float = 0.0
    is_skewed: bool = False

    def letters_for(self, questions: Sequence[Question]) -> Float64Array:
        """Return the (n_questions, 4, 4) probability of each letter given the fitting option.

        Wrong letters are equally likely.
        """
        careful = np.array(
            [self.wrong.get(each.kind, UNKNOWN_KIND) for each in questions]
        )
        by_question = careful + (WRONG_BY_CHANCE - careful) * self.slips
        wrong = by_question[:, None, None]
        is_right = np.eye(4, dtype=np.bool_)
        by_looking = np.where(is_right, 1.0 - wrong, wrong / 3.0)
        letters = (1.0 - self.falls_back) * by_looking
        letters[:, 0] += self.falls_back
        return letters


def mixture(wrong: Mapping[str, float]) -> tuple[RefereeModel, ...]:
    """Build the possible referees: one for each view and error profile, and two who do not look at the paragraph.

    Args:
        wrong: expected share of wrong letters by kind of question, for the kinds that `WRONG` lacks.
    """
    views = {**VIEW_SHARES, "paragraph": 1.0 - sum(VIEW_SHARES.values())}
    profiles = [(1.0 - USELESS_SHARE - CARELESS_SHARE, 0.0, 0.0)]
    total = sum(weight for weight, *_ in CARELESS)
    for weight, slips, falls_back in CARELESS:
        profiles.append((CARELESS_SHARE * weight / total, slips, falls_back))

    referees = []
    for view in VIEWS:
        for share, slips, falls_back in profiles:
            weight, rates = views[view] * share, _rates(view, wrong)
            referees.append(RefereeModel(weight, view, rates, slips, falls_back))

    even = USELESS_SHARE * (1.0 - SKEWED_SHARE)
    skewed = USELESS_SHARE * SKEWED_SHARE
    referees.append(RefereeModel(even, None, {}, slips=1.0))
    referees.append(RefereeModel(skewed, None, {}, slips=1.0, is_skewed=True))
    return tuple(referees)


def design_referees(wrong: Mapping[str, float]) -> tuple[RefereeModel, ...]:
    """Build the referees for whom questions are chosen, one for each of `DESIGN_VIEWS`; their weights sum to 1.

    Args:
        wrong: as in `mixture`.
    """
    shares = (1.0 - DESIGN_OPENING_SHARE, DESIGN_OPENING_SHARE)
    referees = []
    for view, share in zip(DESIGN_VIEWS, shares, strict=True):
        referees.append(RefereeModel(share, view, _rates(view, wrong), DESIGN_SLIPS))
    return tuple(referees)


def _rates(view: View, wrong: Mapping[str, float]) -> dict[str, float]:
    """Return the share of wrong letters of a careful referee by kind of question."""
    return {kind: WRONG.get((view, kind), usual) for kind, usual in wrong.items()}
