"""All fitted numbers, by embedder, that bring the scores of all strategies to one scale of relevance."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from quarry.configs.places import own_fit
from quarry.configs.settings import Settings, SettingsError
from quarry.ingest.arrays import Float32Array
from quarry.ingest.store import Course
from quarry.player.search.calibration.dense import DenseCalibration
from quarry.player.search.calibration.fused import FusedCalibration
from quarry.player.search.calibration.keyword import KeywordCalibration
from quarry.player.search.calibration.references import ReferenceCalibration

CALIBRATION = Path(__file__).parents[1] / "calibration.json"
"""The project's fitted numbers by embedder; `evaluate calibrate search` writes a user's own beside his data."""
DEFAULT_EMBEDDER = "minilm"
"""Whose numbers serve an embedder that has none of its own."""


@dataclass(frozen=True, slots=True)
class WordsCalibration:
    """Fitted numbers that hold where models compare word by word; `dense.parts` weighs what they say."""

    dense: DenseCalibration
    fused: FusedCalibration


@dataclass(frozen=True, slots=True)
class Calibration:
    """All fitted numbers for one embedder.

    Attributes:
        named: log-odds that the course holds the paragraph, added where the book's name is resolved.
        unnamed: the same where a name was given and is not resolved; below 0.
        words: what takes the place of `dense` and `fused` where models compare word by word, by their SPECs, joined
            by "+".
    """

    dense: DenseCalibration
    keyword: KeywordCalibration
    fused: FusedCalibration
    references: ReferenceCalibration
    named: float
    unnamed: float
    words: dict[str, WordsCalibration] = field(default_factory=dict)

    def rescaled(self, vectors: Float32Array) -> Calibration:
        """The numbers for another embedder, as `DenseCalibration.rescaled`; similarities weigh alike in fusion."""
        dense = self.dense.rescaled(vectors)
        fused = FusedCalibration(self.fused.dense * dense.nats / self.dense.nats, self.fused.keyword)
        return dataclasses.replace(self, dense=dense, fused=fused, words={})

    def word_by_word(self, specs: Sequence[str]) -> Calibration:
        """The numbers where these models compare word by word; where none are fitted, what they say counts nothing."""
        known = self.words.get("+".join(specs))
        return self if known is None else dataclasses.replace(self, dense=known.dense, fused=known.fused)


def is_calibrated(embedder_spec: str) -> bool:
    """Whether an embedder has numbers of its own."""
    return embedder_spec in _fitted()


def uncalibrated(embedder_spec: str) -> str:
    """A line for people whose embedder has no numbers of its own, "" where it has."""
    if is_calibrated(embedder_spec):
        return ""
    return (
        f"the embedder {embedder_spec} is not calibrated: something always counts as relevant, and books are told by "
        "letters alone; python -m evaluate calibrate search --store S --games FILE fits it"
    )


def notices(settings: Settings, store: Course) -> list[str]:
    """Lines for people who use a store with these settings: of what was tuned, and of an embedder without numbers."""
    return [line for line in (uncalibrated(store.embedder_spec),) if line]


def calibration_of(embedder_spec: str) -> Calibration:
    """The fitted numbers for an embedder, those of `DEFAULT_EMBEDDER` where it has none of its own."""
    known = _fitted()
    return known.get(embedder_spec, known[DEFAULT_EMBEDDER])


def as_tree(calibration: Calibration) -> dict[str, Any]:
    """The fitted numbers as the file holds them."""
    return dataclasses.asdict(calibration)


@functools.cache
def _fitted() -> dict[str, Calibration]:
    """The project's numbers by embedder, and the user's own over them."""
    files = [path for path in (CALIBRATION, own_fit(CALIBRATION)) if path.exists()]
    return {spec: known for path in files for spec, known in _read(path).items()}


def _read(path: Path) -> dict[str, Calibration]:
    try:
        return TypeAdapter(dict[str, Calibration]).validate_json(path.read_bytes())
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "other content"
        raise SettingsError(
            f"{path}: must be as evaluate calibrate search writes it, got {reason}; move it away, or calibrate anew"
        ) from None
