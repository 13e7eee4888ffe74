"""Defaults of a project: `quarry.toml` in the current folder or above."""

import os
import reprlib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, TypeAdapter, ValidationError

from configs.errors import SettingsError
from configs.faults import fault_and_remedy
from configs.settings import is_file_name, require_key

MAX_FILE_BYTES = 200_000
"""Maximum size of a project file."""
MAX_SETTING_CHARS = 4_000
"""Maximum length of a value."""


@dataclass(frozen=True, slots=True)
class Project:
    """Values of options that the command line leaves out; "" if the project does not set one.

    Attributes:
        store: folder, or URL of a Chroma server.
        games: file of labelled games.
        preset: name, or a YAML file.
        server: URL of a game server.
        file: the project file.
    """

    store: str = ""
    games: str = ""
    preset: str = ""
    server: str = ""
    file: str = ""


PROJECT_KEYS = tuple(field.name for field in fields(Project))[:-1]
"""Keys of a project file."""
_TEXT = Field(max_length=MAX_SETTING_CHARS, pattern=r"^[^\x00-\x1f\x7f]*$")
_VALUE = TypeAdapter(Annotated[str, _TEXT])


def find_project() -> Project:
    """Read the nearest project file of the current folder and those above it.

    Raises:
        SettingsError: the file cannot be read, or has an unknown key or a value that is not a text.
    """
    try:
        folder = Path.cwd()
    except OSError:  # it was deleted
        return Project()
    for directory in (folder, *folder.parents):
        path = directory / "quarry.toml"
        table = _read_toml(path)
        if table is not None:
            return _make_project(table, path)
    return Project()


def _read_toml(path: Path) -> dict[str, Any] | None:
    """Read a TOML file; return None if there is no file."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            content = file.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise ValueError(f"more than {MAX_FILE_BYTES} bytes; shorten it")
        return tomllib.loads(content.decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        fault = f'is not a TOML file: {" ".join(str(error).split())[:200]}; write lines such as store = "my/store"'
        if isinstance(error, OSError):
            fault = f"cannot be read: {fault_and_remedy(error)}"
        raise SettingsError(f"{path} {fault}") from error


def _make_project(table: Mapping[str, Any], path: Path) -> Project:
    """Check the values of a table; return them with paths that start from the folder of the file."""
    values = {}
    for key, value in table.items():
        require_key(key, PROJECT_KEYS, str(path))
        try:
            _VALUE.validate_python(value)
        except ValidationError:
            raise SettingsError(
                f"{path}: {key} is {reprlib.repr(value)}; it must be a text in quotation marks, without control "
                f"characters and of at most {MAX_SETTING_CHARS} characters"
            ) from None

        is_path = key not in ("preset", "server") or is_file_name(value)
        is_local = is_path and value and "://" not in value
        values[key] = (
            str(path.parent / os.path.expanduser(value)) if is_local else value
        )
    return Project(**values, file=str(path))
