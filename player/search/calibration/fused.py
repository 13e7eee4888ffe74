"""How much each strategy counts where their scores are added."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FusedCalibration:
    """Weights of linear fusion for ordinary questions, in log-odds per unit of each strategy's score."""

    dense: float
    keyword: float

    @property
    def weights(self) -> dict[str, float]:
        """By strategy."""
        return {"dense": self.dense, "keyword": self.keyword}
