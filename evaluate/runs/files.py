"""A run on disk: RUN.json, and beside it RUN.games.jsonl with the record of every game."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from configs.settings import SettingsError
from evaluate.errors import RunError
from evaluate.runs.record import GameRecord

NEEDED = ("measures", "intervals", "per_game", "settings", "store_fingerprint", "games_digest")


@dataclass(frozen=True, slots=True)
class RunFile:
    """A run that was read, with the records of its games.

    Attributes:
        name: the file's name without its suffix.
    """

    name: str
    run: dict[str, Any]
    records: tuple[GameRecord, ...]


def games_path(out: Path) -> Path:
    """Where the records of a run's games stand."""
    return out.with_name(f"{out.stem}.games.jsonl")


def partial_path(out: Path) -> Path:
    """Where the games of an unfinished run stand."""
    return out.with_name(f"{out.name}.partial")


def write_run(out: Path, run: dict[str, Any], records: Sequence[GameRecord]) -> None:
    """Write a run and the records of its games.

    Raises:
        SettingsError: a file cannot be written.
    """
    lines = [json.dumps(record, ensure_ascii=False) + "\n" for record in records]
    try:
        games_path(out).write_text("".join(lines), encoding="utf-8")
        out.write_text(json.dumps(run, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise SettingsError(f"--out must be a file that can be written, got {out}: {error.strerror}") from error


def read_run(path: Path) -> RunFile:
    """The run of a file, with the records beside it.

    Raises:
        RunError: missing, empty, no run, or without the records of its games.
    """
    text = _read(path, "run the replay that writes it: python -m evaluate replay ... --out RUN.json")
    try:
        run = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RunError(f"{path}: must be a run as replay --out writes it: {error}; run the replay again") from error
    missing = [key for key in NEEDED if not isinstance(run, dict) or key not in run]
    if missing:
        raise RunError(
            f"{path}: must be a run as replay --out writes it, but has no {missing[0]}; run the replay again"
        )
    beside = games_path(path)
    remedy = "copy it along with the run, or run the replay again"
    try:
        records = tuple(json.loads(line) for line in _read(beside, remedy).split("\n") if line.strip())
    except ValueError as error:
        raise RunError(f"{beside}: must hold one JSON record a line: {error}; run the replay again") from error
    played = {game["game_id"] for game in run["per_game"]}
    recorded = {record.get("game_id") for record in records if isinstance(record, dict) and record.get("answerable")}
    if played != recorded:
        raise RunError(f"{beside}: must hold the games of {path.name}, got others; run the replay again")
    return RunFile(path.stem, run, records)


def require_same_games(runs: Sequence[RunFile]) -> None:
    """Pass if the runs are of the same games over the same store.

    Raises:
        RunError: they are not.
    """
    for key, what in (("games_digest", "the same games"), ("store_fingerprint", "the same store")):
        for other in runs[1:]:
            if other.run[key] != runs[0].run[key]:
                raise RunError(
                    f"{other.name}: must be of {what} as {runs[0].name}, got {other.run[key]} for {runs[0].run[key]}; "
                    "replay both with the same --games, --split, --seed and --store"
                )


def _read(path: Path, remedy: str) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise RunError(f"{path}: must be a readable file, got {error.strerror}; {remedy}") from error
    except UnicodeDecodeError as error:
        raise RunError(f"{path}: must be UTF-8, {error.reason}; {remedy}") from error
