"""ingest/pdf/mend.py: unknown glyphs told by how their words look."""

from __future__ import annotations

import numpy as np
import pytest

from quarry.ingest.layout.lines import Row
from quarry.ingest.pdf import mend as mending
from quarry.ingest.pdf.model import UNKNOWN, Glyph
from quarry.ingest.pdf.ocr import DPI
from quarry.ingest.pdf.ocr_word import Image, SeenChar, SeenLine, SeenWord

DOTS = DPI / 72


def row(text: str) -> Row:
    glyphs = [
        Glyph(char, 10.0 + 5 * at, 15.0 + 5 * at, 50.0, 10.0, 0, False) for at, char in enumerate(text) if char != " "
    ]
    return Row(50.0, 10.0, glyphs)


def seen(line: Row, text: str, confidence: int = 90) -> list[SeenLine]:
    """A line of words where those of a row stand, whose strip begins one font size to its left."""
    words, at = [], 10.0
    for word in text.split():
        chars = [
            SeenChar(char, int((at + 5 * n - 0.0) * DOTS), 2, int((at + 5 * n + 5) * DOTS), 20)
            for n, char in enumerate(word)
        ]
        words.append(SeenWord(tuple(chars), confidence))
        at += 5 * len(word) + 5
    return [SeenLine(tuple(words), 0.0, 20.0, 30.0)]


def picture() -> Image:
    return np.full((400, 900), 255, dtype=np.uint8)


def mended(monkeypatch: pytest.MonkeyPatch, text: str, looks_like: str, confidence: int = 90) -> str:
    line = row(text)
    monkeypatch.setattr(mending, "recognise", lambda *_, **__: seen(line, looks_like, confidence))
    mending.mend([line], picture)
    return "".join(glyph.text for glyph in line.glyphs)


def test_a_year_that_the_file_does_not_tell_is_read_from_its_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mended(monkeypatch, f"In {UNKNOWN * 4}, they", "In 1854, they") == "In1854,they"


def test_old_style_figures_that_look_like_letters_are_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mended(monkeypatch, f"in {UNKNOWN * 4} BCE", "in 2oOl BCE") == "in2001BCE"


def test_small_capitals_are_read_where_the_known_letters_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mended(monkeypatch, f"an I{UNKNOWN * 5} here", "an INSERT here") == "anINSERThere"
    assert mended(monkeypatch, f"an I{UNKNOWN * 5} here", "an INSERTED here") == f"anI{UNKNOWN * 5}here"


def test_what_is_hardly_recognised_is_not_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert mended(monkeypatch, f"In {UNKNOWN * 4}, they", "In 1854, they", 20) == f"In{UNKNOWN * 4},they"


def test_a_page_without_such_words_is_not_looked_at() -> None:
    def forbidden() -> Image:
        raise AssertionError("was looked at")

    mending.mend([row("plain words"), row(f"{UNKNOWN} bullet"), row(f"e{UNKNOWN}cient")], forbidden)
