"""Lecture files -> paragraphs in a store."""
