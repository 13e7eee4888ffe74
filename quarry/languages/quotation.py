"""Quotation marks and brackets before and after sentences of any language."""

OPENING_MARKS = "([\"'“‘„«"
CLOSING_MARKS = ")]\"'”’»״׳"
