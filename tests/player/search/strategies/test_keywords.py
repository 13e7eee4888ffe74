"""Keyword search: the contract, and BM25 worked by hand on three paragraphs."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import logit

from configs.settings import KeywordMode
from player.search.calibration import KeywordCalibration, embedder_calibration
from player.search.results import NOT_FOUND, Query
from player.search.strategies.keywords import Keyword
from player.search.strategies.strategy import Strategy
from quarry.course.paragraph import Alias, Paragraph
from tests.contracts.paragraphs import paragraph
from tests.contracts.strategy import StrategyContract
from tests.player.fakes import course_with, document, strategy_inputs


class TestKeywordKeepsTheContract(StrategyContract):
    def make(self, paragraphs: Sequence[Paragraph]) -> Strategy:
        return over(paragraphs)


TEXTS = ("red green", "green blue", "blue blue")


def over(paragraphs: Sequence[Paragraph], *names_of_b: str, **changes: Any) -> Keyword:
    """Keyword search over these paragraphs; the document b has these names."""
    aliases = tuple(Alias(name, "title") for name in names_of_b)
    documents = (replace(document("b"), aliases=aliases),)
    return Keyword(course_with(documents, paragraphs), strategy_inputs(**changes))


def keyword(*texts: str, **more: Any) -> Keyword:
    """Keyword search over paragraphs with these texts."""
    rows = enumerate(texts, 1)
    paragraphs = [paragraph(f"a:1:{row}", text) for row, text in rows]
    return over(paragraphs, **more)


def looked_up(
    strategy: Keyword,
    hint: str,
    keywords: KeywordMode = "fallback",
) -> dict[str, bool]:
    """The ids of the paragraphs that a hint finds, in order, and whether each is relevant."""
    scored = strategy.score(Query(hint, keywords=keywords))
    hits = {}
    for row in np.argsort(-scored.log_odds, kind="stable"):
        if scored.log_odds[row] > NOT_FOUND:
            paragraph_id = strategy._paragraphs[row].paragraph_id
            hits[paragraph_id] = scored.relevance_log_odds[row] >= logit(0.7)
    return hits


def ids(strategy: Keyword, hint: str) -> list[str]:
    return list(looked_up(strategy, hint, "off"))


def test_the_score_is_bm25() -> None:
    # 3 paragraphs of 2 words each, "blue" in 2 of them: idf ln(1 + 1.5 / 2.5); a word that comes tf times in a
    # paragraph of average length counts tf / (tf + 1.5)
    idf = math.log(1.6)
    scores = keyword(*TEXTS).score(Query("blue")).scores
    expected = [0.0, idf / 2.5, idf * 2.0 / 3.5]
    assert scores == pytest.approx(expected, abs=1e-6)


def test_relevance_is_calibrated_on_the_share_of_the_highest_score() -> None:
    calibration = KeywordCalibration(bias=-1.0, share=2.0, log_odds_per_bm25=3.0)
    fitted = replace(embedder_calibration(), keyword=calibration)
    strategy = keyword(*TEXTS, calibration=fitted)
    arrays = strategy.score(Query("blue unheard"))
    scores = arrays.scores[1:]
    # idf of a word that occurs nowhere: ln(1 + 3.5 / 0.5)
    shares = scores / (math.log(1.6) + math.log(8.0))
    assert arrays.log_odds[0] == arrays.relevance_log_odds[0] == -np.inf
    assert arrays.log_odds[1:] == pytest.approx(3.0 * scores)
    assert arrays.relevance_log_odds[1:] == pytest.approx(2.0 * shares - 1.0)


def test_headings_and_the_lectures_title_count_as_the_paragraphs_own_words() -> None:
    under = replace(paragraph("a:1:1"), section=("Chains", "NEAR Protocol"))
    beside = paragraph("a:1:2", "Being near the sea has its price.")
    paragraphs = [under, beside, paragraph("b:1:1", "Birds sing.")]
    strategy = over(paragraphs, "Ornithology at dawn")
    assert ids(strategy, "NEAR protocol") == ["a:1:1", "a:1:2"]
    assert ids(strategy, "ornithology") == ["b:1:1"]


def test_words_are_found_in_any_form() -> None:
    strategy = keyword("Sorting numbers", "טבלת גיבוב")
    assert ids(strategy, "he SORTED") == ["a:1:1"]
    assert ids(strategy, "גיבוב") == ["a:1:2"]
    for hint in ("unheard of", "!!!", ""):
        assert ids(strategy, hint) == []


def test_a_part_of_a_word_is_looked_for_in_text_heading_and_name() -> None:
    under = replace(paragraph("a:1:1", "It settles."), section=("Thermodynamics",))
    other = paragraph("b:1:1", "Electrophoresis runs.")
    strategy = over([under, other], "Ornithology at dawn", "Wren Featherstone")
    for part in ("roph", "nith"):
        assert looked_up(strategy, part) == {"b:1:1": True}
    assert looked_up(strategy, "RMODY") == {"a:1:1": True}
    assert looked_up(strategy, "feather") == {"b:1:1": False}
    assert looked_up(strategy, "ni") == {}


def test_exact_forms_come_first_then_other_forms_then_parts_of_words() -> None:
    strategy = keyword(
        "The lanternfish glows in the deep.",
        "He fishes at night, and went fishing at dawn.",
        "A long paragraph about a river, in which one fish swam.",
        "Birds sing.",
    )
    found = looked_up(strategy, "fish")
    assert list(found.items()) == [("a:1:3", True), ("a:1:2", True), ("a:1:1", False)]
    # a word of a sentence is no part of another word, unless it does not occur itself
    assert "a:1:1" not in looked_up(strategy, "where do fish swim")


def test_a_longer_word_counts_as_a_word_only_if_it_is_a_form_of_it() -> None:
    strategy = keyword("They indicate delicate paths.", "הרעיון נשמר במטמון.")
    for hint in ("cat", "cat path"):
        assert looked_up(strategy, hint) == {"a:1:1": False}
    # the second paragraph says "in the cache" in one word
    assert looked_up(strategy, "מטמון") == {"a:1:2": True}
    assert looked_up(strategy, "רעיון מטמון") == {"a:1:2": True}


def test_case_counts_where_it_is_the_point() -> None:
    strategy = keyword(
        "The house is near the sea, near the beach.",
        "Operators such as NEAR bind words in a long query.",
        "Nothing of it.",
    )
    assert list(looked_up(strategy, "NEAR")) == ["a:1:2", "a:1:1"]
    assert list(looked_up(strategy, "near")) == ["a:1:1", "a:1:2"]
    # a stop word is a term if the course writes it in capitals too, and the hint is not in capitals throughout
    found = looked_up(strategy, "the syntax of NEAR")
    assert next(iter(found.items())) == ("a:1:2", True)
    assert not any(looked_up(strategy, "the syntax of near").values())
    assert next(iter(looked_up(strategy, "WHAT IS NEAR THE SEA"))) == "a:1:1"


@pytest.mark.parametrize(
    ("word", "alone", "in_a_sentence"),
    [
        # terms in one and in eight paragraphs
        ("Zustand", True, True),
        ("bm25", True, True),
        # words of general language in one and in eight paragraphs, and in none
        ("sourdough", True, False),
        ("bread", True, False),
        ("unheard", False, False),
    ],
)
def test_relevance_comes_from_the_words_found_and_not_from_their_share(
    word: str, *, alone: bool, in_a_sentence: bool
) -> None:
    strategy = keyword(
        *["This ranks bread by BM25."] * 8,
        "The store of React is Zustand.",
        "A sourdough rises.",
        *["This is about rivers."] * 20,
    )
    sentence = f"what the lecture says about {word} in distributed systems please"

    assert any(looked_up(strategy, word).values()) == alone
    assert any(looked_up(strategy, sentence).values()) == in_a_sentence


@pytest.mark.parametrize(
    ("hint", "is_relevant"),
    [
        ("children waited outside the bakery until it opened", False),
        ("she wrote a long letter to her sister abroad", False),
        ("life is quieter in a small village", False),
        ("how fast is heapsort on a small machine", True),
        ("הילדים חיכו מחוץ למאפייה עד שנפתחה", False),
        ("מה נחשב פולינומיאלי מבחינת המחשב שלנו", True),
    ],
)
def test_everyday_words_are_no_terms_and_technical_ones_are_in_each_language(
    hint: str, *, is_relevant: bool
) -> None:
    strategy = keyword(
        "Children began to wait, women and people wrote cheaper letters, and life went on quietly.",
        "Heapsort sorts in place.",
        "אנשים כתבו מכתבים זולים, והילדים חיכו בגינה.",
        "זמן הריצה הוא פולינומיאלי.",
    )
    assert any(looked_up(strategy, hint).values()) == is_relevant


def test_a_hint_in_another_language_has_no_terms() -> None:
    strategy = keyword("Der Zustand heisst Haltung.")
    hint = "welche Haltung zeigt Zustandsautomat heute"
    assert looked_up(strategy, hint) == {"a:1:1": False}


def test_one_common_word_alone_makes_nothing_relevant() -> None:
    strategy = keyword(*["learning storage proof"] * 10, *["rivers run"] * 30)
    for hint in ("learning", "would you like a pizza with my learning tonight"):
        assert set(looked_up(strategy, hint, "off").values()) == {False}
    assert any(looked_up(strategy, "learning storage proof", "off").values())


def test_rare_words_are_those_of_few_paragraphs() -> None:
    other = paragraph("b:1:1", "red birds")
    texts = [paragraph("a:1:1", "green birds")]
    texts += [paragraph(f"a:{page}:1", "green blue birds") for page in range(2, 7)]
    strategy = over([replace(other, section=("Hummingbirds",)), *texts])
    query = Query("the red green blue hummingbirds, unheard", keywords="fused")
    rare = strategy.score(query).rare
    assert rare is not None
    first, last_five = [True] + [False] * 6, [False] * 2 + [True] * 5
    assert sorted(rare[rare.any(axis=1)].tolist()) == [last_five, first, first]
    assert strategy.score(replace(query, keywords="off")).rare is None
