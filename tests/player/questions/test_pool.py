"""The pool over all kinds, and how its questions fit by code of another hand."""

import re
from collections import Counter
from dataclasses import replace

from player.question import DESIGN_VIEWS, VIEWS, Question, View
from player.questions.batch import build_pool, fit_questions
from player.questions.kinds import KINDS, LetterKind
from quarry.arrays import Float32Array
from quarry.languages.words import words
from tests.contracts.kind import ENGLISH, candidates_of

POOL = build_pool(candidates_of(ENGLISH), 200, seed=0)


def answer(question: Question, text: str) -> int:
    """The option that fits a text, found by splitting it into words once more."""
    opening = re.split("[.?] ", text)[0]
    names = words(text if question.kind == "anywhere" else opening)
    kind = KINDS[question.kind]
    if isinstance(kind, LetterKind):
        words_alone = [word for word in names if word[0].isalpha()]
        names = [words_alone[kind.position][0]]
    for option, group in enumerate(question.groups):
        if set(group) & set(names):
            return option
    return 3


def test_the_fitting_options_are_those_that_a_count_of_words_finds_under_either_view() -> (
    None
):
    n_sure = Counter[str]()
    pool_fits = fit_questions(POOL, candidates_of(ENGLISH), DESIGN_VIEWS)
    for view, of_view in zip(DESIGN_VIEWS, pool_fits, strict=True):
        for question, fits in zip(POOL, of_view, strict=True):
            for text, fit in zip(ENGLISH, fits, strict=True):
                if fit.max() > 0.9:
                    opening = text.split(". ")[0] + "."
                    option = answer(question, text if view == "paragraph" else opening)
                    assert fit.argmax() == option, (question, text)
                    n_sure[question.kind] += 1
    assert min(n_sure[kind] for kind in KINDS) > 20


def test_words_are_shown_as_they_are_written_most_often() -> None:
    texts = " ".join(question.text for question in POOL)
    for usual, other in (
        ("Williams", "williams"),
        ("trails", "Trails"),  # each once
        ("the", "The"),
    ):
        assert f'"{usual}"' in texts
        assert f'"{other}"' not in texts


def fits_of(
    *lists: str,
    clue: str = "",
) -> dict[View, Float32Array]:
    """Return the (n_candidates, 4) fits of a question about words anywhere, by view."""
    candidates = replace(candidates_of(ENGLISH), clue=clue)
    groups = tuple(tuple(words.split()) for words in lists)
    question = Question("?", ("a", "b", "c", "none"), "anywhere", groups)
    fits = fit_questions([question], candidates)[:, 0]
    return dict(zip(VIEWS, fits, strict=True))


def test_who_sees_the_opening_sentence_finds_no_later_word() -> None:
    fits = fits_of("levers", "trails", "rest")
    # the first paragraph has its levers in the second sentence
    assert fits["paragraph"][0].argmax() == 0
    assert fits["opening"][0].argmax() == 3
    assert fits["opening"][4].argmax() == 1
    assert 0.3 < fits["passages"][0, 0] < 0.7  # retrieved or not


def test_who_sees_the_name_and_the_hint_answers_alike_whatever_the_paragraph() -> None:
    clue = "Of levers. Moving names about"
    fits = fits_of("trails", "levers desk", "names", clue=clue)["name"]
    assert (fits == fits[0]).all()
    assert fits[0].argmax() == 1
