"""The defaults of a project: `quarry.toml`, or `[tool.quarry]` of a pyproject.toml, in the folder or above."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from configs.settings import SettingsError, is_file_name, require_key


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


KEYS = tuple(field.name for field in fields(Project))[:-1]


def find_project() -> Project:
    """Read the nearest project file of the current folder and those above it.

    Raises:
        SettingsError: the file cannot be read, or has an unknown key or a value that is no text.
    """
    folder = Path.cwd()
    for place in (folder, *folder.parents):
        for path in (place / "quarry.toml", place / "pyproject.toml"):
            table = _table_of(path) if path.is_file() else None
            if table is not None:
                return _project(table, path)
    return Project()


def _table_of(path: Path) -> Mapping[str, Any] | None:
    """Return the project's table of a TOML file; None if another program's file has none."""
    is_ours = path.name == "quarry.toml"
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        if is_ours:
            raise SettingsError(f"{path} is not a TOML file: {error}") from error
        return None
    return document if is_ours else document.get("tool", {}).get("quarry")


def _project(table: Mapping[str, Any], path: Path) -> Project:
    """Return the checked values; paths among them are relative to the file."""
    values = {}
    for key, value in table.items():
        require_key(key, KEYS, str(path))
        if not isinstance(value, str):
            raise SettingsError(
                f"{path}: {key} is {value!r}; it must be a text in quotation marks"
            )
        is_path = key not in ("preset", "server") or is_file_name(value)
        is_local = is_path and value and "://" not in value
        values[key] = str(path.parent / value) if is_local else value
    return Project(**values, file=str(path))
