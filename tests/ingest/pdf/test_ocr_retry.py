"""ingest/pdf/ocr_retry.py: words in doubt are looked at again."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from quarry.ingest.pdf import ocr_retry as looking
from quarry.ingest.pdf.ocr_retry import BETWEEN, with_second_look
from quarry.ingest.pdf.ocr_word import Image, SeenChar, SeenLine, SeenWord

WORDS = {
    "eng": frozenset(["half", "empty", "van", "greedy"]),
    "heb": frozenset(["כלל", "ידוע"]),
    "Hebrew": frozenset[str](),
}


@pytest.fixture(autouse=True)
def dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "lexicon", lambda name: WORDS[name])
    monkeypatch.setattr(looking, "words_of", lambda names: WORDS[names[0]])


def word(text: str, x: int, confidence: int, base: int = 200, scale: int = 1) -> SeenWord:
    return SeenWord(
        tuple(
            SeenChar(c, (x + 10 * n) * scale, (base - 20) * scale, (x + 10 * n + 9) * scale, base * scale)
            for n, c in enumerate(text)
        ),
        confidence,
    )


def look(words: Sequence[SeenWord], again: Sequence[SeenWord], of: tuple[str, ...], accents: bool = False) -> list[str]:
    """The words of a line after a second look that tells those of `again`, which stand as on the sheet."""
    calls = []

    def recognise(image: Image, languages: Sequence[str], layout: int) -> list[SeenLine]:
        calls.append((tuple(languages), layout))
        scale = 1 if accents or of != ("eng",) else looking.LARGER
        return [SeenLine(tuple(again), 0.0, (BETWEEN + 30) * scale, 30.0 * scale)]

    image = np.full((400, 600), 255, dtype=np.uint8)
    (told,) = with_second_look(image, [SeenLine(tuple(words), 0.0, 200.0, 30.0)], of, recognise, accents)
    assert calls or not again
    return [one.text for one in told.words]


def on_sheet(text: str, x: int, confidence: int, first: int, scale: int = 1) -> SeenWord:
    """A word at x of the page where it stands on the sheet, whose line begins at `first`."""
    return word(text, x - max(0, first - BETWEEN) + BETWEEN, confidence, scale=scale)


def test_a_word_in_no_dictionary_is_read_again() -> None:
    words = [word("half", 100, 95), word("enypty", 150, 30), word("van", 230, 95)]
    again = [on_sheet("half", 100, 90, 100, 2), on_sheet("empty", 150, 60, 100, 2), on_sheet("van", 230, 90, 100, 2)]
    assert look(words, again, ("eng",)) == ["half", "empty", "van"]


def test_what_is_still_no_word_stays_as_it_was() -> None:
    words = [word("half", 100, 95), word("wjy4qqq", 150, 30)]
    assert look(words, [on_sheet("wiyqqqq", 150, 90, 100, 2)], ("eng",)) == ["half", "wjy4qqq"]


def test_sure_lines_are_not_looked_at_again() -> None:
    assert look([word("half", 100, 95), word("Graham", 150, 95)], [], ("eng",)) == ["half", "Graham"]


def test_accents_are_seen_by_the_model_of_all_latin_letters() -> None:
    words = [word("half", 100, 95), word("Malm6", 150, 87)]
    assert look(words, [on_sheet("Malmö", 150, 96, 100)], ("eng",), accents=True) == ["half", "Malmö"]


def test_latin_words_in_a_hebrew_line_are_read_as_such_and_keep_their_prefix() -> None:
    hebrew = [word("כלל", 300, 95), word("רaחם", 200, 40)]
    assert look(hebrew, [on_sheet("greedy", 195, 95, 200)], ("Hebrew",)) == ["כלל", "greedy"]
    prefixed = [word("כלל", 300, 95), word("ה-זreeמ", 200, 40)]
    assert look(prefixed, [on_sheet("greedy-n", 200, 85, 200)], ("Hebrew",)) == ["כלל", "ה-greedy"]


def test_what_looks_like_capitals_in_a_hebrew_line_is_no_latin() -> None:
    hebrew = [word("כלל", 300, 95), word("aחם", 200, 40)]
    assert look(hebrew, [on_sheet("OYA", 200, 95, 200)], ("Hebrew",)) == ["כלל", "aחם"]
