"""Play labelled games one after another, here or in worker processes, and resume a replay that was interrupted."""

from __future__ import annotations

import functools
import hashlib
import os
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
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
    Judge,
    make_referee,
    prepare,
    repeats_of,
    tools_of,
)
from evaluate.referee.spec import Referee
from evaluate.replay.ideal import add_ideal
from evaluate.runs.files import (
    RecordFile,
    unfinished_records,
    write_finished,
    write_run,
)
from evaluate.runs.measures import Measure
from evaluate.runs.record import N_CANDIDATES_KEPT, ReplayRecord, record_game
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
"""Another process pays from this number of played games: it takes about 4 s to start, a game a fifth of a second."""

SEARCH_DEADLINE_S = 600.0
"""The longest `search.deadline_s` that there is; a replay takes it, so that no result depends on how fast it runs."""


@dataclass(frozen=True, slots=True)
class Job:
    """One game to replay.

    Attributes:
        number: the number of the game among those replayed, from 0.
        paragraph: the labelled one as ingested; None if it was not ingested or the game is unanswerable.
    """

    number: int
    game: LabelledGame
    paragraph: Paragraph | None


PlayAll = Callable[[Iterable[Job]], Iterator[ReplayRecord]]
"""Plays jobs and yields their records in any order."""


@dataclass(frozen=True)
class Replayer:
    """Replays games with one player.

    Attributes:
        player: plays them.
        judges: the referees that each game is played against; without referees, games are only searched.
        similarity: the similarity of two words, for the score.
        seed: the seed of the practice server.
        n_candidates: candidates of each play that the record keeps.
    """

    player: Player
    judges: Sequence[Referee]
    similarity: Similarity
    seed: int
    n_candidates: int = N_CANDIDATES_KEPT

    def record(
        self,
        job: Job,
        judges: Sequence[Referee] = (),
        questions: Sequence[Question] | None = None,
    ) -> ReplayRecord:
        """Play a game against every referee, planned and searched once for all of them, and return its record.

        If there are no referees or the store does not hold the paragraph, the hint is only searched.

        Args:
            judges: in place of the replayer's own.
            questions: asked in place of the player's own.
        """
        game, paragraph = job.game, job.paragraph
        judges = judges or self.judges
        planned = _PlansOnce(self.player, questions)
        played = []
        for judge in judges:
            if paragraph is None:
                break
            repertoire = Repertoire([(game, paragraph)], judge, self.similarity)
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
        judged = zip(record["plays"], judges, played, strict=False)
        for play_record, judge, one in judged:
            add_ideal(play_record, one.plan, game, paragraph, judge)
        return record


class _PlansOnce:
    """A contestant that makes each plan once, since the plays of a game differ only in the answers.

    Args:
        player: makes the plans and the guesses.
        questions: asked in place of the player's own.
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
    judges: Sequence[Judge],
    seed: int,
    n_candidates: int,
) -> Replayer:
    """Make a replayer over a store, in the process that replays.

    Args:
        judges: SPEC and seed of each referee; none measures the search alone.

    Raises:
        WorkerError: the store holds something else.
    """
    course = open_same(*address)
    player = player_without_deadline(course, settings)
    tools = tools_of(course, settings.embed)
    referees = [make_referee(*judge, tools) for judge in judges]
    similarity: Similarity = character_similarity
    if judges:
        models = Models(settings.embed)
        similarity = word_similarity(course.embedder_spec, models)
    return Replayer(player, referees, similarity, seed, n_candidates)


StoreAddress = tuple[str, str, str]
"""Location, collection and fingerprint of a store."""


def address_of(course: Course) -> StoreAddress:
    """Return the arguments with which `open_same` opens a store in another process."""
    location = course.location
    if not is_url(location):
        location = str(Path(location).resolve())
    return location, course.collection, course.fingerprint


def open_same(location: str, collection: str, fingerprint: str) -> Course:
    """Open a store that another process has opened.

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
    judges: Sequence[Judge],
    seed: int,
) -> str:
    """Return hexadecimal digits that change with everything that a run depends on, including the code."""
    inputs = [games, store_fingerprint, as_dict(settings), judges, seed, code_digest()]
    return hashlib.sha256(to_json(inputs)).hexdigest()


def replay_games(
    games: Sequence[LabelledGame],
    course: Course,
    play_all: PlayAll,
    *,
    records: RecordFile | list[ReplayRecord] | None = None,
    name: str = "",
) -> Collection[ReplayRecord]:
    """Play the games that are not finished, and return the records of all, in the order of the games.

    Args:
        records: the records of the first games, which are finished; the others are appended in order.
        name: the name of the run, for the bar on standard error.

    Raises:
        GamesError: the games are another corpus's.
    """
    located = locate_in(games, course)
    records = [] if records is None else records
    n_finished = len(records)
    jobs = []
    for number, game in enumerate(games[n_finished:], n_finished):
        jobs.append(Job(number, game, located.get(game.game_id)))

    bar = tqdm(
        total=len(games),
        initial=n_finished,
        desc=f"replaying {name}".strip(),
        unit="game",
    )
    early: dict[str, ReplayRecord] = {}
    # one BLAS thread: several would sum in another order on another machine, and do not pay on arrays of this size
    with bar, threadpool_limits(1, "blas"):
        for record in play_all(jobs):
            early[record["game_id"]] = record
            while len(records) < len(games) and games[len(records)].game_id in early:
                records.append(early.pop(games[len(records)].game_id))
            bar.update()
    return records


def replay_judges(
    games: Sequence[LabelledGame],
    course: Course,
    settings: Settings,
    judges: Sequence[Judge],
    *,
    seed: int,
    workers: Workers,
    out: Path | None = None,
    n_candidates: int = N_CANDIDATES_KEPT,
    name: str = "",
) -> Collection[ReplayRecord]:
    """Play the games of a store against each referee, in several processes if that pays; resume what was interrupted.

    Args:
        judges: SPEC and seed of each referee; without referees, games are only searched.
        seed: the seed of the practice server.
        workers: processes, 0 takes as many as pay; or a cluster.
        out: file of the run or table; records are written next to it game by game. None keeps them in memory.
        n_candidates: the number of candidates of each play that the records keep.

    Raises:
        GamesError: the games are another corpus's.
        RefereeError: a SPEC is invalid.
        EmbedderError: the store's embedder cannot be loaded.
        SettingsError: the records cannot be written.
        WorkerError: workers cannot play.
    """
    records: RecordFile | list[ReplayRecord] = []
    if out:
        inputs = inputs_digest(games, course.fingerprint, settings, judges, seed)
        records = unfinished_records(out, inputs)
        if records:
            print(f"resuming {out}: {len(records)} games are finished", file=sys.stderr)
    if isinstance(workers, int):
        n_games = len(games) - len(records)
        if workers == 0 and judges:
            workers = min(os.cpu_count() or 1, n_games // GAMES_A_WORKER)
        workers = max(1, min(workers, n_games))

    if workers != 1:
        # else every process would make its own
        prepare((spec for spec, _ in judges), course, settings.embed)
        # a process embeds on one core, unless no other one plays at the same time
        settings = replace(settings, embed=replace(settings.embed, threads=1))
    make = functools.partial(
        build_replayer,
        address_of(course),
        settings,
        judges,
        seed,
        n_candidates,
    )
    key = uuid4().hex
    with open_executor(workers) as executor:
        if isinstance(executor, Cluster):
            executor.check(cached_in_process, key, make)
        elif workers == 1:
            cached_in_process(key, make)  # an error shows before the progress bar

        def play_all(jobs: Iterable[Job]) -> Iterator[ReplayRecord]:
            calls = ((key, make, job) for job in jobs)
            for _, future in run_all(executor, play_job, calls):
                yield task_result(future)

        return replay_games(games, course, play_all, records=records, name=name)


def replay_store(
    games: Sequence[LabelledGame],
    course: Course,
    settings: Settings,
    *,
    referee: str = "none",
    seed: int = 0,
    repeats: int = 1,
    workers: Workers = 1,
    measures: Mapping[str, Measure] | None = None,
    out: Path | None = None,
    name: str = "",
) -> Run:
    """Return a run over the games of a store; see `replay_judges`.

    Args:
        referee: SPEC; with "none" only the search is measured, and repeats are not made.
        repeats: plays of each game, with the referee's seeds `seed`, `seed + 1`, ...
        measures: additional measures of the run.
        out: file of the run, which `write_run` then writes; until then the same replay is resumed.
    """
    judges = repeats_of(referee, repeats, seed)
    records = replay_judges(
        games, course, settings, judges, seed=seed, workers=workers, out=out, name=name
    )

    return Run(
        records=records,
        referee=referee,
        settings=as_dict(settings),
        store_fingerprint=course.fingerprint,
        commit=commit(),
        seed=seed,
        repeats=len(judges) or 1,
        name=name,
        own_measures=measures or {},
    )


def replay_table(
    games: Sequence[LabelledGame],
    course: Course,
    settings: Settings,
    judges: Sequence[Judge],
    *,
    seed: int,
    workers: Workers,
    out: Path | None,
) -> dict[str, Any]:
    """Return the table of the player against referees, and write it; see `replay_judges` and `make_table`."""
    records = replay_judges(
        [game for game in games if game.answerable],
        course,
        settings,
        judges,
        seed=seed,
        workers=workers,
        out=out,
        n_candidates=0,
    )

    table = make_table(records, judges, course.fingerprint, settings, seed)
    if out:
        write_finished(out, table)
    return table


def replay_each(
    games: Sequence[LabelledGame],
    course: Course,
    named: Mapping[str, Settings],
    *,
    folder: Path | None = None,
    **options: Any,
) -> list[Run]:
    """Return a run for each of several settings, under its name.

    Args:
        named: settings by the name of their run.
        folder: made if need be; each run is written there as NAME.json; the same replays to it are resumed.
        options: as of `replay_store`.
    """
    if folder:
        with writing(folder):
            folder.mkdir(parents=True, exist_ok=True)
    runs = []
    for name, settings in named.items():
        out = folder / f"{name}.json" if folder else None
        run = replay_store(games, course, settings, name=name, out=out, **options)
        runs.append((out, run))
    for out, run in runs:  # only now, so that until the last game all are resumed
        if out:
            write_run(out, run)
    return [run for _, run in runs]
