"""A run on disk: RUN.json, and beside it RUN.games.jsonl with the record of every game."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from quarry.configs.json_files import read_object, read_objects
from quarry.configs.settings import SettingsError
from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.record import GameRecord
from quarry.evaluate.runs.run import Run

MADE_WITH: dict[str, type] = {
    "referee": str,
    "settings": dict,
    "store_fingerprint": str,
    "commit": str,
    "seed": int,
    "repeats": int,
}
"""What RUN.json says that the records do not; all else is worked out from them again."""
CHECKED = ("games_digest", "games", "measures", "win_rate", "private_score", "per_game")
"""What RUN.json must say as the records do."""
NOT_COMPARED = {"fate"}
"""Of each game in `per_game`: words, which another version may choose otherwise."""
AGAIN = "run the replay again"


def games_path(out: Path) -> Path:
    """Where the records of a run's games stand."""
    return out.with_name(f"{out.stem}.games.jsonl")


def partial_path(out: Path) -> Path:
    """Where the games of an unfinished run stand."""
    return out.with_name(f"{out.name}.partial")


def write_run(out: Path, run: Run) -> None:
    """Write a run and the records of its games.

    Raises:
        SettingsError: a file cannot be written.
    """
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in run.records]
    try:
        games_path(out).write_text("".join(lines), encoding="utf-8")
        out.write_text(json.dumps(run.as_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"--out must be a file that can be written, got {out}: {error.strerror}") from error


def read_run(path: Path) -> Run:
    """The run of a file, with the records beside it.

    Raises:
        RunError: missing, empty, no run, without the records of its games, or altered since it was written.
    """
    what = "a run as replay --out writes it"
    remedy = "run the replay that writes it: python -m evaluate replay ... --out RUN.json"
    found = read_object(path, RunError, what=what, needed=(*CHECKED, *MADE_WITH), remedy=remedy)
    for key, kind in MADE_WITH.items():
        if not isinstance(found[key], kind) or isinstance(found[key], bool):
            raise RunError(f"{path}: {key} must be of type {kind.__name__}, got {found[key]!r}; {AGAIN}")
    if found["repeats"] < 1:
        raise RunError(f"{path}: repeats must be at least 1, got {found['repeats']}; {AGAIN}")
    beside = games_path(path)
    run = Run(_records(beside), **{key: found[key] for key in MADE_WITH}, name=path.stem)
    worked_out = run.as_json()
    # it may be of somebody who has other measures than the project's own
    worked_out["measures"] = {name: value for name, value in run.measures.items() if name in found["measures"]}
    for key in CHECKED:
        if wrong := _difference(worked_out[key], found[key], key):
            raise RunError(
                f"{path}: must say what the games of {beside.name} give, but {wrong}; "
                f"one of the two was altered, or is another run's or another version's: {AGAIN}"
            )
    return run


def read_runs(paths: Sequence[Path]) -> list[Run]:
    """Read runs that have names of their own.

    Raises:
        RunError: two have the same name, or a file is no run.
    """
    runs = [read_run(path) for path in paths]
    names = [found.name for found in runs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RunError(f"runs must have names of their own, got {twice[0]}.json twice; rename one")
    return runs


def require_same_games(runs: Sequence[Run]) -> None:
    """Pass if the runs are of the same games: over one store, of the same paragraphs of it as well.

    Raises:
        RunError: they are not.
    """
    for other in runs[1:]:
        one_store = other.store_fingerprint == runs[0].store_fingerprint
        got, needed = (run.games_digest if one_store else run.labels_digest for run in (other, runs[0]))
        if got != needed:
            raise RunError(
                f"{other.name}: must be of the same games as {runs[0].name}, got {got} for {needed}; "
                "replay both with the same --games, --split and --seed"
            )


def _records(path: Path) -> tuple[GameRecord, ...]:
    records = []
    for where, found in read_objects(path, RunError, remedy=f"copy it along with the run, or {AGAIN}"):
        try:
            records.append(_RECORD.validate_python(found, strict=True))
        except ValidationError as error:
            first = error.errors()[0]
            place = ".".join(str(part) for part in first["loc"])
            raise RunError(f"{where}: {place} must be as replay writes it: {first['msg']}; {AGAIN}") from error
    return tuple(records)


_RECORD: TypeAdapter[GameRecord] = TypeAdapter(GameRecord)


def _difference(right: Any, found: Any, place: str) -> str:
    """Where two documents first differ, in words; "" where they do not, but for the last digits."""
    if isinstance(right, dict) and isinstance(found, dict):
        for key in [key for key in right if key not in NOT_COMPARED]:
            if key not in found:
                return f"{place} has no {key}"
            if wrong := _difference(right[key], found[key], f"{place}.{key}"):
                return wrong
        return ""
    if isinstance(right, list) and isinstance(found, list) and len(right) == len(found):
        wrongs = (
            _difference(one, other, f"{place}.{row}") for row, (one, other) in enumerate(zip(right, found, strict=True))
        )
        return next(filter(None, wrongs), "")
    numbers = all(isinstance(value, int | float) and not isinstance(value, bool) for value in (right, found))
    if (numbers and math.isclose(right, found, abs_tol=1e-5)) or (type(right) is type(found) and right == found):
        return ""
    return f"{place} is {_shown(found)} for {_shown(right)}"


def _shown(value: Any) -> str:
    return f"a list of {len(value)}" if isinstance(value, list) else repr(value)
