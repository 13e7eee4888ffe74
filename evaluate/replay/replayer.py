"""Replayer: plays one labelled game after another; here or in worker processes."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import signal
from collections.abc import Callable, Generator, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

from quarry.configs.settings import Settings, SettingsError
from quarry.evaluate.errors import EvaluateError, ReplayError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.practice.server import LocalGameServer, PracticeServer, Repertoire
from quarry.evaluate.referee import Referee, make_referee, tools_of
from quarry.evaluate.referee.scoring import Similarity, word_similarity
from quarry.evaluate.replay.ranking import ranked
from quarry.evaluate.runs.record import GameRecord, record_game
from quarry.ingest.errors import IngestError
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.store import open_store
from quarry.player.errors import PlayerError
from quarry.player.game.game import GameReport
from quarry.player.game.play import play
from quarry.player.player import Contestant, Plan, Player, build_player
from quarry.player.protocol.payloads import RoundStart
from quarry.player.questions.question import Question
from quarry.player.search.types import Query, SearchResult

J = TypeVar("J")
J_contra = TypeVar("J_contra", contravariant=True)
T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

GAMES_A_WORKER = 40
"""Played games from which another process pays: it takes about 4 s to start, and a game a fifth of a second."""

TIMEOUT_S = 3600.0
"""For a replayed game; nobody waits for it."""


@dataclass(frozen=True, slots=True)
class Job:
    """One game to replay.

    Attributes:
        number: of the game among those replayed, from 0.
        paragraph: the labelled one as ingested; None where it was not, or where there is none.
    """

    number: int
    game: LabelledGame
    paragraph: Paragraph | None


class Recorder(Protocol[J_contra, T_co]):
    """What plays one game after another."""

    def record(self, job: J_contra) -> T_co:
        """What is kept of the game."""


class Replayer:
    """Replays games with one player.

    Args:
        player: plays them.
        judges: the referee of each repeat; none measures the search alone.
        similarity: of two words, for the score.
        seed: of the practice server.
        depth: paragraphs whose ranks and log-odds are kept beyond the hits; 0 keeps none.
    """

    def __init__(
        self, player: Player, judges: Sequence[Referee], similarity: Similarity | None, seed: int, depth: int = 0
    ) -> None:
        self._depth = depth
        self._player = player
        self._judges = judges
        self._similarity = similarity
        self._seed = seed

    def record(self, job: Job) -> GameRecord:
        """The game, searched for once and played in every repeat."""
        reports = []
        if self._similarity is not None:
            reports = play_game(job, self._player, self._judges, self._similarity, self._seed)
        result = searched_for(job.game, self._player, reports)
        ranking = ranked(job.game, self._player, result, self._depth) if self._depth else None
        return record_game(job.game, job.paragraph, result, reports, ranking, self._depth)


def searched_for(game: LabelledGame, player: Player, reports: Sequence[GameReport]) -> SearchResult:
    """What the search of the game that was played found; of a game that was not played, what a search finds."""
    if reports:
        return reports[0].plan.result.shown
    return player.orchestrator.search(Query(game.hint, game.book_name))


def play_game(
    job: Job, player: Contestant, referees: Sequence[Referee], similarity: Similarity, seed: int
) -> list[GameReport]:
    """The game against each referee, planned once for all of them; no plays where the paragraph was not ingested.

    Args:
        similarity: of two words, for the score.
        seed: of the practice server.
    """
    if job.paragraph is None:
        return []
    reports = []
    planned = _PlansOnce(player)
    for referee in referees:
        repertoire = Repertoire([(job.game, job.paragraph)], referee, similarity)
        server = LocalGameServer(PracticeServer(repertoire, seed=seed + job.number), "replay")
        reports.append(play(server, planned, name="replay", timeout_s=TIMEOUT_S, timeouts=None))
    return reports


class _PlansOnce:
    """A contestant that remembers its last plan: the repeats of a game differ in the answers alone.

    Args:
        player: makes the plans and the guesses.
    """

    def __init__(self, player: Contestant) -> None:
        self._player = player
        self._last: Plan | None = None
        self.answer_warmup = player.answer_warmup
        self.decide = player.decide

    def plan(self, start: RoundStart, questions: Sequence[Question] | None = None) -> Plan:
        """As the player plans."""
        if self._last is None or self._last.start != start or questions is not None:
            self._last = self._player.plan(start, questions)
        return self._last


def build_replayer(
    location: str,
    collection: str,
    settings: Settings,
    referee: str,
    seed: int,
    repeats: int,
    depth: int = 0,
    *,
    alone: bool,
) -> Replayer:
    """A replayer over a store, as a worker process makes it.

    Args:
        referee: SPEC; "none" measures the search alone.
        repeats: referees, with the seeds `seed`, `seed + 1`, ...
        depth: as `Replayer` takes it.
        alone: no other process plays beside it.
    """
    settings = settings if alone else single_threaded(settings)
    store = open_store(location, collection)
    player = build_player(store, settings)
    tools = tools_of(store, settings.embed)
    judges = [judge for repeat in range(repeats) if (judge := make_referee(referee, seed + repeat, tools))]
    similarity = word_similarity(store.embedder_spec, store.models(settings.embed)) if judges else None
    return Replayer(player, judges, similarity, seed, depth)


def workers_for(wanted: int, n_games: int, *, played: bool) -> int:
    """How many processes replay: as many as were asked for, or for 0 as many as pay.

    Raises:
        SettingsError: fewer than 0 were asked for.
    """
    if wanted < 0:
        raise SettingsError(f"--workers must be at least 0, got {wanted}; 0 takes as many as pay")
    if wanted:
        return min(wanted, max(1, n_games))
    return max(1, min(os.cpu_count() or 1, n_games // GAMES_A_WORKER)) if played else 1


def players(
    make: Callable[..., Recorder[J, T]], n_workers: int, warm: Callable[[], object]
) -> Callable[[Iterable[J]], Generator[T]]:
    """Plays in this process, or in several that share its cores.

    Args:
        make: what plays in one process, given `alone`, whether no other plays beside it; it is pickled.
        warm: makes what several processes would else make each for themselves.
    """
    if n_workers == 1:
        return here(make(alone=True))
    warm()
    return in_processes(functools.partial(make, alone=False), n_workers)


def here(recorder: Recorder[J, T]) -> Callable[[Iterable[J]], Generator[T]]:
    """Plays in this process."""
    return lambda jobs: (recorder.record(job) for job in jobs)


def in_processes(make: Callable[[], Recorder[J, T]], n_workers: int) -> Callable[[Iterable[J]], Generator[T]]:
    """Plays in `n_workers` processes; records come as they are done, and closing leaves out what is not begun.

    Args:
        make: what plays in one process; it is pickled.
    """
    return functools.partial(_in_processes, make, n_workers)


def _in_processes(make: Callable[[], Recorder[J, T]], n_workers: int, jobs: Iterable[J]) -> Generator[T]:
    context = multiprocessing.get_context("spawn")  # a forked child would inherit locks of Chroma's and ONNX's threads
    with contextlib.ExitStack() as stack:
        pool = ProcessPoolExecutor(n_workers, context, _start, (make,))
        stack.callback(pool.shutdown, cancel_futures=True)
        try:
            for future in as_completed([pool.submit(_record, job) for job in jobs]):
                yield future.result()
        except BrokenProcessPool as error:
            raise ReplayError(
                "a worker process must not die, one did; run the same command again, with --workers 1 if memory ran out"
            ) from error


def single_threaded(settings: Settings) -> Settings:
    """The settings for a process that shares the cores with others."""
    return replace(settings, embed=replace(settings.embed, threads=1))


_recorder: Recorder[Any, Any] | str = "nothing was made that plays"
"""Of this worker process; why there is none, in words."""


def _start(make: Callable[[], Recorder[Any, Any]]) -> None:
    """Make what plays in this process."""
    from threadpoolctl import threadpool_limits

    global _recorder  # noqa: PLW0603  (a worker process has one, for its life)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    threadpool_limits(1, "blas")
    try:
        _recorder = make()
    except (EvaluateError, IngestError, PlayerError, SettingsError) as error:
        _recorder = str(error)


def _record(job: Any) -> Any:
    if isinstance(_recorder, str):
        raise ReplayError(_recorder)
    return _recorder.record(job)
