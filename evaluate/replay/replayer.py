"""Play labelled games one after another, in this process or in worker processes."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from configs.settings import Settings, SettingsError, WorkerError
from evaluate.games.labelled import LabelledGame
from evaluate.practice.server import LocalGameServer, PracticeServer, Repertoire
from evaluate.referee.scoring import Similarity, word_similarity
from evaluate.referee.simulated import Judge, make_referee, tools_of
from evaluate.referee.spec import Referee
from evaluate.replay.ideal import add_ideal
from evaluate.runs.record import N_CANDIDATES_KEPT, ReplayRecord, record_game
from ingest.embed import Models
from ingest.executors import Tasks, made_once, result_of, run_all
from ingest.paragraph import Paragraph
from ingest.store import Course, is_url, open_store
from player.game.game import STRICT
from player.game.loop import play
from player.player import Contestant, Player, build_player
from player.questions.question import Question
from player.search.types import Query

GAMES_A_WORKER = 40
"""Another process pays from this number of played games: it takes about 4 s to start, a game a fifth of a second."""

TIMEOUT_S = 3600.0
"""Timeout of a replayed game; nobody waits for it."""
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
        similarity: the similarity of two words, for the score; None if nothing is played.
        seed: the seed of the practice server.
        n_candidates: candidates of each play that the record keeps.
    """

    player: Player
    judges: Sequence[Referee]
    similarity: Similarity | None
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
        planned = _PlansOnce(self.player, questions)
        reports = []
        if self.similarity is not None and job.paragraph is not None:
            for judge in judges or self.judges:
                repertoire = Repertoire(
                    [(job.game, job.paragraph)], judge, self.similarity
                )
                server = LocalGameServer(
                    PracticeServer(repertoire, seed=self.seed + job.number)
                )
                reports.append(
                    play(
                        server,
                        planned,
                        name="replay",
                        timeout_s=TIMEOUT_S,
                        timeouts=STRICT,
                    )
                )
        if reports:
            result = reports[0].plan.result
        else:
            search, hint = self.player.orchestrator, job.game.hint
            keywords = search.settings.keywords
            result = search.search(Query(hint, job.game.book_name, keywords=keywords))
        record = record_game(
            job.game, job.paragraph, result, reports, self.n_candidates
        )
        judged = zip(record["plays"], judges or self.judges, reports, strict=False)
        for play_record, judge, report in judged:
            add_ideal(play_record, report.plan, job.game, job.paragraph, judge)
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
    location: str,
    collection: str,
    fingerprint: str,
    settings: Settings,
    judges: Sequence[Judge],
    seed: int,
    n_candidates: int = N_CANDIDATES_KEPT,
    *,
    alone: bool,
) -> Replayer:
    """Make a replayer over a store, in the process that replays.

    Args:
        fingerprint: the store must have this fingerprint.
        judges: SPEC and seed of each referee; none measures the search alone.
        alone: no other process plays at the same time, so that embedding takes all cores.

    Raises:
        WorkerError: the store holds something else.
    """
    if not alone:
        settings = replace(settings, embed=replace(settings.embed, threads=1))
    store = open_same(location, collection, fingerprint)
    player = patient_player(store, settings)
    tools = tools_of(store, settings.embed)
    referees = [make_referee(*judge, tools) for judge in judges]
    similarity = (
        word_similarity(store.embedder_spec, Models.of(settings.embed))
        if judges
        else None
    )
    return Replayer(player, referees, similarity, seed, n_candidates)


def place_of(store: Course) -> tuple[str, str, str]:
    """Return the arguments with which `open_same` opens a store in another process."""
    location = (
        store.location
        if is_url(store.location)
        else str(Path(store.location).resolve())
    )
    return location, store.collection, store.fingerprint


def open_same(location: str, collection: str, fingerprint: str) -> Course:
    """Open a store that another process has opened.

    Raises:
        WorkerError: the store has another fingerprint.
    """
    store = open_store(location, collection)
    if store.fingerprint != fingerprint:
        raise WorkerError(
            f"{location} must hold the course {fingerprint} on every machine, holds {store.fingerprint}; "
            "name a store on a Chroma server"
        )
    return store


def patient_player(store: Course, settings: Settings) -> Player:
    """Build a player whose searches wait for every strategy."""
    return build_player(
        store,
        replace(
            settings, search=replace(settings.search, deadline_s=SEARCH_DEADLINE_S)
        ),
    )


def workers_for(wanted: int, n_games: int, *, played: bool) -> int:
    """Return how many processes replay: as many as were asked for, or for 0 as many as pay.

    Raises:
        SettingsError: fewer than 0 were asked for.
    """
    if wanted < 0:
        raise SettingsError(
            f"--workers must be at least 0, got {wanted}; 0 takes as many as pay"
        )
    if wanted:
        return min(wanted, max(1, n_games))
    return max(1, min(os.cpu_count() or 1, n_games // GAMES_A_WORKER)) if played else 1


def play_on(executor: Tasks, key: str, make: Callable[[], Replayer]) -> PlayAll:
    """Return a function that plays on an executor.

    Args:
        key: the key of the replayer; a worker keeps its replayer until it is given another key.
        make: makes the replayer of a worker.
    """

    def play_all(jobs: Iterable[Job]) -> Iterator[ReplayRecord]:
        for _, future in run_all(
            executor, play_job, ((key, make, job) for job in jobs)
        ):
            yield result_of(future)

    return play_all


def play_job(key: str, make: Callable[[], Replayer], job: Job) -> ReplayRecord:
    """Play a game with the replayer of this process."""
    return made_once(key, make).record(job)
