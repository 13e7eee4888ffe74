"""Reciprocal rank fusion and linear fusion, worked by hand."""

from __future__ import annotations

import math

import pytest

from player.search.fusion import linear_fusion, reciprocal_rank_fusion
from tests.player.fakes import hits


def test_the_score_is_the_sum_of_reciprocal_ranks() -> None:
    fused = reciprocal_rank_fusion([hits("a:1:1", "b:1:1", "c:1:1"), hits("b:1:1", "d:1:1")], 60)
    assert [hit.paragraph.paragraph_id for hit in fused] == ["b:1:1", "a:1:1", "d:1:1", "c:1:1"]
    assert [hit.score for hit in fused] == pytest.approx([1 / 62 + 1 / 61, 1 / 61, 1 / 62, 1 / 63])


def test_a_small_k_lets_one_first_rank_beat_two_low_ones() -> None:
    runs = [hits("a:1:1", "c:1:1", "b:1:1"), hits("d:1:1", "e:1:1", "b:1:1")]
    assert reciprocal_rank_fusion(runs, 1)[0].paragraph.paragraph_id == "a:1:1"  # 1/2 against 1/4 + 1/4, tie to a
    assert reciprocal_rank_fusion(runs, 60)[0].paragraph.paragraph_id == "b:1:1"  # 1/61 against 2/63


def test_ties_go_to_the_smaller_paragraph_id() -> None:
    fused = reciprocal_rank_fusion([hits("b:1:1", "a:1:1"), hits("a:1:1", "b:1:1")], 60)
    assert [hit.paragraph.paragraph_id for hit in fused] == ["a:1:1", "b:1:1"]


def test_the_first_is_as_relevant_as_the_best_of_any_run_and_the_odds_fall_with_the_sums() -> None:
    fused = reciprocal_rank_fusion([hits("a:1:1", "b:1:1"), hits("a:1:1")], 60)
    odds = 0.9 / 0.1 * (1 / 62) / (2 / 61)
    assert [hit.relevance for hit in fused] == pytest.approx([0.9, odds / (1 + odds)])


def test_linear_fusion_sums_the_weighted_scores() -> None:
    # scores 0.9, 0.8 and 0.7 by dense; 0.9 and 0.8 by keyword, in which b is missing and counts 0
    fused = linear_fusion(
        [hits("a:1:1", "b:1:1", "c:1:1", strategy="dense"), hits("c:1:1", "a:1:1", strategy="keyword")],
        {"dense": 10.0, "keyword": 2.0},
    )
    assert [(hit.paragraph.paragraph_id, hit.rank, hit.strategy) for hit in fused] == [
        ("a:1:1", 1, "fused"),
        ("c:1:1", 2, "fused"),
        ("b:1:1", 3, "fused"),
    ]
    assert [hit.score for hit in fused] == pytest.approx([9.0 + 1.6, 7.0 + 1.8, 8.0])
    assert fused[0].why == "rank 1 by dense, rank 2 by keyword"


def test_in_linear_fusion_what_dense_lacks_counts_as_its_lowest_score() -> None:
    runs = [hits("a:1:1", "b:1:1", strategy="dense"), hits("z:1:1", strategy="keyword")]
    fused = linear_fusion(runs, {"dense": 10.0, "keyword": 2.0})
    assert {hit.paragraph.paragraph_id: hit.score for hit in fused} == pytest.approx(
        {"a:1:1": 9.0, "b:1:1": 8.0, "z:1:1": 8.0 + 1.8}
    )


def test_in_linear_fusion_the_others_are_behind_by_the_difference_of_their_sums() -> None:
    fused = linear_fusion([hits("a:1:1", "b:1:1", strategy="dense"), []], {"dense": 10.0, "keyword": 2.0})
    odds = 0.9 / 0.1 * math.exp(-1.0)
    assert [hit.relevance for hit in fused] == pytest.approx([0.9, odds / (1 + odds)])
    assert linear_fusion([[], []], {}) == []


def test_fused_hits_are_ranked_anew_and_say_who_found_them() -> None:
    fused = reciprocal_rank_fusion([hits("a:1:1", "b:1:1", strategy="dense"), hits("b:1:1", strategy="keyword")], 60)
    assert [(hit.rank, hit.strategy, hit.why) for hit in fused] == [
        (1, "rrf", "rank 2 by dense, rank 1 by keyword"),
        (2, "rrf", "rank 1 by dense"),
    ]


def test_a_run_that_found_nothing_changes_no_order() -> None:
    alone = reciprocal_rank_fusion([hits("a:1:1", "b:1:1")], 60)
    beside = reciprocal_rank_fusion([hits("a:1:1", "b:1:1"), []], 60)
    assert [hit.paragraph for hit in beside] == [hit.paragraph for hit in alone]
    assert reciprocal_rank_fusion([[], []], 60) == []
