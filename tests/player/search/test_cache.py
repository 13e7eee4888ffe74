"""The caches: their bounds, the time to live, what a result depends on, and equal work that is done once."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np

from player.errors import SearchError
from player.search.cache import CachingEmbedder, ResultCache, shared_cache
from player.search.types import Query, SearchResult
from tests.player.fakes import WordsEmbedder

RESULT = SearchResult(Query("hint"), ())


class Makes:
    """Makes a result, and counts how often."""

    def __init__(self, result: SearchResult = RESULT) -> None:
        self.n = 0
        self._result = result

    def __call__(self) -> SearchResult:
        self.n += 1
        return self._result


def test_results_are_marked_and_no_more_than_its_size_is_kept() -> None:
    cache, makes = ResultCache(2), Makes()
    cached = [cache.get(key, makes).cached for key in "aabcba"]
    assert cached == [False, True, False, False, True, False]
    assert makes.n == 4


def test_a_result_with_failures_is_not_kept() -> None:
    cache = ResultCache(2)
    failed = Makes(
        SearchResult(Query("hint"), (), failures=(SearchError("dense", "down"),))
    )
    assert [cache.get("key", failed).failures for _ in range(2)] == [
        failed().failures
    ] * 2
    assert failed.n == 3


def at_once(work: Callable[[], object], n: int) -> list[object]:
    ready = threading.Barrier(n)

    def waiting() -> object:
        ready.wait(10.0)
        return work()

    with ThreadPoolExecutor(n) as pool:
        return [future.result() for future in [pool.submit(waiting) for _ in range(n)]]


def test_equal_searches_at_once_are_made_once() -> None:
    made: list[None] = []
    gate = threading.Event()

    def slow() -> SearchResult:
        made.append(None)
        gate.wait(0.2)
        return RESULT

    cache = ResultCache(2)
    assert at_once(lambda: cache.get("key", slow).hits, 8) == [()] * 8
    assert len(made) == 1


def test_one_cache_is_shared_by_all_with_the_same_settings() -> None:
    assert shared_cache(7) is shared_cache(7)
    assert shared_cache(7) is not shared_cache(8)


class TestCachingEmbedder:
    def test_no_text_is_embedded_twice(self) -> None:
        embedder, texts = WordsEmbedder(), ["a word", "another", "a word"]
        vectors = CachingEmbedder(embedder).embed_queries(texts)
        assert embedder.n_queries == 2
        np.testing.assert_array_equal(vectors, embedder.embed_queries(texts))

    def test_one_text_asked_for_at_once_is_embedded_once(self) -> None:
        embedder = WordsEmbedder()
        remembering = CachingEmbedder(embedder)
        at_once(lambda: remembering.embed_queries(["hint"]), 8)
        assert embedder.n_queries == 1
