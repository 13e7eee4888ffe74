"""Editions: the text of a lecture as other programs read and cut it."""
