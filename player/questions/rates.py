"""How often referees err on each kind of question, learned from logged answers with a prior."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]

RATES_FILE = Path(__file__).with_name("rates.yaml")
PRIOR_STRENGTH = 40.0
"""Answers that the prior of a rate is worth."""
LEAST = 0.002
"""Of any rate: nothing is impossible."""
N_ANSWERS = 5
"""A, B, C, D and Not Relevant."""


@dataclass(frozen=True, slots=True)
class Rates:
    """Of one kind of question.

    Attributes:
        wrong: share of the given letters that do not fit, 0..1.
        not_relevant: share that is declined, whichever option fits, 0..1: an erasure, which tells about the referee
            and not about the paragraph.
    """

    wrong: float
    not_relevant: float


@dataclass(frozen=True, slots=True)
class Counts:
    """Logged answers to one kind of question; expected counts, since what fits may be uncertain.

    Attributes:
        asked: questions answered or declined.
        declined: how many of them were declined.
        wrong: letters given that do not fit.
    """

    asked: float = 0.0
    declined: float = 0.0
    wrong: float = 0.0


def learned(prior: Rates, counts: Counts) -> Rates:
    """The posterior means of Beta beliefs about the rates."""
    return Rates(
        wrong=_mean(prior.wrong, counts.wrong, counts.asked - counts.declined),
        not_relevant=_mean(prior.not_relevant, counts.declined, counts.asked),
    )


def scaled(rates: Rates, scale: float) -> Rates:
    """The rates with their odds multiplied by `scale`."""
    return Rates(*(scale * rate / (1.0 - rate + scale * rate) for rate in astuple(rates)))


def channel(rates: Rates) -> FloatArray:
    """(5, 4) probability of each answer (A, B, C, D, Not Relevant) given the fitting option."""
    letters = np.full((4, 4), rates.wrong / 3.0)
    np.fill_diagonal(letters, 1.0 - rates.wrong)
    return np.vstack([(1.0 - rates.not_relevant) * letters, np.full(4, rates.not_relevant)])


@functools.cache
def load_rates(path: Path = RATES_FILE) -> Mapping[str, Rates]:
    """The learned rates of each kind, as `rates.yaml` has them."""
    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {kind: learned(Rates(**entry["prior"]), Counts(**entry.get("logged", {}))) for kind, entry in tree.items()}


def load_priors(path: Path = RATES_FILE) -> dict[str, Rates]:
    """What was believed of each kind before any answer was logged."""
    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    return {kind: Rates(**entry["prior"]) for kind, entry in tree.items()}


def rates_yaml(priors: Mapping[str, Rates], logged: Mapping[str, Counts]) -> str:
    """The text of a `rates.yaml` with these priors and counts, a kind a line."""
    lines = []
    for kind, prior in priors.items():
        entry: dict[str, dict[str, float]] = {"prior": asdict(prior)}
        if kind in logged:
            entry["logged"] = {name: round(count, 2) for name, count in asdict(logged[kind]).items()}
        # flow style, so that a kind stays on one line
        lines.append(yaml.safe_dump({kind: entry}, default_flow_style=True, sort_keys=False, width=1000)[1:-2])
    return _HEADER + "".join(f"{line}\n" for line in lines)


def _mean(prior: float, n_hits: float, n: float) -> float:
    mean = (PRIOR_STRENGTH * prior + n_hits) / (PRIOR_STRENGTH + n)
    return min(1.0 - LEAST, max(LEAST, mean))


_HEADER = """\
# How often referees err, by kind of question. `prior` are beliefs before any answer was logged: the share of wrong
# letters, and that of "Not Relevant". `logged` are counts of answers by outside readers; written by
# `python -m evaluate rates`, never by hand. See docs/questions.md.
"""
