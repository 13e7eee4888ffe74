"""The one way in to search: tiers, slots, failures, cut and fusion, over strategies that return given lists."""

from __future__ import annotations

from typing import Any

import pytest

from player.errors import AllStrategiesFailedError, QueryError
from player.search.orchestrator import SearchOrchestrator
from player.search.types import Query, ScoreArrays, SearchResult
from tests.player.fakes import (
    FailingStrategy,
    ListStrategy,
    document,
    index_of,
    search_settings,
)

DOCUMENTS = [
    document("sure"),
    document("likely", ("Optics", "metadata")),
    document("rest"),
]
"""By these names: "sure" is a stem (confidence 1), "Optics" metadata (0.8)."""

RELEVANCE = {
    "rest:1:1": 0.80,
    "rest:1:2": 0.75,
    "sure:1:1": 0.70,
    "likely:1:1": 0.65,
    "rest:1:3": 0.60,
    "sure:1:2": 0.55,
    "likely:1:2": 0.50,
}


UNFOUND = ("likely:9:1", "likely:9:2", "likely:9:3")
"""Paragraphs that nothing finds; with them half of the course is by "Optics"."""


def orchestrator(*strategies: ListStrategy, **changes: Any) -> SearchOrchestrator:
    """Over these strategies; 2 book slots, 2 global ones, spill-over, books resolved by all aliases."""
    values: dict[str, Any] = {
        "strategies": tuple(strategy.name for strategy in strategies),
        "pdf_k": 2,
        "global_k": 2,
        "spill_over": "always",
        "book_match": "resolved",
        "filter_confidence": 0.9,
        "boost_confidence": 0.6,
        "boost": 0.5,
    }
    return SearchOrchestrator(
        index_of(strategies, DOCUMENTS, *UNFOUND), search_settings(**(values | changes))
    )


def found(result: SearchResult) -> list[str]:
    """Slot and paragraph of each hit."""
    return [f"{hit.slot} {hit.paragraph.paragraph_id}" for hit in result.hits]


def one() -> ListStrategy:
    return ListStrategy("one", RELEVANCE)


def test_a_sure_book_filters() -> None:
    result = orchestrator(one()).search(Query("hint", "sure"))
    assert found(result) == [
        "book sure:1:1",
        "book sure:1:2",
        "global rest:1:1",
        "global rest:1:2",
    ]
    assert result.answered_by == "filter"
    assert result.book is not None
    assert (result.book.doc_id, result.book.tier) == ("sure", "filter")


def test_a_likely_book_is_boosted_over_the_whole_course() -> None:
    result = orchestrator(one()).search(Query("hint", "Optics"))
    # half the log-odds of 0.8, ln 2: the odds of likely:1:1 double to 130 : 35, between 80 : 20 and 75 : 25
    assert found(result) == [
        "global rest:1:1",
        "global likely:1:1",
        "global rest:1:2",
        "global sure:1:1",
    ]
    assert result.hits[1].score == pytest.approx(6.5)
    assert result.hits[1].why == "rank 4 by one, over the whole course"
    assert result.answered_by == "original", "no hit of the book reaches 0.7"


def test_an_unknown_book_changes_nothing() -> None:
    result = orchestrator(one()).search(Query("hint", "Organic Chemistry"))
    assert found(result) == found(orchestrator(one()).search(Query("hint")))
    assert result.answered_by == "original"


def test_the_boost_comes_before_the_cut() -> None:
    # likely:1:1 is sixth of seven by itself, and first with odds of 54 : 46 times 4
    low = dict(RELEVANCE, **{"likely:1:1": 0.54, "likely:1:2": 0.4})
    searches = orchestrator(ListStrategy("one", low), pdf_k=0, global_k=2, boost=1.0)
    result = searches.search(Query("hint", "Optics"))
    assert found(result) == ["global likely:1:1", "global rest:1:1"]


@pytest.mark.parametrize("book_name", ["", "sure", "Optics", "Organic Chemistry"])
@pytest.mark.parametrize("fusion", ["linear", "rrf"])
def test_relevance_is_the_same_with_any_name_and_fusion(
    book_name: str, fusion: str
) -> None:
    strategies = one(), ListStrategy("other", {"likely:1:1": 0.72, "rest:1:1": 0.1})
    engine = orchestrator(*strategies, fusion=fusion, boost=3.0, pdf_k=7, global_k=7)
    result = engine.search(Query("hint", book_name))
    relevance = {hit.paragraph.paragraph_id: hit.relevance for hit in result.hits}
    assert relevance == pytest.approx(RELEVANCE | {"likely:1:1": 0.72})
    assert {hit.paragraph.paragraph_id for hit in result.relevant_hits} == {
        "rest:1:1",
        "rest:1:2",
        "sure:1:1",
        "likely:1:1",
    }


def test_a_failing_strategy_is_named_and_the_others_answer() -> None:
    broken = FailingStrategy("broken", RuntimeError("index\n  is gone"))
    result = orchestrator(broken, one()).search(Query("hint", "sure"))
    (failure,) = result.failures
    assert failure.strategy == "broken"
    assert str(failure) == "strategy broken failed: RuntimeError: index is gone"
    assert found(result)[0] == "book sure:1:1"


def test_all_strategies_failing_raises_and_names_each() -> None:
    engine = orchestrator(
        FailingStrategy("first", KeyError("a")), FailingStrategy("second", OSError("b"))
    )
    with pytest.raises(AllStrategiesFailedError) as caught:
        engine.search(Query("hint"))
    assert (
        str(caught.value)
        == "strategy first failed: KeyError: 'a'; strategy second failed: OSError: b"
    )


@pytest.mark.parametrize("hint", ["", "   ", "\n\t"])
def test_an_empty_hint_is_refused(hint: str) -> None:
    with pytest.raises(QueryError, match="hint must hold at least one word"):
        orchestrator(one()).search(Query(hint, "sure"))


@pytest.mark.parametrize("k", [0, -1])
def test_a_k_below_1_is_refused(k: int) -> None:
    with pytest.raises(QueryError, match=f"k must be at least 1, got {k}"):
        orchestrator(one()).search(Query("hint", k=k))


def test_the_time_for_embedding_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])

    class Slow(ListStrategy):
        def prepare(self, query: Query) -> None:
            clock[0] += 3.0

        def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
            clock[0] += 0.5
            return super().score(query, doc_id)

    result = orchestrator(Slow("one", RELEVANCE)).search(Query("hint"))
    assert result.embed_ms == pytest.approx(3000.0)
    assert result.search_ms == pytest.approx(500.0)
