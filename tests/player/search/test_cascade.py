"""The cascade: book, original, fallback, lowered threshold, nothing; and what every step is called."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from configs.settings import KeywordMode
from player.search.cache import ResultCache
from player.search.index import SearchIndex
from player.search.orchestrator import SearchOrchestrator
from player.search.references import References
from player.search.statistics import OF_PROCESS
from player.search.strategies.dense import Dense
from player.search.strategies.keyword import Keyword
from player.search.types import Query
from tests.contracts.paragraphs import paragraph
from tests.player.fakes import (
    FailingStrategy,
    ListStrategy,
    WordsEmbedder,
    course,
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
    is_uncased = more.pop("is_uncased", True)
    index = replace(index_of(strategies, DOCUMENTS), is_uncased=is_uncased)
    return SearchOrchestrator(index, search_settings(**(values | more)), cache=cache)


def test_the_thresholds_are_those_of_the_record() -> None:
    settings = search_settings()
    assert (settings.threshold, settings.lowered_threshold) == (0.7, 0.35)
    assert (settings.filter_confidence, settings.boost_confidence) == (0.9, 0.6)


@pytest.mark.parametrize(
    ("best", "step", "relevant"), [(0.7, "original", True), (0.69, "lowered", False)]
)
def test_a_step_answers_from_its_threshold_on(
    best: float, step: str, relevant: bool
) -> None:
    result = engine(ListStrategy("dense", {"rest:1:1": best})).search(Query("hint"))
    assert (result.answered_by, result.relevant) == (step, relevant)


@pytest.mark.parametrize(
    ("best", "step", "relevant"), [(0.35, "lowered", False), (0.34, "", False)]
)
def test_the_lowered_threshold_is_the_last_resort(
    best: float, step: str, relevant: bool
) -> None:
    result = engine(ListStrategy("dense", {"rest:1:1": best})).search(Query("hint"))
    assert (result.answered_by, result.relevant) == (step, relevant)
    assert [hit.paragraph.paragraph_id for hit in result.hits] == ["rest:1:1"]
    assert result.relevant_hits == ()


def test_the_books_step_answers_first() -> None:
    result = engine(ListStrategy("dense", {"rest:1:1": 0.95, "sure:1:1": 0.8})).search(
        Query("hint", "sure")
    )
    assert result.answered_by == "filter"
    assert [hit.slot for hit in result.hits] == ["book", "global"]


@pytest.mark.parametrize("keywords", ["rule", "fallback"])
def test_a_named_book_keeps_its_slots_in_every_step_whatever_is_found_in_it(
    keywords: KeywordMode,
) -> None:
    dense = ListStrategy(
        "dense",
        {
            "rest:1:1": 0.3,
            "rest:1:2": 0.2,
            "rest:1:3": 0.2,
            "sure:1:1": 0.02,
            "sure:1:2": 0.01,
        },
    )
    keyword = ListStrategy(
        "keyword",
        {"rest:1:3": 0.9, "rest:1:2": 0.8, "rest:1:1": 0.75, "sure:1:2": 0.02},
    )
    result = engine(dense, keyword, spill_over="never").search(
        Query("hint", "sure", keywords=keywords)
    )
    assert [hit.slot for hit in result.hits] == ["book"] * (
        2 if keywords == "rule" else 1
    ) + ["global"] * 2
    assert (result.relevant, result.answered_by) == (
        (False, "") if keywords == "rule" else (True, "fallback")
    )


def test_no_step_asks_a_strategy_twice_for_the_same_and_none_that_failed_again() -> (
    None
):
    asked = []

    class Counts(FailingStrategy):
        def prepare(self, query: Query) -> None:
            asked.append(query.hint)

    strategy = ListStrategy("keyword", {"rest:1:1": 0.1, "sure:1:1": 0.1})
    failing = Counts("dense", OSError("down"))
    result = engine(
        failing, strategy, names=("dense", "keyword"), keywords="fallback"
    ).search(Query("hint", "sure"))
    assert asked == ["hint"]
    assert strategy.asked == [("hint", "sure")]
    assert [failure.strategy for failure in result.failures] == ["dense"]


class TestKeywords:
    DENSE = ListStrategy("dense", {"rest:1:1": 0.6})
    KEYWORD = ListStrategy("keyword", {"rest:9:9": 0.5})

    def test_fallback_takes_keywords_where_the_rest_is_weak_and_says_so(self) -> None:
        keyword = ListStrategy("keyword", {"rest:9:9": 0.9})
        result = engine(self.DENSE, keyword).search(Query("hint", keywords="fallback"))
        assert result.answered_by == "fallback"
        assert [(hit.paragraph.paragraph_id, hit.why) for hit in result.hits] == [
            ("rest:9:9", "rank 1 by keyword, over the whole course, as a fallback")
        ]

    def test_fallback_takes_no_keywords_where_vectors_find_something(self) -> None:
        result = engine(ListStrategy("dense", {"rest:1:1": 0.7}), self.KEYWORD).search(
            Query("hint", keywords="fallback")
        )
        assert result.answered_by == "original"
        assert [hit.strategy for hit in result.hits] == ["dense"]

    def test_weak_keywords_do_not_hide_better_vectors(self) -> None:
        result = engine(self.DENSE, self.KEYWORD).search(
            Query("hint", keywords="fallback")
        )
        assert result.answered_by == "lowered"
        assert [hit.strategy for hit in result.hits] == ["dense"]

    @pytest.mark.parametrize("fusion", ["linear", "rrf"])
    def test_fused_asks_both(self, fusion: str) -> None:
        result = engine(self.DENSE, self.KEYWORD, fusion=fusion).search(
            Query("hint", keywords="fused")
        )
        assert {hit.paragraph.paragraph_id for hit in result.hits} == {
            "rest:1:1",
            "rest:9:9",
        }
        assert {hit.strategy for hit in result.hits} == {
            "fused" if fusion == "linear" else "rrf"
        }

    @pytest.mark.parametrize("mode", ["rule", "off", None])
    def test_the_other_modes_ask_no_keywords(self, mode: Any) -> None:
        result = engine(self.DENSE, self.KEYWORD).search(Query("hint", keywords=mode))
        assert {hit.strategy for hit in result.hits} == {"dense"}

    def test_the_rule_is_for_games_and_a_search_falls_back_to_keywords(self) -> None:
        keyword = ListStrategy("keyword", {"rest:9:9": 0.9})
        searches = engine(self.DENSE, keyword, keywords="rule")
        modes = [
            search(query).answered_by
            for search in (searches.search, searches.candidates)
            for query in (Query("hint"), Query("hint", keywords="rule"))
        ]
        assert modes == ["fallback", "lowered", "lowered", "lowered"]

    def test_vectors_that_answer_keep_all_their_hits(self) -> None:
        paragraphs = [
            paragraph(f"rest:{page}:1", f"rivers and seas {page}")
            for page in range(1, 7)
        ]
        paragraphs.append(paragraph("rest:7:1", "Zustand"))
        dense = ListStrategy("dense", {"rest:1:1": 0.9, "rest:2:1": 0.8})
        dense._paragraphs = paragraphs
        strategies = {"dense": dense, "keyword": Keyword(paragraphs)}
        references = References(DOCUMENTS, 0.9, 0.6)
        index = SearchIndex(strategies, references, paragraphs)
        settings = search_settings(cascade=True, keywords="fallback", global_k=20)
        result = SearchOrchestrator(index, settings).search(Query("rivers of Zustand"))
        assert [hit.strategy for hit in result.hits] == ["dense", "dense"]


class TestCache:
    def test_the_second_time_comes_from_the_cache(self) -> None:
        strategy = ListStrategy("dense", {"rest:1:1": 0.8})
        searches = engine(strategy, cache=ResultCache(10))
        first, second = (
            searches.search(Query("hint")),
            searches.search(Query("  hint ")),
        )
        assert (first.cached, second.cached) == (False, True)
        assert second.hits == first.hits
        assert second.embed_ms == 0.0
        assert len(strategy.asked) == 1

    @pytest.mark.parametrize(
        "other",
        [
            Query("Hint of  Ｗａｖｅｓ", "Sure"),
            Query("hint of waves", "sure", k=4),
            Query("hint of waves", "ｓｕｒｅ", keywords="fallback"),
        ],
    )
    def test_what_is_the_same_but_for_case_forms_of_letters_and_defaults_is_one_search(
        self, other: Query
    ) -> None:
        strategy = ListStrategy("dense", {"rest:1:1": 0.8, "sure:1:1": 0.75})
        searches = engine(strategy, cache=ResultCache(10), keywords="rule")
        first = searches.search(Query("hint of waves", "sure"))
        again = searches.search(other)
        assert (again.cached, again.hits) == (True, first.hits)
        assert (again.query.hint, again.query.book_name) == (
            other.hint,
            other.book_name,
        )

    def test_case_is_the_point_of_a_keyword_in_capitals(self) -> None:
        searches = engine(
            ListStrategy("dense", {"rest:1:1": 0.8}), cache=ResultCache(10)
        )
        hints = ("near the sea", "Near the sea", "NEAR the sea")
        cached = [
            searches.search(Query(hint, keywords="fallback")).cached for hint in hints
        ]
        assert cached == [False, True, False]

    def test_case_is_the_point_where_a_strategy_tells_it(self) -> None:
        strategy = ListStrategy("dense", {"rest:1:1": 0.8})
        searches = engine(strategy, cache=ResultCache(10), is_uncased=False)
        searches.search(Query("what is US"))
        assert not searches.search(Query("what is us")).cached

    def test_case_is_the_point_of_a_number_and_of_two_stems(self) -> None:
        searches = engine(
            ListStrategy("dense", {"rest:1:1": 0.8}), cache=ResultCache(10)
        )
        searches.search(Query("hint", "analysis v"))
        assert not searches.search(Query("hint", "Analysis V")).cached
        searches.search(Query("chapter i"))
        assert not searches.search(Query("chapter I")).cached

    def test_repeats_are_hits_nine_times_in_ten_and_more(self) -> None:
        searches = engine(
            ListStrategy("dense", {"rest:1:1": 0.8}), cache=ResultCache(100)
        )
        for _ in range(20):
            for number in range(5):
                searches.search(Query(f"hint {number}"))
        stats = searches.stats()["cache"]
        assert (stats["hits"], stats["misses"]) == (95, 5)
        assert stats["hit_rate"] > 0.9

    def test_the_process_counts_the_searches_of_all_orchestrators(self) -> None:
        before = OF_PROCESS.as_dict()["searches"]
        for _ in range(2):
            engine(ListStrategy("dense", {"rest:1:1": 0.8})).search(Query("hint"))
        assert OF_PROCESS.as_dict()["searches"] == before + 2

    def test_failures_are_not_kept(self) -> None:
        searches = engine(
            FailingStrategy("bad", OSError("down")),
            ListStrategy("dense", {"rest:1:1": 0.8}),
            names=("bad", "dense"),
            cache=ResultCache(10),
        )
        assert [searches.search(Query("hint")).cached for _ in range(2)] == [
            False,
            False,
        ]
        assert searches.stats()["failures"] == {"bad": 2}

    @pytest.mark.parametrize(
        "other",
        [Query("hint", "sure"), Query("hint", k=2), Query("hint", keywords="off")],
    )
    def test_another_query_is_another_result(self, other: Query) -> None:
        searches = engine(
            ListStrategy("dense", {"rest:1:1": 0.8, "sure:1:1": 0.75}),
            cache=ResultCache(10),
            keywords="rule",
        )
        searches.search(Query("hint"))
        assert searches.search(other).cached is False


def test_every_search_is_a_line_of_the_log_with_its_fields(
    caplog: pytest.LogCaptureFixture,
) -> None:
    searches = engine(ListStrategy("dense", {"rest:1:1": 0.8}), cache=ResultCache(10))
    with caplog.at_level("DEBUG", "player.search.orchestrator"):
        for _ in range(2):
            searches.search(Query("hint"))
    first, second = (vars(record)["search"] for record in caplog.records)
    assert (
        first["answered_by"],
        first["hits"],
        first["cached"],
        first["failures"],
    ) == (
        "original",
        1,
        False,
        [],
    )
    assert second["cached"] is True


def test_a_prompt_gets_the_most_relevant_paragraphs_and_none_below_the_threshold() -> (
    None
):
    searches = engine(
        ListStrategy("dense", {"rest:1:1": 0.9, "sure:1:1": 0.8, "sure:1:2": 0.3}),
        keywords="off",
    )
    found = searches.paragraphs_for_prompt("hint", 2)
    assert [paragraph.paragraph_id for paragraph in found] == ["rest:1:1", "sure:1:1"]
    assert (
        engine(ListStrategy("dense", {"rest:1:1": 0.1})).paragraphs_for_prompt(
            "hint", 2
        )
        == ()
    )


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
    embedder = WordsEmbedder()
    paragraphs = course()
    dense = Dense(
        paragraphs,
        embedder.embed_passages([item.text for item in paragraphs]),
        embedder,
    )
    references = References([document("first"), document("second")], 0.9, 0.6)
    settings = search_settings(**({"book_match": "resolved"} | changes))
    searches = SearchOrchestrator(
        SearchIndex({"dense": dense}, references, paragraphs), settings
    )
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
        assert (everything.hits, everything.book, everything.relevant) == (
            plain.hits,
            plain.book,
            plain.relevant,
        )
        assert plain.ranking is None


def test_an_event_loop_goes_on_meanwhile() -> None:
    import asyncio

    searches = engine(ListStrategy("dense", {"rest:1:1": 0.8}))

    async def both() -> list[bool]:
        found = await asyncio.gather(
            *(searches.search_async(Query(f"hint {number}")) for number in range(4))
        )
        return [result.relevant for result in found]

    assert asyncio.run(both()) == [True] * 4


def test_thirty_two_threads_at_once_find_what_one_finds() -> None:
    from concurrent.futures import ThreadPoolExecutor

    strategy = ListStrategy(
        "dense", {"rest:1:1": 0.8, "sure:1:1": 0.75, "sure:1:2": 0.5}
    )
    searches = engine(strategy, cache=ResultCache(8))
    queries = [
        Query(f"hint {number % 20}", ("", "sure")[number % 2]) for number in range(320)
    ]
    alone = [searches.search(query).hits for query in queries]
    with ThreadPoolExecutor(32) as pool:
        together = [result.hits for result in pool.map(searches.search, queries)]
    assert together == alone
    assert searches.stats()["searches"] == 640
