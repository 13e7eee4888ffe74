"""Keyword search: the contract, and BM25 worked by hand on three paragraphs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from quarry.ingest.paragraph import Paragraph
from quarry.player.search.calibration import KeywordCalibration
from quarry.player.search.strategies.keyword import Keyword
from quarry.player.search.strategies.strategy import Strategy
from quarry.player.search.types import Query
from tests.contracts.paragraphs import paragraph
from tests.contracts.strategy import StrategyContract
from tests.player.fakes import ranked


class TestKeywordKeepsTheContract(StrategyContract):
    def make(self, paragraphs: Sequence[Paragraph]) -> Strategy:
        return Keyword(paragraphs)


def three() -> Keyword:
    return Keyword([paragraph("a:1:1", "red green"), paragraph("a:1:2", "green blue"), paragraph("b:1:1", "blue blue")])


def test_the_score_is_bm25() -> None:
    # 3 paragraphs of 2 words each, "blue" in 2 of them: idf ln(1 + 1.5 / 2.5); a word that comes tf times in a
    # paragraph of average length counts tf / (tf + 1.5)
    idf = math.log(1.0 + 1.5 / 2.5)
    found = ranked(three(), Query("blue"))
    assert [hit.paragraph.paragraph_id for hit in found] == ["b:1:1", "a:1:2"]
    assert [hit.score for hit in found] == pytest.approx([idf * 2.0 / 3.5, idf * 1.0 / 2.5], abs=1e-6)


def test_relevance_is_calibrated_on_the_share_of_the_highest_score_there_could_be() -> None:
    calibration = KeywordCalibration(bias=-1.0, share=2.0, nats=3.0)
    texts = [paragraph("a:1:1", "red green"), paragraph("a:1:2", "green blue"), paragraph("b:1:1", "blue blue")]
    first, second = ranked(Keyword(texts, None, calibration), Query("blue unheard"))
    # idf of a word that occurs nowhere: ln(1 + 3.5 / 0.5)
    share = first.score / (math.log(1.0 + 1.5 / 2.5) + math.log(8.0))
    odds = math.exp(-1.0 + 2.0 * share)
    assert first.relevance == pytest.approx(odds / (1 + odds))
    odds *= math.exp(3.0 * (second.score - first.score))
    assert second.relevance == pytest.approx(odds / (1 + odds))


def test_headings_and_the_lectures_title_count_as_the_paragraphs_own_words() -> None:
    under = replace(paragraph("a:1:1", "It settles in seconds."), section=("Chains", "NEAR Protocol"))
    beside = paragraph("a:1:2", "Being near the sea has its price.")
    keyword = Keyword([under, beside, paragraph("b:1:1", "Birds sing.")], {"b": "Ornithology at dawn"})
    assert [hit.paragraph.paragraph_id for hit in ranked(keyword, Query("NEAR protocol"))] == ["a:1:1", "a:1:2"]
    assert [hit.paragraph.paragraph_id for hit in ranked(keyword, Query("ornithology"))] == ["b:1:1"]


@pytest.mark.parametrize("hint", ["unheard of", "!!!", "", "   "])
def test_a_hint_without_a_word_of_the_corpus_finds_nothing(hint: str) -> None:
    assert ranked(three(), Query(hint)) == []


def test_another_form_of_a_word_counts() -> None:
    keyword = Keyword([paragraph("a:1:1", "Sorting numbers"), paragraph("a:1:2", "Hashing strings")])
    assert [hit.paragraph.paragraph_id for hit in ranked(keyword, Query("he SORTED"))] == ["a:1:1"]


def test_hebrew_words_are_found_as_they_stand() -> None:
    keyword = Keyword([paragraph("a:1:1", "מיון מהיר"), paragraph("a:1:2", "טבלת גיבוב")])
    assert [hit.paragraph.paragraph_id for hit in ranked(keyword, Query("גיבוב"))] == ["a:1:2"]


def test_a_part_of_a_word_is_looked_for_in_text_heading_and_title() -> None:
    under = replace(paragraph("a:1:1", "It settles."), section=("Thermodynamics",))
    keyword = Keyword([under, paragraph("b:1:1", "Electrophoresis runs.")], {"b": "Ornithology at dawn"})
    found = {part: list(keyword.rare(part).values()) for part in ("MODY", "roph", "nith", "ni")}
    assert found == {"MODY": [{0}], "roph": [{1}], "nith": [{1}], "ni": []}
