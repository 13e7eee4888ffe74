"""Weights by maximum likelihood: of what is chosen among alternatives, and of what is answerable at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quarry.ingest.arrays import Float64Array


@dataclass(frozen=True, slots=True)
class Choice:
    """One observed choice among alternatives, for a conditional logit.

    Attributes:
        features: (n_alternatives, n_features).
        chosen: row of the right alternative, None where it is none of them.
    """

    features: Float64Array
    chosen: int | None


def fit_choices(choices: Sequence[Choice], *, with_none: bool, l2: float = 0.0) -> tuple[Float64Array, float]:
    """Weights of the features, and the utility of "none of these", by maximum likelihood.

    Args:
        choices: all with as many features.
        with_none: whether "none of these" may be chosen; its utility is 0 otherwise.
        l2: penalty on the squared weights.

    Reference:
        McFadden, Conditional Logit Analysis of Qualitative Choice Behavior, 1974.
    """
    from scipy.optimize import minimize

    n_features = choices[0].features.shape[1]

    def loss(parameters: Float64Array) -> tuple[float, Float64Array]:
        weights, none = parameters[:-1], parameters[-1]
        total, gradient = l2 * float(weights @ weights), np.append(2.0 * l2 * weights, 0.0)
        for choice in choices:
            utilities = choice.features @ weights
            if with_none:
                utilities = np.append(utilities, none)
            shares = np.exp(utilities - utilities.max())
            shares /= shares.sum()
            row = len(choice.features) if choice.chosen is None else choice.chosen
            total -= float(np.log(max(shares[row], 1e-300)))
            gradient[:-1] += shares[: len(choice.features)] @ choice.features
            if choice.chosen is not None:
                gradient[:-1] -= choice.features[choice.chosen]
            if with_none:
                gradient[-1] += shares[-1] - (choice.chosen is None)
        return total, gradient

    found = minimize(loss, np.zeros(n_features + 1), jac=True, method="L-BFGS-B")
    return found.x[:-1], float(found.x[-1])


def fit_relevance(positives: Float64Array, *negatives: Float64Array) -> tuple[Float64Array, float]:
    """Slopes and bias of the log-odds that something is answerable, at even odds; each set of negatives weighs alike.

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
    """Four significant digits: more would claim more than some hundred games tell."""
    return float(f"{value:.4g}")
