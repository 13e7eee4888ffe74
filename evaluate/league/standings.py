"""Who leads: league points, and ratings with their intervals by openskill."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from openskill.models import PlackettLuce

Z = 1.96
"""Standard deviations of a 95% interval."""


@dataclass(frozen=True, slots=True)
class Result:
    """One player's part of a game that is over."""

    player: str
    private_score: float
    league_points: int


@dataclass(frozen=True, slots=True)
class Standing:
    """A line of the table.

    Attributes:
        mean_score: of the private scores, None before the first game.
        rating: on openskill's scale, 25 to begin with.
        interval: of the rating, 95%.
    """

    player: str
    played: int
    points: int
    mean_score: float | None
    rating: float
    interval: tuple[float, float]


def standings(players: Iterable[str], games: Sequence[Sequence[Result]]) -> list[Standing]:
    """The table: most points first, then by mean private score, then by name.

    Args:
        games: that are over, in order; the higher private score wins, equal ones are a draw. A game of one player
            counts for its points and not for its rating.

    Reference:
        Weng and Lin, A Bayesian Approximation Method for Online Ranking, JMLR 2011 (Plackett-Luce).
    """
    model = PlackettLuce()
    ratings = {player: model.rating(name=player) for player in players}
    for game in games:
        if len(game) > 1:
            teams = [[ratings[result.player]] for result in game]
            for team in model.rate(teams, scores=[result.private_score for result in game]):
                ratings[str(team[0].name)] = team[0]
    found = [_standing(player, games, ratings[player].mu, ratings[player].sigma) for player in ratings]
    return sorted(found, key=lambda each: (-each.points, -(each.mean_score or 0.0), each.player))


def _standing(player: str, games: Sequence[Sequence[Result]], mu: float, sigma: float) -> Standing:
    own = [result for game in games for result in game if result.player == player]
    mean = sum(result.private_score for result in own) / len(own) if own else None
    points = sum(result.league_points for result in own)
    return Standing(player, len(own), points, mean, mu, (mu - Z * sigma, mu + Z * sigma))


def pairings(players: Sequence[str]) -> list[list[tuple[str, ...]]]:
    """The rounds of a season in which everybody meets everybody once; of an odd number, one plays alone each round.

    Reference:
        The circle method, Schurig 1886.
    """
    circle: list[str | None] = [*players] + [None] * (len(players) % 2)
    rounds = []
    for _ in range(max(1, len(circle) - 1)):
        half = len(circle) // 2
        met = zip(circle[:half], reversed(circle[half:]), strict=True)
        rounds.append([tuple(player for player in pair if player is not None) for pair in met])
        circle = [circle[0], circle[-1], *circle[1:-1]]
    return rounds
