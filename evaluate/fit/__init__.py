"""Fitting the numbers that the player works with on labelled games and logged answers."""
