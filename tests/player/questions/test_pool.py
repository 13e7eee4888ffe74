"""Which questions there are, and which option fits which paragraph."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from evaluate.referee import NOT_RELEVANT
from ingest.paragraph import Paragraph
from player.questions.course import read_course
from player.questions.pool import FITTERS, build_pool, fit_question
from player.questions.question import LETTERS, QuestionPool, first_of, hard_fits, two_by_two
from player.questions.referees import MEANING_KINDS
from player.questions.vocabulary import read_vocabulary
from tests.player.fakes import WordsEmbedder, course, paragraph, perfect_answer

LECTURE = (
    "In 1945 Vannevar Bush wrote about the Memex. It was a desk (of 1945) with levers.",
    "Suppose we sort 40% of the names: “Ada”, then Babbage. What remains? The names of Babbage; and the rest.",
    "A heap is called a tree where every parent is larger. For example, a parent of two: both smaller.",
    "Trees and heaps were compared by Williams. Unlike a heap, a tree of Williams keeps its names sorted.",
    "The memex of Bush follows trails. Trails of names, sorted by nobody; levers move them.",
    "Sorting names takes levers in the desk of Babbage. Why should it? A parent would know.",
)


def paragraphs(texts: tuple[str, ...] = LECTURE) -> list[Paragraph]:
    return [paragraph(f"book:1:{row}", text) for row, text in enumerate(texts, 1)]


def a_pool(texts: tuple[str, ...] = LECTURE, size: int = 200, seed: int = 0) -> QuestionPool:
    view = read_course(paragraphs(texts), WordsEmbedder().embed_passages(list(texts)))
    return build_pool(view, np.arange(len(texts)), np.full(len(texts), 1.0 / len(texts)), size, seed)


def test_the_fitting_options_are_those_a_reader_by_rules_of_its_own_finds() -> None:
    pool = a_pool()
    read: dict[str, int] = defaultdict(int)
    for question, fits in zip(pool.questions, pool.fits, strict=True):
        for text, fit in zip(LECTURE, fits, strict=True):
            answer = perfect_answer(question, text)
            if question.kind in MEANING_KINDS:
                assert answer == NOT_RELEVANT
            elif fit.max() > 0.9:
                assert answer == LETTERS[int(fit.argmax())], (question, text)
                read[question.kind] += 1
    assert min(read[kind] for kind in set(FITTERS) - MEANING_KINDS) > 20


@pytest.mark.parametrize("kind", sorted(FITTERS))
def test_a_question_is_fitted_again_as_it_was_made(kind: str) -> None:
    texts = [item.text for item in course()] * 6  # enough for subjects
    items = [paragraph(f"book:1:{row}", text) for row, text in enumerate(texts, 1)]
    view = read_course(items, WordsEmbedder().embed_passages(texts))
    rows = np.array([3, 1, 50, 8, 20])
    pool = build_pool(view, rows, np.full(5, 0.2), 300, seed=0)
    n_seen = 0
    for question, fits in zip(pool.questions, pool.fits, strict=True):
        if question.kind == kind:
            np.testing.assert_allclose(fit_question(question, view, rows), fits, atol=1e-6)
            n_seen += 1
    assert n_seen > 0 or kind == "subject"


def test_the_options_of_every_question_exclude_one_another_and_cover_everything() -> None:
    pool = a_pool()
    np.testing.assert_allclose(pool.fits.sum(axis=2), 1.0, atol=1e-5)
    assert pool.fits.min() >= 0.0


def test_no_question_has_the_same_option_twice() -> None:
    for question in a_pool().questions:
        assert len(set(question.options)) == 4, question


def test_every_kind_of_question_is_there() -> None:
    assert {question.kind for question in a_pool().questions} >= set(FITTERS) - {"subject"}


def test_names_keep_their_capitals() -> None:
    options = {option for question in a_pool().questions if question.kind == "word" for option in question.options}
    assert {"Babbage", "Williams"} <= options
    assert "babbage" not in options


def test_a_word_that_occurs_in_another_form_is_a_doubtful_one() -> None:
    view = read_course(paragraphs(("Trees are here.", "A tree is here.", "Nothing of the kind.")))
    seen = view.whole.seen[view.whole.rows["trees"]]
    assert seen[0] > 0.9
    assert 0.01 < seen[1] < 0.2
    assert seen[2] == 0.0


def test_words_of_one_paragraph_alone_are_not_asked_for_in_a_course_of_20() -> None:
    texts = tuple(f"common shared frequent own{'abcdefghijklmnopqrstuvwxyz'[row]}" for row in range(20))
    assert set(read_course(paragraphs(texts)).whole.words) == {"common", "shared", "frequent"}


def test_kinds_and_keys_are_those_of_the_written_questions() -> None:
    pool = a_pool()
    assert pool.kinds == tuple(question.kind for question in pool.questions)
    assert pool.keys == tuple(question.key for question in pool.questions)
    assert pool.questions[2:4] == [pool.questions[2], pool.questions[3]]
    assert pool.questions[-1] == pool.questions[len(pool.kinds) - 1]
    with pytest.raises(IndexError):
        pool.questions[len(pool.kinds)]


def test_the_same_seed_gives_the_same_pool() -> None:
    first, second, other = (a_pool(seed=seed) for seed in (7, 7, 8))
    assert list(first.questions) == list(second.questions)
    np.testing.assert_array_equal(first.fits, second.fits)
    assert list(first.questions) != list(other.questions)


@pytest.mark.parametrize("texts", [("of the and",), ("1 2 3", "a b c"), ("...",)])
def test_without_words_no_question_asks_for_words(texts: tuple[str, ...]) -> None:
    pool = a_pool(texts)
    assert {question.kind for question in pool.questions} <= {"feature", "purpose", "beginning"}
    assert pool.fits.shape == (len(pool.questions), len(texts), 4)


def test_hebrew_paragraphs_get_hebrew_questions() -> None:
    texts = (
        "עצים מאוזנים וחיפוש מהיר. האם זה נכון?",
        "גיבוב התנגשויות וחיפוש איטי (מאוד) בטבלה של 40 תאים.",
        "מיון מהיר של עצים: המפתח הוא ציר, והחיפוש בו איטי.",
    )
    for question in a_pool(texts).questions:
        for part in (question.text, *question.options):
            letters = [char for char in part.replace("A, B, C", "") if char.isalpha()]
            assert all("\u0590" <= char <= "\u05ff" for char in letters), part


def test_the_first_that_holds_is_chosen_else_the_way_out() -> None:
    present = np.array([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 0.0], [0.5, 0.0, 1.0]], dtype=np.float32)
    expected = [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.5, 0.0, 0.5, 0.0]]
    np.testing.assert_allclose(first_of(present), expected)


def test_two_that_may_hold_make_four_cases() -> None:
    found = two_by_two(np.array([1.0, 0.0, 0.5], dtype=np.float32), np.array([1.0, 0.0, 0.0], dtype=np.float32))
    np.testing.assert_allclose(found, [[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.5, 0.0, 0.5]])


def test_hard_fits_are_one_where_the_option_fits() -> None:
    np.testing.assert_array_equal(hard_fits(np.array([2, 0])), [[0, 0, 1, 0], [1, 0, 0, 0]])


def test_a_word_that_is_never_in_lower_case_is_shown_as_it_is_written() -> None:
    found = read_vocabulary(["Malkov (with A. Yashunin) wrote it.", "HNSW grew. Malkov made tables. Tables grow."])
    shown = dict(zip(found.words, found.shown, strict=True))
    assert {shown[word] for word in ("malkov", "yashunin", "hnsw")} == {"Malkov", "Yashunin", "HNSW"}
    assert (shown["tables"], shown["wrote"]) == ("tables", "wrote")
