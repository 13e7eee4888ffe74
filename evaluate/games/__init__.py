"""Labelled games: reading, matching to paragraphs, checking, and writing them with a person."""
