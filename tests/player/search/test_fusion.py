"""Reciprocal rank fusion, worked by hand."""

from __future__ import annotations

import pytest

from player.search.fusion import reciprocal_rank_fusion
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


def test_relevance_is_the_share_of_the_highest_sum_there_could_be() -> None:
    fused = reciprocal_rank_fusion([hits("a:1:1", "b:1:1"), hits("a:1:1")], 60)
    assert [hit.relevance for hit in fused] == pytest.approx([1.0, (1 / 62) / (2 / 61)])


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
