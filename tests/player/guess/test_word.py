"""A word that is not in the paragraph, and its expected score."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from player.associations import load_associations
from player.guess.word import associative_words, expected_scores
from quarry.languages.hebrew import HEBREW
from quarry.languages.words import stems, words
from tests.contracts.paragraphs import paragraph


def guesses(
    text: str,
    domain: str = "",
    hint: str = "",
) -> list[str]:
    return associative_words(paragraph("b:1:1", text), domain, hint)


def test_a_word_of_the_domain_comes_first() -> None:
    hint = "luck decides how deep it goes"
    first = guesses("A heap keeps the smallest key on top.", "gambling", hint)[:5]
    associations = load_associations()
    rows = associations.rows_of(" ".join(first))
    assert associations.named("gambling")[rows].max() > -6.0


VOCABULARY = "sorting sorted merge casino dice color computer science idea ideas a ??? C++ москва"
texts = some.lists(some.sampled_from(VOCABULARY.split()), max_size=8).map(" ".join)


@settings(max_examples=20)
@given(text=texts.filter(bool), domain=texts, hint=texts)
def test_no_associative_word_stands_in_the_paragraph_or_names_the_domain(
    text: str,
    domain: str,
    hint: str,
) -> None:
    guessed = guesses(text, domain, hint)
    assert len(guessed) == len(set(guessed)) > 0
    assert words(guessed[0]) == guessed[:1], "it is in lower case"
    guessed_stems = set(stems(" ".join(guessed)))
    assert guessed_stems.isdisjoint(stems(f"{text} {domain}"))


def test_a_hebrew_domain_gets_a_hebrew_word_that_is_not_in_the_paragraph() -> None:
    hebrew = guesses("הרבי אמר תפילה קצרה.", "דת")
    assert all(map(HEBREW.begins, hebrew))
    assert "תפילה" not in hebrew
    assert "תפילה" in guesses("ערימה שומרת את המפתח הקטן.", "דת")[:20]


def test_the_word_that_is_like_many_likely_ones_is_worth_more_than_a_slightly_likelier_loner() -> (
    None
):
    likeness = np.eye(3, dtype=np.float32)
    likeness[1, 2] = likeness[2, 1] = 0.9
    shares = np.array([0.35, 0.34, 0.31], dtype=np.float32)
    second = 0.34 + 0.4 * 0.9 * 0.31
    third = 0.31 + 0.4 * 0.9 * 0.34
    scores = expected_scores(shares, likeness)
    assert scores == pytest.approx([0.35, second, third])
    assert second > 0.35
