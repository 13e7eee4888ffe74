"""Where paragraphs may begin, and belief in sentences."""

from dataclasses import replace

import numpy as np
import pytest

from player.belief.places import (
    find_places,
    find_starts,
    rank_of_sentence,
    sum_by_sentence,
)
from player.belief.word_index import index_words
from player.starts import search_log_odds, start_weights
from quarry.course.paragraph import Paragraph
from quarry.languages.language import ParagraphKind

HEAPS = "Heaps are trees of keys. Parents are larger than both children. The root is largest."
LINKS = "See also the list of links https://x.org/y Let us try it out now. Then go on."
RULES = "Three rules of queues hold: Never wait. Always count."
TIP = "Tip for new users of shells: type help and then read on, once."
CAPTION = "Figure 3: Heaps of a few keys. All are binary."


def paragraph(
    text: str,
    opening: str,
    kind: ParagraphKind = "prose",
) -> Paragraph:
    return Paragraph("a:1:1", "a", 1, "", text, opening, kind=kind)


def begins(
    paragraph: Paragraph,
    *,
    on_top: bool = False,
) -> set[str]:
    """The sentences that may open the secret paragraph, or those on top of their page alone."""
    sentences = set()
    for start in find_starts(paragraph):
        assert paragraph.text.startswith(start.sentence, start.offset)
        if start.on_top or not on_top:
            sentences.add(start.sentence)
    return sentences


def test_a_paragraph_may_begin_at_each_sentence_and_each_reading_of_the_first() -> None:
    heaps = paragraph(HEAPS, "Heaps are trees of keys.")
    assert begins(heaps) >= {
        "Heaps are trees of keys.",
        "Parents are larger than both children.",
        "The root is largest.",
    }
    assert begins(paragraph(TIP, TIP)) >= {TIP, "Tip for new users of shells:"}

    # a lead-in may run on over what it introduces, but nothing begins inside of that
    opening = "Three rules of queues hold:"
    lead_in = replace(paragraph(RULES, opening, "lead-in"), own_length=27)
    assert begins(lead_in) == {opening, f"{opening} Never wait."}

    # a referee may leave out the label of a caption
    opening = "Figure 3: Heaps of a few keys."
    assert begins(paragraph(CAPTION, opening, "caption")) >= {
        opening,
        "Heaps of a few keys.",
        "All are binary.",
    }


def test_after_a_page_turn_a_sentence_is_on_top() -> None:
    heaps = paragraph(HEAPS, "Heaps are trees of keys.")
    turned = replace(heaps, page_breaks=(HEAPS.index("than"),))
    assert "The root is largest." in begins(turned, on_top=True)
    # a page that turns in an unfinished line begins a place
    links = paragraph(LINKS, "See also")
    turned = replace(links, page_breaks=(LINKS.index("Let"),))
    assert "Let us try it out now." in begins(turned, on_top=True)


def test_equal_sentences_share_a_key_and_their_belief() -> None:
    texts = ("For each: x.", "for each: X")
    places = find_places([paragraph(text, text) for text in texts])
    assert len(places.find("For Each: x")) == 2
    # symbols alone are not equal
    symbols = find_places([paragraph(text, text) for text in ("→ ∞", "← ∞")])
    assert len(set(symbols.sentence_ids.tolist())) == 2
    assert symbols.find("→ ∞").tolist() == [0]
    assert len(symbols.find("")) == 0

    belief = np.array([0.3, 0.4, 0.3])
    sentence_ids = np.array([7, 8, 7])
    assert sum_by_sentence(belief, sentence_ids) == pytest.approx([0.6, 0.4, 0.6])
    assert rank_of_sentence(1, belief, sentence_ids) == 2
    assert rank_of_sentence(2, belief, sentence_ids) == 1


def test_the_fitted_weights_prefer_first_sentences_and_prose() -> None:
    assert start_weights()["later sentence"] < -1.0
    heading = paragraph("Heaps", "Heaps", "heading")
    for_heading, for_prose = search_log_odds([heading, paragraph(HEAPS, HEAPS)])
    assert for_heading < for_prose


def test_a_later_place_holds_the_words_from_there_on() -> None:
    index = index_words([paragraph(HEAPS, "Heaps are trees of keys.")])
    (later,) = index.places.find("The root is largest.")
    shares = index.whole[[later]].toarray()[0]
    assert shares[index.ids["root"]] == 1.0
    assert shares[index.ids["heaps"]] == 0.0
