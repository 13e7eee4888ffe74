"""Labelled games, replays, comparisons, tuning, reports and the practice server."""
