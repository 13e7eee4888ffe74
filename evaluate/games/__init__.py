"""Labelled games: read, located among the paragraphs of a store, checked, and written with a person."""
