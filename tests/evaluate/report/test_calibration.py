"""Reliability by bins, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from quarry.evaluate.report.calibration import expected_calibration_error, reliability


def test_cases_fall_into_tenths_of_what_was_stated() -> None:
    bins = reliability(np.array([0.05, 0.5, 0.52, 0.58, 1.0]), np.array([0.0, 1.0, 0.0, 1.0, 1.0]))
    assert [found.n for found in bins] == [1, 3, 1]
    assert [found.share for found in bins] == pytest.approx([0.0, 2 / 3, 1.0])
    assert [found.stated for found in bins] == pytest.approx([0.05, 1.6 / 3, 1.0])
    assert all(found.low <= found.share <= found.high for found in bins)


def test_the_error_is_the_mean_distance_over_cases() -> None:
    # one case stated 0.2 and wrong, three stated 0.9 and right: (0.2 + 3 * 0.1) / 4
    bins = reliability(np.array([0.2, 0.9, 0.9, 0.9]), np.array([0.0, 1.0, 1.0, 1.0]))
    assert expected_calibration_error(bins) == pytest.approx(0.125)
    assert expected_calibration_error([]) == 0.0
