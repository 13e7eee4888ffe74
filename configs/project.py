"""The defaults of a project: `quarry.toml`, or `[tool.quarry]` of a pyproject.toml, in the folder or above."""

from __future__ import annotations

import dataclasses
import tomllib
from dataclasses import dataclass
from pathlib import Path

from configs.settings import SettingsError
from configs.similar_names import did_you_mean


@dataclass(frozen=True, slots=True)
class Project:
    """Values of options that a command line leaves out; "" where the project names none.

    Attributes:
        store: folder, or URL of a Chroma server.
        games: file of labelled games.
        preset: name, or a YAML file.
        server: URL of a game server.
        file: the file that says so.
    """

    store: str = ""
    games: str = ""
    preset: str = ""
    server: str = ""
    file: str = ""


KEYS = tuple(field.name for field in dataclasses.fields(Project))[:-1]


def find_project(folder: Path | None = None) -> Project:
    """Read the nearest project file of a folder and those above it; the current folder by default.

    Raises:
        SettingsError: the file cannot be read, or has an unknown key or a value that is no text.
    """
    start = (folder or Path.cwd()).resolve()
    for place in (start, *start.parents):
        for path, table in (
            (place / "quarry.toml", ""),
            (place / "pyproject.toml", "tool.quarry"),
        ):
            if path.is_file():
                values = _read(path, table)
                if values is not None:
                    return _checked(values, path)
    return Project()


def _read(path: Path, table: str) -> object:
    """Return the project's table of a TOML file; None if a pyproject.toml has none."""
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        if table:
            return None  # another program's file
        raise SettingsError(f"{path} is not a TOML file: {error}") from error
    return document.get("tool", {}).get("quarry") if table else document


def _checked(values: object, path: Path) -> Project:
    if not isinstance(values, dict):
        raise SettingsError(f"{path}: tool.quarry is not a table.")
    for key, value in values.items():
        if key not in KEYS:
            raise SettingsError(
                f"{path} has no key {key!r}; it has {', '.join(KEYS)}{did_you_mean(key, KEYS)}"
            )
        if not isinstance(value, str):
            raise SettingsError(
                f"{path}: {key} must be a text in quotation marks, got {value!r}"
            )
    project = Project(**values, file=str(path))
    return dataclasses.replace(
        project,
        store=_beside(path, project.store),
        games=_beside(path, project.games),
        preset=_beside(path, project.preset)
        if project.preset.endswith((".yaml", ".yml"))
        else project.preset,
    )


def _beside(path: Path, value: str) -> str:
    """Return a path of the project relative to the project's file; URLs are left as they are."""
    return value if not value or "://" in value else str(path.parent / value)
