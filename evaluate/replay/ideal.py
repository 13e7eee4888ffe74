"""Ideal questions: the probability that 20 random balanced questions win a game with the same prior and errors."""

from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from evaluate.games.labelled import LabelledGame, same_sentence
from evaluate.referee.protocol import Referee
from evaluate.referee.simulated import SimulatedReferee
from evaluate.referee.spec import RefereeSpec
from player.answer import LETTERS
from player.player import Plan
from quarry.arrays import Float64Array
from quarry.course.paragraph import Paragraph

MIN_WRONG = 1e-6
"""Minimum share of wrong letters, so that the weight of an answer stays finite."""
UNINFORMED_VIEWS = frozenset({"name", "nothing"})
"""Views whose answers do not depend on the paragraph."""


@dataclass(frozen=True, slots=True)
class Errors:
    """The errors that a referee's SPEC states.

    Attributes:
        n_answers: number of answers that depend on the paragraph, 0..20.
        declined: share of these answers that are "Not Relevant".
        wrong: share of wrong letters among the others.
    """

    n_answers: int
    declined: float
    wrong: float


def read_stated_errors(spec: RefereeSpec) -> Errors:
    """Return the errors that the SPEC of a simulated referee states."""
    if spec.policy or spec.view in UNINFORMED_VIEWS:
        return Errors(0, 0.0, 0.0)
    answered = 1.0 - spec.declined
    return Errors(
        spec.n_answers, spec.declined, spec.wrong / answered if answered else 0.0
    )


def compute_win_ideal(
    plan: Plan, game: LabelledGame, paragraph: Paragraph, referee: Referee
) -> float | None:
    """Compute the probability that ideal questions win a play with the referee's errors; None if they are unknown."""
    if game.edition or not isinstance(referee, SimulatedReferee):
        return None
    sentence = paragraph.opening_sentence
    candidate = plan.find_candidate(sentence)
    is_read = same_sentence(sentence, game.opening_sentence or sentence)
    if candidate is None or not is_read:
        return 0.0
    _, sentences = np.unique(plan.sentence_ids, return_inverse=True)
    prior = np.bincount(sentences, weights=plan.prior).astype(np.float64)
    errors = read_stated_errors(referee.spec)
    return round(win_probability(prior, int(sentences[candidate]), errors), 6)


def win_probability(prior: Float64Array, secret: int, errors: Errors) -> float:
    """Return the probability that the secret is the likeliest sentence after the answers to ideal questions.

    Each sentence fits an option of each question by chance, so the number of answers that fit another sentence is
    binomial. The result is exact: a sum over the numbers of answers and of right answers. A tie counts half.

    Args:
        prior: (n_sentences,) probabilities.
        secret: row of the right sentence.
        errors: errors of the referee; ideal questions know them.
    """
    wrong = max(errors.wrong, MIN_WRONG)
    weight = np.log((1.0 - wrong) * (len(LETTERS) - 1) / wrong)
    if prior[secret] <= 0.0:
        return 0.0
    n = errors.n_answers if weight > 0.0 else 0
    rivals = np.delete(prior, secret)

    # a rival wins if the answers that fit it outnumber those that fit the secret by this handicap or more
    handicap = np.log(prior[secret] / rivals[rivals > 0.0]) / max(weight, MIN_WRONG)
    handicap = np.clip(handicap, -n - 1, n + 1)
    allowed, counts = np.unique(np.floor(handicap), return_counts=True)
    ties = int((handicap == 0.0).sum())

    total = 0.0
    for answered in range(n + 1):
        right = np.arange(answered + 1)
        exactly = binom.pmf(right, answered, 1.0 / len(LETTERS))
        at_most = np.append(binom.cdf(right, answered, 1.0 / len(LETTERS)), 0.0)
        # -1 is the last entry of `at_most`, which is 0: no number of answers is small enough
        most = np.clip(right[:, None] + allowed, -1, answered).astype(np.intp)
        unbeaten = np.prod(at_most[most] ** counts, axis=1)
        unbeaten *= (1.0 - 0.5 * exactly / at_most[:-1]) ** ties
        wins = binom.pmf(right, answered, 1.0 - wrong) @ unbeaten
        total += binom.pmf(answered, n, 1.0 - errors.declined) * wins
    return float(total)
