"""Labelled games played again and again: here or in worker processes, against one referee or many."""
