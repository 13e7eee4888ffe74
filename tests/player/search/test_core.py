"""The arithmetic of every search, worked by hand on a few columns, and counted places against sorted ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from quarry.configs.settings import Fusion
from quarry.ingest.arrays import AnyFloatArray
from quarry.player.search.core import (
    NOT_FOUND,
    Columns,
    Named,
    Scored,
    answering,
    book_log_odds,
    columns_of,
    combine,
    fuse,
    log_odds_of,
    merge_duplicates,
    probabilities,
    relative,
    weigh,
)
from tests.contracts.paragraphs import paragraph

NO = NOT_FOUND


def scored(*log_odds: float, strategy: str = "one", scores: tuple[float, ...] = ()) -> Scored:
    """One query's marks, whose scores are its log-odds unless they are given."""
    values = np.array([log_odds])
    return Scored(strategy, np.array([scores]) if scores else np.where(values > NO, values, 0.0), values)


def named(*inside: int, n: int = 3, lift: float = 0.0, evidence: float = 0.0) -> Named:
    return Named(np.array([[column in inside for column in range(n)]]), np.array([lift]), np.array([evidence]))


def weighed(
    *found: Scored,
    by: Named,
    priors: AnyFloatArray | None = None,
    fusion: Fusion = "linear",
    weights: Mapping[str, float] = {},
) -> list[float]:
    (log_odds,) = weigh(found, by, priors, fusion, weights, 60).log_odds
    return [round(value, 6) for value in log_odds.tolist()]


def columns(*paragraph_ids: str, same: Mapping[str, str] = {}) -> Columns:
    return columns_of([replace(paragraph(key), same_as=same.get(key, "")) for key in paragraph_ids])


class TestColumns:
    def test_columns_stand_in_the_order_of_the_ids(self) -> None:
        found = columns("b:1:1", "a:2:1", "a:1:1")
        assert found.rows.tolist() == [2, 1, 0]
        assert [found.doc_ids[number] for number in found.document] == ["a", "a", "b"]
        assert found.inside("b").tolist() == [False, False, True]

    def test_twins_are_those_of_one_text_and_those_that_ingest_found(self) -> None:
        texts = [paragraph("a:1:1", "Same."), paragraph("b:1:1", "Same."), paragraph("c:1:1", "Nearly same.")]
        found = columns_of([*texts[:2], replace(texts[2], same_as="b:1:1"), paragraph("d:1:1")])
        assert found.duplicates.tolist() == [[0, 1, 2]]


class TestScores:
    def test_parts_are_added_by_weight(self) -> None:
        parts = {"cosine": np.array([[0.5, 1.0]]), "rule": np.array([[0.0, -2.0]]), "unused": np.array([[9.0, 9.0]])}
        assert combine(parts, {"cosine": 10.0, "rule": 1.0, "lacking": 3.0}).tolist() == [[5.0, 8.0]]
        assert combine(parts, {"cosine": 0.0}).tolist() == [[0.0, 0.0]]

    def test_the_best_is_as_likely_as_the_course_holds_it_and_the_others_are_behind(self) -> None:
        found = relative(np.array([[5.0, 8.0], [1.0, 0.0]]), np.array([0.5, -1.0]))
        assert found.tolist() == [[-2.5, 0.5], [-1.0, -2.0]]


class TestDocuments:
    def test_a_books_paragraph_is_likelier_by_confidence_and_by_how_few_there_are(self) -> None:
        # 0.75 on 10 paragraphs, 0.25 on 90: each is 3 * 9 times as likely
        assert book_log_odds(0.75, 10, 100) == pytest.approx(math.log(27.0))

    def test_a_lift_reorders_and_keeps_the_highest_relevance(self) -> None:
        assert weighed(scored(2.0, 1.0, NO), by=named(1, lift=3.0)) == [0.0, 2.0, NO]

    def test_evidence_moves_all_alike(self) -> None:
        assert weighed(scored(2.0, 1.0, NO), by=named(evidence=-0.5)) == [1.5, 0.5, NO]

    def test_priors_say_which_not_whether(self) -> None:
        assert weighed(scored(2.0, 2.0, NO), by=named(), priors=np.array([0.0, 1.5, 0.0])) == [0.5, 2.0, NO]


class TestFusion:
    def test_ranks_are_fused_by_their_reciprocals(self) -> None:
        fused = fuse([scored(3.0, 2.0, 1.0, NO), scored(NO, 2.0, NO, 1.0)], "rrf", {}, 60)
        assert fused.scores[0].tolist() == pytest.approx([1 / 61, 1 / 62 + 1 / 61, 1 / 63, 1 / 62])
        # the first is as relevant as the best of any, the others as the strategies say, in the order of their sums
        assert fused.log_odds[0].tolist() == pytest.approx([3.0, 3.0, 2.0, 2.0], abs=1e-4)
        assert fused.log_odds[0].argsort()[::-1].tolist() == [1, 0, 3, 2]

    def test_ranks_alone_make_nothing_relevant_that_no_strategy_finds_so(self) -> None:
        odds = 2.0 - 0.5 * np.arange(20.0)
        fused = fuse([scored(*odds), scored(*odds[::-1])], "rrf", {}, 60)
        assert (fused.log_odds[0] > 0.0).sum() <= 8
        assert fuse([scored(*odds), scored(*odds)], "rrf", {}, 60).log_odds[0] == pytest.approx(odds, abs=1e-4)

    def test_scores_are_fused_by_their_weights(self) -> None:
        dense = scored(1.0, 0.0, -1.0, strategy="dense", scores=(0.9, 0.8, 0.7))
        keyword = scored(0.0, NO, 1.0, strategy="keyword", scores=(0.8, 0.0, 0.9))
        fused = fuse([dense, keyword], "linear", {"dense": 10.0, "keyword": 2.0}, 60)
        assert fused.scores[0].tolist() == pytest.approx([9.0 + 1.6, 8.0, 7.0 + 1.8])
        assert fused.log_odds[0].tolist() == pytest.approx([1.0, 1.0 - 2.6, 1.0 - 1.8])

    def test_a_strategy_without_a_weight_counts_by_its_own_log_odds(self) -> None:
        dense = scored(1.0, 0.0, -1.0, strategy="dense", scores=(0.9, 0.8, 0.7))
        fused = fuse([dense, scored(NO, 3.0, 2.0, strategy="own")], "linear", {"dense": 10.0}, 60)
        assert fused.scores[0].tolist() == pytest.approx([9.0 + 0.0, 8.0 + 3.0, 7.0 + 2.0])

    @pytest.mark.parametrize("fusion", ["rrf", "linear"])
    def test_a_boost_lifts_within_any_fusion_and_is_a_filter_in_none(self, fusion: Fusion) -> None:
        # twenty paragraphs, half a nat apart; every fourth stands in the book, which is three times as likely
        odds = -0.5 * np.arange(20.0)
        one = Scored("dense", odds[None, :] / 10.0, odds[None, :])
        two = Scored("keyword", odds[None, :] / 2.0, odds[None, :])
        book = Named((np.arange(20) % 4 == 3)[None, :], np.array([math.log(3.0)]), np.array([0.0]))
        (found,) = weigh([one, two], book, None, fusion, {"dense": 5.0, "keyword": 1.0}, 60).log_odds
        order = np.argsort(-found, kind="stable").tolist()
        gained = [column - order.index(column) for column in (3, 7, 11)]
        # a lift of 1.1 nats passes two or three neighbours that are half a nat apart, not the whole course
        assert all(1 <= places <= 3 for places in gained), gained
        assert found.max() == pytest.approx(odds.max())


class TestTwins:
    COLUMNS = columns("a:1:1", "b:1:1", "c:1:1", "d:1:1", same={"b:1:1": "a:1:1", "d:1:1": "a:1:1"})

    def test_the_best_of_them_stays(self) -> None:
        log_odds = np.array([[1.0, 3.0, 2.0, 0.0], [1.0, 0.0, 5.0, 1.0]])
        assert merge_duplicates(log_odds, self.COLUMNS).tolist() == [[NO, 3.0, 2.0, NO], [1.0, NO, 5.0, NO]]

    def test_one_in_a_book_that_filters_goes_first(self) -> None:
        preferred = np.array([[False, False, False, True]])
        assert merge_duplicates(np.array([[1.0, 3.0, 2.0, 0.0]]), self.COLUMNS, preferred).tolist() == [
            [NO, NO, 2.0, 0.0]
        ]
        assert merge_duplicates(np.array([[1.0, 3.0, 2.0, NO]]), self.COLUMNS, preferred).tolist() == [
            [NO, 3.0, 2.0, NO]
        ]


class TestAnswering:
    STEPS = (np.array([0.0, 2.0, -2.0, -5.0]), np.array([3.0, 5.0, 0.0, -4.0]))

    def test_the_first_step_over_the_threshold_answers_then_the_first_over_the_lowered_one(self) -> None:
        assert answering(self.STEPS, 0.7, 0.35).tolist() == [1, 0, 1, -1]


class TestProbabilities:
    @pytest.mark.parametrize(("share", "odds"), [(0.5, 0.0), (0.75, np.log(3.0)), (0.2, -np.log(4.0))])
    def test_log_odds_and_probabilities_are_each_others_inverse(self, share: float, odds: float) -> None:
        assert log_odds_of(share) == pytest.approx(odds)
        assert probabilities(np.array([odds])).tolist() == pytest.approx([share])
