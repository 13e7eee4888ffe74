"""Every language has what reading, search and questions need of one."""

import re

from player.questions.initials import POSITIONS
from quarry.languages.english import ENGLISH
from quarry.languages.hebrew import HEBREW
from quarry.languages.registry import LANGUAGES, detect_language, language_of_word


def test_a_language_has_words_questions_and_regular_expressions() -> None:
    for language in LANGUAGES:
        words = language.common_words.split()
        assert len(words) == len({*words}) == 60
        assert {*language.word_names} == {*POSITIONS}
        assert "{word}" in language.ask_letter
        asked = language.ask_opening, language.ask_anywhere, language.ask_letter
        for question in asked:
            assert question.count("{0}") == 1

        assert {*language.labels} == {*ENGLISH.labels}
        assert {*language.name_words} <= {*ENGLISH.name_words}
        for expression in (
            language.lecture,
            language.drawings,
            language.option,
            language.grounds,
            language.negation,
            language.from_the_end,
            *language.labels.values(),
        ):
            assert re.compile(expression).match("") is None


def test_no_two_languages_ask_for_the_same_letter() -> None:
    letters = "".join(language.alphabet for language in LANGUAGES)
    assert len({*letters}) == len(letters)


def test_the_language_is_that_of_most_letters_or_of_the_first_of_a_word() -> None:
    for text, language in {
        "A lecture about sorting": ENGLISH,
        "הרצאה על מיון": HEBREW,
        "הרצאה על אלגוריתם QUICKSORT": HEBREW,
        "quicksort של הואר": ENGLISH,
        "лекция о сортировке": ENGLISH,
        "12 + 30": ENGLISH,
        "": ENGLISH,
    }.items():
        assert detect_language(text) is language, text
    for word, language in {"המיון": HEBREW, "sort": ENGLISH, "": ENGLISH}.items():
        assert language_of_word(word) is language


def test_a_rough_hebrew_stem_has_no_prefixes_and_no_ending() -> None:
    for word, stem in {
        "הספרים": "ספר",  # article and plural go
        "ובבית": "בית",  # two prefixes; three letters remain
        "כלב": "כלב",  # too short for either
        "מלך": "מלכ",  # a final letter is the letter itself
    }.items():
        assert HEBREW.rough_stem(word) == stem, word
    assert ENGLISH.rough_stem("sorting") == "sorting"


def test_forms_of_a_word_have_the_prefixes_and_endings_of_its_language() -> None:
    is_form = HEBREW.forms_of("מספר").fullmatch
    forms = ["מספר", "המספר", "ושבמספרים"]
    assert list(filter(is_form, [*forms, "מספרנו", "אמספר"])) == forms
    assert not ENGLISH.forms_of("cat").fullmatch("cats")
