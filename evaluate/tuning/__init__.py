"""Fits the settings of search on labelled games."""
