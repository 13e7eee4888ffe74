"""Glyphs -> rows -> lines -> columns -> reading order.

`extract` opens a file and makes pages of lines, and `arrange` puts their lines in reading order:

- accents, formulas, rows, bullets: glyphs -> rows, with accents, parts of formulas and indices in their places
- gaps, superscripts, lines, embedded, bidi, line: rows -> lines of words in reading order
- drop_caps, margins, gutters, columns, cells: lines without line numbers, running heads and notes, column by column

A glyph changes until its line is made: an accent is added to it, a formula moves it, a row lowers its font size, and a
line turns its bracket. Words and lines never change in place: a line is made again without its number and with its drop
cap, and the lines of a row of a column become one `PlacedLine`.

Maximum font sizes of small print, with what it is:

    .80  NUMBER_SIZE  line numbers, in sizes of their row
    .82  LIMIT_SIZE   limits, in sizes of their operator
    .90  SMALL        indices, exponents and marks of notes, in sizes of their base or row; at .87 some are missed
    .94  SMALL_PRINT  notes at the foot and in the margin, in sizes of the text; their place is a sign too
"""
