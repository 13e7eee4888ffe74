"""What a study tunes: one section of the settings, on games prepared for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, Protocol, TypeVar

import optuna

from quarry.ingest.arrays import Float64Array

S = TypeVar("S")
"""The section's settings."""
G = TypeVar("G", bound="PreparedGames")
"""Games, prepared for the section."""


class PreparedGames(Protocol):
    """Games with all that no setting of the section changes."""

    @property
    def games(self) -> Sequence[object]:
        """As they were given."""


class Judgement(Protocol):
    """What settings reach on games."""

    @property
    def objective(self) -> float:
        """The number that a study climbs."""

    @property
    def by_game(self) -> Float64Array:
        """(n_games,) the measure whose gain is tested, for each game that counts."""

    def as_json(self, seed: int) -> dict[str, Any]:
        """Objective, measures and their 95% intervals."""


@dataclass(frozen=True)
class Part(Generic[S, G]):
    """One section's parameters and objective; its functions are a module's own, so that processes can share it.

    Attributes:
        section: of the settings.
        objective: in words.
        measure: the name of `Judgement.by_game`.
        tuned: keys that a study sets.
        n_parameters: that a trial proposes.
        suggest: the settings that a trial proposes, with what is not tuned as given.
        settings_of: the same from the numbers of a trial.
        values_of: the numbers of a trial that proposes settings, as near as its steps allow.
        judge: what settings reach on games.
        distributions: all values that a parameter may take, where a trial draws it beneath another.
    """

    section: str
    objective: str
    measure: str
    tuned: tuple[str, ...]
    n_parameters: int
    suggest: Callable[[optuna.trial.BaseTrial, S], S]
    settings_of: Callable[[Mapping[str, Any], S], S]
    values_of: Callable[[S], dict[str, Any]]
    judge: Callable[[G, S], Judgement]
    distributions: Mapping[str, optuna.distributions.BaseDistribution] = field(default_factory=dict)

    def values(self, settings: S) -> dict[str, Any]:
        """What the file of the result sets."""
        return {name: getattr(settings, name) for name in self.tuned}


@dataclass(frozen=True, slots=True)
class Splits(Generic[G]):
    """The games of each split, prepared."""

    train: G
    validation: G
    test: G
