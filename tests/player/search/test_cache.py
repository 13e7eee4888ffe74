"""The result cache: its bound, its time to live, and what a result depends on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from player.search.cache import ResultCache, key_of, shared_cache
from player.search.types import Query, SearchResult
from tests.player.fakes import search_settings

SETTINGS = search_settings()
RESULT = SearchResult(Query("hint"), ())


def test_what_was_put_is_got() -> None:
    cache = ResultCache(2, 60.0)
    assert cache.get("key") is None
    cache.put("key", RESULT)
    assert cache.get("key") is RESULT


def test_no_more_than_its_size_is_kept() -> None:
    cache = ResultCache(2, 60.0)
    for key in "abc":
        cache.put(key, RESULT)
    assert [cache.get(key) is RESULT for key in "abc"] == [False, True, True]


def test_a_size_of_0_keeps_nothing() -> None:
    cache = ResultCache(0, 60.0)
    cache.put("key", RESULT)
    assert cache.get("key") is None


def test_results_live_no_longer_than_their_time() -> None:
    clock = [0.0]
    cache = ResultCache(2, 60.0, timer=lambda: clock[0])
    cache.put("key", RESULT)
    clock[0] = 59.0
    assert cache.get("key") is RESULT
    clock[0] = 61.0
    assert cache.get("key") is None


def test_whitespace_makes_no_other_key() -> None:
    assert key_of(Query(" a  hint\n", "the  book"), SETTINGS, "f") == key_of(Query("a hint", "the book"), SETTINGS, "f")


@pytest.mark.parametrize(
    "query",
    [
        Query("another"),
        Query("hint", "book"),
        Query("hint", k=3),
        Query("hint", keywords="off"),
        Query("hint", within="doc"),
        Query("hint", said="before"),
    ],
)
def test_another_query_has_another_key(query: Query) -> None:
    assert key_of(query, SETTINGS, "f") != key_of(Query("hint"), SETTINGS, "f")


def test_other_settings_and_another_store_have_another_key() -> None:
    key = key_of(Query("hint"), SETTINGS, "f")
    assert key_of(Query("hint"), replace(SETTINGS, threshold=0.5), "f") != key
    assert key_of(Query("hint"), SETTINGS, "after ingesting again") != key


def test_one_cache_is_shared_by_all_with_the_same_settings() -> None:
    assert shared_cache(7, 60.0) is shared_cache(7, 60.0)
    assert shared_cache(7, 60.0) is not shared_cache(8, 60.0)
