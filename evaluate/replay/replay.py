"""Replay labelled games, and resume a replay that was interrupted."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from configs.directories import code_digest
from configs.settings import Settings, as_dict
from evaluate.errors import writing
from evaluate.games.labelled import LabelledGame
from evaluate.games.locating import locate_in
from evaluate.referee.simulated import Judge, prepare, repeats_of
from evaluate.replay.replayer import (
    Job,
    PlayAll,
    build_replayer,
    place_of,
    play_on,
    workers_for,
)
from evaluate.runs.files import (
    RecordFile,
    partial_path,
    unfinished_records,
    write_run,
)
from evaluate.runs.measures import Measure
from evaluate.runs.record import N_CANDIDATES_KEPT, ReplayRecord
from evaluate.runs.run import Run, make_run
from evaluate.runs.table import make_table
from ingest.executors import Cluster, Workers, executor_of, made_once
from ingest.store import Course


def inputs_digest(
    games: Sequence[LabelledGame],
    store_fingerprint: str,
    settings: Settings,
    judges: Sequence[Judge],
    seed: int,
) -> str:
    """Return hexadecimal digits that change with everything that a run depends on, including the code."""
    inputs = {
        "games": [asdict(game) for game in games],
        "store": store_fingerprint,
        "settings": as_dict(settings),
        "judges": list(judges),
        "seed": seed,
        "code": code_digest(),
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def replay_games(
    games: Sequence[LabelledGame],
    store: Course,
    play_all: PlayAll,
    *,
    records: RecordFile | list[ReplayRecord] | None = None,
    progress: bool = True,
    name: str = "",
) -> Collection[ReplayRecord]:
    """Play the games that are not finished, and return the records of all, in the order of the games.

    Args:
        records: the records of the first games, which are finished; the others are appended in order.
        progress: a bar on standard error, with `name`.

    Raises:
        GamesError: the games are another corpus's.
    """
    located = locate_in(games, store)
    records = [] if records is None else records
    done = len(records)

    def jobs() -> Iterator[Job]:
        for number in range(done, len(games)):
            game = games[number]
            yield Job(number, game, located.get(game.game_id))

    bar = tqdm(
        total=len(games),
        initial=done,
        desc=f"replaying {name}".strip(),
        unit="game",
        disable=not progress,
    )
    early: dict[str, ReplayRecord] = {}
    # one BLAS thread: several would sum in another order on another machine, and do not pay on arrays of this size
    with bar, threadpool_limits(1, "blas"):
        for record in play_all(jobs()):
            early[record["game_id"]] = record
            while len(records) < len(games) and games[len(records)].game_id in early:
                records.append(early.pop(games[len(records)].game_id))
            bar.update()
    return records


def replay_judges(
    games: Sequence[LabelledGame],
    store: Course,
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
        inputs = inputs_digest(games, store.fingerprint, settings, judges, seed)
        records = unfinished_records(out, inputs)
        if records:
            print(f"resuming {out}: {len(records)} games are finished", file=sys.stderr)
    if isinstance(workers, int):
        workers = workers_for(workers, len(games) - len(records), played=bool(judges))
    make = functools.partial(
        build_replayer,
        *(*place_of(store), settings, tuple(judges), seed, n_candidates),
        alone=workers == 1,
    )
    key = uuid4().hex
    if workers != 1:
        prepare(
            (spec for spec, _ in judges), store, settings.embed
        )  # else every process would make its own
    with executor_of(workers) as executor:
        if isinstance(executor, Cluster):
            executor.check(made_once, key, make)
        elif workers == 1:
            made_once(key, make)  # an error shows before the progress bar
        return replay_games(
            games, store, play_on(executor, key, make), records=records, name=name
        )


def replay_store(
    games: Sequence[LabelledGame],
    store: Course,
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
        games, store, settings, judges, seed=seed, workers=workers, out=out, name=name
    )
    return make_run(
        records,
        store.fingerprint,
        settings,
        referee,
        seed,
        len(judges) or 1,
        name,
        measures,
    )


def replay_table(
    games: Sequence[LabelledGame],
    store: Course,
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
        store,
        settings,
        judges,
        seed=seed,
        workers=workers,
        out=out,
        n_candidates=0,
    )
    table = make_table(records, judges, store.fingerprint, settings, seed)
    if out:
        with writing(out):
            text = json.dumps(table, ensure_ascii=False, indent=1)
            out.write_text(text + "\n", encoding="utf-8")
            partial_path(out).unlink()
    return table


def replay_each(
    games: Sequence[LabelledGame],
    store: Course,
    named: Mapping[str, Settings],
    *,
    folder: Path | None = None,
    **options: Any,
) -> list[Run]:
    """Return a run for each of several settings, under its name.

    Args:
        named: settings by the name of their run.
        folder: each run is written there as NAME.json; the same replays to it are resumed.
        options: as of `replay_store`.
    """
    paths = {name: folder / f"{name}.json" if folder else None for name in named}
    runs = []
    for name, settings in named.items():
        runs.append(
            replay_store(games, store, settings, name=name, out=paths[name], **options)
        )
    for run in runs:  # only now, so that until the last game all of them are resumed
        if path := paths[run.name]:
            write_run(path, run)
    return runs
