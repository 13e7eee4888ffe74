"""Functions for notebooks: ingest, search, replay, compare, tune and export.

Each raises a SettingsError if an argument is of a wrong type.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import NonNegativeInt, PositiveInt

from configs.settings import Settings, load
from evaluate.errors import RunError, writing
from evaluate.games.labelled import LabelledGame, load_games
from evaluate.referee.spec import HINT_ALONE, repeat_referee
from evaluate.replay.replay import Replay
from evaluate.runs import comparison
from evaluate.runs import export as exporting
from evaluate.runs.differences import Belief, with_belief
from evaluate.runs.measures import find_measures
from evaluate.runs.run import Run
from ingest.errors import IngestError
from ingest.pipeline import pipeline
from player.search.build import build_orchestrator
from player.search.results import Query, SearchResult
from quarry import store as stores
from quarry.addresses import is_url
from quarry.arguments import checked
from quarry.errors import StoreError
from quarry.files import write_named
from quarry.store import DEFAULT_COLLECTION, Course

if TYPE_CHECKING:
    import pandas as pd

_log = logging.getLogger(__name__)


class Comparison(NamedTuple):
    """Runs over the same games, and a table of paired tests of each run against the first one."""

    runs: list[Run]
    tests: pd.DataFrame


@checked
def load_settings(
    preset: str = "default", config: str | Path | None = None
) -> Settings:
    """Load the settings of a preset, and merge a YAML file over them.

    Raises:
        SettingsError: unknown preset or key, a value of the wrong type or out of range, unreadable YAML.
    """
    return load(preset, Path(config) if config is not None else None)


@checked
def open_store(location: str | Path, collection: str = DEFAULT_COLLECTION) -> Course:
    """Open the course of a store.

    Args:
        location: folder or URL.

    Raises:
        StoreError: there is no such store, or it holds no paragraphs.
    """
    return stores.open_store(_named(location), collection)


@checked
def ingest_folder(
    paths: str | Path | Sequence[str | Path],
    store: str | Path,
    settings: Settings | None = None,
    *,
    embedder: str = "auto",
    progress: bool = True,
) -> Course:
    """Add files to a store, unless it holds them already, and open its course; log a warning for each unreadable file.

    Args:
        paths: PDFs, folders of them, or paragraphs.jsonl files.
        store: folder or URL.
        embedder: SPEC; `auto` is the store's own, or chosen by script.

    Raises:
        IngestError: a path does not exist, or no file could be read.
        StoreError: the store has no name, or cannot be written.
    """
    location = _named(store)
    sources = [paths] if isinstance(paths, str | Path) else paths
    summary = pipeline.ingest(
        [Path(source) for source in sources],
        location,
        settings or load(),
        embedder_spec=embedder,
        progress=progress,
    )
    if summary.failed and len(summary.failed) == len(summary.outcomes):
        raise IngestError(summary.failed[0].detail)
    for outcome in summary.failed:
        _log.warning("%s", outcome.detail)
    return open_store(location)


@checked
def search(
    course: Course | str | Path,
    hint: str,
    book: str = "",
    *,
    k: PositiveInt | None = None,
    settings: Settings | None = None,
) -> SearchResult:
    """Search for a hint; for many searches, use one `build_orchestrator`.

    Args:
        course: a course, or the location of its store.
        book: name of the lecture in any spelling; "" for the whole course.
        k: number of hits; None takes that of the settings.

    Raises:
        PlayerError: the hint is empty, or every strategy failed.
    """
    orchestrator = build_orchestrator(_opened(course), settings or load())
    return orchestrator.search(Query(hint, book, k))


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
        _first_games(games, n_games),
        _opened(course),
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
    import pandas as pd

    if not isinstance(settings, Mapping):
        settings = comparison.load_presets(settings, load)
    comparison.require_two(settings)
    labelled, opened = _first_games(games, n_games), _opened(course)
    runs = []
    for name, settings_of_run in settings.items():
        replayed = Replay(
            labelled,
            opened,
            with_belief(settings_of_run, belief),
            referees=repeat_referee(referee, 1, seed),
            seed=seed,
            name=name,
            measures=find_measures(measures),
        )
        runs.append(replayed.run())
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
        _opened(course),
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


def _first_games(path: str | Path, n_games: int | None) -> list[LabelledGame]:
    """Load the first games of a file; None loads all."""
    return load_games(Path(path))[:n_games]


def _named(location: str | Path) -> str:
    """Return the location of a store, a folder as an absolute path; raise a StoreError if it is empty."""
    named = str(location)
    if not named:
        raise StoreError("store is empty; name a folder or a URL")
    return named if is_url(named) else os.path.abspath(os.path.expanduser(named))


def _opened(course: Course | str | Path) -> Course:
    return course if isinstance(course, Course) else open_store(course)
