"""The one way in to search: tiers, slots, failures, cut and fusion, over strategies that return given lists."""

import itertools
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest

from player.errors import SearchError
from player.search.cache import ResultCache
from player.search.engine import SearchOrchestrator
from player.search.results import Query, ScoreArrays
from tests.fakes import each
from tests.player.fakes import (
    ListStrategy,
    course,
    dense_index,
    document,
    ids_of,
    index_of,
    search_settings,
)
from tests.player.search.test_live_search import dense, engine

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
HINT = Query("hint")


def orchestrator(*strategies: ListStrategy, **changes: Any) -> SearchOrchestrator:
    """`engine` in one step over these strategies; "Optics" is metadata, with confidence 0.8, and is boosted."""
    values: dict[str, Any] = {
        "strategies": tuple(each(strategies, "name")),
        "cascade": False,
        "boost": 0.5,
    }
    likely = document("likely", ("Optics", "metadata"))
    documents = [document("sure"), likely, document("rest")]
    values |= changes
    return engine(*strategies, documents=documents, unfound=UNFOUND, **values)


def one() -> ListStrategy:
    return ListStrategy("one", RELEVANCE)


def test_a_likely_book_is_boosted_over_the_whole_course() -> None:
    result = orchestrator(one()).search(Query("hint", "Optics"))
    # half the log-odds of 0.8, ln 2: the odds of likely:1:1 double to 130 : 35, between 80 : 20 and 75 : 25
    assert ids_of(result.hits) == ["rest:1:1", "likely:1:1", "rest:1:2", "sure:1:1"]
    assert {*each(result.hits, "slot")} == {"global"}
    assert result.hits[1].score == pytest.approx(6.5)
    assert result.hits[1].why == "rank 4 by one, over the whole course"
    assert result.answered_by == "original", "no hit of the book reaches 0.7"


def test_relevance_is_the_same_with_any_name_and_fusion() -> None:
    other = ListStrategy("other", {"likely:1:1": 0.72, "rest:1:1": 0.1})
    expected = pytest.approx(RELEVANCE | {"likely:1:1": 0.72})
    for fusion, name in {"linear": "fused", "rrf": "rrf"}.items():
        searches = orchestrator(one(), other, fusion=fusion, boost=3.0, k=14)
        for book_name in ("", "sure", "Optics", "Organic Chemistry"):
            result = searches.search(Query("hint", book_name))
            assert {*each(result.hits, "strategy")} == {name}
            relevance = each(result.hits, "relevance")
            assert dict(zip(ids_of(result.hits), relevance, strict=True)) == expected
            relevant = each(result.relevant_hits, "relevance")
            assert len(relevant) == 4
            assert min(relevant) == pytest.approx(0.7)


def test_nonsense_is_named_as_a_failure_and_the_others_answer(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = ListStrategy("odd", {})
    zeros = np.zeros(10)

    nan = np.full(10, np.nan)
    for nonsense in (
        None,
        ScoreArrays(zeros, nan, zeros),
        ScoreArrays(zeros, np.full(10, np.inf), zeros),
        ScoreArrays(nan, zeros, zeros),
        ScoreArrays(zeros, zeros, nan),
        ScoreArrays(zeros, zeros, np.full(10, -np.inf)),
    ):
        monkeypatch.setattr(odd, "score", lambda *_, scores=nonsense: scores)
        caplog.clear()
        result = orchestrator(odd, one()).search(HINT)
        assert each(result.failures, "strategy") == ["odd"]
        assert {*each(result.hits, "strategy")} == {"one"}
        assert each(caplog.records, "levelname") == ["WARNING"]


def test_strategies_run_side_by_side() -> None:
    gate = Barrier(3)

    class Together(ListStrategy):
        """Goes on only when all the others have come to the gate."""

        def prepare(self, query: Query) -> None:
            gate.wait(60.0)

    own = [Together(name, {}) for name in ("one", "two", "three")]
    result = orchestrator(*own, deadline_s=60.0).search(HINT)
    assert not result.failures


def test_the_time_for_embedding_is_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr("time.perf_counter", lambda: clock[0])

    class Slow(ListStrategy):
        def prepare(self, query: Query) -> None:
            clock[0] += 3.0

        def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
            clock[0] += 0.5
            return super().score(query, doc_id)

    result = orchestrator(Slow("one", RELEVANCE)).search(HINT)
    assert result.embed_ms == pytest.approx(3000.0)
    assert result.search_ms == pytest.approx(500.0)


def caching() -> SearchOrchestrator:
    found = dense(rest=0.8, sure=0.75)
    return engine(found, cache=ResultCache(100), keywords="rule")


def test_what_is_the_same_but_for_forms_of_letters_and_defaults_is_one_search() -> None:
    searches = caching()
    for query in (
        Query("hint of Waves"),
        Query("HINT of Waves", "sure"),
        Query("hint of Waves", "sure", k=2),
        Query("hint of Waves", "sure", keywords="off"),
    ):
        assert not searches.search(query).cached

    first = searches.search(Query("hint of Waves", "sure"))
    assert not first.cached
    for other in (
        Query("hint of  Ｗaves ", " sure"),
        Query("hint of Waves", "sure", k=4),
        Query("hint of Waves", "ｓure", keywords="fallback"),
    ):
        again = searches.search(other)
        assert again.cached
        assert again.hits == first.hits
        assert again.embed_ms == 0.0
        assert again.query.hint == other.hint
        assert again.query.k == other.k


def test_a_failure_of_the_store_is_returned_and_logged_also_if_results_are_cached(
    caplog: pytest.LogCaptureFixture,
) -> None:
    gone = SearchError("store", "gone")
    searches = SearchOrchestrator(
        index_of([dense(rest=0.8)], [document("rest")]),
        search_settings(),
        cache=ResultCache(10),
        renew=Mock(side_effect=gone),
    )
    for is_cached in (False, True, True, True):
        result = searches.search(HINT)
        assert result.cached == is_cached
        assert result.failures == (gone,)

    assert caplog.messages == [str(gone)] * 4


def test_who_asks_for_everything_can_see_what_a_search_shows() -> None:
    index = dense_index(course())
    hints = "bucket probe in words", "grammar token vertex", "nothing alike"
    slots: dict[str, Any] = {
        "pdf_k": 2,
        "global_k": 3,
        "book_match": "resolved",
    }

    for changes in (
        slots | {"spill_over": "never"},
        slots | {"merge": "relevance"},
        slots | {"pdf_k": 1, "global_k": 2, "cascade": True},
    ):
        searches = SearchOrchestrator(index, search_settings(**changes))
        for hint, book_name in itertools.product(hints, ("", "first", "second")):
            everything = searches.rank_course(Query(hint, book_name))
            plain = searches.search(Query(hint, book_name))
            assert plain.course_order is None
            order = everything.course_order
            assert order is not None
            rows = order.rows.tolist()
            assert sorted(rows) == list(range(12))

            third = order.best_hit(order.rows[[5, 3, 4]]).paragraph
            assert third is index.paragraphs[rows[3]]
            last = order.best_hit(order.rows[:0]).paragraph
            assert last is index.paragraphs[rows[-1]]

            in_order = order.rows[: len(everything.hits), None]
            assert (*map(order.best_hit, in_order),) == everything.hits
            assert everything.hits == plain.hits
            assert everything.book == plain.book
            assert everything.relevant == plain.relevant
        assert searches.rank_course(Query(" ")).answered_by == "course"


def test_many_threads_find_what_one_thread_finds() -> None:
    searches = caching()
    queries = []
    for number in range(160):
        hint = f"hint {number % 20}"
        queries += [Query(hint), Query(hint, "sure")]
    alone = each(map(searches.search, queries), "hits")
    with ThreadPoolExecutor(32) as pool:
        assert each(pool.map(searches.search, queries), "hits") == alone
