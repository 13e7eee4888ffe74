"""Maximum-likelihood fits: of choices among alternatives (conditional logit), and of whether there is any answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quarry.ingest.arrays import Float64Array


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One observed choice among alternatives, for a conditional logit.

    Attributes:
        features: (n_alternatives, n_features).
        chosen: rows of the right alternatives; empty if none of them is right.
        weight: of the choice in the likelihood.
    """

    features: Float64Array
    chosen: Sequence[int]
    weight: float = 1.0


def fit_choices(
    choices: Sequence[Choice], *, with_none: bool, l2: float | Float64Array = 0.0
) -> tuple[Float64Array, float]:
    """Fit the weights of the features, and the utility of "none of these", by maximum likelihood.

    Args:
        choices: all with as many features.
        with_none: whether "none of these" may be chosen; its utility is 0 otherwise.
        l2: penalty on the squared weights, of each or for all.

    Reference:
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """
    from scipy.optimize import minimize
    from scipy.special import logsumexp, softmax

    def loss(parameters: Float64Array) -> tuple[float, Float64Array]:
        weights, none = parameters[:-1], parameters[-1] if with_none else -np.inf
        total, gradient = float((l2 * weights**2).sum()), np.append(2.0 * l2 * weights, 0.0)
        for choice in choices:
            utilities = np.append(choice.features @ weights, none)
            rows = list(choice.chosen) or [-1]
            total += choice.weight * float(logsumexp(utilities) - logsumexp(utilities[rows]))
            shares = softmax(utilities)
            shares[rows] -= softmax(utilities[rows])
            gradient += choice.weight * np.append(shares[:-1] @ choice.features, shares[-1])
        return total, gradient

    found = minimize(loss, np.zeros(choices[0].features.shape[1] + 1), jac=True, method="L-BFGS-B")
    return found.x[:-1], float(found.x[-1])


def fit_relevance(positives: Float64Array, *negatives: Float64Array) -> tuple[Float64Array, float]:
    """Fit slopes and bias of the log-odds that something is answerable, at even odds.

    Each set of negatives weighs alike.

    Args:
        positives: (n, n_features).
        negatives: each (n, n_features).
    """
    from sklearn.linear_model import LogisticRegression

    features = np.vstack([positives, *negatives])
    labels = np.repeat([1, 0], [len(positives), len(features) - len(positives)])
    shares = [np.full(len(positives), 1.0 / len(positives))]
    shares += [np.full(len(rows), 1.0 / len(rows) / len(negatives)) for rows in negatives]
    weights = np.concatenate(shares) * len(positives)
    centre, spread = features.mean(axis=0), features.std(axis=0)
    fitted = LogisticRegression().fit((features - centre) / spread, labels, sample_weight=weights)
    slopes = fitted.coef_[0] / spread
    return slopes, float(fitted.intercept_[0] - slopes @ centre)


def rounded(value: float) -> float:
    """Round to four significant digits: some hundred games do not determine more."""
    return float(f"{value:.4g}")
