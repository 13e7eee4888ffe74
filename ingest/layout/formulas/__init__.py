"""Formulas of two dimensions: fractions, limits and tables between brackets, put on one line before rows are made.

`1` above a bar and `2n` below it become `1/2n`, a sum with limits becomes `∑i=1n`, and the rows between two brackets
follow each other. The glyphs are moved, and squeezed into the width of the formula.

Reference:
    Zanibbi, Blostein, Cordy: Recognizing Mathematical Expressions Using Tree Transformation, 2002.
"""
