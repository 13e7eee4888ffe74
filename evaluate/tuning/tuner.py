"""Tunes the settings of search on labelled games: preparation, study, report, and the file of settings."""

import hashlib
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from operator import attrgetter

import yaml

from configs.settings import Settings
from evaluate.errors import GamesError
from evaluate.games.labelled import SPLITS, LabelledGame, Split, select_split
from evaluate.games.locating import locate_in
from evaluate.runs.measures import format_with_interval
from evaluate.tuning.gain import report_gain
from evaluate.tuning.objective import OBJECTIVE
from evaluate.tuning.prepared import Prepared, prepare
from evaluate.tuning.space import (
    Space,
    list_grid_points,
    load_space,
    read_grid,
)
from evaluate.tuning.storage import hide_passwords, open_storage
from evaluate.tuning.study import run_study
from player.round import Json
from quarry.parallel import Workers, open_executor
from quarry.store import Course
from quarry.terminal import pluralize
from quarry.version import code_digest, commit


def tune(
    games: Sequence[LabelledGame],
    course: Course,
    settings: Settings,
    *,
    n_trials: int = 0,
    grid: Sequence[str] = (),
    seed: int = 0,
    storage: str | None = None,
    workers: Workers = 1,
) -> Json:
    """Fit the settings of search on training games, choose on validation games, and report on test games.

    Args:
        games: games of all splits.
        course: the course of the store.
        settings: the untuned settings.
        n_trials: number of trials of the study in the end.
        grid: `KEY=A,B,...` for each key to sweep; every combination is one trial, and `n_trials` is not used.
        seed: seed of splits, sampler and intervals.
        storage: URL of a database, or path of an SQLite file, whose study is resumed; None keeps the study in memory.
        workers: number of processes that prepare games and evaluate trials, where 0 and 1 are this process alone; or a
            cluster.

    Returns:
        The figures of tuned and untuned settings; `settings`: the values of the tuned keys; `tuned_settings`: the whole
        section `search`; `game_settings`: the whole section `game`, which tuning does not change.

    Raises:
        GamesError: a split has no answerable game, or the games belong to another course.
        SettingsError: the grid has an unknown key or value.
        TuneError: the storage cannot be opened, or the settings cannot be tuned.
        WorkerError: workers cannot do the work.
    """
    base = settings.search
    space = read_grid(grid, base) if grid else load_space(base)
    opened_storage = open_storage(storage)
    by_split = _split_games(games, seed)
    chosen = [*itertools.chain.from_iterable(by_split.values())]
    located = locate_in(chosen, course)
    name = _name_study(chosen, course, settings, space)
    shown_storage = hide_passwords(storage or "")
    code = code_digest()  # an unreadable file of the user is named before the trials

    with open_executor(workers) as executor:
        prepared = prepare(chosen, located, course, settings, executor)
        splits = _take_splits(prepared, by_split)
        tuned = run_study(
            space,
            splits,
            base,
            name=name,
            n_trials=len(list_grid_points(space)) or n_trials,
            seed=seed,
            storage=opened_storage,
            executor=executor,
            shown_storage=shown_storage,
            store=course.location,
        )
    report = report_gain(space, tuned, splits, base, seed)
    if 0 < n_trials <= tuned.n_before:
        report["warnings"].append(
            f"the study in {shown_storage} has {pluralize(tuned.n_before, 'trial')} already, so that "
            f"--trials {n_trials} adds none; name a larger number, or another --storage"
        )

    as_tuned = asdict(replace(settings, search=tuned.settings))
    return {
        "objective": OBJECTIVE,
        "study": name,
        "trials": len(tuned.trials),
        "trials_before": tuned.n_before,
        "seconds": round(tuned.seconds, 1),
        "settings": {key: getattr(tuned.settings, key) for key in space},
        **report,
        "commit": commit(),
        "code": code,
        "preset": settings.preset,
        "store": course.location,
        "store_fingerprint": course.fingerprint,
        "seed": seed,
        "storage": (shown_storage or "in memory").split("@")[-1],
        "tuned_settings": as_tuned["search"],
        "game_settings": as_tuned["game"],
    }


def _split_games(
    games: Sequence[LabelledGame], seed: int
) -> dict[Split, list[LabelledGame]]:
    """Return the games of each split.

    Raises:
        GamesError: a split has no answerable game.
    """
    by_split: dict[Split, list[LabelledGame]] = {}
    for split in SPLITS:
        split_games = select_split(games, split, seed)
        if not any(game.answerable for game in split_games):
            raise GamesError(
                f"--games has no answerable game in the split {split}; add some"
            )
        by_split[split] = split_games
    return by_split


def _take_splits(
    prepared: Prepared, by_split: Mapping[Split, Sequence[LabelledGame]]
) -> dict[Split, Prepared]:
    """Return the prepared games of each split; they are in the order of the splits."""
    splits = {}
    games = iter(prepared.games)
    for split, split_games in by_split.items():
        in_split = [*itertools.islice(games, len(split_games))]
        splits[split] = replace(prepared, games=in_split)
    return splits


def _name_study(
    games: Sequence[LabelledGame], course: Course, settings: Settings, space: Space
) -> str:
    """Return a name that changes with games, settings and store, so that no study is resumed with others."""
    keys = ("game_id", "hint", "book_name", "paragraph_id", "opening_sentence")
    labels = [*map(attrgetter(*keys), games)]
    search = asdict(settings)["search"]
    inputs = json.dumps(
        [labels, course.fingerprint, search, repr(space)], sort_keys=True
    )
    return f"quarry-{hashlib.sha256(inputs.encode()).hexdigest()[:12]}"


def format_tuned(result: Json) -> Iterator[str]:
    """Yield the result of `tune` as lines for a terminal."""
    yield f"{result['trials']} trials ({result['trials_before']} from before), study {result['study']}"
    yield f"objective: {result['objective']}"
    for split in SPLITS:
        for kind in ("untuned", "tuned"):
            one = result[kind][split]
            cells = []
            for name, value in one["measures"].items():
                figure = format_with_interval(value, one["intervals"][name])
                cells.append(f"{name} {figure}")
            yield f"  {split:10} {kind:8} {one['objective']:.4f}  {', '.join(cells)}"

    gain = result["gain"]
    change = format_with_interval(gain["difference"], gain["interval"], "+.3f", "+.3f")
    yield f"  gain in {gain['measure']} on the test games {change}, p {gain['p']:.4f}"
    yield f"  {result['verdict']}"
    settings = [f"{name} {value}" for name, value in result["settings"].items()]
    yield f"  {', '.join(settings)}"


def format_tuned_file(result: Json) -> str:
    """Write the result of `tune` as the text of a settings file, with its provenance."""
    provenance = {}
    for key, value in result.items():
        if not key.endswith("settings"):
            provenance[key] = value
    document = {
        "provenance": provenance,
        "search": result["tuned_settings"],
        "game": result["game_settings"],
    }
    text = yaml.safe_dump(document, sort_keys=False, width=120, allow_unicode=True)
    return f"# Written by quarry tune, with where it comes from; never by hand.\n{text}"
