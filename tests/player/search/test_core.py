"""The arithmetic of every search, worked by hand on a few paragraphs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from configs.settings import Fusion, KeywordMode
from ingest.arrays import AnyFloatArray, IntArray
from player.search.core import (
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
from player.search.types import NOT_FOUND as NO
from player.search.types import ScoreArrays
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import search_settings

APART = np.full(3, -1)
"""Groups of three paragraphs without duplicates."""


def scores(*log_odds: float, scores: tuple[float, ...] = ()) -> ScoreArrays:
    """Scores are the log-odds unless they are given."""
    values = np.array(log_odds)
    plain = np.where(values > NO, values, 0.0)
    return ScoreArrays(np.array(scores) if scores else plain, values)


def book(*inside: int, n: int = 3, **more: Any) -> Book:
    return Book(np.isin(np.arange(n), inside), **more)


NO_BOOK = book()


def fused(
    prior: AnyFloatArray | float = 0.0,
    fusion: Fusion = "linear",
    weights: Mapping[str, float] = {},
    **scored: ScoreArrays,
) -> ScoreArrays:
    n = len(next(iter(scored.values())).scores)
    settings = search_settings(fusion=fusion)
    return fuse(scored, np.zeros(n) + prior, settings, weights)[1]


def test_duplicates_are_those_of_one_original() -> None:
    items = []
    for n, original in enumerate(("", "", "p:1:0", "q:9:9", "q:9:9", "p:1:0")):
        items.append(replace(paragraph(f"p:1:{n}"), same_as=original))
    assert groups_of(items).tolist() == [0, -1, 0, 2, 2, 0]
    assert not len(groups_of([]))


def test_parts_are_added_by_weight() -> None:
    parts = {"cosine": np.array([0.5, 1.0]), "rule": np.array([0.0, -2.0])}
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
    inside, evidence = np.array([True, False]), np.array([0.5, 0.25])
    settings = search_settings(boost=2.0)
    for confidence, filters, lifts in (
        (0.0, False, False),
        (0.59, False, False),
        (0.6, False, True),
        (0.9, True, True),
    ):
        result = book_of(confidence, inside, settings, evidence)
        assert (result.filters, result.lift > 0.0) == (filters, lifts)
        expected = [result.lift, 0.0] if lifts else [1.0, 0.5]
        assert result.prior.tolist() == expected


def test_ranks_are_fused_by_their_reciprocals() -> None:
    one, two = scores(3.0, 2.0, 1.0, NO), scores(NO, 2.0, NO, 1.0)
    result = fused(fusion="rrf", one=one, two=two)
    expected = [1 / 61, 1 / 62 + 1 / 61, 1 / 63, 1 / 62]
    assert result.scores == pytest.approx(expected)
    assert np.argsort(-result.log_odds).tolist() == [1, 0, 3, 2]


def test_priors_change_the_order_and_no_relevance() -> None:
    lifts = np.array([0.0, 0.0, 1.5])
    one = scores(3.0, 2.0, 1.0)
    alone = fused(lifts, one=one)
    assert alone.log_odds.tolist() == [3.0, 2.0, 2.5]
    by_rank = fused(lifts, "rrf", one=one, two=one)
    assert by_rank.scores == pytest.approx([2 / 61, 2 / 63, 2 / 62])
    # the log-odds fall in the order of the ranks
    assert by_rank.log_odds == pytest.approx([3.0, 2.0, 2.5], abs=1e-5)
    by_weight = fused(lifts, weights={"one": 1.0}, one=one, two=scores(1.0, NO, NO))
    assert by_weight.log_odds.tolist() == [4.0, 2.0, 2.5]
    for result in (alone, by_rank, by_weight):
        assert result.relevance.tolist() == [3.0, 2.0, 1.0]


def test_fused_log_odds_never_rise_with_the_rank() -> None:
    # the second is found by both, and first with the log-odds of the worst
    one, two = scores(9.0, 1.0, NO), scores(NO, 1.0, 2.0)
    result = fused(fusion="rrf", one=one, two=two)
    assert result.log_odds == pytest.approx([1.0, 1.0, 1.0], abs=1e-5)


def test_ties_of_many_paragraphs_go_to_the_earlier_one() -> None:
    same = scores(*[1.0, 2.0] * 30)
    result = fused(fusion="rrf", one=same, two=same)
    in_order = np.argsort(-result.log_odds, kind="stable")
    assert in_order.tolist() == [*range(1, 60, 2), *range(0, 60, 2)]


def test_scores_are_fused_by_their_weights() -> None:
    result = fused(
        weights={"dense": 10.0, "keyword": 2.0},
        dense=scores(1.0, 0.0, NO, scores=(0.9, 0.8, 0.7)),
        keyword=scores(0.0, NO, NO, scores=(0.8, 0.0, 0.9)),
    )
    assert result.scores == pytest.approx([9.0 + 1.6, 8.0, 7.0 + 1.8])
    assert result.log_odds == pytest.approx([9.0 + 1.6, 8.0, NO])


def test_a_strategy_without_a_weight_counts_by_its_relevance() -> None:
    # paragraphs that it did not find count by the lowest, at most 0
    for relevance, expected in (
        ((2.0, 3.0, NO), [9.0 + 2.0, 8.0 + 3.0, 7.0]),
        ((-1.0, -2.0, NO), [9.0 - 1.0, 8.0 - 2.0, 7.0 - 2.0]),
    ):
        dense = scores(1.0, 0.0, -1.0, scores=(0.9, 0.8, 0.7))
        result = fused(weights={"dense": 10.0}, dense=dense, own=scores(*relevance))
        assert result.scores == pytest.approx(expected)


def test_one_of_a_group_of_duplicates_stays() -> None:
    for log_odds, preferred, merged in (
        ([1.0, 3.0, 2.0, 0.0], [], [NO, 3.0, 2.0, NO]),
        ([1.0, 0.0, 5.0, 1.0], [], [1.0, NO, 5.0, NO]),
        # one in a book that filters goes first, if it was found
        ([1.0, 3.0, 2.0, 0.0], [3], [NO, NO, 2.0, 0.0]),
        ([1.0, 3.0, 2.0, NO], [3], [NO, 3.0, 2.0, NO]),
        ([NO, NO, 2.0, NO], [], [NO, NO, 2.0, NO]),
    ):
        goes_first = np.isin(np.arange(4), preferred)
        groups = np.array([0, 0, -1, 0])
        assert (
            merge_duplicates(np.array(log_odds), groups, goes_first).tolist() == merged
        )


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
    step = searched({}, {"keyword": scores(1.0, NO, NO)}, keywords="off")
    assert step.is_fallback


def test_a_rare_word_that_no_hit_holds_takes_the_last_slot() -> None:
    # 3 is a duplicate of 1; 0 holds the first rare word, 3 and 4 hold the second
    rare = np.array([1, 0, 0, 2, 2, 1])
    keyword = replace(scores(9.0, 8.0, 7.0, 6.0, 5.0, 4.0), rare=rare)
    for cascade, hits in ((True, [0, 1, 4]), (False, [0, 1, 2])):
        step = searched(
            {"keyword": keyword},
            keywords="fused",
            by=book(n=6),
            groups=np.array([-1, 0, -1, 0, -1, -1]),
            cascade=cascade,
            k=3,
        )
        assert step.hits.tolist() == hits


def test_hits_are_distinct_and_merged_scores_are_kept() -> None:
    step = searched({"one": scores(1.0, 2.0, 3.0)}, groups=np.array([0, 0, -1]))
    assert step.hits.tolist() == [2, 1]
    assert step.in_book.tolist() == [False, False]
    assert step.fused.log_odds.tolist() == [NO, 2.0, 3.0]
    assert step.best == 3.0


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
    for share, odds in ((0.5, 1.0), (0.75, 3.0), (0.2, 1 / 4.0)):
        assert log_odds_of(share) == pytest.approx(math.log(odds))
        assert probability(math.log(odds)) == pytest.approx(share)
    assert log_odds_of(0.0) == -30.0
    assert log_odds_of(1.0) == 30.0
    assert threshold_log_odds(0.0) < -1e38
    assert threshold_log_odds(0.5) == 0.0
