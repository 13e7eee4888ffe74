"""Readers of editions: each returns the text of the pages of a PDF as one library prints it."""
