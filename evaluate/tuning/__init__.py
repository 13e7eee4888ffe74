"""Fitting the search's settings on labelled games."""

MIXED = "mixed"
"""The objective that is climbed unless another is named; here, since the others' modules take long to import."""
