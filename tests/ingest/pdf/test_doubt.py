"""ingest/pdf/doubt.py: texts that were read wrongly, and texts that were not."""

from __future__ import annotations

import pytest

from quarry.ingest.pdf.doubt import WORTH_ASKING, doubtfulness

SHALOM = "שלום לכולם מתחילים ללמוד אלגוריתמים ומבנים"


def test_hebrew_in_order_is_not_doubted_and_in_reverse_is() -> None:
    assert doubtfulness([SHALOM]) == 0.0
    assert doubtfulness([SHALOM[::-1]]) == 1.0


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("every word stands apart", 0.0),
        ("everywordofthissentenceisruntogether", 1.0),
        ("a\ufffd \ufffd\ufffd b\ufffd\ufffd\ufffd", 0.75),
        ("", 0.0),
    ],
)
def test_doubt_is_the_share_of_what_is_no_text(text: str, doubt: float) -> None:
    assert doubtfulness([text]) == pytest.approx(doubt)


def test_a_name_run_together_in_a_long_text_is_no_reason_to_ask() -> None:
    assert doubtfulness(["plain words of a text " * 10, "thisisanidentifierofacomputerprogram"]) < WORTH_ASKING


def test_one_word_with_a_final_letter_in_front_is_no_evidence() -> None:
    assert doubtfulness(["ךלמה"]) == 0.0


def test_one_alphabet_under_the_letters_of_another_is_doubtful() -> None:
    scrambled = ["ÞãÙ íéæã âÞàíç áÚæéá ÙìÞïÚ ÙÜÞØÖ ÕáÕ îåÞÙ ÚîÙì ïÖÞ"] * 5
    assert doubtfulness(scrambled) > WORTH_ASKING
    assert doubtfulness(["Über Ärger in Zürich, Łódź, Besançon und Évian, naïve cafés, señor"] * 5) == 0.0
