"""Fitting the search's settings on labelled games."""
