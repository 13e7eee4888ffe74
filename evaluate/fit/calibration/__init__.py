"""Fitting what player/search/calibration holds; a file for each thing that is calibrated."""

from quarry.evaluate.fit.calibration.choices import Choice, fit_choices, fit_relevance
from quarry.evaluate.fit.calibration.course import hints_about, labelled_course
from quarry.evaluate.fit.calibration.whole import calibrate

__all__ = ["Choice", "calibrate", "fit_choices", "fit_relevance", "hints_about", "labelled_course"]
