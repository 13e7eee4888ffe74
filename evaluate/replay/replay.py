"""Replay labelled games, and resume a replay that was interrupted."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from threadpoolctl import threadpool_limits
from tqdm.auto import tqdm

from quarry.configs.settings import Settings, SettingsError, as_dict
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.games.locating import locate_games, require_of_store
from quarry.evaluate.referee import prepare
from quarry.evaluate.replay.judges import Judge, repeats_of
from quarry.evaluate.replay.replayer import Job, PlayAll, build_replayer, players, workers_for
from quarry.evaluate.runs.provenance import code_digest
from quarry.evaluate.runs.record import N_CANDIDATES_KEPT, GameRecord
from quarry.evaluate.runs.run import Run, make_run
from quarry.ingest.store import Course


class FinishedGames:
    """The finished games of a replay in a file of JSON lines, so that the same command resumes it.

    The first line says of which inputs the games are. A file of other inputs is begun anew.

    Args:
        path: the file; None keeps nothing.
        inputs: as `inputs_digest` gives it.

    Attributes:
        records: of the finished games, by game_id.

    Raises:
        SettingsError: the file cannot be written.
    """

    def __init__(self, path: Path | None, inputs: str) -> None:
        self.records: dict[str, GameRecord] = {}
        self._path = path
        if path is None:
            return
        try:
            text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
            first, *lines = text.split("\n")
            if first == json.dumps({"inputs": inputs}):
                for line in lines:
                    with contextlib.suppress(
                        ValueError, KeyError, TypeError
                    ):  # a process that was killed leaves a torn last line
                        self.records |= {(record := json.loads(line))["game_id"]: record}
                print(f"resuming from {path}: {len(self.records)} games are finished", file=sys.stderr)
            elif text:
                print(f"{path} is of another run, or of other code, and is begun anew", file=sys.stderr)
            kept = "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in self.records.values())
            path.write_text(json.dumps({"inputs": inputs}) + "\n" + kept, encoding="utf-8")
        except OSError as error:
            raise SettingsError(
                f"--out must be in a folder that can be written, got {path}: {error.strerror}"
            ) from error

    def add(self, record: GameRecord) -> None:
        """Append a finished game."""
        self.records[record["game_id"]] = record
        if self._path is not None:
            with self._path.open("a", encoding="utf-8") as file:
                file.write(json.dumps(record, ensure_ascii=False) + "\n")


def inputs_digest(
    games: Sequence[LabelledGame], store_fingerprint: str, settings: Settings, judges: Sequence[Judge], seed: int
) -> str:
    """Return hexadecimal digits that change with anything that a run depends on: the code as well."""
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
    finished: FinishedGames | None = None,
    progress: bool = True,
    name: str = "",
) -> tuple[GameRecord, ...]:
    """Play the games that are not finished, and return the records of all, in the order of the games.

    Args:
        progress: a bar on standard error, with `name`.

    Raises:
        GamesError: the games are another corpus's.
    """
    located = locate_games(games, store.paragraphs)
    require_of_store(located, store.location, "--games")
    finished = finished or FinishedGames(None, "")
    jobs = [
        Job(number, game, located.get(game.game_id))
        for number, game in enumerate(games)
        if game.game_id not in finished.records
    ]
    done = len(games) - len(jobs)
    bar = tqdm(total=len(games), initial=done, desc=f"replaying {name}".strip(), unit="game", disable=not progress)
    # one BLAS thread: several would sum in another order on another machine, and do not pay on arrays of this size
    with bar, threadpool_limits(1, "blas"):
        for record in play_all(jobs):
            finished.add(record)
            bar.update()
    return tuple(finished.records[game.game_id] for game in games)


def replay_judges(
    games: Sequence[LabelledGame],
    store: Course,
    settings: Settings,
    judges: Sequence[Judge],
    *,
    seed: int,
    workers: int,
    partial: Path | None = None,
    n_candidates: int = N_CANDIDATES_KEPT,
    name: str = "",
) -> tuple[GameRecord, ...]:
    """Play the games of a store against each referee, in several processes if that pays; resume what was interrupted.

    Args:
        judges: SPEC and seed of each referee; none measures the search alone.
        seed: of the practice server.
        workers: processes; 0 takes as many as pay.
        partial: file that keeps the finished games until the run is written; None keeps nothing.
        n_candidates: candidates of each play that the records keep.

    Raises:
        GamesError: the games are another corpus's.
        RefereeError: a SPEC is invalid.
        EmbedderError: the store's embedder cannot be loaded.
        SettingsError: `partial` cannot be written.
        ReplayError: a worker process died.
    """
    inputs = inputs_digest(games, store.fingerprint, settings, judges, seed) if partial else ""
    finished = FinishedGames(partial, inputs)
    n_workers = workers_for(workers, len(games) - len(finished.records), played=bool(judges))
    make = functools.partial(
        build_replayer, store.location, store.collection, settings, tuple(judges), seed, n_candidates
    )
    play_all = players(make, n_workers, lambda: prepare((spec for spec, _ in judges), store, settings.embed))
    return replay_games(games, store, play_all, finished=finished, name=name)


def replay_store(
    games: Sequence[LabelledGame],
    store: Course,
    settings: Settings,
    *,
    referee: str = "none",
    seed: int = 0,
    repeats: int = 1,
    workers: int = 1,
    partial: Path | None = None,
    name: str = "",
) -> Run:
    """Return a run over the games of a store; see `replay_judges`.

    Args:
        referee: SPEC; with "none" only the search is measured, and repeats are not made.
        repeats: plays of each game, with the referee's seeds `seed`, `seed + 1`, ...
    """
    judges = repeats_of(referee, repeats, seed)
    records = replay_judges(games, store, settings, judges, seed=seed, workers=workers, partial=partial, name=name)
    return make_run(records, store.fingerprint, settings, referee, seed, len(judges) or 1, name)
