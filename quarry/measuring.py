"""Functions for notebooks that measure: replay, compare, tune and export. They need the extra `evaluate`.

Each raises a SettingsError if an argument is of a wrong type.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
from pydantic import NonNegativeInt, PositiveInt

from configs.settings import Settings, load
from evaluate.errors import RunError, writing
from evaluate.games.labelled import load_games
from evaluate.referee.spec import HINT_ALONE, repeat_referee
from evaluate.replay.presets import Belief, load_presets, replay_each, with_belief
from evaluate.replay.replay import Replay
from evaluate.runs import comparison
from evaluate.runs import export as exporting
from evaluate.runs.measures import find_measures
from evaluate.runs.run import Run
from quarry.api import as_course
from quarry.arguments import checked
from quarry.files import write_named
from quarry.store import Course


class Comparison(NamedTuple):
    """Runs over the same games, and a table of paired tests of each run against the first one."""

    runs: list[Run]
    tests: pd.DataFrame


@checked
def replay(
    course: Course | str | Path,
    games: str | Path,
    *,
    referee: str = HINT_ALONE,
    n_games: PositiveInt | None = None,
    seed: NonNegativeInt = 0,
    settings: Settings | None = None,
    name: str = "",
) -> Run:
    """Play the labelled games of a file against a simulated referee.

    Args:
        course: a course, or the location of its store.
        referee: SPEC; "none" only searches.
        n_games: number of games from the start of the file; None takes all.
        name: the name of the run, for comparisons and exports; "" takes that of the preset.

    Raises:
        GamesError: the file cannot be used, or its games belong to another course.
        RefereeError: the SPEC is invalid.
    """
    return Replay(
        load_games(Path(games))[:n_games],
        as_course(course),
        settings or load(),
        referees=repeat_referee(referee, 1, seed),
        seed=seed,
        name=name,
    ).run()


@checked
def compare(
    course: Course | str | Path,
    games: str | Path,
    settings: Sequence[str] | Mapping[str, Settings],
    *,
    belief: Belief = "course",
    referee: str = HINT_ALONE,
    n_games: PositiveInt | None = None,
    seed: NonNegativeInt = 0,
    measures: Sequence[str] = (),
) -> Comparison:
    """Replay the same games with several settings, and test each against the first one.

    Args:
        course: a course, or the location of its store.
        settings: names of presets, or settings by name; the first is the baseline of the tests.
        belief: all beliefs run over the whole course, over the hits of each search, or over what the settings of each
            run say ("preset").
        referee, n_games, seed: as in `replay`.
        measures: names of further measures, such as nDCG@10.

    Raises:
        RunError: there are fewer than two settings, or two presets have the same name.
    """
    if not isinstance(settings, Mapping):
        settings = load_presets(settings)
    comparison.require_two(settings)
    runs = replay_each(
        with_belief(settings, belief),
        load_games(Path(games))[:n_games],
        as_course(course),
        referees=repeat_referee(referee, 1, seed),
        seed=seed,
        measures=find_measures(measures),
    )
    tests = [asdict(test) for test in comparison.compare(runs, seed=seed)]
    return Comparison(runs, pd.DataFrame(tests))


@checked
def tune(
    course: Course | str | Path,
    games: str | Path,
    n_trials: PositiveInt,
    *,
    seed: NonNegativeInt = 0,
    settings: Settings | None = None,
    out: str | Path | None = None,
) -> dict[str, Any]:
    """Tune the search on labelled games, and return the figures of tuned and untuned settings.

    Args:
        course: a course, or the location of its store.
        settings: untuned settings, where the search for better ones starts.
        out: file for the tuned settings, which `load_settings` reads as a preset; None writes no file.

    Raises:
        GamesError: the file cannot be used, a split is empty, or its games belong to another course.
        SettingsError: `out` cannot be written.
    """
    from evaluate.tuning import tuner

    result = tuner.tune(
        load_games(Path(games)),
        as_course(course),
        settings or load(),
        n_trials=n_trials,
        seed=seed,
    )
    if out is not None:
        with writing(Path(out), "out"):
            write_named(Path(out), tuner.format_tuned_file(result).encode())
    return result


@checked
def export(runs: Run | Sequence[Run], folder: str | Path) -> list[Path]:
    """Write runs as TREC files, parquet and CSV into a folder, and return the files.

    Raises:
        RunError: there is no run, two have the same name, or a name cannot be that of a file.
        SettingsError: the folder cannot be written.
    """
    all_runs = [runs] if isinstance(runs, Run) else runs
    if not all_runs:
        raise RunError("runs is empty; take at least one run")
    with writing(Path(folder), "folder"):
        return exporting.export(all_runs, Path(folder))
