"""What brings the scores of all strategies to one scale of relevance; a file for each thing that is calibrated."""

from quarry.player.search.calibration.dense import N_TOP, DenseCalibration
from quarry.player.search.calibration.fused import FusedCalibration
from quarry.player.search.calibration.keyword import KeywordCalibration
from quarry.player.search.calibration.references import ReferenceCalibration
from quarry.player.search.calibration.whole import (
    CALIBRATION,
    DEFAULT_EMBEDDER,
    Calibration,
    WordsCalibration,
    as_tree,
    calibration_of,
    is_calibrated,
    notices,
    uncalibrated,
)

__all__ = [
    "CALIBRATION",
    "DEFAULT_EMBEDDER",
    "N_TOP",
    "Calibration",
    "DenseCalibration",
    "FusedCalibration",
    "KeywordCalibration",
    "ReferenceCalibration",
    "WordsCalibration",
    "as_tree",
    "calibration_of",
    "is_calibrated",
    "notices",
    "uncalibrated",
]
