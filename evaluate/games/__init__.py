"""Labelled games: reading, locating among paragraphs, checking, and writing them with a person."""
