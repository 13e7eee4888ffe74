"""Every language has what reading, search and questions need of one."""

from __future__ import annotations

import re
from collections import Counter
from typing import get_args

import pytest

from ingest.languages.english import ENGLISH
from ingest.languages.hebrew import HEBREW
from ingest.languages.language import Language
from ingest.languages.registry import LANGUAGES, language_of, language_of_word
from ingest.paragraph import Kind
from player.questions.initials import POSITIONS

each_language = pytest.mark.parametrize("language", LANGUAGES, ids=lambda one: one.name)


@each_language
def test_a_language_has_words_for_all_generic_questions(language: Language) -> None:
    words = language.common_words.split()
    assert len(words) == 60
    assert Counter(words).most_common(1)[0][1] == 1


@each_language
def test_a_language_names_all_words_that_letters_are_asked_of(
    language: Language,
) -> None:
    assert {*language.word_names} == {*POSITIONS}
    assert "{word}" in language.ask_letter
    for question in (language.ask_opening, language.ask_anywhere, language.ask_letter):
        assert question.count("{0}") == 1


@each_language
def test_regular_expressions_of_a_language_are_valid(language: Language) -> None:
    assert {*language.labels} <= {*get_args(Kind)}
    assert {*language.labels} == {*ENGLISH.labels}
    for expression in (
        language.lecture,
        language.drawings,
        language.option,
        language.grounds,
        *language.labels.values(),
    ):
        assert re.compile(expression).match("") is None


def test_no_two_languages_ask_for_the_same_letter() -> None:
    letters = Counter("".join(language.alphabet for language in LANGUAGES))
    assert letters.most_common(1)[0][1] == 1


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("A lecture about sorting", ENGLISH),
        ("הרצאה על מיון", HEBREW),
        ("הרצאה על אלגוריתם QUICKSORT", HEBREW),
        ("quicksort של הואר", ENGLISH),
        ("лекция о сортировке", ENGLISH),
        ("12 + 30", ENGLISH),
        ("", ENGLISH),
    ],
)
def test_the_language_of_a_text_is_that_of_most_letters(
    text: str, language: Language
) -> None:
    assert language_of(text) is language


def test_the_language_of_a_word_is_that_of_its_first_letter() -> None:
    assert language_of_word("המיון") is HEBREW
    assert language_of_word("sort") is ENGLISH
    assert language_of_word("") is ENGLISH


@pytest.mark.parametrize(
    ("word", "stem"),
    [
        ("הספרים", "ספר"),  # article and plural go
        ("ובבית", "בית"),  # two prefixes; three letters remain
        ("כלב", "כלב"),  # too short for either
        ("מלך", "מלכ"),  # a final letter is the letter itself
    ],
)
def test_a_rough_stem_has_no_prefixes_and_no_ending(word: str, stem: str) -> None:
    assert HEBREW.rough_stem(word) == stem


def test_an_english_word_is_its_own_rough_stem() -> None:
    assert ENGLISH.rough_stem("sorting") == "sorting"
