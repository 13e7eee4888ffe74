"""The arithmetic of every search, worked by hand on a few paragraphs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from configs.settings import Fusion, KeywordMode
from ingest.arrays import AnyFloatArray
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
from player.search.types import NOT_FOUND, ScoreArrays
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import search_settings

NO = NOT_FOUND
NOBODYS = np.zeros(3, dtype=np.bool_)


def scores(*log_odds: float, scores: tuple[float, ...] = ()) -> ScoreArrays:
    """Scores are the log-odds unless they are given."""
    values = np.array(log_odds)
    return ScoreArrays(
        np.array(scores) if scores else np.where(values > NO, values, 0.0), values
    )


def book(*inside: int, n: int = 3, **more: Any) -> Book:
    return Book(np.isin(np.arange(n), inside), **more)


def fused(
    prior: AnyFloatArray | float = 0.0,
    fusion: Fusion = "linear",
    weights: Mapping[str, float] = {},
    **scored: ScoreArrays,
) -> ScoreArrays:
    n = len(next(iter(scored.values())).scores)
    settings = search_settings(fusion=fusion)
    name, result = fuse(scored, np.zeros(n) + prior, settings, weights)
    expected = next(iter(scored)) if len(scored) == 1 else fusion
    assert name == expected.replace("linear", "fused")
    return result


def order(log_odds: AnyFloatArray) -> list[int]:
    return list(np.argsort(-log_odds, kind="stable"))


def test_duplicates_are_those_of_one_original() -> None:
    same_as = ["", "", "p:1:0", "q:9:9", "q:9:9", "p:1:0"]
    groups = groups_of(
        [replace(paragraph(f"p:1:{n}"), same_as=one) for n, one in enumerate(same_as)]
    )
    assert groups.tolist() == [0, -1, 0, 2, 2, 0]
    assert not len(groups_of([]))


def test_parts_are_added_by_weight() -> None:
    parts = {"cosine": np.array([0.5, 1.0]), "rule": np.array([0.0, -2.0])}
    weights = {"cosine": 10.0, "rule": 1.0, "lacking": 3.0}
    assert combine(parts, weights).tolist() == [5.0, 8.0]
    assert combine(parts, {}).tolist() == [0.0, 0.0]


class TestBooks:
    def test_a_books_paragraph_is_likelier_by_confidence_and_by_how_few_there_are(
        self,
    ) -> None:
        # 0.75 on 10 paragraphs, 0.25 on 90: each is 3 * 9 times as likely
        result = book_of(0.75, np.arange(100) < 10, search_settings(boost=1.0))
        assert result.lift == pytest.approx(math.log(27.0))
        assert not result.filters

    @pytest.mark.parametrize(
        ("owners", "odds"), [("bbb", 3), ("ooo", 3), ("boo", 6), ("bbo", 1.5)]
    )
    def test_the_number_of_paragraphs_counts_if_a_book_is_a_part_of_the_course(
        self, owners: str, odds: float
    ) -> None:
        inside = np.array([letter == "b" for letter in owners])
        result = book_of(0.75, inside, search_settings(boost=1.0))
        assert result.lift == pytest.approx(math.log(odds))

    @pytest.mark.parametrize(
        ("confidence", "filters", "lifts"),
        [(0.0, 0, 0), (0.59, 0, 0), (0.6, 0, 1), (0.9, 1, 1)],
    )
    def test_confidence_decides_between_filter_boost_and_neither(
        self, confidence: float, filters: bool, lifts: bool
    ) -> None:
        evidence = np.array([0.5, 0.25])
        settings = search_settings(boost=2.0)
        result = book_of(confidence, np.array([True, False]), settings, evidence)
        assert (result.filters, result.lift > 0.0) == (filters, lifts)
        expected = [result.lift, 0.0] if lifts else [1.0, 0.5]
        assert result.prior.tolist() == expected

    def test_priors_change_the_order_and_no_relevance(self) -> None:
        result = fused(np.array([0.0, 3.0, 0.0]), one=scores(2.0, 1.0, NO))
        assert result.log_odds.tolist() == [2.0, 4.0, NO]
        assert result.relevance.tolist() == [2.0, 1.0, NO]


class TestFusion:
    def test_ranks_are_fused_by_their_reciprocals(self) -> None:
        one, two = scores(3.0, 2.0, 1.0, NO), scores(NO, 2.0, NO, 1.0)
        result = fused(fusion="rrf", one=one, two=two)
        expected = [1 / 61, 1 / 62 + 1 / 61, 1 / 63, 1 / 62]
        assert result.scores == pytest.approx(expected)
        assert order(result.log_odds) == [1, 0, 3, 2]

    def test_fused_log_odds_fall_in_the_order_of_the_ranks(self) -> None:
        lift = np.array([0.0, 1.0])
        one, two = scores(3.0, 1.0), scores(2.0, 1.0)
        result = fused(lift, "rrf", one=one, two=two)
        assert result.log_odds == pytest.approx([3.0, 2.0], abs=1e-5)

    def test_ties_of_many_paragraphs_go_to_the_earlier_one(self) -> None:
        same = scores(*[1.0, 2.0] * 30)
        result = fused(fusion="rrf", one=same, two=same)
        assert order(result.log_odds) == [*range(1, 60, 2), *range(0, 60, 2)]

    @pytest.mark.parametrize("fusion", ["rrf", "linear"])
    def test_relevance_is_the_highest_that_a_strategy_gives(
        self, fusion: Fusion
    ) -> None:
        odds = 2.0 - 0.5 * np.arange(20.0)
        result = fused(fusion=fusion, one=scores(*odds), two=scores(*odds[::-1]))
        assert result.relevance == pytest.approx(np.maximum(odds, odds[::-1]))

    def test_scores_are_fused_by_their_weights(self) -> None:
        result = fused(
            weights={"dense": 10.0, "keyword": 2.0},
            dense=scores(1.0, 0.0, NO, scores=(0.9, 0.8, 0.7)),
            keyword=scores(0.0, NO, NO, scores=(0.8, 0.0, 0.9)),
        )
        assert result.scores == pytest.approx([9.0 + 1.6, 8.0, 7.0 + 1.8])
        assert result.log_odds == pytest.approx([9.0 + 1.6, 8.0, NO])

    @pytest.mark.parametrize(
        ("relevance", "terms"),
        [
            ((2.0, 3.0, NO), [2.0, 3.0, 0.0]),
            ((-1.0, -2.0, NO), [-1.0, -2.0, -2.0]),
        ],
    )
    def test_a_strategy_without_a_weight_counts_by_its_relevance_unfound_ones_by_the_lowest_up_to_0(
        self, relevance: tuple[float, ...], terms: list[float]
    ) -> None:
        dense = scores(1.0, 0.0, -1.0, scores=(0.9, 0.8, 0.7))
        result = fused(weights={"dense": 10.0}, dense=dense, own=scores(*relevance))
        assert result.scores == pytest.approx(np.array([9.0, 8.0, 7.0]) + terms)

    @pytest.mark.parametrize("fusion", ["rrf", "linear"])
    def test_a_boost_lifts_within_any_fusion_and_is_a_filter_in_none(
        self, fusion: Fusion
    ) -> None:
        # twenty paragraphs, half a nat apart; every fourth is in the book, which is three times as likely
        odds = -0.5 * np.arange(20.0)
        lifts = np.where(np.arange(20) % 4 == 3, math.log(3.0), 0.0)
        result = fused(
            lifts,
            fusion,
            {"dense": 5.0, "keyword": 1.0},
            dense=scores(*odds, scores=tuple(odds / 10.0)),
            keyword=scores(*odds, scores=tuple(odds / 2.0)),
        )
        places = order(result.log_odds)
        gained = [row - places.index(row) for row in (3, 7, 11)]
        # a lift of 1.1 nats passes two or three neighbours that are half a nat apart, not the whole course
        assert all(1 <= n_places <= 3 for n_places in gained), gained


@pytest.mark.parametrize(
    ("log_odds", "preferred", "merged"),
    [
        ([1.0, 3.0, 2.0, 0.0], [], [NO, 3.0, 2.0, NO]),
        ([1.0, 0.0, 5.0, 1.0], [], [1.0, NO, 5.0, NO]),
        # one in a book that filters goes first, if it was found
        ([1.0, 3.0, 2.0, 0.0], [3], [NO, NO, 2.0, 0.0]),
        ([1.0, 3.0, 2.0, NO], [3], [NO, 3.0, 2.0, NO]),
        ([NO, NO, 2.0, NO], [], [NO, NO, 2.0, NO]),
    ],
)
def test_one_of_a_group_of_duplicates_stays(
    log_odds: list[float], preferred: list[int], merged: list[float]
) -> None:
    goes_first = np.isin(np.arange(4), preferred)
    groups = np.array([0, 0, -1, 0])
    assert merge_duplicates(np.array(log_odds), groups, goes_first).tolist() == merged


def searched(
    *steps: Scored, keywords: KeywordMode = "fallback", **changes: Any
) -> tuple[Step, list[bool]]:
    """The step that answers a search, and which steps were asked for."""
    asked = []

    def scores_of(is_fallback: bool) -> Scored:
        asked.append(is_fallback)
        return steps[is_fallback]

    values: dict[str, Any] = {
        "cascade": True,
        "by": Book(NOBODYS),
        "groups": np.full(3, -1),
        "spill_over": "always",
    }
    values |= changes
    by, groups = values.pop("by"), values.pop("groups")
    settings = search_settings(**values)
    step = search(scores_of, by, np.zeros(3), groups, settings, {}, keywords)
    assert step is not None
    return step, asked


class TestAnswering:
    @pytest.mark.parametrize(
        ("first", "fallback", "answers"),
        [
            (1.0, 3.0, 0),
            (0.0, 3.0, 1),
            # none reaches .7; the first that reaches .35 answers, else the first
            (-2.0, 0.0, 1),
            (-0.5, 0.0, 0),
            (-5.0, -4.0, 0),
        ],
    )
    def test_the_first_step_over_the_threshold_answers_else_over_the_lowered_one(
        self, first: float, fallback: float, answers: int
    ) -> None:
        one, two = scores(first, NO, NO), scores(NO, fallback, NO)
        step, _ = searched({"dense": one}, {"keyword": two})
        assert step.hits.tolist() == [answers]
        assert (step.is_fallback, step.best) == (answers, (first, fallback)[answers])

    @pytest.mark.parametrize(
        ("first", "cascade", "keywords", "n_steps"),
        [
            (0.0, True, "fallback", 2),
            (0.0, False, "fallback", 1),
            (0.0, True, "rule", 1),
            (log_odds_of(0.7), True, "fallback", 1),
        ],
    )
    def test_the_fallback_is_asked_only_if_nothing_reaches_the_threshold(
        self, first: float, cascade: bool, keywords: KeywordMode, n_steps: int
    ) -> None:
        steps = [{"one": scores(first, NO, NO)}] * 2
        _, asked = searched(*steps, keywords=keywords, cascade=cascade)
        assert asked == [False, True][:n_steps]

    def test_the_fallback_answers_in_any_mode_if_all_strategies_have_failed(
        self,
    ) -> None:
        step, _ = searched({}, {"keyword": scores(1.0, NO, NO)}, keywords="off")
        assert step.is_fallback

    @pytest.mark.parametrize(
        ("cascade", "hits"), [(True, [0, 1, 4]), (False, [0, 1, 2])]
    )
    def test_a_rare_word_that_no_hit_holds_takes_the_last_slot(
        self, cascade: bool, hits: list[int]
    ) -> None:
        # 3 is a duplicate of 1; 0 holds the first rare word, 3 and 4 hold the second
        rare = np.array([1, 0, 0, 2, 2, 1])
        keyword = replace(scores(9.0, 8.0, 7.0, 6.0, 5.0, 4.0), rare=rare)
        step = search(
            lambda _: {"keyword": keyword},
            book(n=6),
            np.zeros(6),
            np.array([-1, 0, -1, 0, -1, -1]),
            search_settings(cascade=cascade, k=3, spill_over="always"),
            {},
            "fused",
        )
        assert step is not None
        assert step.hits.tolist() == hits


class TestSlots:
    def test_hits_are_distinct_and_merged_scores_are_kept(self) -> None:
        step, _ = searched({"one": scores(1.0, 2.0, 3.0)}, groups=np.array([0, 0, -1]))
        assert step.hits.tolist() == [2, 1]
        assert step.in_book.tolist() == [False, False]
        assert step.fused.log_odds.tolist() == [NO, 2.0, 3.0]
        assert step.best == 3.0

    @pytest.mark.parametrize(
        ("lift", "pdf_k", "filters", "hits", "in_book"),
        [
            (0.5, 1, False, [2, 1], [False, False]),
            (0.5, 0, False, [2, 0], [False, False]),
            (0.0, 1, False, [2, 1], [False, False]),
            (0.5, 1, True, [0, 2], [True, False]),
        ],
    )
    def test_a_book_has_slots_if_it_filters_or_lifts(
        self, lift: float, pdf_k: int, filters: bool, hits: list[int], in_book: Any
    ) -> None:
        by = book(0, lift=lift, filters=filters)
        step, _ = searched(
            {"one": scores(0.9, 1.2, 3.0)}, by=by, pdf_k=pdf_k, global_k=2 - pdf_k
        )
        assert (step.hits.tolist(), step.in_book.tolist()) == (hits, in_book)


def test_log_odds_and_probabilities_are_each_others_inverse() -> None:
    for share, odds in ((0.5, 0.0), (0.75, math.log(3.0)), (0.2, -math.log(4.0))):
        assert log_odds_of(share) == pytest.approx(odds)
        assert probability(odds) == pytest.approx(share)
    assert [log_odds_of(share) for share in (0.0, 1.0)] == [-30.0, 30.0]
    assert threshold_log_odds(0.0) < -1e38
    assert threshold_log_odds(0.5) == 0.0
