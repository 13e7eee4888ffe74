"""ingest/pdf/ocr_correction.py: what an engine misreads, told by the words around it."""

from __future__ import annotations

import pytest

from quarry.ingest.pdf import ocr_correction as reading
from quarry.ingest.pdf.ocr_correction import Vocabulary, n_known, proofread
from quarry.ingest.pdf.ocr_word import SeenChar, SeenLine, SeenWord

ENGLISH = frozenset(["smallest", "small", "samples", "common", "the", "same", "the", "flow", "argument"])
HEBREW = frozenset(["ילדים", "כנס", "ילד"])


@pytest.fixture(autouse=True)
def dictionary(monkeypatch: pytest.MonkeyPatch) -> None:
    reading._english_by_strokes.cache_clear()
    monkeypatch.setattr(reading, "lexicon", lambda name: HEBREW if name == "heb" else ENGLISH)
    monkeypatch.setattr(reading, "words_of", lambda names: ENGLISH)


def line(text: str, confidence: int = 80) -> SeenLine:
    words, x = [], 100
    for word in text.split():
        words.append(
            SeenWord(tuple(SeenChar(c, x + 10 * n, 80, x + 10 * n + 9, 100) for n, c in enumerate(word)), confidence)
        )
        x += 10 * len(word) + 10
    return SeenLine(tuple(words), 0.0, 100.0, 30.0)


def read(*texts: str, of: tuple[str, ...] = ("eng",)) -> list[str]:
    told = proofread([line(text) for text in texts], Vocabulary(of))
    return [" ".join(word.text for word in one.words) for one in told]


def test_a_full_stop_before_small_letters_was_a_comma() -> None:
    assert read("Of the flow. the same", "is small.") == ["Of the flow, the same", "is small."]
    assert read("the last word small.", "but the next line") == ["the last word small,", "but the next line"]


def test_abbreviations_and_initials_keep_their_full_stop() -> None:
    for text in ("see e.g. the flow", "by Marsaglia et al. in the flow", "by J. von Neumann"):
        assert read(text) == [text]


def test_a_comma_before_the_first_word_of_a_sentence_was_a_full_stop() -> None:
    assert read("the same flow, The argument") == ["the same flow. The argument"]
    assert read("the same flow, Anna said") == ["the same flow, Anna said"]


def test_a_word_that_is_none_becomes_the_one_of_the_same_strokes() -> None:
    assert read("the sinallest arguinent, Sinall sainples") == ["the smallest argument, Small samples"]
    assert read("the same flow") == ["the same flow"]


def test_the_words_that_a_document_holds_often_are_its_own() -> None:
    assert read("conunon conunon conunon", "conunon") == ["common common common", "common"]
    vocabulary = Vocabulary(("eng",))
    vocabulary.learn([line("conunon conunon conunon", confidence=95)])
    assert vocabulary.look_alike("conunon") == "conunon"


def test_a_samekh_at_the_end_of_no_word_was_a_final_mem() -> None:
    assert read("ילדיס כנס והילדיס", of=("heb", "eng")) == ["ילדים כנס והילדים"]


def test_the_mark_of_a_note_that_was_taken_for_a_sign_goes() -> None:
    chars = [SeenChar(c, 100 + 10 * n, 80, 109 + 10 * n, 100) for n, c in enumerate("small.")]
    raised, low = SeenChar("!", 165, 76, 170, 90), SeenChar("!", 165, 78, 170, 100)
    for mark, text in ((raised, "small."), (low, "small.!")):
        (told,) = proofread([SeenLine((SeenWord((*chars, mark), 60),), 0.0, 100.0, 30.0)], Vocabulary(("eng",)))
        assert told.words[0].text == text


def test_an_empty_page_stays_empty() -> None:
    assert proofread([], Vocabulary(("eng",))) == []


def test_words_and_what_is_none_are_counted() -> None:
    assert n_known("the small samples xqzt", ("eng",)) == 1
