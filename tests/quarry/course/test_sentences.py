"""quarry/course/sentences.py: the opening sentence, word for word."""

from itertools import chain
from pathlib import Path

import pytest

from quarry.course.sentences import alternative_openings, opening_sentence, sentences

SENTENCES = Path(__file__).with_name("sentences.txt")
"""Texts, one a line, their sentences parted by a bar."""

FIRST = [
    "Some codes, e.g. Huffman codes, are short.",
    "It is cheap, i.e. it costs O(n).",
    "See Fig. 3 for the tree.",
    "As Sec. 4 shows, it ends.",
    "The value is 3.14 here.",
    "J. R. Smith proved it.",
    "Dr. Seuss wrote it.",
    "Kang et al. (2018) posed it.",
    "Kang et al. proposed it.",
    "They use trees, heaps, etc. and sort them.",
    "We pad it (see below. Or not) at once.",
    "Visit https://example.org/a.b?c=1 now.",
    "Index them as 1, 2, . . . , n first.",
    "R. A. Fisher had eight cups.",
    "Well, wait... there is more.",
    "He said: “Stop.”",
    "Is it so?",
    "Yes!",
    "It works (it really does!).",
    "People v. Collins is a case.",
    "The U.S. Senate met.",
    "Proof. Suppose it fails.",
    "Definition 3. A tree is a graph without cycles.",
    "Theorem 2.1. Suppose it fails.",
    "Theorem 4 (Gauss, 1801). Two such numbers are equal.",
    "Q2 (50 pts). Two such numbers are equal.",
    "Sie wachsen, z. B. Bäume.",
    "Der Rest, z. B. um sie zu finden.",
    "It splits into A and B.",
    "! Read it at once !",
    "Q2 (50 pts). Write it down.",
    "Wir fangen Fehler ab, z. B. Männer irren sich, d. h. Wir alle.",
    "Да, т. е. Пусть так.",
    "It is named after K. Wu.",
    "Keep it in S[1 .. n, 0 .. T], where T is the sum.",
]


def test_the_sentence_ends_where_it_ends() -> None:
    for sentence in FIRST:
        text = f"{sentence} The rest follows. And more?"
        assert opening_sentence(text) == sentence
        assert sentences(text) == [sentence, "The rest follows.", "And more?"]


def test_an_ellipsis_before_a_capital_ends_the_sentence() -> None:
    sentence = "Our life is frittered away. . . ."
    assert opening_sentence(f"{sentence} Simplify it.") == sentence


def test_a_question_quoted_inside_a_sentence_does_not_end_it() -> None:
    sentence = "“Which way?” is a question."
    assert opening_sentence(f"{sentence} Yes.") == sentence


@pytest.mark.parametrize(
    "sentence",
    [
        'היא נקראת ע"י כולם שיטת ד"ר הילל.',
        "הגדרה. שיטה נקראת עקבית אם היא עקבית.",
        "ההפרש הוא 15.6 מושבים בכנסת.",
        "התשובה היא כן!",
        "נסמן ב-M את המטריצה מעל V.",
        "במקום כל אות '.' ואחריה סוף.",
    ],
)
def test_hebrew_sentences_end_where_they_end(sentence: str) -> None:
    assert opening_sentence(f"{sentence} המשך הפסקה. סוף.") == sentence


def test_initials_are_of_the_script_of_the_name() -> None:
    assert opening_sentence("ראו אצל J. Levi. סוף.") == "ראו אצל J. Levi."


def test_the_last_letter_of_a_formula_is_no_initial() -> None:
    assert opening_sentence("Then P = I. Otherwise we permute.") == "Then P = I."
    assert opening_sentence("Give the rank of M. (It is two.)") == "Give the rank of M."
    assert opening_sentence("Take any K. Show that it is open.") == "Take any K."


def test_abbreviations_that_are_words_too_need_a_number_or_letter() -> None:
    assert opening_sentence("Open the app. You need it.") == "Open the app."
    for reference in ("app. B", "tab. 3"):
        assert (
            opening_sentence(f"Read {reference} first. Go.")
            == f"Read {reference} first."
        )


def test_a_hebrew_sentence_may_be_followed_by_a_small_latin_letter() -> None:
    assert opening_sentence("זו שיטת היל. f היא פונקציה.") == "זו שיטת היל."


def test_a_formula_in_small_letters_may_begin_a_sentence() -> None:
    assert opening_sentence("It is optimal. n = O(k) holds.") == "It is optimal."
    sentence = "It is cheap w.r.t. n = 3 here."
    assert opening_sentence(f"{sentence} Go on.") == sentence


def test_text_without_an_end_is_its_own_opening_sentence() -> None:
    assert opening_sentence("no end here") == "no end here"
    assert opening_sentence("") == ""


def test_what_else_may_be_the_first_sentence() -> None:
    heading = "Stratified samples. Parts that differ are sampled."
    assert alternative_openings(f"{heading} The rest follows.") == (heading,)
    text = "Trees are graphs, e.g. of dependence. And more follows here."
    assert alternative_openings(text) == ("Trees are graphs, e.g.",)
    assert (
        alternative_openings("A sentence of more than five words. Another one.") == ()
    )


def test_sentences_of_mathematics_and_of_hebrew_end_where_they_end() -> None:
    lines = SENTENCES.read_text(encoding="utf-8").splitlines()
    expected = [line.split("|") for line in lines]
    assert [sentences(" ".join(parts)) for parts in expected] == expected
    assert len(list(chain.from_iterable(expected))) >= 200
