"""The rounds that our referee sets: hints by the rule, paragraphs of middling difficulty."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.check import MAX_HINT_WORDS, shared_words
from quarry.evaluate.league.hints import drafted, edited, keeps_the_rule
from quarry.evaluate.league.rounds import FAIR, MOST_DRAWN, RoundSetter
from quarry.player.testing.paragraphs import paragraph
from quarry.player.words import stems, words
from tests.evaluate.fakes import labelled_game
from tests.evaluate.league.fakes import make_setter
from tests.player.fakes import course

HINT = "Overview: older techniques survive alongside modern arrivals, stacked rather than discarded"
TEXT = "The argument is that few parts replaced the ones before them."


def test_an_edited_hint_keeps_the_rule_and_most_of_its_words() -> None:
    found = {edited(HINT, TEXT, seed) for seed in range(30)}
    assert len(found) > 5
    for hint in found:
        assert keeps_the_rule(hint, TEXT)
        assert set(words(hint)) <= set(words(HINT))
        assert len(words(hint)) >= 0.7 * len(words(HINT))


def test_a_word_that_the_paragraph_has_in_any_form_is_left_out() -> None:
    text = "Technique and discards were modern once."
    for seed in range(10):
        hint = edited(HINT, text, seed)
        assert shared_words(hint, text) == []
        assert not set(stems(hint)) & set(stems(text))


def test_a_long_hint_is_cut_and_one_of_which_nothing_is_left_is_none() -> None:
    long = " ".join(f"word{chr(97 + number)}" for number in range(22))
    assert len(edited(long, TEXT, 0).split()) <= MAX_HINT_WORDS
    assert edited("few parts replaced before", TEXT, 0) == ""
    assert edited("", TEXT, 0) == ""


def test_a_draft_takes_the_rarest_words_of_heading_and_neighbours() -> None:
    around = [
        paragraph("book:1:1", "Cranes and harbours rest. Ropes hold the harbours."),
        paragraph("book:1:2", "Ropes are made of hemp. They hold."),
        paragraph("book:1:3", "Sails catch winds. Ropes hold them."),
    ]
    counts = Counter(stem for item in around for stem in set(stems(item.text)))
    hint = drafted(around[1], around, counts, 100)
    assert {"cranes", "harbours", "sails", "catch", "winds"} <= set(hint.split())
    assert keeps_the_rule(hint, around[1].text)
    assert "ropes" not in hint


def test_rounds_are_the_same_for_the_same_seed_and_differ_by_number() -> None:
    one, again, other = make_setter(3), make_setter(3), make_setter(4)
    rounds = [one.set(number) for number in range(6)]
    assert [again.set(number) for number in range(6)] == rounds
    assert [other.set(number) for number in range(6)] != rounds
    assert len({found.label.paragraph_id for found in rounds}) > 2
    texts = {item.paragraph_id: item for item in course()}
    for found in rounds:
        about = texts[found.label.paragraph_id]
        assert keeps_the_rule(found.label.hint, about.text)
        assert shared_words(found.label.associative_word, about.text) == []
        assert (found.secret.paragraph, found.secret.opening_sentence) == (about.text, about.opening_sentence)
        assert found.place is not None
        assert FAIR[0] <= found.place <= FAIR[1]


def test_a_labelled_hint_is_taken_where_there_is_one() -> None:
    about = course()[0]
    label = labelled_game(paragraph_id=about.paragraph_id, hint=HINT, associative_word="strata")
    setter = RoundSetter([about], [label], lambda *_: 3, 0)
    found = setter.set(0)
    assert set(words(found.label.hint)) <= set(words(HINT))
    assert (found.label.associative_word, found.label.association_domain) == ("strata", "botany")


def test_of_unfair_paragraphs_the_least_unfair_is_taken() -> None:
    places = {item.paragraph_id: place for place, item in enumerate(course(), 40)}
    setter = RoundSetter(course(), [], lambda label, about: places[about.paragraph_id], 0)
    assert setter.set(0).place == 40
    none = RoundSetter(course(), [], lambda *_: None, 0)
    assert none.set(0).place is None


def test_a_course_without_any_paragraph_or_hint_is_one_line() -> None:
    with pytest.raises(GamesError, match="must hold at least one paragraph"):
        RoundSetter([], [], lambda *_: 1, 0)
    alone = [replace(paragraph(f"book{row}:1:1", "One."), heading="") for row in range(2)]
    with pytest.raises(GamesError, match=f"got none of {MOST_DRAWN} drawn"):
        RoundSetter(alone, [], lambda *_: 1, 0).set(0)
