"""Keyword search: the contract, and BM25 worked by hand on three paragraphs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from ingest.paragraph import Paragraph
from player.search.calibration import KeywordCalibration
from player.search.strategies.keyword import Keyword
from player.search.strategies.strategy import Strategy
from player.search.types import Query
from tests.contracts.paragraphs import paragraph
from tests.contracts.strategy import StrategyContract
from tests.player.fakes import ranked


class TestKeywordKeepsTheContract(StrategyContract):
    def make(self, paragraphs: Sequence[Paragraph]) -> Strategy:
        return Keyword(paragraphs)


def three() -> Keyword:
    return Keyword(
        [
            paragraph("a:1:1", "red green"),
            paragraph("a:1:2", "green blue"),
            paragraph("b:1:1", "blue blue"),
        ]
    )


def test_the_score_is_bm25() -> None:
    # 3 paragraphs of 2 words each, "blue" in 2 of them: idf ln(1 + 1.5 / 2.5); a word that comes tf times in a
    # paragraph of average length counts tf / (tf + 1.5)
    idf = math.log(1.0 + 1.5 / 2.5)
    found = ranked(three(), Query("blue"))
    assert [hit.paragraph.paragraph_id for hit in found] == ["b:1:1", "a:1:2"]
    assert [hit.score for hit in found] == pytest.approx(
        [idf * 2.0 / 3.5, idf * 1.0 / 2.5], abs=1e-6
    )


def test_relevance_is_calibrated_on_the_share_of_the_highest_score_there_could_be() -> (
    None
):
    calibration = KeywordCalibration(bias=-1.0, share=2.0, nats=3.0)
    texts = [
        paragraph("a:1:1", "red green"),
        paragraph("a:1:2", "green blue"),
        paragraph("b:1:1", "blue blue"),
    ]
    first, second = ranked(Keyword(texts, None, calibration), Query("blue unheard"))
    # idf of a word that occurs nowhere: ln(1 + 3.5 / 0.5)
    share = first.score / (math.log(1.0 + 1.5 / 2.5) + math.log(8.0))
    odds = math.exp(-1.0 + 2.0 * share)
    assert first.relevance == pytest.approx(odds / (1 + odds))
    odds *= math.exp(2.0 * share * (second.score / first.score - 1.0))
    assert second.relevance == pytest.approx(odds / (1 + odds))


def test_headings_and_the_lectures_title_count_as_the_paragraphs_own_words() -> None:
    under = replace(
        paragraph("a:1:1", "It settles in seconds."),
        section=("Chains", "NEAR Protocol"),
    )
    beside = paragraph("a:1:2", "Being near the sea has its price.")
    keyword = Keyword(
        [under, beside, paragraph("b:1:1", "Birds sing.")],
        {"b": ["Ornithology at dawn"]},
    )
    assert [
        hit.paragraph.paragraph_id for hit in ranked(keyword, Query("NEAR protocol"))
    ] == [
        "a:1:1",
        "a:1:2",
    ]
    assert [
        hit.paragraph.paragraph_id for hit in ranked(keyword, Query("ornithology"))
    ] == ["b:1:1"]


@pytest.mark.parametrize("hint", ["unheard of", "!!!", "", "   "])
def test_a_hint_without_a_word_of_the_corpus_finds_nothing(hint: str) -> None:
    assert ranked(three(), Query(hint)) == []


def test_another_form_of_a_word_counts() -> None:
    keyword = Keyword(
        [paragraph("a:1:1", "Sorting numbers"), paragraph("a:1:2", "Hashing strings")]
    )
    assert [
        hit.paragraph.paragraph_id for hit in ranked(keyword, Query("he SORTED"))
    ] == ["a:1:1"]


def test_hebrew_words_are_found_as_they_stand() -> None:
    keyword = Keyword(
        [paragraph("a:1:1", "מיון מהיר"), paragraph("a:1:2", "טבלת גיבוב")]
    )
    assert [hit.paragraph.paragraph_id for hit in ranked(keyword, Query("גיבוב"))] == [
        "a:1:2"
    ]


def looked_up(keyword: Keyword, hint: str) -> dict[str, bool]:
    """The ids of the passages that a hint finds as keywords, in order, and whether each is relevant."""
    found = ranked(keyword, Query(hint, keywords="fallback"))
    return {hit.paragraph.paragraph_id: hit.relevance >= 0.7 for hit in found}


def test_a_part_of_a_word_is_looked_for_in_text_heading_and_name() -> None:
    under = replace(paragraph("a:1:1", "It settles."), section=("Thermodynamics",))
    keyword = Keyword(
        [under, paragraph("b:1:1", "Electrophoresis runs.")],
        {"b": ["Ornithology at dawn", "Wren Featherstone"]},
    )
    found = {
        part: looked_up(keyword, part)
        for part in ("MODY", "roph", "nith", "feather", "ni")
    }
    assert found == {
        "MODY": {"a:1:1": True},
        "roph": {"b:1:1": True},
        "nith": {"b:1:1": True},
        "feather": {"b:1:1": True},
        "ni": {},
    }


def test_exact_forms_come_first_then_other_forms_then_parts_of_words() -> None:
    keyword = Keyword(
        [
            paragraph("a:1:1", "The lanternfish glows in the deep."),
            paragraph("a:1:2", "He fishes at night, and went fishing at dawn."),
            paragraph("a:1:3", "A long passage about a river, in which one fish swam."),
            paragraph("a:1:4", "Birds sing."),
        ]
    )
    assert list(looked_up(keyword, "fish")) == ["a:1:3", "a:1:2", "a:1:1"]
    assert all(looked_up(keyword, "fish").values())
    # a word of a sentence is no part of another word, unless it does not occur itself
    assert "a:1:1" not in looked_up(keyword, "where do fish swim")


def test_a_closer_form_outweighs_how_often_a_word_occurs() -> None:
    texts = [
        paragraph("a:1:1", "fishes fishes fishes fishes fishes"),
        paragraph("a:1:2", "a fish among many other animals that live in the sea"),
        *(paragraph(f"b:1:{number}", f"lanternfish {number}") for number in range(9)),
    ]
    first, second, *_ = ranked(Keyword(texts), Query("fish", k=3, keywords="fallback"))
    assert first.paragraph.paragraph_id == "a:1:2"
    assert second.paragraph.paragraph_id == "a:1:1"


def test_case_counts_where_it_is_the_point() -> None:
    keyword = Keyword(
        [
            paragraph("a:1:1", "The house is near the sea, near the beach."),
            paragraph("a:1:2", "Operators such as NEAR bind words in a long query."),
            paragraph("a:1:3", "Nothing of it."),
        ]
    )
    assert list(looked_up(keyword, "NEAR")) == ["a:1:2", "a:1:1"]
    assert list(looked_up(keyword, "near")) == ["a:1:1", "a:1:2"]
    # a stop word is a term if the course writes it in capitals too, and the hint is not in capitals throughout
    found = looked_up(keyword, "the syntax of NEAR")
    assert next(iter(found.items())) == ("a:1:2", True)
    assert not any(looked_up(keyword, "the syntax of near").values())
    assert next(iter(looked_up(keyword, "WHAT IS NEAR THE SEA"))) == "a:1:1"


SENTENCE = "tell me what the lecture says about {} in distributed systems please"


@pytest.mark.parametrize(
    ("word", "alone", "in_a_sentence"),
    [
        ("Zustand", True, True),  # a term in one passage
        ("bm25", True, True),  # a term in eight passages
        ("sourdough", True, False),  # a word of general language in one passage
        ("bread", True, False),  # the same in eight passages
        ("unheard", False, False),
    ],
)
def test_relevance_comes_from_the_words_found_and_not_from_their_share(
    word: str, alone: bool, in_a_sentence: bool
) -> None:
    texts = [f"Number {number} ranks bread by BM25." for number in range(8)]
    texts += ["The store of React is Zustand.", "A sourdough rises."]
    texts += [f"Number {number} is about rivers." for number in range(20)]
    keyword = Keyword(
        [paragraph(f"a:{page}:1", text) for page, text in enumerate(texts, 1)]
    )
    hints = (word, SENTENCE.format(word))
    found = [any(looked_up(keyword, hint).values()) for hint in hints]
    assert found == [alone, in_a_sentence]


def test_a_hint_in_another_language_has_no_terms() -> None:
    keyword = Keyword([paragraph("a:1:1", "Der Zustand heisst Haltung.")])
    assert looked_up(keyword, "welche Haltung zeigt Zustandsautomat heute") == {
        "a:1:1": False
    }


def test_a_hint_of_words_that_one_passage_holds_is_relevant() -> None:
    keyword = Keyword(
        [paragraph("a:1:1", "the law of large numbers")]
        + [paragraph(f"a:{page}:1", "large numbers of birds") for page in range(2, 12)]
    )
    found = looked_up(keyword, "law of large numbers")
    assert found.pop("a:1:1")
    assert not any(found.values())


def test_rare_words_are_those_of_few_texts() -> None:
    keyword = Keyword(
        [paragraph(f"a:{page}:1", "green birds") for page in range(1, 7)]
        + [replace(paragraph("b:1:1", "red birds"), section=("Hummingbirds",))]
    )
    assert keyword.rare("the red green hummingbirds, unheard") == [
        frozenset({6}),
        frozenset({6}),
    ]
