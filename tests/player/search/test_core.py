"""The arithmetic of every search, worked by hand on a few columns, and counted places against sorted ones."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from configs.settings import Fusion, KeywordMode, SearchSettings
from ingest.arrays import AnyFloatArray
from player.search.core import (
    Books,
    Columns,
    Scored,
    books_of,
    columns_of,
    combine,
    fill_slots,
    fuse,
    log_odds_of,
    merge_duplicates,
    probability,
    search,
    threshold_log_odds,
)
from player.search.slots import NOT_FOUND
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import search_settings

NO = NOT_FOUND


def scored(
    *log_odds: float,
    strategy: str = "one",
    scores: tuple[float, ...] = (),
    relevance: tuple[float, ...] = (),
) -> Scored:
    """One query's marks, whose scores and relevance are its log-odds unless they are given."""
    values = np.array([log_odds])
    return Scored(
        strategy,
        np.array([scores]) if scores else np.where(values > NO, values, 0.0),
        values,
        np.array([relevance]) if relevance else values,
    )


def books(*inside: int, n: int = 3, lift: float = 0.0) -> Books:
    is_inside = np.array([[column in inside for column in range(n)]])
    return Books(is_inside, np.array([lift]), np.array([False]))


def fused(
    *found: Scored,
    by: Books | None = None,
    priors: AnyFloatArray | None = None,
    fusion: Fusion = "linear",
    weights: Mapping[str, float] = {},
) -> Scored:
    n_columns = found[0].scores.shape[1]
    settings = search_settings(fusion=fusion)
    return fuse(found, by or books(n=n_columns), priors, settings, weights)


def order(log_odds: AnyFloatArray) -> list[int]:
    return list(np.argsort(-log_odds[0], kind="stable"))


def columns(*paragraph_ids: str, same: Mapping[str, str] = {}) -> Columns:
    return columns_of(
        [replace(paragraph(key), same_as=same.get(key, "")) for key in paragraph_ids]
    )


class TestColumns:
    def test_columns_stand_in_the_order_of_the_ids(self) -> None:
        found = columns("b:1:1", "a:2:1", "a:1:1")
        assert found.rows.tolist() == [2, 1, 0]
        assert [found.doc_ids[number] for number in found.document] == ["a", "a", "b"]
        assert found.inside("b").tolist() == [False, False, True]
        assert found.inside("").tolist() == [False] * 3

    def test_twins_are_those_of_one_text_and_those_that_ingest_found(self) -> None:
        texts = [
            paragraph("a:1:1", "Same."),
            paragraph("b:1:1", "Same."),
            paragraph("c:1:1", "Nearly same."),
        ]
        found = columns_of(
            [*texts[:2], replace(texts[2], same_as="b:1:1"), paragraph("d:1:1")]
        )
        assert found.duplicates.tolist() == [[0, 1, 2]]

    def test_groups_of_twins_have_the_length_of_the_largest(self) -> None:
        found = columns("a:1:1", "b:1:1", "c:1:1", "d:1:1", "e:1:1",
                        same={"b:1:1": "a:1:1", "d:1:1": "c:1:1", "e:1:1": "c:1:1"})  # fmt: skip
        assert found.duplicates.tolist() == [[0, 1, -1], [2, 3, 4]]
        log_odds = np.array([[1.0, 2.0, 3.0, 1.0, 3.0]])
        merged = merge_duplicates(log_odds, found, np.array([[True, *[False] * 4]]))
        assert merged.tolist() == [[1.0, NO, 3.0, NO, NO]]


class TestScores:
    def test_parts_are_added_by_weight(self) -> None:
        parts = {
            "cosine": np.array([[0.5, 1.0]]),
            "rule": np.array([[0.0, -2.0]]),
            "unused": np.array([[9.0, 9.0]]),
        }
        assert combine(
            parts, {"cosine": 10.0, "rule": 1.0, "lacking": 3.0}
        ).tolist() == [[5.0, 8.0]]
        assert combine(parts, {"cosine": 0.0}).tolist() == [[0.0, 0.0]]


class TestDocuments:
    def test_a_books_paragraph_is_likelier_by_confidence_and_by_how_few_there_are(
        self,
    ) -> None:
        # 0.75 on 10 paragraphs, 0.25 on 90: each is 3 * 9 times as likely
        inside = np.arange(100)[None, :] < 10
        found = books_of(np.array([0.75]), inside, search_settings(boost=1.0))
        assert found.lift[0] == pytest.approx(math.log(27.0))
        assert not found.filters[0]

    def test_the_number_of_paragraphs_counts_if_a_book_is_a_part_of_the_course(
        self,
    ) -> None:
        rows = ("bbb", "ooo", "boo", "bbo", "boo")
        inside = np.array([[letter == "b" for letter in row] for row in rows])
        settings = search_settings(
            boost=1.0, boost_confidence=0.0, filter_confidence=0.0
        )
        found = books_of(np.array([0.75] * 4 + [0.0]), inside, settings)
        odds = [3.0, 3.0, 3.0 * 2.0, 3.0 / 2.0, 1.0]
        assert found.lift.tolist() == pytest.approx(np.log(odds))
        assert found.filters.tolist() == [True] * 4 + [False]

    @pytest.mark.parametrize(
        ("confidence", "filters", "lifts"),
        [(0.0, 0, 0), (0.59, 0, 0), (0.6, 0, 1), (0.9, 1, 1)],
    )
    def test_confidence_decides_between_filter_boost_and_neither(
        self, confidence: float, filters: bool, lifts: bool
    ) -> None:
        inside = np.array([[True, False]])
        found = books_of(np.array([confidence]), inside, search_settings(boost=1.0))
        assert (found.filters[0], found.lift[0] > 0.0) == (filters, lifts)

    def test_lifts_and_priors_change_the_order_and_no_relevance(self) -> None:
        marks = scored(2.0, 1.0, NO)
        for result in (
            fused(marks, by=books(1, lift=3.0)),
            fused(marks, priors=np.array([0.0, 3.0, 0.0])),
        ):
            assert result.log_odds.tolist() == [[2.0, 4.0, NO]]
            assert result.relevance.tolist() == [[2.0, 1.0, NO]]


class TestFusion:
    def test_ranks_are_fused_by_their_reciprocals(self) -> None:
        result = fused(
            scored(3.0, 2.0, 1.0, NO), scored(NO, 2.0, NO, 1.0), fusion="rrf"
        )
        assert result.scores[0] == pytest.approx(
            [1 / 61, 1 / 62 + 1 / 61, 1 / 63, 1 / 62]
        )
        assert order(result.log_odds) == [1, 0, 3, 2]
        assert result.strategy == "rrf"

    def test_fused_log_odds_fall_in_the_order_of_the_ranks(self) -> None:
        lifted = fused(
            scored(3.0, 1.0), scored(2.0, 1.0), by=books(1, n=2, lift=1.0), fusion="rrf"
        )
        assert lifted.log_odds[0] == pytest.approx([3.0, 2.0], abs=1e-5)

    def test_ties_of_many_columns_go_to_the_earlier_one(self) -> None:
        same = scored(*[1.0, 2.0] * 30)
        result = fused(same, same, fusion="rrf")
        assert order(result.log_odds) == [*range(1, 60, 2), *range(0, 60, 2)]

    @pytest.mark.parametrize("fusion", ["rrf", "linear"])
    def test_relevance_is_the_highest_that_a_strategy_gives(
        self, fusion: Fusion
    ) -> None:
        odds = 2.0 - 0.5 * np.arange(20.0)
        result = fused(scored(*odds), scored(*odds[::-1]), fusion=fusion)
        assert result.relevance[0] == pytest.approx(np.maximum(odds, odds[::-1]))

    def test_scores_are_fused_by_their_weights(self) -> None:
        dense = scored(1.0, 0.0, -1.0, strategy="dense", scores=(0.9, 0.8, 0.7))
        keyword = scored(0.0, NO, 1.0, strategy="keyword", scores=(0.8, 0.0, 0.9))
        weights = {"dense": 10.0, "keyword": 2.0}
        result = fused(dense, keyword, weights=weights)
        assert result.scores[0] == pytest.approx([9.0 + 1.6, 8.0, 7.0 + 1.8])
        assert result.log_odds[0] == pytest.approx(result.scores[0])
        assert result.strategy == "fused"

    def test_one_that_no_strategy_found_stays_unfound(self) -> None:
        one, two = scored(1.0, NO, strategy="dense"), scored(2.0, NO)
        result = fused(one, two, weights={"dense": 10.0})
        assert result.log_odds[0].tolist() == [12.0, NO]

    def test_without_a_weight_unfound_ones_count_as_the_lowest_and_never_more_than_0(
        self,
    ) -> None:
        base = scored(0.0, 0.0, 0.0)
        for own, expected in (
            ((2.0, 3.0, NO), [2.0, 3.0, 0.0]),
            ((-1.0, -2.0, NO), [-1.0, -2.0, -2.0]),
        ):
            result = fused(base, scored(*own, strategy="own"))
            assert result.scores[0] == pytest.approx(expected)

    def test_a_strategy_without_a_weight_counts_by_its_own_relevance(self) -> None:
        dense = scored(1.0, 0.0, -1.0, strategy="dense", scores=(0.9, 0.8, 0.7))
        own = scored(NO, 3.0, 2.0, strategy="own")
        result = fused(dense, own, weights={"dense": 10.0})
        assert result.scores[0] == pytest.approx([9.0 + 0.0, 8.0 + 3.0, 7.0 + 2.0])

    @pytest.mark.parametrize("fusion", ["rrf", "linear"])
    def test_a_boost_lifts_within_any_fusion_and_is_a_filter_in_none(
        self, fusion: Fusion
    ) -> None:
        # twenty paragraphs, half a nat apart; every fourth is in the book, which is three times as likely
        odds = -0.5 * np.arange(20.0)
        one = scored(*odds, strategy="dense", scores=tuple(odds / 10.0))
        two = scored(*odds, strategy="keyword", scores=tuple(odds / 2.0))
        book = books(3, 7, 11, 15, 19, n=20, lift=math.log(3.0))
        weights = {"dense": 5.0, "keyword": 1.0}
        places = order(
            fused(one, two, by=book, fusion=fusion, weights=weights).log_odds
        )
        gained = [column - places.index(column) for column in (3, 7, 11)]
        # a lift of 1.1 nats passes two or three neighbours that are half a nat apart, not the whole course
        assert all(1 <= n_places <= 3 for n_places in gained), gained


class TestTwins:
    COLUMNS = columns(
        "a:1:1", "b:1:1", "c:1:1", "d:1:1", same={"b:1:1": "a:1:1", "d:1:1": "a:1:1"}
    )

    def test_the_best_of_them_stays(self) -> None:
        log_odds = np.array([[1.0, 3.0, 2.0, 0.0], [1.0, 0.0, 5.0, 1.0]])
        assert merge_duplicates(log_odds, self.COLUMNS).tolist() == [
            [NO, 3.0, 2.0, NO],
            [1.0, NO, 5.0, NO],
        ]

    def test_one_in_a_book_that_filters_goes_first(self) -> None:
        preferred = np.array([[False, False, False, True]])
        assert merge_duplicates(
            np.array([[1.0, 3.0, 2.0, 0.0]]), self.COLUMNS, preferred
        ).tolist() == [[NO, NO, 2.0, 0.0]]
        assert merge_duplicates(
            np.array([[1.0, 3.0, 2.0, NO]]), self.COLUMNS, preferred
        ).tolist() == [[NO, 3.0, 2.0, NO]]


def random_search(seed: int, settings: SearchSettings) -> dict[str, Any]:
    """Arrays of five queries over some columns, with ties and duplicates."""
    generator = np.random.default_rng(seed)
    n_columns = int(generator.integers(1, 14))
    shape = (5, n_columns)
    ids = [f"{'abc'[generator.integers(3)]}:1:{row}" for row in range(n_columns)]
    same = {key: str(generator.choice(ids)) for key in ids if generator.random() < 0.3}
    scored = []
    for strategy in ("dense", "keyword"):
        scores = generator.integers(0, 4, shape).astype(np.float32)
        relevance = scores - generator.integers(0, 4)
        missing = generator.random(shape) < 0.3
        log_odds = np.where(missing, NO, scores)
        scored.append(
            Scored(strategy, scores, log_odds, np.where(missing, NO, relevance))
        )
    confidence = generator.choice([0.0, 0.5, 0.7, 0.95], 5)
    return {
        "scored": scored,
        "books": books_of(confidence, generator.random(shape) < 0.4, settings),
        "priors": generator.integers(-1, 2, n_columns).astype(np.float32),
        "columns": columns(*ids, same=same),
    }


def found_by(
    arrays: Mapping[str, Any], settings: SearchSettings, rows: slice
) -> list[list[Any]]:
    """Chosen columns, their slots, whether they are relevant and the step that answers, by query."""
    parts = [
        replace(
            item,
            scores=item.scores[rows],
            log_odds=item.log_odds[rows],
            relevance=item.relevance[rows],
        )
        for item in arrays["scored"]
    ]
    books = Books(
        *(
            getattr(arrays["books"], name)[rows]
            for name in ("inside", "lift", "filters")
        )
    )
    found = search(
        lambda is_fallback: parts[1:] if is_fallback else parts,
        books,
        arrays["priors"],
        arrays["columns"],
        settings,
        {"dense": 2.0},
        settings.keywords,
    )
    assert found is not None
    result = []
    for query, answer in enumerate(found.answer.tolist()):
        step = found.steps[answer]
        hits = step.chosen[query]
        relevance = step.scored.relevance[query, hits[hits >= 0]]
        result.append(
            [
                hits.tolist(),
                step.in_book[query].tolist(),
                relevance.tolist(),
                bool(found.relevant[query]),
                bool(found.lowered[query]),
            ]
        )
    return result


@hypothesis_settings(derandomize=True, max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    changes=st.fixed_dictionaries(
        {
            "pdf_k": st.integers(0, 5),
            "global_k": st.integers(1, 5),
            "fusion": st.sampled_from(["linear", "rrf"]),
            "merge": st.sampled_from(["slots", "relevance"]),
            "spill_over": st.sampled_from(["always", "never", "no-book"]),
            "keywords": st.sampled_from(["rule", "fallback"]),
            "cascade": st.booleans(),
            "boost": st.sampled_from([0.0, 1.0]),
        }
    ),
)
def test_many_queries_at_once_are_the_queries_one_by_one(
    seed: int, changes: dict[str, Any]
) -> None:
    settings = search_settings(**changes)
    arrays = random_search(seed, settings)
    together = found_by(arrays, settings, slice(None))
    alone = [found_by(arrays, settings, slice(row, row + 1))[0] for row in range(5)]
    assert together == alone


class TestAnswering:
    def answers(self, first: float, fallback: float) -> tuple[int, bool, bool]:
        steps = [scored(first, NO, NO)], [scored(NO, fallback, NO)]
        found = search(
            lambda is_fallback: steps[is_fallback],
            books(),
            None,
            columns("a:1:1", "a:1:2", "a:1:3"),
            search_settings(cascade=True, threshold=0.7, lowered_threshold=0.35),
            {},
            "fallback",
        )
        assert found is not None
        return int(found.answer[0]), bool(found.relevant[0]), bool(found.lowered[0])

    def test_the_first_step_over_the_threshold_answers(self) -> None:
        assert self.answers(1.0, 3.0) == (0, True, False)
        assert self.answers(0.0, 3.0) == (1, True, False)

    def test_the_lowered_threshold_chooses_hits_and_makes_none_relevant(self) -> None:
        assert self.answers(-2.0, 0.0) == (1, False, True)
        assert self.answers(-0.5, 0.0) == (0, False, True)
        assert self.answers(-5.0, -4.0) == (0, False, False)

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
        asked = []

        def scores_of(is_fallback: bool) -> list[Scored]:
            asked.append(is_fallback)
            return [scored(first, NO, NO)]

        settings = search_settings(cascade=cascade, threshold=0.7)
        ids = ("a:1:1", "a:1:2", "a:1:3")
        found = search(scores_of, books(), None, columns(*ids), settings, {}, keywords)
        assert asked == [False, True][:n_steps]
        assert found is not None
        assert found.relevant.tolist() == [first > 0.0]


class TestSlots:
    def test_slots_are_as_many_as_columns_at_most_and_merged_scores_are_kept(
        self,
    ) -> None:
        found = columns("a:1:1", "b:1:1", "c:1:1", same={"b:1:1": "a:1:1"})
        book = books(0)  # it does not filter
        step = fill_slots(scored(1.0, 2.0, 3.0), book, found, search_settings())
        assert step.chosen.tolist() == [[2, 1, -1]]
        assert step.in_book.dtype == np.bool_
        assert step.scored.log_odds.tolist() == [[NO, 2.0, 3.0]]
        assert step.best.tolist() == [3.0]

    @pytest.mark.parametrize(
        ("lift", "pdf_k", "filters", "chosen", "in_book"),
        [
            (0.5, 1, False, [2, 1], [False, False]),
            (0.5, 0, False, [2, 0], [False, False]),
            (0.0, 1, False, [2, 0], [False, False]),
            (0.5, 1, True, [0, 2], [True, False]),
        ],
    )
    def test_a_book_has_slots_if_it_filters_or_lifts(
        self, lift: float, pdf_k: int, filters: bool, chosen: list[int], in_book: Any
    ) -> None:
        book = replace(books(0, lift=lift), filters=np.array([filters]))
        settings = search_settings(pdf_k=pdf_k, global_k=2 - pdf_k, spill_over="always")
        ids = ("a:1:1", "b:1:1", "c:1:1")
        step = fill_slots(scored(1.4, 1.2, 3.0), book, columns(*ids), settings)
        assert (step.chosen.tolist(), step.in_book.tolist()) == ([chosen], [in_book])


class TestProbabilities:
    def test_0_and_1_are_far_away_and_the_threshold_0_is_passed_by_all(self) -> None:
        assert [log_odds_of(share) for share in (0.0, 1.0)] == [-30.0, 30.0]
        assert threshold_log_odds(0.0) < -1e38
        assert threshold_log_odds(0.5) == 0.0

    @pytest.mark.parametrize(
        ("share", "odds"), [(0.5, 0.0), (0.75, np.log(3.0)), (0.2, -np.log(4.0))]
    )
    def test_log_odds_and_probabilities_are_each_others_inverse(
        self, share: float, odds: float
    ) -> None:
        assert log_odds_of(share) == pytest.approx(odds)
        assert probability(odds) == pytest.approx(share)
