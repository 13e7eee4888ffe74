"""Replays of labelled games, in this process or in workers, against one referee or several."""
