"""ingest/pdf/lexicon.py: the words of Tesseract's models."""

from __future__ import annotations

import pytest

from quarry.ingest.pdf.lexicon import is_hebrew_word, lexicon
from quarry.ingest.pdf.ocr import languages


def test_hebrew_prefixes_are_no_part_of_a_word() -> None:
    words = frozenset(["ילדים", "בית"])
    assert is_hebrew_word("ילדים", words)
    assert is_hebrew_word("ולילדים", words)
    assert not is_hebrew_word("וכלילדים", words)
    assert not is_hebrew_word("ילדיס", words)


def test_a_language_that_is_not_installed_has_no_words() -> None:
    assert lexicon("no-such-language") == frozenset()


@pytest.mark.skipif("eng" not in languages(), reason="Tesseract is not installed: its words are there only with it")
def test_the_words_of_an_installed_language_are_unpacked() -> None:
    assert {"smallest", "argument", "the"} <= lexicon("eng")
