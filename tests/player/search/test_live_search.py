"""One search: book, original, fallback, lowered threshold, nothing; and what every step is called."""

import time
from collections.abc import Sequence
from threading import Event
from typing import Any

import pytest

from configs.settings import KeywordMode
from player.deadlines import due_at
from player.search.books.resolver import BookResolver
from player.search.cache import ResultCache
from player.search.engine import SearchOrchestrator
from player.search.results import (
    NOTHING_FOUND,
    NOTHING_IN_BOOK,
    Query,
    ScoreArrays,
)
from quarry.course.paragraph import Document
from tests.fakes import each
from tests.player.fakes import (
    ListStrategy,
    document,
    ids_of,
    index_of,
    search_settings,
)

HINT = Query("hint")


def engine(
    *strategies: ListStrategy,
    documents: Sequence[Document] = (document("sure"), document("rest")),
    unfound: Sequence[str] = (),
    cache: ResultCache | None = None,
    **changes: Any,
) -> SearchOrchestrator:
    """With the cascade on, thresholds 0.7 and 0.35, and no weight for the book but its filter."""
    values: dict[str, Any] = {
        "cascade": True,
        "book_match": "resolved",
        "spill_over": "always",
        "pdf_k": 2,
        "global_k": 2,
    }
    index = index_of(strategies, documents, *unfound)
    settings = search_settings(**(values | changes))
    return SearchOrchestrator(index, settings, cache=cache)


def dense(**relevance: float) -> ListStrategy:
    """Find the first paragraphs of documents, by the names of the documents."""
    found = {f"{doc_id}:1:1": value for doc_id, value in relevance.items()}
    return ListStrategy("dense", found)


def test_a_named_book_keeps_its_slots_in_every_step_whatever_is_found_in_it() -> None:
    weak = {
        "rest:1:1": 0.3,
        "rest:1:2": 0.2,
        "rest:1:3": 0.2,
        "sure:1:1": 0.02,
        "sure:1:2": 0.01,
    }
    strong = {
        "rest:1:3": 0.9,
        "rest:1:2": 0.8,
        "rest:1:1": 0.75,
        "sure:1:1": 0.02,
    }
    searches = engine(
        ListStrategy("dense", weak),
        ListStrategy("keyword", strong),
        spill_over="never",
    )
    both = ["book", "book", "global", "global"]

    cases: tuple[tuple[KeywordMode, str, list[str]], ...] = (
        ("rule", "", ["dense"] * 4),
        ("fallback", "fallback", ["keyword", "dense", "keyword", "keyword"]),
    )
    for mode, step, strategies in cases:
        result = searches.search(Query("hint", "sure", keywords=mode))
        assert each(result.hits, "slot") == both
        assert each(result.hits, "strategy") == strategies
        assert result.hits[1].why == "rank 2 by dense, in the resolved book"
        assert result.answered_by == step


def test_a_book_that_filters_is_shown_first_and_it_is_said_if_it_holds_nothing_relevant() -> (
    None
):
    in_book = {f"sure:1:{n}": 0.1 for n in range(5)}
    nowhere = {**in_book, "rest:1:1": 0.3}
    elsewhere = {**in_book, "rest:1:1": 0.9}
    in_both = {**elsewhere, "sure:1:4": 0.8}
    nearest = ["sure:1:0", "sure:1:1", "sure:1:2"]
    in_course = NOTHING_IN_BOOK.format("sure")

    for found, name, shown, message in (
        (nowhere, "sure", nearest, NOTHING_FOUND),
        (elsewhere, "sure", [*nearest, "rest:1:1"], in_course),
        (in_both, "sure", ["sure:1:4", "rest:1:1"], ""),
        (elsewhere, "", ["rest:1:1"], ""),
    ):
        searches = engine(ListStrategy("dense", found), pdf_k=4, keywords="off")
        result = searches.search(Query("hint", name, keywords="off"))
        assert ids_of(result.shown) == shown
        assert result.message == message


class Failing(ListStrategy):
    """Fails whenever it is asked."""

    def score(self, query: Query, doc_id: str = "") -> ScoreArrays:
        super().score(query, doc_id)
        raise OSError("down")


def test_a_failing_strategy_is_asked_once_and_its_result_is_not_kept() -> None:
    weak = ListStrategy("keyword", {"rest:1:1": 0.1, "sure:1:1": 0.1})
    failing = Failing("dense", {})
    searches = engine(
        failing,
        weak,
        cache=ResultCache(10),
        strategies=("dense", "keyword"),
        keywords="fallback",
    )

    for n in (1, 2):
        result = searches.search(Query("hint", "sure"))
        # no step asks again
        assert len(failing.asked) == len(weak.asked) == n
        assert each(result.failures, "strategy") == ["dense"]
        assert not result.cached


def keyword(relevance: float) -> ListStrategy:
    return ListStrategy("keyword", {"rest:9:9": relevance})


@pytest.mark.parametrize(
    ("first", "second", "step", "strategy"),
    [
        (0.7, 0.9, "original", "dense"),
        (0.69, 0.7, "fallback", "keyword"),
        # none reaches .7; the first that reaches .35 answers, else the first
        (0.35, 0.5, "lowered", "dense"),
        (0.34, 0.35, "lowered", "keyword"),
        (0.34, 0.34, "", "dense"),
    ],
)
def test_a_step_answers_from_its_threshold_and_keywords_if_the_rest_is_weak(
    first: float, second: float, step: str, strategy: str
) -> None:
    fallback = keyword(second)
    searches = engine(dense(rest=first), fallback)
    result = searches.search(Query("hint", keywords="fallback"))
    assert result.answered_by == step
    assert result.relevant == (step in ("original", "fallback"))
    assert len(result.relevant_hits) == result.relevant
    assert len(fallback.asked) == (first < 0.7)

    (hit,) = result.hits
    assert hit.strategy == strategy
    assert hit.why.endswith("as a fallback") == (strategy == "keyword")


def test_only_a_cascade_falls_back_and_the_rule_is_for_games() -> None:
    fallback = keyword(0.9)
    searches = engine(dense(rest=0.6), fallback, keywords="rule")
    ruled = Query("hint", keywords="rule")

    for result in (
        searches.search(ruled),
        searches.search(Query("hint", keywords="off")),
        searches.rank_course(ruled),
        searches.rank_course(HINT),
    ):
        assert result.answered_by == "lowered"
    one_step = engine(dense(rest=0.6), fallback, cascade=False)
    one_step.search(Query("hint", keywords="fallback"))
    assert not fallback.asked
    assert searches.search(HINT).answered_by == "fallback"


def test_only_the_fallback_has_more_time_than_other_strategies(
    never: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    late = keyword(0.9)
    monkeypatch.setattr(late, "score", lambda *_: never.wait(3.0))
    searches = engine(dense(rest=0.8), late, keywords="fused", deadline_s=0.3)
    result = searches.search(HINT)
    assert each(result.failures, "strategy") == ["keyword"]
    assert result.search_ms < 2000.0


@pytest.mark.parametrize("is_late", [True, False])
def test_strategies_answer_without_a_book_name_that_is_late_or_fails(
    never: Event, monkeypatch: pytest.MonkeyPatch, *, is_late: bool
) -> None:
    def resolve(*_: object) -> None:
        never.wait(5.0 if is_late else 0.0)
        raise OSError("no model")

    monkeypatch.setattr(BookResolver, "resolve", resolve)
    found = dense(rest=0.8, sure=0.75)
    result = engine(found, deadline_s=1.0).search(Query("hint", "sure"))
    assert each(result.failures, "strategy") == ["book name"]
    assert result.book is None
    assert ids_of(result.hits) == ["rest:1:1", "sure:1:1"]
    assert result.search_ms < 3000.0


def test_keywords_answer_for_a_late_strategy_in_half_of_the_time_of_a_reply(
    never: Event,
) -> None:
    late = dense(rest=0.8)
    late.prepare = lambda _: never.wait(20.0)  # type: ignore[assignment, method-assign]
    searches = engine(late, keyword(0.9), keywords="rule", deadline_s=20.0)
    result = due_at(time.monotonic() + 4.0, lambda: searches.rank_course(HINT))
    says = "search step dense failed: no answer by its deadline"
    assert list(map(str, result.failures)) == [says]
    assert ids_of(result.hits) == ["rest:9:9"]
    assert result.answered_by == "fallback"
    assert result.search_ms < 3900.0
