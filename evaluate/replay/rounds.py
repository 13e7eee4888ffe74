"""The player's games against every kind of referee; each is planned once, and answered as often as a referee draws."""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from quarry.configs.settings import Settings
from quarry.evaluate.errors import GamesError, RefereeError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.locating import locate_games, require_of_store, require_playable
from quarry.evaluate.games.text import same_text
from quarry.evaluate.referee import Posed, Referee, Secret, Tools, make_referee, prepare, read_spec, tools_of
from quarry.evaluate.referee.scoring import Similarity, word_similarity
from quarry.evaluate.replay.journal import inputs_digest, open_journal
from quarry.evaluate.replay.replayer import Job, play_game, players, single_threaded, workers_for
from quarry.ingest.store import Course, open_store
from quarry.player.game.game import GameReport
from quarry.player.player import Player, build_player
from quarry.player.questions.answer import Answer

SPECS = (
    *("oracle", "noisy:0.15,0.10", "noisy:0.30,0.15"),
    *("sees:opening", "sees:opening,noisy:0.15,0.10", "sees:opening,noisy:0.30,0.15"),
    *("sees:passages", "sees:passages,noisy:0.15,0.10", "sees:passages,noisy:0.30,0.15"),
    *("declined:0.40", "sees:opening,declined:0.40", "answers:10", "sees:opening,answers:10"),
    *("constant:A", "constant:D", "key", "blind", "sees:name", "declining", "random", "semantic"),
)
"""Who plays unless somebody else is named."""

HINT_ALONE = "none"
"""The referee that answers nothing: what the others are judged by."""
N_REMEMBERED = 2**16
"""Pairs of words whose likeness is kept."""
Judge = tuple[str, int]
"""SPEC and seed."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One play.

    Attributes:
        won: the labelled paragraph was guessed.
        sentence_exact: the sentence that was sent equals the label's.
        confidence: of the guess, 0..1.
    """

    won: bool
    sentence_exact: bool
    private_score: float
    confidence: float


@dataclass(frozen=True, slots=True)
class Played:
    """One game.

    Attributes:
        outcomes: by judge; none where the paragraph was lost at ingest.
    """

    game_id: str
    outcomes: tuple[Outcome, ...]


class Rounds:
    """Plays one game after another against all judges.

    Args:
        player: plans each game once.
        referees: by judge.
        similarity: of two words, for the score.
        seed: of the practice server.

    Attributes:
        referees: as given.
    """

    def __init__(self, player: Player, referees: Sequence[Referee], similarity: Similarity, seed: int) -> None:
        self._player = player
        self.referees = referees
        self._similarity = similarity
        self._seed = seed

    def record(self, job: Job) -> Played:
        """The game against each of them."""
        reports = play_game(job, self._player, self.referees, self._similarity, self._seed)
        return Played(job.game.game_id, tuple(_outcome(job, report) for report in reports))


def _outcome(job: Job, report: GameReport) -> Outcome:
    guess, paragraph = report.decision.guess, job.paragraph
    assert paragraph is not None, "a game that was lost at ingest is not played"
    return Outcome(
        won=report.plan.result.row_of(paragraph) == report.decision.best,
        sentence_exact=same_text(guess.opening_sentence, job.game.opening_sentence or paragraph.opening_sentence),
        private_score=report.score.private_score,
        confidence=float(guess.confidence),
    )


def build_rounds(
    location: str,
    collection: str,
    settings: Settings,
    judges: Sequence[Judge],
    seed: int,
    *,
    alone: bool,
) -> Rounds:
    """What plays a store's games against all judges; `alone` says that no other process plays beside it."""
    settings = settings if alone else single_threaded(settings)
    store = open_store(location, collection)
    player = build_player(store, settings)
    tools = tools_of(store, settings.embed)
    similarity = word_similarity(store.embedder_spec, store.models(settings.embed))
    referees = [_referee(spec, own_seed, tools) for spec, own_seed in judges]
    return Rounds(player, referees, functools.lru_cache(maxsize=N_REMEMBERED)(similarity), seed)


def _referee(spec: str, seed: int, tools: Tools) -> Referee:
    referee = make_referee(spec, seed, tools)
    return Mute() if referee is None else referee


class Mute:
    """A referee that sends no answer: what is left is the hint."""

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """None for each question."""
        return [None] * len(questions)


def judges_of(specs: Sequence[str], repeats: int, seed: int) -> list[Judge]:
    """Each referee with its seeds, in order, the hint alone first; one that draws nothing plays once.

    Raises:
        RefereeError: a SPEC is none, or comes twice.
    """
    if twice := [spec for spec in specs if specs.count(spec) > 1 or spec == HINT_ALONE]:
        raise RefereeError(f"--referee must each be named once, and not {HINT_ALONE}, got {twice[0]!r}; remove it")
    judges = [(HINT_ALONE, seed)]
    for spec in specs:
        read = read_spec(spec)
        assert read is not None, "none was refused above"
        judges += [(spec, seed + repeat) for repeat in range(repeats if read.draws else 1)]
    return judges


def play_rounds(
    games: Sequence[LabelledGame],
    store: Course,
    settings: Settings,
    *,
    collection: str,
    judges: Sequence[Judge],
    seed: int,
    workers: int,
    partial: Path | None = None,
) -> list[Played]:
    """The answerable games over a store against these judges, in the order of the games.

    Args:
        judges: as `judges_of` gives them.
        seed: of the practice server.
        workers: processes; 0 takes as many as pay.
        partial: file that keeps the games done until all are, so that an interrupted run goes on; None keeps nothing.

    Raises:
        GamesError: the games are another corpus's, or none is answerable.
        SettingsError: `partial` cannot be written.
    """
    require_playable(games)
    located = locate_games(games, store.paragraphs)
    require_of_store(located, store.location, "--games")
    answerable = [game for game in games if game.answerable]
    if not answerable:
        raise GamesError(f"--games must hold at least one answerable game, got none of {len(games)}; add some")
    with contextlib.ExitStack() as stack:
        journal = None
        if partial is not None:
            inputs = inputs_digest(answerable, store.fingerprint, settings, repr(judges), seed, 1)
            journal = stack.enter_context(open_journal(partial, inputs, len(answerable)))
        done = {game_id: _read(kept) for game_id, kept in journal.done.items()} if journal else {}
        jobs = [
            Job(number, game, located.get(game.game_id))
            for number, game in enumerate(answerable)
            if game.game_id not in done
        ]
        make = functools.partial(build_rounds, store.location, collection, settings, judges, seed)
        n_workers = workers_for(workers, len(jobs), played=True)
        play_all = players(make, n_workers, lambda: prepare((spec for spec, _ in judges), store, settings.embed))
        bar = tqdm(total=len(answerable), initial=len(done), desc="playing", unit="game", file=sys.stderr)
        with bar, threadpool_limits(1, "blas"):
            for played in play_all(jobs):
                done[played.game_id] = played
                if journal:
                    journal.add(asdict(played))
                bar.update()
    return [done[game.game_id] for game in answerable]


def _read(kept: Mapping[str, Any]) -> Played:
    return Played(kept["game_id"], tuple(Outcome(**outcome) for outcome in kept["outcomes"]))
