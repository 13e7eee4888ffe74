"""player/questions/places.py: where passages may begin, and belief in sentences."""

from __future__ import annotations

import numpy as np

from ingest.paragraph import Kind, Paragraph
from player.kinds import search_log_odds, start_weights
from player.questions.places import (
    by_sentence,
    places_of,
    rank_of_sentence,
    starts_of,
)
from player.questions.word_index import index_words


def passage(text: str, opening: str, kind: Kind = "prose", **more: object) -> Paragraph:
    return Paragraph("a:1:1", "a", 1, "", text, opening, kind=kind, **more)  # type: ignore[arg-type]


def test_every_sentence_of_a_passage_is_a_place() -> None:
    text = "Heaps are trees of ordered keys. Parents are larger than children. So the root is largest of all."
    found = list(starts_of(passage(text, "Heaps are trees of ordered keys.")))
    assert [start.sentence for start in found if not start.reading] == [
        "Heaps are trees of ordered keys.",
        "Parents are larger than children.",
        "So the root is largest of all.",
    ]
    assert [text[start.offset :].startswith(start.sentence) for start in found] == [
        True
    ] * len(found)


def test_a_list_has_no_places_inside_its_lead_in() -> None:
    text = "Three rules of queues hold: Never wait. Always count."
    found = list(
        starts_of(
            passage(text, "Three rules of queues hold:", "lead-in", own_length=27)
        )
    )
    assert (
        {start.sentence for start in found}
        == {
            "Three rules of queues hold:",
            "Three rules of queues hold: Never wait.",  # it may run on over what it introduces
        }
    )


def test_a_sentence_may_end_at_its_colon() -> None:
    text = "Tip for new users of shells: type help and then read on, once."
    assert "Tip for new users of shells:" in {
        start.sentence for start in starts_of(passage(text, text))
    }


def test_the_first_whole_sentence_after_a_page_turn_is_on_top() -> None:
    text = "Heaps are trees of keys. Parents are larger than both children. The root is largest."
    turned = passage(
        text, "Heaps are trees of keys.", page_breaks=(text.index("than"),)
    )
    assert [start.sentence for start in starts_of(turned) if start.on_top] == [
        "The root is largest."
    ]


def test_a_page_that_turns_in_an_unfinished_line_begins_a_place() -> None:
    text = (
        "See also the list of links https://x.org/y Let us try it out now. Then go on."
    )
    turned = passage(text, "See also", page_breaks=(text.index("Let"),))
    assert "Let us try it out now." in {
        start.sentence for start in starts_of(turned) if start.on_top
    }


def test_equal_sentences_share_a_key_and_their_belief() -> None:
    one, other = (
        passage("For each: x.", "For each: x."),
        passage("for each: X", "for each: X"),
    )
    places = places_of([one, other])
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
    heading, prose = (
        passage("Heaps", "Heaps", "heading"),
        passage("Heaps are trees.", "Heaps are trees."),
    )
    for_heading, for_prose = search_log_odds([heading, prose])
    assert for_heading < for_prose


def test_a_later_place_holds_the_words_from_there_on() -> None:
    index = index_words(
        [passage("Heaps are trees. Roots are largest.", "Heaps are trees.")]
    )
    later = index.places.find("Roots are largest.")
    held = index.whole[later[-1:]].toarray()[0]
    assert held[index.ids["roots"]] == 1.0
    assert held[index.ids["heaps"]] == 0.0


def test_a_referee_may_leave_out_the_label_of_a_caption() -> None:
    text = "Figure 3: Heaps of a few keys. All are binary."
    starts = starts_of(passage(text, "Figure 3: Heaps of a few keys.", "caption"))
    sentences = {start.sentence: start.offset for start in starts}
    assert sentences["Figure 3: Heaps of a few keys."] == 0
    assert sentences["Heaps of a few keys."] == len("Figure 3: ")
