"""A word that is not in the paragraph, likeliest first."""

from hypothesis import given, settings
from hypothesis import strategies as some

from player.guess.ideas import Ideas
from player.guess.word import DEFAULT_WORD, associative_words
from quarry.languages.hebrew import HEBREW
from quarry.languages.words import stems, words
from tests.contracts.paragraphs import paragraph
from tests.fakes import HashingEmbedder

HEAP = "A heap keeps the smallest key on top."
IDEAS = Ideas(HashingEmbedder().embed_queries)


def guesses(text: str, domain: str = "", hint: str = "", *named: str) -> list[str]:
    return associative_words(paragraph("b:1:1", text), domain, hint, IDEAS, named)


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
    if guessed != [DEFAULT_WORD]:
        guessed_stems = set(stems(" ".join(guessed)))
        assert guessed_stems.isdisjoint(stems(f"{text} {domain}"))


def test_a_hebrew_domain_gets_a_hebrew_word_that_is_not_in_the_paragraph() -> None:
    hebrew = guesses("הרבי אמר תפילה קצרה.", "דת")
    assert all(map(HEBREW.begins, hebrew))
    assert "תפילה" not in hebrew
    assert "תפילה" in guesses("ערימה שומרת את המפתח הקטן.", "דת")


def test_without_a_domain_the_words_of_a_writer_are_left_and_then_the_last_resort() -> (
    None
):
    assert guesses(HEAP) == [DEFAULT_WORD]
    assert guesses(HEAP, "", "", "heaps", "Loft") == ["Loft"]


def test_words_of_a_writer_come_before_unlikely_ones_each_form_once() -> None:
    first, *others = guesses(HEAP, "gambling")
    assert "zebra" in guesses(HEAP, "gambling", "", "zebra")[:5]
    again = guesses(HEAP, "gambling", "", f"{first}s", first)
    assert f"{first}s" in again
    assert first not in again
    assert set(again) == {f"{first}s", *others}
