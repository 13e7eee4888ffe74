"""The cascade: book, original, fallback, lowered threshold, nothing; and what every step is called."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from configs.settings import KeywordMode
from player.search.cache import ResultCache
from player.search.index import SearchIndex
from player.search.orchestrator import SearchOrchestrator
from player.search.references import References
from player.search.statistics import OF_PROCESS
from player.search.types import Query, SearchResult
from tests.player.fakes import (
    FailingStrategy,
    ListStrategy,
    WordsEmbedder,
    course,
    dense_of,
    document,
    index_of,
    search_settings,
)

DOCUMENTS = [document("sure"), document("rest")]


def engine(
    *strategies: ListStrategy, names: tuple[str, ...] = ("dense",), **more: Any
) -> SearchOrchestrator:
    """With the cascade on, thresholds 0.7 and 0.35, and no weight for the book but its filter."""
    cache = more.pop("cache", None)
    values: dict[str, Any] = {
        "strategies": names,
        "cascade": True,
        "book_match": "resolved",
        "spill_over": "always",
        "pdf_k": 2,
        "global_k": 2,
    }
    index = index_of(strategies, DOCUMENTS)
    return SearchOrchestrator(index, search_settings(**(values | more)), cache=cache)


@pytest.mark.parametrize(
    ("best", "step"),
    [(0.7, "original"), (0.69, "lowered"), (0.35, "lowered"), (0.34, "")],
)
def test_a_step_answers_from_its_threshold_on(best: float, step: str) -> None:
    result = engine(ListStrategy("dense", {"rest:1:1": best})).search(Query("hint"))
    assert (result.answered_by, result.relevant) == (step, step == "original")
    assert [hit.paragraph.paragraph_id for hit in result.hits] == ["rest:1:1"]
    assert len(result.relevant_hits) == result.relevant


def test_the_books_step_answers_first() -> None:
    result = engine(ListStrategy("dense", {"rest:1:1": 0.95, "sure:1:1": 0.8})).search(
        Query("hint", "sure")
    )
    assert result.answered_by == "filter"
    assert [hit.slot for hit in result.hits] == ["book", "global"]


@pytest.mark.parametrize(
    ("keywords", "slots", "step"),
    [("rule", "bbgg", ""), ("fallback", "bgg", "fallback")],
)
def test_a_named_book_keeps_its_slots_in_every_step_whatever_is_found_in_it(
    keywords: KeywordMode, slots: str, step: str
) -> None:
    weak = {"rest:1:1": 0.3, "rest:1:2": 0.2, "rest:1:3": 0.2}
    weak |= {"sure:1:1": 0.02, "sure:1:2": 0.01}
    strong = {"rest:1:3": 0.9, "rest:1:2": 0.8, "rest:1:1": 0.75, "sure:1:2": 0.02}
    searches = engine(
        ListStrategy("dense", weak), ListStrategy("keyword", strong), spill_over="never"
    )
    result = searches.search(Query("hint", "sure", keywords=keywords))
    assert "".join(hit.slot[0] for hit in result.hits) == slots
    assert result.answered_by == step


def test_no_step_asks_a_strategy_twice_for_the_same_and_none_that_failed_again() -> (
    None
):
    asked = []

    class Counts(FailingStrategy):
        def prepare(self, query: Query) -> None:
            asked.append(query.hint)

    strategy = ListStrategy("keyword", {"rest:1:1": 0.1, "sure:1:1": 0.1})
    failing = Counts("dense", OSError("down"))
    names = ("dense", "keyword")
    searches = engine(failing, strategy, names=names, keywords="fallback")
    result = searches.search(Query("hint", "sure"))
    assert asked == ["hint"]
    assert strategy.asked == [("hint", "sure")]
    assert [failure.strategy for failure in result.failures] == ["dense"]


class TestKeywords:
    def search(
        self, dense: float, keyword: float, mode: Any, **changes: Any
    ) -> SearchResult:
        strategies = (
            ListStrategy("dense", {"rest:1:1": dense}),
            ListStrategy("keyword", {"rest:9:9": keyword}),
        )
        return engine(*strategies, **changes).search(Query("hint", keywords=mode))

    def test_fallback_takes_keywords_where_the_rest_is_weak_and_says_so(self) -> None:
        result = self.search(0.6, 0.9, "fallback")
        assert result.answered_by == "fallback"
        (hit,) = result.hits
        assert hit.why == "rank 1 by keyword, over the whole course, as a fallback"

    @pytest.mark.parametrize(("dense", "step"), [(0.7, "original"), (0.6, "lowered")])
    def test_weak_keywords_do_not_hide_better_vectors(
        self, dense: float, step: str
    ) -> None:
        result = self.search(dense, 0.5, "fallback")
        assert result.answered_by == step
        assert [hit.strategy for hit in result.hits] == ["dense"]

    @pytest.mark.parametrize(
        ("fusion", "strategy"), [("linear", "fused"), ("rrf", "rrf")]
    )
    def test_fused_asks_both(self, fusion: str, strategy: str) -> None:
        result = self.search(0.6, 0.5, "fused", fusion=fusion)
        found = {hit.paragraph.paragraph_id: hit.strategy for hit in result.hits}
        assert found == {"rest:1:1": strategy, "rest:9:9": strategy}

    @pytest.mark.parametrize("mode", ["rule", "off", None])
    def test_the_other_modes_ask_no_keywords(self, mode: Any) -> None:
        result = self.search(0.6, 0.5, mode)
        assert {hit.strategy for hit in result.hits} == {"dense"}

    def test_the_rule_is_for_games_and_a_search_falls_back_to_keywords(self) -> None:
        dense = ListStrategy("dense", {"rest:1:1": 0.6})
        keyword = ListStrategy("keyword", {"rest:9:9": 0.9})
        searches = engine(dense, keyword, keywords="rule")
        modes = [
            search(query).answered_by
            for search in (searches.search, searches.candidates)
            for query in (Query("hint"), Query("hint", keywords="rule"))
        ]
        assert modes == ["fallback", "lowered", "lowered", "lowered"]


class TestCache:
    def searches(self, **more: Any) -> SearchOrchestrator:
        strategy = ListStrategy("dense", {"rest:1:1": 0.8, "sure:1:1": 0.75})
        return engine(strategy, cache=ResultCache(100), keywords="rule", **more)

    @pytest.mark.parametrize(
        "other",
        [
            Query("hint of  Ｗaves ", " sure"),
            Query("hint of Waves", "sure", k=4),
            Query("hint of Waves", "ｓure", keywords="fallback"),
        ],
    )
    def test_what_is_the_same_but_for_forms_of_letters_and_defaults_is_one_search(
        self, other: Query
    ) -> None:
        searches = self.searches()
        first = searches.search(Query("hint of Waves", "sure"))
        again = searches.search(other)
        assert (first.cached, again.cached) == (False, True)
        assert (again.hits, again.embed_ms) == (first.hits, 0.0)
        assert (again.query.hint, again.query.k) == (other.hint, other.k)

    @pytest.mark.parametrize(
        "other",
        [
            Query("HINT"),
            Query("hint", "sure"),
            Query("hint", k=2),
            Query("hint", keywords="off"),
        ],
    )
    def test_another_query_is_another_search(self, other: Query) -> None:
        searches = self.searches()
        searches.search(Query("hint"))
        assert not searches.search(other).cached

    def test_an_orchestrator_counts_its_searches_and_the_process_those_of_all(
        self,
    ) -> None:
        before = OF_PROCESS.as_dict()["searches"]
        searches = self.searches()
        for number in range(10):
            searches.search(Query(f"hint {number % 2}"))
        cache = searches.stats()["cache"]
        assert cache == {"hits": 8, "misses": 2, "hit_rate": 0.8}
        assert OF_PROCESS.as_dict()["searches"] == before + 10

    def test_failures_are_not_kept(self) -> None:
        searches = engine(
            FailingStrategy("bad", OSError("down")),
            ListStrategy("dense", {"rest:1:1": 0.8}),
            names=("bad", "dense"),
            cache=ResultCache(10),
        )
        assert not any(searches.search(Query("hint")).cached for _ in range(2))
        assert searches.stats()["failures"] == {"bad": 2}


def test_every_search_is_a_line_of_the_log_with_its_fields(
    caplog: pytest.LogCaptureFixture,
) -> None:
    searches = engine(ListStrategy("dense", {"rest:1:1": 0.8}), cache=ResultCache(10))
    with caplog.at_level("DEBUG", "player.search.orchestrator"):
        for _ in range(2):
            searches.search(Query("hint"))
    first, second = (vars(record)["search"] for record in caplog.records)
    assert (first["answered_by"], first["hits"], first["failures"]) == (
        "original",
        1,
        [],
    )
    assert (first["cached"], second["cached"]) == (False, True)


def test_a_prompt_gets_the_most_relevant_paragraphs_and_none_below_the_threshold() -> (
    None
):
    found = {"sure:1:1": 0.8, "rest:1:1": 0.9, "sure:1:2": 0.3}
    searches = engine(ListStrategy("dense", found), keywords="off")
    prompt = searches.paragraphs_for_prompt("hint", 3)
    assert [item.paragraph_id for item in prompt] == ["rest:1:1", "sure:1:1"]


@pytest.mark.parametrize("book_name", ["", "first", "second"])
@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"pdf_k": 2, "global_k": 3, "k": 5},
        {"pdf_k": 2, "global_k": 3, "k": 5, "spill_over": "never"},
        {"merge": "relevance", "k": 5, "pdf_k": 2, "global_k": 3},
        {"cascade": True, "k": 3, "pdf_k": 1, "global_k": 2},
    ],
)
def test_who_asks_for_everything_can_see_what_a_search_shows(
    book_name: str, changes: dict[str, Any]
) -> None:
    paragraphs = course()
    dense = dense_of(paragraphs, WordsEmbedder())
    references = References([document("first"), document("second")], 0.9, 0.6)
    index = SearchIndex({"dense": dense}, references, paragraphs)
    settings = search_settings(**({"book_match": "resolved"} | changes))
    searches = SearchOrchestrator(index, settings)

    for hint in (
        "bucket probe in words",
        "grammar token vertex",
        "nothing of the kind",
    ):
        everything = searches.candidates(Query(hint, book_name, 3000))
        plain = searches.search(Query(hint, book_name))
        assert everything.ranking is not None
        assert sorted(everything.ranking.rows.tolist()) == list(range(len(paragraphs)))
        hit = everything.ranking.hit(3)
        assert hit.paragraph is paragraphs[everything.ranking.rows[3]]
        assert everything.hits == plain.hits
        assert everything.book == plain.book
        assert everything.relevant == plain.relevant
        assert plain.ranking is None


def test_an_event_loop_and_threads_find_what_one_thread_finds() -> None:
    found = {"rest:1:1": 0.8, "sure:1:1": 0.75, "sure:1:2": 0.5}
    searches = engine(ListStrategy("dense", found), cache=ResultCache(8))
    queries = [Query(f"hint {n % 20}", ("", "sure")[n % 2]) for n in range(320)]
    alone = [searches.search(query).hits for query in queries]
    with ThreadPoolExecutor(32) as pool:
        together = [result.hits for result in pool.map(searches.search, queries)]
    assert together == alone
    assert searches.stats()["searches"] == 640

    async def both() -> list[SearchResult]:
        return await asyncio.gather(*map(searches.search_async, queries[:4]))

    assert [result.hits for result in asyncio.run(both())] == alone[:4]
