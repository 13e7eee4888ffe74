"""Glyphs -> rows -> lines -> columns -> reading order.

`extract` opens a file and makes pages of lines, and `arrange` puts their lines in reading order:

- formulas, superscripts, rows, bullets: glyphs -> rows, with parts of formulas, accents and indices in their places
- gaps, lines, embedded, bidi, line: rows -> lines of words in reading order
- drop_caps, margins, gutters, columns: lines without line numbers, running heads and notes, column by column
"""
