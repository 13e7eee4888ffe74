"""The table of the player against referees: what it wins and scores, and how far its confidence can be believed."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from quarry.configs.settings import Settings, as_dict
from quarry.evaluate.errors import RunError
from quarry.evaluate.replay.judges import HINT_ALONE, Judge
from quarry.evaluate.runs.measures import bootstrap_interval, interval
from quarry.evaluate.runs.provenance import commit
from quarry.evaluate.runs.record import GameRecord, PlayRecord
from quarry.ingest.arrays import Float64Array

SURE = 1e-4
"""How far a confidence is kept from 0 and 1 where its logarithm is taken."""


def make_table(
    records: Sequence[GameRecord], judges: Sequence[Judge], store_fingerprint: str, settings: Settings, seed: int
) -> dict[str, Any]:
    """Return games won, private score, Brier and log score of the confidence for each referee and the hint alone.

    A game that was lost at ingest counts as lost, with score 0; the confidence is judged by the others.

    Args:
        records: of the games; those that are not answerable are left out.
        judges: the referees that the games were played against, in the order of the plays.
        seed: of the intervals.

    Raises:
        RunError: no game is answerable.
    """
    games = [record for record in records if record["answerable"]]
    if not games:
        raise RunError(f"--games must hold at least one answerable game, got none of {len(records)}; add some")
    by_spec: dict[str, list[int]] = {}
    for place, (spec, _) in enumerate(judges):
        by_spec.setdefault(spec, []).append(place)
    won = {spec: won_by_game(games, places) for spec, places in by_spec.items()}
    lines = {spec: line_of(games, places, won[HINT_ALONE], seed) for spec, places in by_spec.items()}
    return {
        "games": len(games),
        "lost_at_ingest": sum(not game["plays"] for game in games),
        "hint_alone": lines.pop(HINT_ALONE),
        "referees": [{"referee": spec, **line} for spec, line in lines.items()],
        "settings": as_dict(settings),
        "store_fingerprint": store_fingerprint,
        "commit": commit(),
        "seed": seed,
        "per_game": [
            {"game_id": game["game_id"], "won": {spec: round(float(shares[row]), 6) for spec, shares in won.items()}}
            for row, game in enumerate(games)
        ],
    }


def won_by_game(games: Sequence[GameRecord], places: Sequence[int]) -> Float64Array:
    """(n_games,) share of a game's plays by these judges that were won."""
    return _by_game(games, places, lambda play: float(play["won"]))


def line_of(games: Sequence[GameRecord], places: Sequence[int], hint: Float64Array, seed: int) -> dict[str, Any]:
    """One referee's figures, each with its 95% interval over games.

    Args:
        places: of its judges.
        hint: (n_games,) what is won by the hint alone.
    """
    played = [game for game in games if game["plays"]]
    won = won_by_game(games, places)
    return {
        "plays": len(places),
        **_figure("won", won, seed),
        **_figure("won_more_than_hint", won - hint, seed, bootstrap_interval),
        **_figure("private_score", _by_game(games, places, lambda play: play["private_score"]), seed),
        **_figure("sentence_exact", _by_game(games, places, lambda play: float(play["sentence_exact"])), seed),
        **_figure("brier", _by_game(played, places, brier), seed),
        **_figure("log_score", _by_game(played, places, log_score), seed),
        "confidence": round(float(_by_game(played, places, _confidence).mean()), 6),
    }


def brier(play: PlayRecord) -> float:
    """The squared distance of the confidence from what came, 0..1; the smaller, the better.

    Reference:
        Brier, Verification of Forecasts Expressed in Terms of Probability, 1950.
    """
    return (_confidence(play) - play["won"]) ** 2


def log_score(play: PlayRecord) -> float:
    """Minus the natural logarithm of the probability that was given to what came; the smaller, the better.

    Reference:
        Good, Rational Decisions, 1952.
    """
    sure = min(1.0 - SURE, max(SURE, _confidence(play)))
    return -math.log(sure if play["won"] else 1.0 - sure)


def _confidence(play: PlayRecord) -> float:
    return float(play["guess"]["confidence"])


def _by_game(games: Sequence[GameRecord], places: Sequence[int], value: Callable[[PlayRecord], float]) -> Float64Array:
    """(n_games,) mean of a value over a game's plays by these judges; 0 where it was not played."""
    return np.array(
        [np.mean([value(game["plays"][place]) for place in places]) if game["plays"] else 0.0 for game in games]
    )


def _figure(
    name: str,
    values: Float64Array,
    seed: int,
    interval_of: Callable[[Float64Array, int], tuple[float, float]] = interval,
) -> dict[str, Any]:
    """A mean over games, and its interval; both None where no game has a value."""
    if not len(values):
        return {name: None, f"{name}_interval": None}
    ends = [round(end, 6) for end in interval_of(values, seed)]
    return {name: round(float(values.mean()), 6), f"{name}_interval": ends}
