"""Replays of the same games with several presets, which are then compared."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from configs.settings import GameSettings, Settings, load
from evaluate.errors import RunError
from evaluate.games.labelled import LabelledGame
from evaluate.referee.spec import SeededSpec
from evaluate.replay.replay import Replay
from evaluate.runs.measures import Measure
from evaluate.runs.run import Run, name_of_preset
from quarry.parallel import Workers
from quarry.store import Course

Belief = Literal["course", "hits", "preset"]
"""Candidates of all compared runs: the whole course, the hits of each search, or what the settings of each say."""
_CANDIDATES = {"course": GameSettings().candidates, "hits": 0}


def load_presets(presets: Sequence[str]) -> dict[str, Settings]:
    """Load the settings of presets, by the names of their runs.

    Raises:
        RunError: two runs would have the same name.
    """
    settings = {name_of_preset(preset): load(preset) for preset in presets}
    if len(settings) < len(presets):
        raise RunError(
            f"The presets {', '.join(presets)} give two runs the same name; name each once, or rename a file."
        )
    return settings


def with_belief(
    settings: Mapping[str, Settings], belief: Belief
) -> dict[str, Settings]:
    """Return settings by name whose beliefs run over other candidates."""
    changed = {}
    for name, own in settings.items():
        n_candidates = _CANDIDATES.get(belief, own.game.candidates)
        changed[name] = replace(own, game=replace(own.game, candidates=n_candidates))
    return changed


def replay_each(
    settings: Mapping[str, Settings],
    games: Sequence[LabelledGame],
    course: Course,
    *,
    referees: Sequence[SeededSpec],
    seed: int,
    measures: Mapping[str, Measure],
    workers: Workers = 1,
    folder: Path | None = None,
) -> list[Run]:
    """Replay the games with each of several settings, and return a run of each, under its name.

    Args:
        settings: settings by the names of the runs.
        folder: folder for the files of `Replay.out`, NAME.json; None keeps the records in memory.
    """
    runs = []
    for name, own in settings.items():
        out = folder / f"{name}.json" if folder else None
        replay = Replay(
            games,
            course,
            own,
            referees=referees,
            seed=seed,
            workers=workers,
            out=out,
            name=name,
            measures=measures,
        )
        runs.append(replay.run())

    return runs
