"""ingest/layout/bidi.py: the order of numbers and Latin words in right-to-left lines."""

import pytest

from ingest.layout.bidi import logical_order


@pytest.mark.parametrize(
    ("drawn", "read"),
    [
        ("דוד", "דוד"[::-1]),
        ("64GB-ה", "ה-64GB"),  # a number and the letters that follow it
        ("דוד Luhn .1", "1. Luhn " + "דוד"[::-1]),  # the number of an item
        ("דוד Luhn .a", "a. Luhn " + "דוד"[::-1]),
        ("O(n(-ב", "ב-O(n)"),  # PDFium turns brackets round next to Hebrew
        (".f(x( דוד", "דוד"[::-1] + " f(x)."),
        ("דוד Python 3.1", "Python 3.1 " + "דוד"[::-1]),
    ],
)
def test_numbers_and_latin_words_keep_their_order(drawn: str, read: str) -> None:
    texts = list(drawn)
    order = logical_order(texts, base_rtl=True)
    assert "".join(texts[index] for index in order) == read
