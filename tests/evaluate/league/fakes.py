"""A small league: twelve paragraphs, no model."""

from __future__ import annotations

from pathlib import Path

from quarry.evaluate.league.league import League
from quarry.evaluate.league.record import Record
from quarry.evaluate.league.rounds import RoundSetter, rank_by
from quarry.evaluate.referee import make_referee
from tests.evaluate.fakes import half_alike
from tests.player.fakes import course, dense_player


def make_setter(seed: int = 0) -> RoundSetter:
    """Rounds over `course()`; no paragraph has a labelled hint."""
    return RoundSetter(course(), [], rank_by(dense_player(course(), questions_pool=60)), seed)


def make_league(n_players: int, path: Path | None = None, phase_s: float | None = None) -> League:
    """A league over `course()`."""
    oracle = make_referee("oracle")
    assert oracle is not None
    return League(make_setter(), oracle, half_alike, n_players, Record(path), phase_s=phase_s)
