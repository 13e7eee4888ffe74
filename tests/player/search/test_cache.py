"""The caches: their bounds, and equal work that is done once."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from player.search.cache import CachingEmbedder, ResultCache
from player.search.results import Query, SearchResult
from tests.fakes import each
from tests.player.fakes import WordsEmbedder


def test_results_are_marked_and_no_more_than_its_size_is_kept() -> None:
    cache, keys = ResultCache(2), []
    nothing = SearchResult(Query("hint"), ())
    for key in "aabcba":
        result = cache.get(key, lambda: nothing)
        if not result.cached:
            keys.append(key)
    assert keys == ["a", "b", "c", "a"]


def at_once(work: Callable[[], Any]) -> list[Any]:
    """Do work in eight threads that start together."""
    ready = threading.Barrier(8)

    def waiting(_: int) -> object:
        ready.wait(10.0)
        return work()

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(waiting, range(8)))


def test_equal_searches_at_once_are_made_once() -> None:
    made = []

    def slow() -> SearchResult:
        made.append("a result")
        threading.Event().wait(0.2)
        return SearchResult(Query("hint"), ())

    cache = ResultCache(2)
    results = at_once(lambda: cache.get("key", slow))
    assert each(results, "hits") == [()] * 8
    assert len(made) == 1


def test_a_hint_is_embedded_once_even_if_several_ask_at_once() -> None:
    embedder = WordsEmbedder()
    caching = CachingEmbedder(embedder)
    for hint in at_once(lambda: caching.embed("a word")):
        np.testing.assert_array_equal(
            hint.vector, embedder.embed_passages(["a word"])[0]
        )
    assert embedder.n_queries == 1


def test_states_of_tokens_are_computed_only_if_they_are_needed() -> None:
    for with_tokens in (True, False):
        caching = CachingEmbedder(WordsEmbedder(), with_tokens=with_tokens)
        assert (caching.embed("a word").tokens is not None) == with_tokens
