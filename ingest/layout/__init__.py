"""Glyphs -> rows -> lines -> columns -> reading order.

`extract` opens a file and makes pages of lines, and `arrange` puts their lines in reading order:

- accents, formulas, rows, bullets: glyphs -> rows, with accents, parts of formulas and indices in their places
- gaps, superscripts, lines, embedded, bidi, line: rows -> lines of words in reading order
- drop_caps, margins, gutters, columns: lines without line numbers, running heads and notes, column by column

A glyph changes until its line is made: an accent is added to it, a formula moves it, a row lowers its font size, and a
line turns its bracket. Words and lines never change.
"""
