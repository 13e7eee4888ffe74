"""Where passages may begin, and belief in sentences."""

from __future__ import annotations

import numpy as np
import pytest

from ingest.paragraph import Kind, Paragraph
from player.questions.places import (
    by_sentence,
    places_of,
    rank_of_sentence,
    starts_of,
)
from player.questions.word_index import index_words
from player.starts import search_log_odds, start_weights

HEAPS = "Heaps are trees of keys. Parents are larger than both children. The root is largest."
LINKS = "See also the list of links https://x.org/y Let us try it out now. Then go on."
RULES = "Three rules of queues hold: Never wait. Always count."
TIP = "Tip for new users of shells: type help and then read on, once."
CAPTION = "Figure 3: Heaps of a few keys. All are binary."


def passage(text: str, opening: str, kind: Kind = "prose", **more: object) -> Paragraph:
    return Paragraph("a:1:1", "a", 1, "", text, opening, kind=kind, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("paragraph", "sentences"),
    [
        (
            passage(HEAPS, "Heaps are trees of keys."),
            {"Heaps are trees of keys.", "Parents are larger than both children.", "The root is largest."},
        ),
        # a lead-in may run on over what it introduces, but nothing begins inside of that
        (
            passage(RULES, "Three rules of queues hold:", "lead-in", own_length=27),
            {"Three rules of queues hold:", "Three rules of queues hold: Never wait."},
        ),
        (passage(TIP, TIP), {TIP, "Tip for new users of shells:"}),
        # a referee may leave out the label of a caption
        (
            passage(CAPTION, "Figure 3: Heaps of a few keys.", "caption"),
            {"Figure 3: Heaps of a few keys.", "Heaps of a few keys.", "All are binary."},
        ),
    ],
)  # fmt: skip
def test_a_passage_may_begin_at_each_sentence_and_each_reading_of_the_first(
    paragraph: Paragraph, sentences: set[str]
) -> None:
    starts = list(starts_of(paragraph))
    assert {start.sentence for start in starts} >= sentences
    for start in starts:
        assert paragraph.text[start.offset :].startswith(start.sentence)


@pytest.mark.parametrize(
    ("paragraph", "turn", "on_top"),
    [
        # the first whole sentence of the new page
        (passage(HEAPS, "Heaps are trees of keys."), "than", "The root is largest."),
        # a page that turns in an unfinished line begins a place
        (passage(LINKS, "See also"), "Let", "Let us try it out now."),
    ],
)
def test_after_a_page_turn_a_sentence_is_on_top(
    paragraph: Paragraph, turn: str, on_top: str
) -> None:
    text, opening = paragraph.text, paragraph.opening_sentence
    turned = passage(text, opening, page_breaks=(text.index(turn),))
    assert on_top in {start.sentence for start in starts_of(turned) if start.on_top}


def test_equal_sentences_share_a_key_and_their_belief() -> None:
    texts = ("For each: x.", "for each: X")
    places = places_of([passage(text, text) for text in texts])
    assert len(places.find("For Each: x")) == 2
    belief, keys = np.array([0.3, 0.4, 0.3]), np.array([7, 8, 7])
    np.testing.assert_allclose(by_sentence(belief, keys), [0.6, 0.4, 0.6])
    assert [rank_of_sentence(row, belief, keys) for row in range(3)] == [1, 2, 1]


def test_sentences_of_symbols_alone_are_not_equal_and_nothing_is_found_by_an_empty_sentence() -> (
    None
):
    places = places_of([passage("→ ∞", "→ ∞"), passage("← ∞", "← ∞")])
    assert len(set(places.keys.tolist())) == 2
    assert len(places.find("")) == 0


def test_the_fitted_weights_prefer_first_sentences_and_prose() -> None:
    assert start_weights()["later sentence"] < -1.0
    heading, prose = passage("Heaps", "Heaps", "heading"), passage(HEAPS, HEAPS)
    for_heading, for_prose = search_log_odds([heading, prose])
    assert for_heading < for_prose


def test_a_later_place_holds_the_words_from_there_on() -> None:
    index = index_words([passage(HEAPS, "Heaps are trees of keys.")])
    (later,) = index.places.find("The root is largest.")
    shares = index.whole[[later]].toarray()[0]
    assert shares[index.ids["root"]] == 1.0
    assert shares[index.ids["heaps"]] == 0.0
