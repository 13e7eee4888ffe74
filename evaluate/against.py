"""The player against every kind of referee: what it wins, what it scores, and how far its confidence can be believed.

Every game is planned once and answered by each referee as often as that one draws.
"""

from __future__ import annotations

import functools
import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from configs.settings import Settings, as_dict
from evaluate.errors import RefereeError, RunError
from evaluate.games import LabelledGame, match_games, require_of_store, same_text
from evaluate.measures import interval
from evaluate.provenance import commit
from evaluate.referee import Posed, Referee, Secret, Tools, make_referee, prepare, read_spec, tools_of
from evaluate.remembered import RememberingEmbedder
from evaluate.replayer import Job, PlansOnce, here, in_processes, play_game, single_threaded, workers_for
from evaluate.scoring import Similarity, word_similarity
from ingest.store import ParagraphStore, models_dir_of, open_store
from player.play import GameReport
from player.player import Player, build_player
from player.search.build import store_embedder

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
SURE = 1e-4
"""How far a confidence is kept from 0 and 1 where its logarithm is taken."""
NEEDED = ("games", "hint_alone", "referees", "settings", "store_fingerprint", "commit", "seed")

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
        self._player = PlansOnce(player)
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
) -> Rounds:
    """What plays a store's games against all judges, as a worker process makes it."""
    store = open_store(location, collection)
    player = build_player(store, settings, embedder=RememberingEmbedder(store_embedder(store, settings)))
    tools = tools_of(store, settings.embed)
    similarity = word_similarity(store.embedder_spec, models_dir_of(store, settings.embed), settings.embed)
    referees = [_referee(spec, own_seed, tools) for spec, own_seed in judges]
    return Rounds(player, referees, functools.lru_cache(maxsize=N_REMEMBERED)(similarity), seed)


def _referee(spec: str, seed: int, tools: Tools) -> Referee:
    referee = make_referee(spec, seed, tools)
    return Mute() if referee is None else referee


class Mute:
    """A referee that sends no answer: what is left is the hint."""

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[str | None]:
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


def play_against(
    games: Sequence[LabelledGame],
    store: ParagraphStore,
    settings: Settings,
    *,
    collection: str,
    specs: Sequence[str],
    repeats: int,
    seed: int,
    workers: int,
) -> dict[str, Any]:
    """The table of a player's games over a store against these referees, as `make_table` gives it.

    Args:
        repeats: plays of each game against each referee that draws.
        workers: processes; 0 takes as many as pay.

    Raises:
        RefereeError: a SPEC is none, or comes twice.
        GamesError: the games are another corpus's.
    """
    judges = judges_of(specs, repeats, seed)
    matched = match_games(games, store.paragraphs)
    require_of_store(matched, store.location, "--games")
    answerable = [game for game in games if game.answerable]
    jobs = [Job(number, game, matched.get(game.game_id)) for number, game in enumerate(answerable)]
    making = functools.partial(build_rounds, store.location, collection)
    n_workers = workers_for(workers, len(jobs), played=True)
    if n_workers > 1:
        prepare(specs, store, settings.embed)
        play_all = in_processes(functools.partial(making, single_threaded(settings), judges, seed), n_workers)
    else:
        play_all = here(making(settings, judges, seed))
    return table_of(jobs, play_all, judges, store.fingerprint, settings, seed)


def table_of(
    jobs: Sequence[Job],
    play_all: Callable[[Iterable[Job]], Iterator[Played]],
    judges: Sequence[Judge],
    store_fingerprint: str,
    settings: Settings,
    seed: int,
) -> dict[str, Any]:
    """The table: what was won and scored, and Brier and log score of the confidence, with each referee.

    A game that was lost at ingest counts as lost, with score 0; the confidence is judged by the others.

    Args:
        jobs: the answerable games.
        play_all: `here` or `in_processes`; its games may come in any order.
        seed: of the intervals.
    """
    bar = tqdm(total=len(jobs), desc="playing", unit="game", file=sys.stderr)
    done: dict[str, Played] = {}
    with bar, threadpool_limits(1, "blas"):
        for played in play_all(jobs):
            done[played.game_id] = played
            bar.update()
    games = [done[job.game.game_id] for job in jobs]
    by_spec: dict[str, list[int]] = {}
    for place, (spec, _) in enumerate(judges):
        by_spec.setdefault(spec, []).append(place)
    won = {spec: won_by_game(games, places) for spec, places in by_spec.items()}
    lines = {spec: line_of(games, places, won[HINT_ALONE], seed) for spec, places in by_spec.items()}
    return {
        "games": len(games),
        "lost_at_ingest": sum(not game.outcomes for game in games),
        "hint_alone": lines.pop(HINT_ALONE),
        "referees": [{"referee": spec, **line} for spec, line in lines.items()],
        "settings": as_dict(settings),
        "store_fingerprint": store_fingerprint,
        "commit": commit(),
        "seed": seed,
        "per_game": [
            {"game_id": game.game_id, "won": {spec: round(float(shares[row]), 6) for spec, shares in won.items()}}
            for row, game in enumerate(games)
        ],
    }


def won_by_game(games: Sequence[Played], places: Sequence[int]) -> NDArray[np.float64]:
    """(n_games,) share of a game's plays by these judges that were won."""
    return _by_game(games, places, lambda outcome: float(outcome.won))


def line_of(games: Sequence[Played], places: Sequence[int], hint: NDArray[np.float64], seed: int) -> dict[str, Any]:
    """One referee's figures, each with its 95% interval over games.

    Args:
        places: of its judges.
        hint: (n_games,) what is won by the hint alone.
    """
    played = [game for game in games if game.outcomes]
    won = won_by_game(games, places)
    return {
        "plays": len(places),
        **_figure("won", won, seed),
        **_figure("won_more_than_hint", won - hint, seed),
        **_figure("private_score", _by_game(games, places, lambda outcome: outcome.private_score), seed),
        **_figure("sentence_exact", _by_game(games, places, lambda outcome: float(outcome.sentence_exact)), seed),
        **_figure("brier", _by_game(played, places, brier), seed),
        **_figure("log_score", _by_game(played, places, log_score), seed),
        "confidence": round(float(_by_game(played, places, lambda outcome: outcome.confidence).mean()), 6),
    }


def brier(outcome: Outcome) -> float:
    """The squared distance of the confidence from what came, 0..1; the smaller, the better.

    Reference:
        Brier, Verification of Forecasts Expressed in Terms of Probability, 1950.
    """
    return (outcome.confidence - outcome.won) ** 2


def log_score(outcome: Outcome) -> float:
    """Minus the natural logarithm of the probability that was given to what came; the smaller, the better.

    Reference:
        Good, Rational Decisions, 1952.
    """
    sure = min(1.0 - SURE, max(SURE, outcome.confidence))
    return -math.log(sure if outcome.won else 1.0 - sure)


def _by_game(games: Sequence[Played], places: Sequence[int], value: Callable[[Outcome], float]) -> NDArray[np.float64]:
    """(n_games,) mean of a value over a game's plays by these judges; 0 where it was not played."""
    return np.array(
        [np.mean([value(game.outcomes[place]) for place in places]) if game.outcomes else 0.0 for game in games]
    )


def _figure(name: str, values: NDArray[np.float64], seed: int) -> dict[str, Any]:
    if not len(values):
        return {name: None, f"{name}_interval": None}
    return {
        name: round(float(values.mean()), 6),
        f"{name}_interval": [round(end, 6) for end in interval(values, seed)],
    }


def read_table(path: Path) -> dict[str, Any]:
    """A table as `referees --out` writes it.

    Raises:
        RunError: the file is none.
    """
    remedy = "write it with python -m evaluate referees ... --out FILE"
    try:
        table = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RunError(f"{path}: must be a readable file, got {error.strerror}; {remedy}") from error
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: must be a table of referees as JSON: {error}; {remedy}") from error
    missing = [key for key in NEEDED if not isinstance(table, dict) or key not in table]
    if missing:
        raise RunError(f"{path}: must be a table of referees, but has no {missing[0]}; {remedy}")
    found: dict[str, Any] = table
    return found
