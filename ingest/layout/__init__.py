"""Glyphs -> lines -> columns -> reading order."""
