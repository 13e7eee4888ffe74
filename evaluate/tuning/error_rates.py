"""The part of a study that tunes how far the player trusts answers: its error rates and which referees it expects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import optuna

from quarry.configs.settings import GameSettings
from quarry.evaluate.runs.measures import interval
from quarry.evaluate.tuning.answered_games import AnsweredGames, beliefs
from quarry.evaluate.tuning.part import Part
from quarry.evaluate.tuning.space import stepped
from quarry.ingest.arrays import BoolArray, Float64Array
from quarry.player.questions.referees import error_model_of


@dataclass(frozen=True, slots=True)
class JudgedBelief:
    """What the belief is worth after the answers.

    Attributes:
        logs: (n_games, n_referees) natural logarithm of the belief in the labelled paragraph.
        won: (n_games, n_referees) whether it was believed in most.
        referees: their SPECs.
    """

    logs: Float64Array
    won: BoolArray
    referees: tuple[str, ...]

    @property
    def by_game(self) -> Float64Array:
        """(n_games,) the log score of each game, over its referees."""
        means: Float64Array = self.logs.mean(axis=1)
        return means

    @property
    def objective(self) -> float:
        """The mean log score, a proper score: highest where the belief is what it claims to be.

        Reference:
            Good, Rational Decisions, 1952.
        """
        return float(self.logs.mean())

    def as_json(self, seed: int) -> dict[str, Any]:
        """Objective, measures and their 95% intervals."""
        values = {"log score": self.by_game, "win rate": self.won.mean(axis=1)}
        for column, spec in enumerate(self.referees):
            values |= {f"log score, {spec}": self.logs[:, column], f"win rate, {spec}": self.won[:, column]}
        return {
            "games": len(self.logs),
            "objective": round(self.objective, 6),
            "measures": {name: round(float(value.mean()), 6) for name, value in values.items()},
            "intervals": {
                name: [round(end, 6) for end in interval(value.astype(np.float64), seed)]
                for name, value in values.items()
            },
        }


def judge_belief(answered: AnsweredGames, settings: GameSettings) -> JudgedBelief:
    """What these settings make of the answers."""
    return JudgedBelief(*beliefs(answered, error_model_of(settings)), answered.referees)


def suggest_rates(trial: optuna.trial.BaseTrial, base: GameSettings) -> GameSettings:
    """The settings that a trial proposes."""
    values = {
        "error_scale_log2": trial.suggest_float("error_scale_log2", -4.0, 4.0, step=0.05),
        "careless_share": trial.suggest_float("careless_share", 0.01, 0.8, step=0.01),
        "useless_of_rest": trial.suggest_float("useless_of_rest", 0.01, 1.0, step=0.01),
    }
    return rates_of(values, base)


def rates_of(values: Mapping[str, Any], base: GameSettings) -> GameSettings:
    """Settings of a trial's numbers: the useless referees' share is one of what the careless ones leave of 0.9."""
    careless = round(float(values["careless_share"]), 4)
    return replace(
        base,
        error_scale=round(2.0 ** float(values["error_scale_log2"]), 4),
        careless_share=careless,
        useless_share=round(min(0.8, (MOST_DOUBTED - careless) * float(values["useless_of_rest"])), 4),
    )


def numbers_of(settings: GameSettings) -> dict[str, Any]:
    """The numbers of a trial that proposes these settings, as near as its steps allow."""
    return {
        "error_scale_log2": stepped(float(np.log2(settings.error_scale)), -4.0, 4.0, 0.05),
        "careless_share": stepped(settings.careless_share, 0.01, 0.8, 0.01),
        "useless_of_rest": stepped(settings.useless_share / (MOST_DOUBTED - settings.careless_share), 0.01, 1.0, 0.01),
    }


MOST_DOUBTED = 0.9
"""Prior probability of careless and useless referees together, at most."""

ERROR_RATES: Part[GameSettings, AnsweredGames] = Part(
    section="game",
    objective="mean log score of the labelled paragraph after the answers",
    measure="log score",
    tuned=("error_scale", "careless_share", "useless_share"),
    n_parameters=3,
    suggest=suggest_rates,
    settings_of=rates_of,
    values_of=numbers_of,
    judge=judge_belief,
)
