"""Replay of labelled games: what the player would have found, asked and won."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from quarry.configs.settings import Settings
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.locating import locate_games, require_of_store, require_playable
from quarry.evaluate.referee import make_referee, prepare, tools_of
from quarry.evaluate.referee.scoring import Similarity
from quarry.evaluate.replay.journal import Journal, inputs_digest, open_journal
from quarry.evaluate.replay.replayer import Job, Replayer, build_replayer, here, players, workers_for
from quarry.evaluate.runs.record import GameRecord
from quarry.evaluate.runs.run import Run, make_run
from quarry.ingest.store import Course
from quarry.player.player import Player


def replay(
    games: Sequence[LabelledGame],
    store: Course,
    player: Player,
    settings: Settings,
    *,
    referee: str,
    similarity: Similarity | None,
    seed: int = 0,
    repeats: int = 1,
    progress: bool = True,
) -> Run:
    """A run over the games in this process; the same inputs and seed give the same one, but for latency_ms.

    Args:
        referee: SPEC; with "none" only the search is measured.
        similarity: of two words, for the score; None only without a referee.
        repeats: plays of each game, with the referee's seeds `seed`, `seed + 1`, ...
        progress: a bar on standard error.

    Raises:
        RefereeError: the SPEC is none of docs/commands.md's.
    """
    plays = plays_of(referee, repeats)
    tools = tools_of(store, settings.embed)
    judges = [judge for repeat in range(plays) if (judge := make_referee(referee, seed + repeat, tools)) is not None]
    replayer = Replayer(player, judges, similarity, seed)
    return replay_games(
        games, store, settings, here(replayer), referee=referee, seed=seed, repeats=repeats, progress=progress
    )


def replay_games(
    games: Sequence[LabelledGame],
    store: Course,
    settings: Settings,
    play_all: Callable[[Iterable[Job]], Iterator[GameRecord]],
    *,
    referee: str,
    seed: int = 0,
    repeats: int = 1,
    journal: Journal | None = None,
    progress: bool = True,
    name: str = "",
) -> Run:
    """A run over the games as `play_all` plays them; whoever plays them, the run is the same.

    Args:
        play_all: `here` or `in_processes`; its records may come in any order.
        journal: what is done already is taken from it, and what is new is kept in it.
        progress: a bar on standard error, called by `name`.

    Raises:
        GamesError: the games are another corpus's.
    """
    located = locate_games(games, store.paragraphs)
    require_of_store(located, store.location, "--games")
    done = dict(journal.done) if journal else {}
    jobs = [
        Job(number, game, located.get(game.game_id)) for number, game in enumerate(games) if game.game_id not in done
    ]
    bar = tqdm(
        total=len(games),
        initial=len(games) - len(jobs),
        desc=f"replaying {name}".strip(),
        unit="game",
        disable=not progress,
    )
    # one BLAS thread: several would sum in another order on another machine, and do not pay on arrays of this size
    with bar, threadpool_limits(1, "blas"):
        for record in play_all(jobs):
            done[record["game_id"]] = record
            if journal:
                journal.add(record)
            bar.update()
    records = tuple(done[game.game_id] for game in games)
    return make_run(records, store.fingerprint, settings, referee, seed, plays_of(referee, repeats), name)


def replay_store(
    games: Sequence[LabelledGame],
    store: Course,
    settings: Settings,
    *,
    collection: str,
    referee: str,
    seed: int,
    repeats: int,
    workers: int,
    partial: Path | None,
    name: str = "",
    depth: int = 0,
) -> Run:
    """A run over a store, in as many processes as pay, going on from what an interrupted one has left.

    Args:
        workers: processes; 0 takes as many as pay.
        partial: file that keeps the games done until the run is; None keeps nothing.
        depth: paragraphs whose ranks and log-odds are kept beyond the hits; 0 keeps none.

    Raises:
        GamesError: the games are another corpus's, or plain queries that cannot be played.
        RefereeError: the SPEC is none of docs/commands.md's.
        EmbedderError: the store's embedder cannot be loaded.
        SettingsError: `partial` cannot be written.
        ReplayError: a worker process died.
    """
    plays = plays_of(referee, repeats)
    if referee != "none":
        require_playable(games)
    with contextlib.ExitStack() as stack:
        journal = None
        if partial is not None:
            inputs = inputs_digest(games, store.fingerprint, settings, referee, seed, plays, depth)
            journal = stack.enter_context(open_journal(partial, inputs, len(games)))
        n_left = len(games) - (len(journal.done) if journal else 0)
        n_workers = workers_for(workers, n_left, played=referee != "none")
        make = functools.partial(build_replayer, store.location, collection, settings, referee, seed, plays, depth)
        play_all = players(make, n_workers, lambda: prepare([referee], store, settings.embed))
        return replay_games(
            games, store, settings, play_all, referee=referee, seed=seed, repeats=repeats, journal=journal, name=name
        )


def plays_of(referee: str, repeats: int) -> int:
    """Plays of each game: without a referee the search is all there is, and it has no chance in it."""
    return 1 if referee == "none" else repeats
