"""The arithmetic of every search, worked by hand on a few paragraphs."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from configs.settings import Fusion, KeywordMode
from player.search.rank import (
    Book,
    Scored,
    Step,
    book_of,
    combine,
    fuse,
    groups_of,
    log_odds_of,
    merge_duplicates,
    probability,
    search,
    threshold_log_odds,
)
from player.search.results import NOT_FOUND as NO
from player.search.results import ScoreArrays
from quarry.arrays import AnyFloatArray, IntArray
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import search_settings

APART = np.full(3, -1)
"""Groups of three paragraphs without duplicates."""


def scores(*log_odds: float) -> ScoreArrays:
    """Scores are the log-odds."""
    values = np.array(log_odds)
    return ScoreArrays(np.where(values > NO, values, 0.0), values)


def book(*inside: int, n: int = 3, **more: Any) -> Book:
    rows = np.arange(n)
    return Book(np.isin(rows, inside), **more)


NO_BOOK = book()


def fused(
    prior: AnyFloatArray | float = 0.0,
    fusion: Fusion = "linear",
    weights: Mapping[str, float] = {},
    **scored: ScoreArrays,
) -> ScoreArrays:
    first, *_ = scored.values()
    prior = np.zeros(len(first.scores)) + prior
    settings = search_settings(fusion=fusion)
    _, result = fuse(scored, prior, settings, weights)
    return result


def test_duplicates_are_those_of_one_original() -> None:
    originals = enumerate(["", "", "p:1:0", "q:9:9", "q:9:9", "p:1:0"])
    items = [replace(paragraph(f"p:1:{n}"), same_as=other) for n, other in originals]
    assert groups_of(items).tolist() == [0, -1, 0, 2, 2, 0]
    assert not len(groups_of([]))


def test_parts_are_added_by_weight() -> None:
    parts = {
        "cosine": np.array([0.5, 1.0]),
        "rule": np.array([0.0, -2.0]),
    }
    weights = {"cosine": 10.0, "rule": 1.0, "lacking": 3.0}
    assert combine(parts, weights).tolist() == [5.0, 8.0]


def test_a_books_paragraph_is_likelier_by_confidence_and_by_how_few_there_are() -> None:
    settings = search_settings(boost=1.0)
    for n_inside, n, odds in (
        # 0.75 on 10 paragraphs, 0.25 on 90: each is 3 * 9 times as likely
        (10, 100, 27.0),
        (1, 3, 6.0),
        (2, 3, 1.5),
        # the number counts only if the book is a part of the course
        (3, 3, 3.0),
        (0, 3, 3.0),
    ):
        result = book_of(0.75, np.arange(n) < n_inside, settings)
        assert result.lift == pytest.approx(math.log(odds)), n_inside


def test_confidence_decides_between_filter_boost_and_neither() -> None:
    inside = np.array([True, False])
    evidence = np.array([0.5, 0.25])
    settings = search_settings(boost=2.0)
    for confidence, filters in {0.9: True, 0.6: False}.items():
        result = book_of(confidence, inside, settings, evidence)
        assert result.filters == filters
        assert result.lift > 0.0
        assert result.prior.tolist() == [result.lift, 0.0]
    for confidence in (0.0, 0.59):
        result = book_of(confidence, inside, settings, evidence)
        assert not result.filters
        assert result.prior.tolist() == [1.0, 0.5]


def test_ranks_are_fused_by_their_reciprocals() -> None:
    one = scores(3.0, 2.0, 1.0, NO)
    two = scores(NO, 2.0, NO, 1.0)
    result = fused(fusion="rrf", one=one, two=two)
    expected = [1 / 61, 1 / 62 + 1 / 61, 1 / 63, 1 / 62]
    assert result.scores == pytest.approx(expected)
    in_order = np.argsort(-result.log_odds)
    assert in_order.tolist() == [1, 0, 3, 2]


def test_priors_change_the_order_and_no_relevance() -> None:
    lifts = np.array([0.0, 0.0, 1.5])
    one = scores(3.0, 2.0, 1.0)
    other = scores(1.0, NO, NO)
    alone = fused(lifts, one=one)
    assert alone.log_odds.tolist() == [3.0, 2.0, 2.5]
    by_rank = fused(lifts, "rrf", one=one, two=one)
    assert by_rank.scores == pytest.approx([2 / 61, 2 / 63, 2 / 62])
    # the log-odds fall in the order of the ranks
    assert by_rank.log_odds == pytest.approx([3.0, 2.0, 2.5], abs=1e-5)
    weights = {"one": 1.0}
    by_weight = fused(lifts, weights=weights, one=one, two=other)
    assert by_weight.log_odds.tolist() == [4.0, 2.0, 2.5]
    for result in (alone, by_rank, by_weight):
        assert result.relevance.tolist() == [3.0, 2.0, 1.0]


def test_ties_of_many_paragraphs_go_to_the_earlier_one() -> None:
    same = scores(*[1.0, 2.0] * 30)
    result = fused(fusion="rrf", one=same, two=same)
    in_order = np.argsort(-result.log_odds, kind="stable")
    assert in_order.tolist() == [*range(1, 60, 2), *range(0, 60, 2)]


COSINES = np.array([0.9, 0.8, 0.7])
DENSE = replace(scores(1.0, 0.0, NO), scores=COSINES)


def test_scores_are_fused_by_their_weights() -> None:
    found = scores(0.0, NO, NO)
    result = fused(
        weights={"dense": 10.0, "keyword": 2.0},
        dense=DENSE,
        keyword=replace(found, scores=COSINES[::-1]),
    )
    # 10 * 0.9 + 2 * 0.7, 10 * 0.8 + 2 * 0.8, 10 * 0.7 + 2 * 0.9
    assert result.scores == pytest.approx([10.4, 9.6, 8.8])
    assert result.log_odds == pytest.approx([10.4, 9.6, NO])


def test_a_strategy_without_a_weight_counts_by_its_relevance() -> None:
    # 9, 8 and 7 and its relevance; paragraphs that it did not find count by the lowest, at most 0
    for own, expected in (
        (scores(2.0, 3.0, NO), [11.0, 11.0, 7.0]),
        (scores(-1.0, -2.0, NO), [8.0, 6.0, 5.0]),
    ):
        result = fused(weights={"dense": 10.0}, dense=DENSE, own=own)
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
        goes_first = book(*preferred).inside
        result = merge_duplicates(np.array(log_odds), groups, goes_first)
        assert result.tolist() == merged


def searched(
    *steps: Scored,
    keywords: KeywordMode = "fallback",
    by: Book = NO_BOOK,
    groups: IntArray = APART,
    **changes: Any,
) -> Step:
    """Return the step that answers."""
    changes = {"cascade": True, "spill_over": "always"} | changes
    step = search(
        lambda is_fallback: steps[is_fallback],
        by,
        np.zeros(len(groups)),
        groups,
        search_settings(**changes),
        {},
        keywords,
    )
    assert step is not None
    return step


def test_the_fallback_answers_in_any_mode_if_all_strategies_have_failed() -> None:
    fallback = {"keyword": scores(1.0, NO, NO)}
    assert searched({}, fallback, keywords="off").is_fallback


def test_a_rare_word_that_no_hit_holds_takes_the_last_slot() -> None:
    # 2 is a duplicate of 1; 0 holds the first rare word, 2 and 3 hold the second
    rare = np.array([1, 0, 2, 2])
    keyword = replace(scores(9.0, 8.0, 7.0, 6.0), rare=rare)
    groups = np.array([-1, 0, 0, -1])
    for cascade, last in {True: 3, False: 1}.items():
        step = searched(
            {"keyword": keyword},
            keywords="fused",
            by=book(n=4),
            groups=groups,
            cascade=cascade,
            k=2,
        )
        assert step.hits.tolist() == [0, last]


def test_a_book_has_slots_if_it_filters_or_lifts() -> None:
    for lift, pdf_k, filters, hits in (
        (0.5, 1, False, [2, 1]),
        (0.5, 0, False, [2, 0]),
        (0.0, 1, False, [2, 1]),
        (0.5, 1, True, [0, 2]),
    ):
        step = searched(
            {"one": scores(0.9, 1.2, 3.0)},
            by=book(0, lift=lift, filters=filters),
            pdf_k=pdf_k,
            global_k=2 - pdf_k,
        )
        assert step.hits.tolist() == hits
        assert step.in_book.tolist() == [filters, False]


def test_log_odds_and_probabilities_are_each_others_inverse() -> None:
    expected = {0.5: 1.0, 0.75: 3.0, 0.2: 0.25}
    for share, odds in expected.items():
        assert log_odds_of(share) == pytest.approx(math.log(odds))
        assert probability(math.log(odds)) == pytest.approx(share)
    assert log_odds_of(0.0) == -30.0
    assert log_odds_of(1.0) == 30.0
    assert threshold_log_odds(0.0) < -1e38
    single = np.array([-30.0, 30.0], dtype=np.float32)
    # warnings are errors
    assert (single >= threshold_log_odds(0.0)).all()
    assert threshold_log_odds(0.5) == 0.0
