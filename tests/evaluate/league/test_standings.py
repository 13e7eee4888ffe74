"""The table and the pairings, by hand."""

from __future__ import annotations

import itertools

import pytest

from quarry.evaluate.league.standings import Result, pairings, standings


def test_points_lead_then_the_mean_score_then_the_name() -> None:
    games = [
        [Result("a", 90.0, 3), Result("b", 60.0, 1)],
        [Result("c", 70.0, 2), Result("b", 71.0, 2)],
        [Result("d", 95.0, 3)],
    ]
    table = standings("abcd", games)
    assert [(each.player, each.points, each.played) for each in table] == [
        ("d", 3, 1),
        ("a", 3, 1),
        ("b", 3, 2),
        ("c", 2, 1),
    ]
    assert table[2].mean_score == pytest.approx(65.5)


def test_ratings_begin_at_25_rise_by_winning_and_grow_more_certain() -> None:
    before = standings("ab", [])
    assert [each.rating for each in before] == [25.0, 25.0]
    assert before[0].mean_score is None
    after = {each.player: each for each in standings("ab", [[Result("a", 80.0, 2), Result("b", 20.0, 0)]] * 5)}
    assert after["a"].rating > 25.0 > after["b"].rating
    width = before[0].interval[1] - before[0].interval[0]
    assert width == pytest.approx(2 * 1.96 * 25.0 / 3.0)
    assert after["a"].interval[1] - after["a"].interval[0] < width


def test_a_draw_moves_nobody_and_a_game_alone_rates_nobody() -> None:
    table = standings("ab", [[Result("a", 50.0, 1), Result("b", 50.0, 1)], [Result("a", 90.0, 3)]])
    assert [round(each.rating, 9) for each in table] == [25.0, 25.0]


@pytest.mark.parametrize("n", range(2, 12))
def test_everybody_meets_everybody_once_and_plays_once_a_round(n: int) -> None:
    players = [str(number) for number in range(n)]
    rounds = pairings(players)
    for pairs in rounds:
        assert sorted(itertools.chain(*pairs)) == sorted(players)
    met = [frozenset(pair) for pairs in rounds for pair in pairs if len(pair) == 2]
    assert sorted(map(sorted, met)) == sorted(sorted(pair) for pair in itertools.combinations(players, 2))
