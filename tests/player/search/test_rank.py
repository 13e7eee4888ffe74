"""The arithmetic of every search, worked by hand on a few paragraphs."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from configs.settings import Fusion
from player.search.rank import (
    Book,
    Ranking,
    RankInput,
    fuse,
    lift_of,
    merge_duplicates,
    rank,
    threshold_log_odds,
    tier_of,
)
from player.search.results import NOT_FOUND as NO
from player.search.results import ScoreArrays
from quarry.arrays import AnyFloatArray
from tests.player.fakes import search_settings


def rank_input(n: int, **changes: Any) -> RankInput:
    """The input for n paragraphs without a book, kinds or duplicates, changed."""
    values: dict[str, Any] = {
        "book": Book(np.zeros(n, dtype=np.bool_)),
        "kind_log_odds": np.zeros(n),
        "groups": np.full(n, -1),
        "weights": {},
        "keywords": "fallback",
    }
    return RankInput(**(values | changes))


def scores(*log_odds: float) -> ScoreArrays:
    """Scores are the log-odds."""
    values = np.array(log_odds)
    return ScoreArrays(np.where(values > NO, values, 0.0), values, values)


def fused(
    fusion: Fusion = "linear",
    name: AnyFloatArray | float = 0.0,
    kinds: AnyFloatArray | float = 0.0,
    weights: Mapping[str, float] = {},
    **scored: ScoreArrays,
) -> ScoreArrays:
    """Fuse scores with the evidence of a name and of kinds, which count half."""
    first, *_ = scored.values()
    zeros = np.zeros(len(first.scores))
    given = rank_input(
        len(zeros),
        book=Book(zeros > 0.0, evidence=zeros + name),
        kind_log_odds=zeros + kinds,
        weights=weights,
    )
    settings = search_settings(fusion=fusion, boost=1.0, kind_weight=0.5)
    _, result = fuse(given, scored, settings)
    return result


@pytest.mark.parametrize(
    ("n_inside", "n", "odds"),
    [
        # 0.75 on 10 paragraphs, 0.25 on 90: each is 3 * 9 times as likely
        (10, 100, 27.0),
        (2, 3, 1.5),
        # the number counts only if the book is a part of the course
        (3, 3, 3.0),
        (0, 3, 3.0),
    ],
)
def test_a_books_paragraph_is_likelier_by_confidence_and_by_how_few_there_are(
    n_inside: int, n: int, odds: float
) -> None:
    book = Book(np.arange(n) < n_inside, 0.75)
    lift = lift_of(book, search_settings(boost=1.0))
    assert lift == pytest.approx(math.log(odds))


def test_a_book_filters_from_one_threshold_on_and_is_boosted_from_another() -> None:
    settings = search_settings(filter_confidence=0.9, boost_confidence=0.6)
    tiers = {0.9: "filter", 0.8999: "boost", 0.6: "boost", 0.5999: "none", 0.0: "none"}
    for confidence, tier in tiers.items():
        assert tier_of(confidence, settings) == tier
    assert tier_of(0.0, replace(settings, boost_confidence=0.0)) == "none"


def test_ranks_are_fused_by_their_reciprocals() -> None:
    one = scores(3.0, 2.0, 1.0, NO)
    two = scores(NO, 2.0, NO, 1.0)
    result = fused(fusion="rrf", one=one, two=two)
    expected = [1 / 61, 1 / 62 + 1 / 61, 1 / 63, 1 / 62]
    assert result.scores == pytest.approx(expected)
    in_order = np.argsort(-result.log_odds)
    assert in_order.tolist() == [1, 0, 3, 2]


@pytest.mark.parametrize(("prior", "unit"), [("name", 1.0), ("kinds", 2.0)])
def test_priors_change_the_order_and_no_relevance(prior: str, unit: float) -> None:
    priors: dict[str, Any] = {prior: unit * np.array([0.0, 0.0, 1.5])}
    one = scores(3.0, 2.0, 1.0)
    other = scores(1.0, NO, NO)
    alone = fused(one=one, **priors)
    assert alone.log_odds.tolist() == [3.0, 2.0, 2.5]
    by_rank = fused("rrf", one=one, two=one, **priors)
    assert by_rank.scores == pytest.approx([2 / 61, 2 / 63, 2 / 62])
    # the log-odds fall in the order of the ranks
    assert by_rank.log_odds == pytest.approx([3.0, 2.0, 2.5], abs=1e-5)
    by_weight = fused(weights={"one": 1.0}, one=one, two=other, **priors)
    assert by_weight.log_odds.tolist() == [4.0, 2.0, 2.5]
    for result in (alone, by_rank, by_weight):
        assert result.relevance_log_odds.tolist() == [3.0, 2.0, 1.0]


def test_ties_of_many_paragraphs_go_to_the_earlier_one() -> None:
    same = scores(*[1.0, 2.0] * 30)
    result = fused(fusion="rrf", one=same, two=same)
    in_order = np.argsort(-result.log_odds, kind="stable")
    assert in_order.tolist() == [*range(1, 60, 2), *range(0, 60, 2)]


COSINES = np.array([0.9, 0.8, 0.7])
DENSE = replace(scores(1.0, 0.0, NO), scores=COSINES)


def test_scores_are_fused_by_their_weights() -> None:
    keyword = replace(scores(0.0, NO, NO), scores=COSINES[::-1])
    weights = {"dense": 10.0, "keyword": 2.0}
    result = fused(weights=weights, dense=DENSE, keyword=keyword)
    # 10 * 0.9 + 2 * 0.7, 10 * 0.8 + 2 * 0.8, 10 * 0.7 + 2 * 0.9
    assert result.scores == pytest.approx([10.4, 9.6, 8.8])
    assert result.log_odds == pytest.approx([10.4, 9.6, NO])


def test_a_strategy_without_a_weight_counts_by_its_relevance() -> None:
    for own, expected in (
        # 9, 8 and 7 and its relevance; paragraphs that it did not find count by the lowest, at most 0
        ((2.0, 3.0, NO), [11.0, 11.0, 7.0]),
        ((-1.0, -2.0, NO), [8.0, 6.0, 5.0]),
    ):
        result = fused(weights={"dense": 10.0}, dense=DENSE, own=scores(*own))
        assert result.scores == pytest.approx(expected)


def test_one_of_a_group_of_duplicates_stays() -> None:
    groups = np.zeros(3, dtype=np.int64)
    for log_odds, preferred, merged in (
        ([1.0, 3.0, 0.0], [], [NO, 3.0, NO]),
        ([1.0, 0.0, 1.0], [], [1.0, NO, NO]),
        # one in a book that filters goes first, if it was found
        ([1.0, 3.0, 0.0], [2], [NO, NO, 0.0]),
        ([1.0, 3.0, NO], [2], [NO, 3.0, NO]),
        ([NO, NO, NO], [], [NO, NO, NO]),
    ):
        goes_first = np.isin(np.arange(3), preferred)
        result = merge_duplicates(np.array(log_odds), groups, goes_first)
        assert result.tolist() == merged


def searched(given: RankInput, **changes: Any) -> Ranking:
    changes = {"cascade": True, "spill_over": "always"} | changes
    ranking = rank(given, search_settings(**changes))
    assert ranking is not None
    return ranking


def test_a_rare_word_that_no_hit_holds_takes_the_last_slot() -> None:
    # 2 is a duplicate of 1; 0 holds the first rare word, 2 and 3 hold the second
    rare = np.array([[True, False, False, False], [False, False, True, True]])
    keyword = replace(scores(9.0, 8.0, 7.0, 6.0), rare=rare)
    groups = np.array([-1, 0, 0, -1])
    given = rank_input(4, scores={"keyword": keyword}, groups=groups, keywords="fused")
    for cascade, last in {True: 3, False: 1}.items():
        ranking = searched(given, cascade=cascade, k=2)
        assert ranking.hits.tolist() == [0, last]


@pytest.mark.parametrize(
    ("confidence", "boost", "pdf_k", "hits"),
    [
        # the odds of 1 of 3 paragraphs are 2 to 1, so that .45 gives log-odds of about .5
        (0.45, 1.0, 1, [2, 1]),
        (0.45, 1.0, 0, [2, 0]),
        (0.45, 0.0, 1, [2, 1]),
        (0.95, 0.1, 1, [0, 2]),
    ],
)
def test_a_book_has_slots_if_it_filters_or_lifts(
    confidence: float, boost: float, pdf_k: int, hits: list[int]
) -> None:
    book = Book(np.array([True, False, False]), confidence)
    ranking = searched(
        rank_input(3, scores={"one": scores(0.9, 1.2, 3.0)}, book=book),
        boost=boost,
        boost_confidence=0.4,
        pdf_k=pdf_k,
        global_k=2 - pdf_k,
    )

    assert ranking.hits.tolist() == hits
    assert ranking.in_book_slot.tolist() == [confidence == 0.95, False]


def test_every_paragraph_that_was_found_passes_the_threshold_of_0() -> None:
    assert threshold_log_odds(0.75) == pytest.approx(math.log(3.0))
    lowest = np.array([-1e6], dtype=np.float32)
    assert (lowest >= threshold_log_odds(0.0)).all(), "warnings are errors"
