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
        letters: (n_kinds + 1, 4, 4) probability of each letter given the fitting option, by kind of question; the last
            table is for unknown kinds.
        kinds: the known kinds.
        is_skewed: whether its answers do not depend on the paragraph, and prefer some letters.
    """

    weight: float
    view: View | None
    letters: Float64Array
    kinds: tuple[str, ...]
    is_skewed: bool = False

    def letters_for(self, questions: Sequence[Question]) -> Float64Array:
        """Return the (n_questions, 4, 4) probability of each letter given the fitting option."""
        rows = {kind: row for row, kind in enumerate(self.kinds)}
        return self.letters[[rows.get(each.kind, len(rows)) for each in questions]]


def letter_probabilities(
    wrong: Float64Array, slips: float = 0.0, falls_back: float = 0.0
) -> Float64Array:
    """Return the (n_kinds, 4, 4) probability of each letter given the fitting option; wrong letters are equally likely.

    Args:
        wrong: (n_kinds,) share of wrong letters of a careful referee.
        slips: share of the answers that are letters by chance.
        falls_back: share of the answers that are the first option.
    """
    wrong = wrong + (WRONG_BY_CHANCE - wrong) * slips
    wrong = wrong[:, None, None]
    is_right = np.eye(4, dtype=np.bool_)
    by_looking = np.where(is_right, 1.0 - wrong, wrong / 3.0)
    letters = (1.0 - falls_back) * by_looking
    letters[:, 0] += falls_back
    return letters


def mixture(wrong: Mapping[str, float]) -> tuple[RefereeModel, ...]:
    """Build the possible referees: one for each view and error profile, and two who do not look at the paragraph.

    Args:
        wrong: expected share of wrong letters by kind of question, for the kinds that `WRONG` lacks.
    """
    kinds = tuple(wrong)
    views = {**VIEW_SHARES, "paragraph": 1.0 - sum(VIEW_SHARES.values())}
    profiles = [(1.0 - USELESS_SHARE - CARELESS_SHARE, 0.0, 0.0)]
    total = sum(weight for weight, *_ in CARELESS)
    for weight, slips, falls_back in CARELESS:
        profiles.append((CARELESS_SHARE * weight / total, slips, falls_back))

    referees = []
    for view in VIEWS:
        for share, slips, falls_back in profiles:
            weight = views[view] * share
            letters = letter_probabilities(_rates(view, wrong), slips, falls_back)
            referees.append(RefereeModel(weight, view, letters, kinds))

    rates = np.full(len(kinds) + 1, WRONG_BY_CHANCE)
    by_chance = letter_probabilities(rates)
    even = USELESS_SHARE * (1.0 - SKEWED_SHARE)
    skewed = USELESS_SHARE * SKEWED_SHARE
    referees.append(RefereeModel(even, None, by_chance, kinds))
    referees.append(RefereeModel(skewed, None, by_chance, kinds, is_skewed=True))
    return tuple(referees)


def design_referees(wrong: Mapping[str, float]) -> tuple[RefereeModel, ...]:
    """Build the referees for whom questions are chosen, one for each of `DESIGN_VIEWS`; their weights sum to 1.

    Args:
        wrong: as in `mixture`.
    """
    shares = (1.0 - DESIGN_OPENING_SHARE, DESIGN_OPENING_SHARE)
    referees = []
    for view, share in zip(DESIGN_VIEWS, shares, strict=True):
        letters = letter_probabilities(_rates(view, wrong), DESIGN_SLIPS)
        referees.append(RefereeModel(share, view, letters, tuple(wrong)))
    return tuple(referees)


def _rates(view: View, wrong: Mapping[str, float]) -> Float64Array:
    """Return the (n_kinds + 1,) share of wrong letters of a careful referee."""
    rates = [WRONG.get((view, kind), expected) for kind, expected in wrong.items()]
    return np.array([*rates, UNKNOWN_KIND])
