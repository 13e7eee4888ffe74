"""Play labelled games one after another, in this process or in worker processes."""

from __future__ import annotations

import contextlib
import functools
import multiprocessing
import os
import signal
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass, replace

from quarry.configs.settings import Settings, SettingsError
from quarry.evaluate.errors import EvaluateError, ReplayError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.practice.server import LocalGameServer, PracticeServer, Repertoire
from quarry.evaluate.referee import Referee, tools_of
from quarry.evaluate.referee.scoring import Similarity, word_similarity
from quarry.evaluate.replay.judges import Judge, make_judge
from quarry.evaluate.runs.record import N_CANDIDATES_KEPT, GameRecord, record_game
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

GAMES_A_WORKER = 40
"""Played games from which another process pays: it takes about 4 s to start, and a game a fifth of a second."""

N_REMEMBERED = 2**16
"""Pairs of words whose similarity is kept."""

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


class Replayer:
    """Replays games with one player.

    Args:
        player: plays them.
        judges: the referees that each game is played against; none measures the search alone.
        similarity: of two words, for the score.
        seed: of the practice server.
        n_candidates: candidates of each play that the record keeps.
    """

    def __init__(
        self,
        player: Player,
        judges: Sequence[Referee],
        similarity: Similarity | None,
        seed: int,
        n_candidates: int = N_CANDIDATES_KEPT,
    ) -> None:
        self._player = player
        self._judges = judges
        self._similarity = similarity
        self._seed = seed
        self._n_candidates = n_candidates

    def record(self, job: Job) -> GameRecord:
        """Search for the game once, play it against every referee, and return its record."""
        reports = []
        if self._similarity is not None:
            reports = play_game(job, self._player, self._judges, self._similarity, self._seed)
        result = searched_for(job.game, self._player, reports)
        return record_game(job.game, job.paragraph, result, reports, self._n_candidates)


def searched_for(game: LabelledGame, player: Player, reports: Sequence[GameReport]) -> SearchResult:
    """What the search of the game that was played found; of a game that was not played, what a search finds."""
    if reports:
        return reports[0].plan.result.shown
    return player.orchestrator.search(Query(game.hint, game.book_name))


def play_game(
    job: Job,
    player: Contestant,
    referees: Sequence[Referee],
    similarity: Similarity,
    seed: int,
    questions: Sequence[Question] | None = None,
) -> list[GameReport]:
    """Play the game against each referee, planned once for all of them; no plays if the paragraph was not ingested.

    Args:
        similarity: of two words, for the score.
        seed: of the practice server.
        questions: asked in place of the player's own.
    """
    if job.paragraph is None:
        return []
    reports = []
    planned = _PlansOnce(player, questions)
    for referee in referees:
        repertoire = Repertoire([(job.game, job.paragraph)], referee, similarity)
        server = LocalGameServer(PracticeServer(repertoire, seed=seed + job.number), "replay")
        reports.append(play(server, planned, name="replay", timeout_s=TIMEOUT_S, timeouts=None))
    return reports


class _PlansOnce:
    """A contestant that remembers its last plan: the plays of a game differ in the answers alone.

    Args:
        player: makes the plans and the guesses.
        questions: asked in place of the player's own.
    """

    def __init__(self, player: Contestant, questions: Sequence[Question] | None) -> None:
        self._player = player
        self._questions = questions
        self._last: Plan | None = None
        self.answer_warmup = player.answer_warmup
        self.decide = player.decide

    def plan(self, start: RoundStart, questions: Sequence[Question] | None = None) -> Plan:
        """As the player plans."""
        if self._last is None or self._last.start != start or questions is not None:
            self._last = self._player.plan(start, self._questions or questions)
        return self._last


def build_replayer(
    location: str,
    collection: str,
    settings: Settings,
    judges: Sequence[Judge],
    seed: int,
    n_candidates: int = N_CANDIDATES_KEPT,
    *,
    alone: bool,
) -> Replayer:
    """Make a replayer over a store, as a worker process does.

    Args:
        judges: SPEC and seed of each referee; none measures the search alone.
        alone: no other process plays at the same time.
    """
    settings = settings if alone else single_threaded(settings)
    store = open_store(location, collection)
    player = build_player(store, settings)
    tools = tools_of(store, settings.embed)
    referees = [make_judge(judge, tools) for judge in judges]
    similarity = word_similarity(store.embedder_spec, store.models(settings.embed)) if judges else None
    if similarity is not None:
        similarity = functools.lru_cache(maxsize=N_REMEMBERED)(similarity)
    return Replayer(player, referees, similarity, seed, n_candidates)


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


PlayAll = Callable[[Iterable[Job]], Iterator[GameRecord]]
"""Plays jobs; the records come in any order."""


def players(make: Callable[..., Replayer], n_workers: int, warm: Callable[[], object]) -> PlayAll:
    """Play in this process, or in several that share its cores.

    Args:
        make: makes the replayer of one process, given `alone`, whether no other process plays; it is pickled.
        warm: makes what every process would otherwise make for itself.
    """
    if n_workers == 1:
        return here(make(alone=True))
    warm()
    return in_processes(functools.partial(make, alone=False), n_workers)


def here(replayer: Replayer) -> PlayAll:
    """Play in this process."""
    return lambda jobs: (replayer.record(job) for job in jobs)


def in_processes(make: Callable[[], Replayer], n_workers: int) -> PlayAll:
    """Play in `n_workers` processes; records come as they are done.

    Args:
        make: makes the replayer of one process; it is pickled.
    """
    return functools.partial(_in_processes, make, n_workers)


def _in_processes(make: Callable[[], Replayer], n_workers: int, jobs: Iterable[Job]) -> Iterator[GameRecord]:
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
    """Return the settings for a process that shares the cores with others."""
    return replace(settings, embed=replace(settings.embed, threads=1))


_replayer: Replayer | str = "worker process is not initialised"
"""Of this worker process; if it could not be made, the error in words."""


def _start(make: Callable[[], Replayer]) -> None:
    """Make the replayer of this process."""
    from threadpoolctl import threadpool_limits

    global _replayer  # noqa: PLW0603  (a worker process has one, for its life)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, which ends its workers
    threadpool_limits(1, "blas")
    try:
        _replayer = make()
    except (EvaluateError, IngestError, PlayerError, SettingsError) as error:
        _replayer = str(error)


def _record(job: Job) -> GameRecord:
    if isinstance(_replayer, str):
        raise ReplayError(_replayer)
    return _replayer.record(job)
