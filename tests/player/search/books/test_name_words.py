"""Words of names: which are generic, and which are alike."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from player.search.books.name_words import is_generic, likeness, words_like


def test_words_that_any_name_may_have_are_generic() -> None:
    words = "lecture chapter the slides final vorlesung הרצאה בשיעור"
    assert all(map(is_generic, words.split()))


def test_likeness_of_words() -> None:
    for token, other, alike in (
        ("graph", "graph", 1.0),
        ("prob", "probability", 0.85),
        ("pr", "probability", 0.0),
        ("graphs", "graph", 0.7),
        ("evidense", "evidence", 1 - 1 / 8 - 0.1),
        ("tree", "search", 0.0),
        ("cat", "car", 0.0),
    ):
        assert likeness(token, other) == pytest.approx(alike), token


@settings(suppress_health_check=[HealthCheck.too_slow])  # on a busy machine
@given(
    st.sets(st.text("abc", min_size=1, max_size=6), max_size=12),
    st.text("abc", min_size=1, max_size=7),
)
def test_words_that_are_alike_are_those_of_a_whole_scan(
    words: set[str], token: str
) -> None:
    scanned = {}
    for word in words:
        is_part = word.startswith(token) or token.startswith(word)
        alike = likeness(token, word)
        if alike and (len(token) >= 4 or is_part):
            scanned[word] = alike
    assert words_like(token, sorted(words)) == scanned
