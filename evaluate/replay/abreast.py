"""Several players abreast: each game is played by all of them before the next, until enough has been seen."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from quarry.configs.settings import Settings
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.locating import locate_games, require_of_store, require_playable
from quarry.evaluate.referee import prepare
from quarry.evaluate.replay.replay import plays_of
from quarry.evaluate.replay.replayer import Job, Replayer, build_replayer, players, workers_for
from quarry.evaluate.runs.record import GameRecord
from quarry.evaluate.runs.run import Run, make_run
from quarry.ingest.store import Course

Records = tuple[GameRecord, ...]
"""Of one game, a record for each contestant."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """Who plays."""

    name: str
    store: Course
    settings: Settings


class Abreast:
    """Plays a game with each player in turn.

    Args:
        replayers: one for each contestant.
    """

    def __init__(self, replayers: Sequence[Replayer]) -> None:
        self._replayers = replayers

    def record(self, jobs: Sequence[Job]) -> Records:
        """The game as each of them played it.

        Args:
            jobs: one for each contestant: their stores may know its paragraph by different ids.
        """
        return tuple(replayer.record(job) for replayer, job in zip(self._replayers, jobs, strict=True))


def replay_until(
    games: Sequence[LabelledGame],
    contestants: Sequence[Contestant],
    enough: Callable[[Sequence[Records]], bool],
    *,
    collection: str,
    referee: str,
    seed: int,
    repeats: int,
    workers: int,
) -> list[Run]:
    """A run of each contestant over as many of the games as it takes; the same on any number of processes.

    Args:
        games: in the order in which they are played.
        enough: is asked after each game, in that order, with all that was played so far.
        workers: processes; 0 takes as many as pay.
    """
    if referee != "none":
        require_playable(games)
    located = [locate_games(games, one.store.paragraphs) for one in contestants]
    for one, found in zip(contestants, located, strict=True):
        require_of_store(found, one.store.location, "--games")
    jobs = [tuple(Job(number, game, found.get(game.game_id)) for found in located) for number, game in enumerate(games)]
    plays = plays_of(referee, repeats)
    n_workers = workers_for(workers, len(games) * len(contestants), played=referee != "none")
    played_with = [(one.store.location, one.settings) for one in contestants]
    make = functools.partial(_build, played_with, collection, referee, seed, plays)

    def warm() -> None:
        for one in contestants:
            prepare([referee], one.store, one.settings.embed)

    play_all = players(make, n_workers, warm)
    numbers = {game.game_id: number for number, game in enumerate(games)}
    done: list[Records] = []
    waiting: dict[int, Records] = {}
    bar = tqdm(total=len(games), desc="replaying until decided", unit="game")
    with bar, threadpool_limits(1, "blas"), contextlib.closing(play_all(jobs)) as played:
        for records in played:
            waiting[numbers[records[0]["game_id"]]] = records
            while len(done) in waiting:
                done.append(waiting.pop(len(done)))
                bar.update()
                if enough(done):
                    return _runs(contestants, done, referee, seed, plays)
    return _runs(contestants, done, referee, seed, plays)


def _runs(contestants: Sequence[Contestant], done: Sequence[Records], referee: str, seed: int, plays: int) -> list[Run]:
    return [
        make_run(records, one.store.fingerprint, one.settings, referee, seed, plays, one.name)
        for one, records in zip(contestants, zip(*done, strict=True), strict=True)
    ]


def _build(
    played_with: Sequence[tuple[str, Settings]], collection: str, referee: str, seed: int, plays: int, *, alone: bool
) -> Abreast:
    """What plays in one process.

    Args:
        played_with: store and settings of each contestant.
        alone: no other process plays beside it.
    """
    return Abreast(
        [
            build_replayer(location, collection, settings, referee, seed, plays, alone=alone)
            for location, settings in played_with
        ]
    )
