"""Replays of labelled games, in this process or in workers; an interrupted replay is resumed."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import uuid4

from pydantic_core import to_json
from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from configs.directories import code_digest
from configs.errors import WorkerError
from configs.settings import Settings, as_dict
from evaluate.errors import writing
from evaluate.games.labelled import LabelledGame
from evaluate.games.locating import locate_in
from evaluate.practice.server import LocalGameServer, PracticeServer, Repertoire
from evaluate.referee.scoring import (
    Similarity,
    character_similarity,
    word_similarity,
)
from evaluate.referee.simulated import (
    SeededSpec,
    build_tools,
    embed_course_once,
    make_referee,
    repeat_referee,
)
from evaluate.referee.spec import HINT_ALONE, Referee
from evaluate.replay.batches import AskedBatch
from evaluate.replay.ideal import add_ideal
from evaluate.runs.conversion import N_CANDIDATES_KEPT, record_game
from evaluate.runs.files import (
    RecordFile,
    unfinished_records,
    write_finished,
    write_run,
)
from evaluate.runs.measures import Measure
from evaluate.runs.record import ReplayRecord
from evaluate.runs.run import Run, commit
from evaluate.runs.table import make_table
from player.game.game import STRICT
from player.game.loop import play
from player.player import Contestant, Player, build_player
from player.question import Question
from player.search.results import Query
from quarry.course.paragraph import Paragraph
from quarry.embed import Models
from quarry.parallel import (
    Cluster,
    Workers,
    cached_in_process,
    open_executor,
    run_all,
    task_result,
)
from quarry.store import Course, is_url, open_store

GAMES_A_WORKER = 40
"""Minimum number of games for each worker process; a process takes 4 s to start, and a game a fifth of a second."""

SEARCH_DEADLINE_S = 600.0
"""Deadline of searches in a replay, the maximum of `search.deadline_s`, so that results do not depend on speed."""


@dataclass(frozen=True, slots=True)
class Job:
    """One game to replay.

    Attributes:
        number: number of the game in the replay, from 0.
        game: the labelled game.
        paragraph: the labelled paragraph as ingested; None if it was not ingested or the game is unanswerable.
        batch: questions to ask, with the answers to them; None takes those of the player and the referees.
    """

    number: int
    game: LabelledGame
    paragraph: Paragraph | None
    batch: AskedBatch | None = None


Batches = Mapping[str, AskedBatch]
"""Questions and answers of games, by game_id."""
NO_BATCHES: Batches = MappingProxyType({})
"""The batches of a replay in which the player asks and referees answer."""
PlayAll = Callable[[Iterable[Job]], Iterator[ReplayRecord]]
"""A function that plays jobs and yields their records in any order."""


@dataclass(frozen=True)
class Replayer:
    """Replays games with one player.

    Attributes:
        player: the player.
        referees: referees against which each game is played; without referees, games are only searched.
        similarity: similarity of two words, for the score.
        seed: seed of the practice server.
        n_candidates: number of candidates of each play that a record keeps.
    """

    player: Player
    referees: Sequence[Referee]
    similarity: Similarity
    seed: int
    n_candidates: int = N_CANDIDATES_KEPT

    def record(self, job: Job) -> ReplayRecord:
        """Play a game against every referee, with one search and one plan for all, and return its record.

        If there are no referees, or the store does not hold the paragraph, the game is only searched.
        """
        game, paragraph, batch = job.game, job.paragraph, job.batch
        referees = [batch] if batch else self.referees
        planned = _PlansOnce(self.player, batch.questions if batch else None)
        played = []
        for referee in referees:
            if paragraph is None:
                break
            repertoire = Repertoire([(game, paragraph)], referee, self.similarity)
            practice = PracticeServer(repertoire, seed=self.seed + job.number)
            one = play(
                LocalGameServer(practice),
                planned,
                name="replay",
                timeout_s=inf,
                timeouts=STRICT,
            )
            played.append(one)

        if played:
            result = played[0].plan.result
        else:
            search = self.player.orchestrator
            keywords = search.settings.keywords
            result = search.search(Query(game.hint, game.book_name, keywords=keywords))
        record = record_game(game, paragraph, result, played, self.n_candidates)
        plays = zip(record["plays"], referees, played, strict=False)
        for play_record, referee, one in plays:
            add_ideal(play_record, one.plan, game, paragraph, referee)
        return record


class _PlansOnce:
    """A contestant that makes each plan once, since the plays of a game differ only in the answers.

    Args:
        player: makes the plans and the guesses.
        questions: questions of all plans; None takes those of the player.
    """

    def __init__(
        self, player: Contestant, questions: Sequence[Question] | None
    ) -> None:
        self.answer_warmup = player.answer_warmup
        self.decide = player.decide
        self.plan = functools.cache(lambda start, _=None: player.plan(start, questions))


def build_replayer(
    address: StoreAddress,
    settings: Settings,
    referees: Sequence[SeededSpec],
    has_scores: bool,
    seed: int,
    n_candidates: int,
) -> Replayer:
    """Build the replayer of a process.

    Args:
        address: address of the store.
        settings: settings of the player.
        referees: SPEC and seed of each referee; () only searches.
        has_scores: whether games are played and scored.
        seed: seed of the practice server.
        n_candidates: number of candidates of each play that a record keeps.

    Raises:
        WorkerError: the store has another fingerprint.
    """
    course = open_same(*address)
    player = player_without_deadline(course, settings)
    tools = build_tools(course, settings.embed)
    similarity: Similarity = character_similarity
    if has_scores:
        models = Models(settings.embed)
        similarity = word_similarity(course.embedder_spec, models)
    made = [make_referee(spec, referee_seed, tools) for spec, referee_seed in referees]
    return Replayer(player, made, similarity, seed, n_candidates)


StoreAddress = tuple[str, str, str]
"""Location, collection and fingerprint of a store."""


def store_address(course: Course) -> StoreAddress:
    """Return the arguments with which `open_same` opens the store of a course in another process."""
    location = course.location
    if not is_url(location):
        location = str(Path(location).resolve())
    return location, course.collection, course.fingerprint


def open_same(location: str, collection: str, fingerprint: str) -> Course:
    """Open a store that another process has opened, and check its content.

    Raises:
        WorkerError: the store has another fingerprint.
    """
    course = open_store(location, collection)
    if course.fingerprint != fingerprint:
        raise WorkerError(
            f"{location} holds the course {course.fingerprint} here and {fingerprint} on another machine; "
            "name a store on a Chroma server"
        )
    return course


def player_without_deadline(course: Course, settings: Settings) -> Player:
    """Build a player whose searches wait for every strategy."""
    search = replace(settings.search, deadline_s=SEARCH_DEADLINE_S)
    return build_player(course, replace(settings, search=search))


def play_job(key: str, make: Callable[[], Replayer], job: Job) -> ReplayRecord:
    """Play a game with the replayer of this process."""
    return cached_in_process(key, make).record(job)


def inputs_digest(
    games: Sequence[LabelledGame],
    store_fingerprint: str,
    settings: Settings,
    referees: Sequence[SeededSpec],
    seed: int,
    batches: Batches,
) -> str:
    """Return a digest of everything that a run depends on, including the code."""
    played = [games, referees, seed, dict(batches)]
    inputs = [played, store_fingerprint, as_dict(settings), code_digest()]
    return hashlib.sha256(to_json(inputs)).hexdigest()


def replay_games(
    games: Sequence[LabelledGame],
    course: Course,
    play_all: PlayAll,
    *,
    records: RecordFile | list[ReplayRecord] | None = None,
    batches: Batches = NO_BATCHES,
    name: str = "",
) -> Collection[ReplayRecord]:
    """Play the games without records, and return the records of all, in the order of the games.

    Args:
        games: all games.
        course: the course of the store.
        play_all: plays the games.
        records: records of the first games; the others are appended in order.
        batches: questions and answers of games, by game_id.
        name: name of the run, for the progress bar.

    Raises:
        GamesError: the games belong to another corpus.
    """
    located = locate_in(games, course)
    records = [] if records is None else records
    n_finished = len(records)
    jobs = []
    for number, game in enumerate(games[n_finished:], n_finished):
        passage, batch = located.get(game.game_id), batches.get(game.game_id)
        jobs.append(Job(number, game, passage, batch))

    bar = tqdm(
        total=len(games),
        initial=n_finished,
        desc=f"replaying {name}".strip(),
        unit="game",
    )
    early: dict[str, ReplayRecord] = {}
    # one BLAS thread: several would sum in another order on another machine, and are slower on arrays of this size
    with bar, threadpool_limits(1, "blas"):
        for record in play_all(jobs):
            early[record["game_id"]] = record
            while len(records) < len(games) and games[len(records)].game_id in early:
                records.append(early.pop(games[len(records)].game_id))
            bar.update()
    return records


def replay_against(
    games: Sequence[LabelledGame],
    course: Course,
    settings: Settings,
    referees: Sequence[SeededSpec],
    *,
    seed: int,
    workers: Workers,
    out: Path | None = None,
    n_candidates: int = N_CANDIDATES_KEPT,
    batches: Batches = NO_BATCHES,
    name: str = "",
) -> Collection[ReplayRecord]:
    """Play games against each referee, in several processes if that is faster; resume an interrupted replay.

    Args:
        games: the games.
        course: the course of the store.
        settings: settings of the player.
        referees: SPEC and seed of each referee; without referees, games are only searched.
        seed: seed of the practice server.
        workers: number of processes, where 0 takes as many as are faster; or a cluster.
        out: file of the run or table; records are written next to it, game by game. None keeps them in memory.
        n_candidates: number of candidates of each play that a record keeps.
        batches: as in `replay_games`.
        name: name of the run, for the progress bar.

    Raises:
        GamesError: the games belong to another corpus.
        RefereeError: a SPEC is invalid.
        EmbedderError: the store's embedder cannot be loaded.
        SettingsError: the records cannot be written.
        WorkerError: workers cannot play.
    """
    records: RecordFile | list[ReplayRecord] = []
    if out:
        inputs = inputs_digest(
            games, course.fingerprint, settings, referees, seed, batches
        )
        records = unfinished_records(out, inputs)
        if records:
            print(f"resuming {out}: {len(records)} games are finished", file=sys.stderr)
    has_scores = bool(referees or batches)
    if isinstance(workers, int):
        workers = _n_processes(workers, len(games) - len(records), has_scores)

    if workers != 1:
        # otherwise every process would embed it
        embed_course_once((spec for spec, _ in referees), course, settings.embed)
        # each of several processes embeds on one core
        settings = replace(settings, embed=replace(settings.embed, threads=1))
    make = functools.partial(
        build_replayer,
        store_address(course),
        settings,
        referees,
        has_scores,
        seed,
        n_candidates,
    )
    key = uuid4().hex
    with open_executor(workers) as executor:
        if isinstance(executor, Cluster):
            executor.check(cached_in_process, key, make)
        elif workers == 1:
            # so that an error shows before the progress bar
            cached_in_process(key, make)

        def play_all(jobs: Iterable[Job]) -> Iterator[ReplayRecord]:
            calls = ((key, make, job) for job in jobs)
            for _, future in run_all(executor, play_job, calls):
                yield task_result(future)

        return replay_games(
            games, course, play_all, records=records, batches=batches, name=name
        )


def _n_processes(workers: int, n_games: int, has_scores: bool) -> int:
    """Return the number of processes for some games; 0 workers take as many as are faster."""
    if workers == 0 and has_scores:
        workers = min(os.cpu_count() or 1, n_games // GAMES_A_WORKER)
    return max(1, min(workers, n_games))


def replay_store(
    games: Sequence[LabelledGame],
    course: Course,
    settings: Settings,
    *,
    referee: str = HINT_ALONE,
    batches: Batches = NO_BATCHES,
    seed: int = 0,
    repeats: int = 1,
    workers: Workers = 1,
    measures: Mapping[str, Measure] | None = None,
    out: Path | None = None,
    name: str = "",
) -> Run:
    """Replay games against one referee, and return the run; see `replay_against`.

    Args:
        games: the games.
        course: the course of the store.
        settings: settings of the player.
        referee: SPEC of the referee; "none" only searches, without repeats.
        batches: questions and answers in place of those of player and referee, by game_id.
        seed: seed of the practice server and of the first play's referee; later plays have `seed + 1` and so on.
        repeats: number of plays of each game.
        workers: as in `replay_against`.
        measures: additional measures of the run.
        out: file of the run; the caller writes it with `write_run`. Until then, the same replay is resumed.
        name: name of the run.
    """
    referees = repeat_referee(referee, repeats, seed)
    records = replay_against(
        games,
        course,
        settings,
        referees,
        seed=seed,
        workers=workers,
        out=out,
        batches=batches,
        name=name,
    )

    return Run(
        records=records,
        referee="answers" if batches else referee,
        settings=as_dict(settings),
        store_fingerprint=course.fingerprint,
        commit=commit(),
        seed=seed,
        repeats=len(referees) or 1,
        name=name,
        own_measures=measures or {},
    )


def replay_table(
    games: Sequence[LabelledGame],
    course: Course,
    settings: Settings,
    referees: Sequence[SeededSpec],
    *,
    seed: int,
    workers: Workers,
    out: Path | None,
) -> dict[str, Any]:
    """Replay games against several referees, and write and return the table; see `replay_against` and `make_table`."""
    records = replay_against(
        [game for game in games if game.answerable],
        course,
        settings,
        referees,
        seed=seed,
        workers=workers,
        out=out,
        n_candidates=0,
    )

    table = make_table(records, referees, course.fingerprint, settings, seed)
    if out:
        write_finished(out, table)
    return table


def replay_each(
    games: Sequence[LabelledGame],
    course: Course,
    settings_by_name: Mapping[str, Settings],
    *,
    folder: Path | None = None,
    **options: Any,
) -> list[Run]:
    """Replay games with each of several settings, and return the runs.

    Args:
        games: the games.
        course: the course of the store.
        settings_by_name: settings by the name of their run.
        folder: folder for the runs, as NAME.json; interrupted replays are resumed. None writes no files.
        options: further arguments of `replay_store`.
    """
    if folder:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
    runs = []
    for name, settings in settings_by_name.items():
        out = folder / f"{name}.json" if folder else None
        run = replay_store(games, course, settings, name=name, out=out, **options)
        runs.append((out, run))
    for out, run in runs:  # only now: until then, all replays can be resumed
        if out:
            write_run(out, run)
    return [run for _, run in runs]
