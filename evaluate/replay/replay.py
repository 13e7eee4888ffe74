"""Replays of labelled games, in this process or in workers; an interrupted replay is resumed."""

import functools
import hashlib
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from pydantic_core import to_json
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from configs.settings import Settings
from evaluate.errors import RunError
from evaluate.games.labelled import LabelledGame
from evaluate.games.locating import locate_in
from evaluate.referee.passages import embed_course_once
from evaluate.referee.spec import HINT_ALONE, SeededSpec
from evaluate.replay.batches import AskedBatch
from evaluate.replay.replayer import Job, build_replayer, play_job
from evaluate.replay.store_address import get_store_address
from evaluate.runs.files import RecordFile, resume_or_begin
from evaluate.runs.measures import Measure
from evaluate.runs.record import ReplayRecord
from evaluate.runs.referee_table import make_table
from evaluate.runs.run import Run
from player.round import Json
from quarry.parallel import PerProcess, Workers, open_executor, run_all, task_result
from quarry.store import Course
from quarry.version import code_digest, commit

GAMES_A_WORKER = 40
"""Minimum number of games for each worker process; a process takes 4 s to start, and a game a fifth of a second."""

Batches = Mapping[str, AskedBatch]
"""Questions and answers of games, by game_id."""
PlayAll = Callable[[Iterable[Job]], Iterator[ReplayRecord]]
"""A function that plays jobs and yields their records in any order."""


@dataclass(frozen=True)
class Replay:
    """A replay of labelled games with one player, who plays each game against each referee.

    Attributes:
        games: the games.
        course: the course of the store.
        settings: settings of the player.
        referees: SPEC and seed of each referee; without referees, games are only searched.
        seed: seed of the run's intervals.
        workers: number of processes, where 0 takes as many as are faster; or a cluster.
        batches: questions and answers in place of those of player and referee, by game_id.
        out: file of the run or table; records are written next to it, game by game, and an interrupted replay is
            resumed. None keeps them in memory.
        name: name of the run.
        measures: additional measures of the run.
    """

    games: Sequence[LabelledGame]
    course: Course
    settings: Settings
    referees: Sequence[SeededSpec] = ()
    seed: int = 0
    workers: Workers = 1
    batches: Batches = field(default_factory=dict)
    out: Path | None = None
    name: str = ""
    measures: Mapping[str, Measure] = field(default_factory=dict)

    def run(self) -> Run:
        """Replay against one referee or its repeats, and return the run; the caller writes it with `write_run`.

        Raises:
            EvaluateError, EmbedderError, SettingsError, WorkerError: see `records`.
        """
        referee, _ = self.referees[0] if self.referees else (HINT_ALONE, 0)
        return Run(
            records=self.records(),
            referee="answers" if self.batches else referee,
            settings=asdict(self.settings),
            store_fingerprint=self.course.fingerprint,
            commit=commit(),
            seed=self.seed,
            repeats=len(self.referees) or 1,
            name=self.name,
            own_measures=self.measures,
        )

    def table(self) -> Json:
        """Replay against several referees, and return the table; the caller writes it with `write_finished`.

        Raises:
            RunError: no game is answerable.
            EvaluateError, EmbedderError, SettingsError, WorkerError: see `records`.
        """
        answerable = [game for game in self.games if game.answerable]
        if not answerable:
            raise RunError(
                f"None of the {len(self.games)} games of --games is answerable."
            )
        records = replace(self, games=answerable).records()
        return make_table(
            records, self.referees, self.course.fingerprint, self.settings, self.seed
        )

    def records(self) -> Collection[ReplayRecord]:
        """Play the games, in several processes if that is faster, and return their records.

        Raises:
            GamesError: the games belong to another course.
            RefereeError: a SPEC is invalid.
            EmbedderError: the store's embedder cannot be loaded.
            SettingsError: the records cannot be written.
            WorkerError: workers cannot play.
        """
        records = self._finished_records()
        has_scores = bool(self.referees or self.batches)
        workers, settings = self.workers, self.settings
        if isinstance(workers, int):
            workers = _n_processes(workers, len(self.games) - len(records), has_scores)
        if workers != 1:
            # otherwise every process would embed it
            specs = (spec for spec, _ in self.referees)
            embed_course_once(specs, self.course, settings.embed)
            # each of several processes embeds on one core
            settings = replace(settings, embed=replace(settings.embed, threads=1))

        make = functools.partial(
            build_replayer,
            get_store_address(self.course),
            settings,
            self.referees,
            has_scores,
        )
        replayer = PerProcess(make)
        with open_executor(workers) as executor:
            executor.check(replayer.get)  # an error shows before the progress bar

            def play_all(jobs: Iterable[Job]) -> Iterator[ReplayRecord]:
                calls = ((replayer, job) for job in jobs)
                for _, future in run_all(executor, play_job, calls):
                    yield task_result(future)

            return self.play_rest(play_all, records)

    def _finished_records(self) -> RecordFile | list[ReplayRecord]:
        """Return the records of an interrupted replay with the same inputs, to which new ones are added."""
        if not self.out:
            return []
        records = resume_or_begin(self.out, self.inputs_digest())
        if records:
            done = f"resuming {self.out}: {len(records)} games are finished"
            print(done, file=sys.stderr)
        return records

    def play_rest(
        self, play_all: PlayAll, records: RecordFile | list[ReplayRecord]
    ) -> Collection[ReplayRecord]:
        """Play the games without records, and return the records of all, in the order of the games.

        Args:
            play_all: plays the games.
            records: records of the first games; the others are appended in order.

        Raises:
            GamesError: the games belong to another course.
        """
        located = locate_in(self.games, self.course)
        games, n_finished = self.games, len(records)
        jobs = []
        for game in games[n_finished:]:
            paragraph = located.get(game.game_id)
            jobs.append(Job(game, paragraph, self.batches.get(game.game_id)))

        bar = tqdm(
            total=len(games),
            initial=n_finished,
            desc=f"replaying {self.name}".strip(),
            unit="game",
        )
        early: dict[str, ReplayRecord] = {}
        # one BLAS thread: several would sum in another order on another machine, and are slower on arrays of this size
        with bar, threadpool_limits(1, "blas"):
            for record in play_all(jobs):
                early[record["game_id"]] = record
                while (
                    len(records) < len(games) and games[len(records)].game_id in early
                ):
                    records.append(early.pop(games[len(records)].game_id))
                bar.update()
        return records

    def inputs_digest(self) -> str:
        """Return a digest of everything that the records depend on, including the code."""
        played = [self.games, self.referees, self.seed, dict(self.batches)]
        player = [self.course.fingerprint, asdict(self.settings), code_digest()]
        return hashlib.sha256(to_json([played, *player])).hexdigest()


def _n_processes(workers: int, n_games: int, has_scores: bool) -> int:
    """Return the number of processes for some games; 0 workers take as many as are faster."""
    if workers == 0 and has_scores:
        workers = min(os.cpu_count() or 1, n_games // GAMES_A_WORKER)
    return max(1, min(workers, n_games))
