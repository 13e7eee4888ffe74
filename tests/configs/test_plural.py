from __future__ import annotations

from quarry.configs.plural import counted


def test_one_is_singular_and_all_else_plural() -> None:
    assert [counted(n, "game") for n in (0, 1, 2, 1200)] == ["0 games", "1 game", "2 games", "1,200 games"]
    assert counted(2, "query", "queries") == "2 queries"
