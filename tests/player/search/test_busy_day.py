"""The cache over a busy day: a log of searches with a stated mix, replayed against a clock."""

from __future__ import annotations

import numpy as np

from quarry.configs.settings import load
from quarry.player.search.cache import ResultCache
from quarry.player.search.types import Query, SearchResult

N_SEARCHES = 20_000
"""Of a day: a course of a few hundred students."""
N_DISTINCT = 1_000
EXPONENT = 1.1
"""Of Zipf's law: the commonest search is asked about 2.1 times as often as the second."""
DAY_S = 86_400.0


def busy_day(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Seconds since midnight, ascending, most of them in the working hours, and which search is asked."""
    generator = np.random.default_rng(seed)
    hours = np.where(
        generator.random(N_SEARCHES) < 0.9, generator.uniform(8, 20, N_SEARCHES), generator.uniform(0, 24, N_SEARCHES)
    )
    shares = 1.0 / np.arange(1, N_DISTINCT + 1) ** EXPONENT
    return np.sort(hours) * 3_600.0, generator.choice(N_DISTINCT, N_SEARCHES, p=shares / shares.sum())


def test_nine_of_ten_searches_of_a_busy_day_come_from_the_cache() -> None:
    search = load().search
    cache = ResultCache(search.cache_size)
    times, asked = busy_day(0)
    hits = 0
    for number in asked.tolist():
        hits += cache.get(number, lambda: SearchResult(Query("hint"), ())).cached
    assert times[-1] < DAY_S
    assert hits / N_SEARCHES > 0.9
