from __future__ import annotations

from quarry.configs.suggest import meant


def test_the_nearest_name_is_offered_whatever_its_case() -> None:
    assert meant("Minlm", ("minilm", "mpnet", "e5")) == "; did you mean minilm?"


def test_where_none_is_near_none_is_offered() -> None:
    assert meant("bert", ("minilm", "mpnet", "e5")) == ""
