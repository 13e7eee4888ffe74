"""The defaults of a project: the file `quarry.toml` in the current folder or above."""

import reprlib
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter, ValidationError

from configs.errors import SettingsError
from configs.plain_yaml import MAX_CHARS
from configs.settings import is_file_name, require_key

MAX_VALUE_CHARS = 4_000


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
_TEXT = Field(max_length=MAX_VALUE_CHARS, pattern=r"^[^\x00-\x1f\x7f]*$")
_VALUE = TypeAdapter(Annotated[str, _TEXT])


def find_project() -> Project:
    """Read the nearest project file of the current folder and those above it.

    Raises:
        SettingsError: the file cannot be read, or has an unknown key or a value that is no text.
    """
    try:
        folder = Path.cwd()
    except OSError:  # it was deleted
        return Project()
    for directory in (folder, *folder.parents):
        path = directory / "quarry.toml"
        if path.is_file():
            return _read(path)
    return Project()


def _read(path: Path) -> Project:
    """Return the checked values of a file; paths among them are relative to the file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_CHARS + 1)
        if len(content) > MAX_CHARS:
            raise ValueError(f"more than {MAX_CHARS} bytes; shorten it")
        table = tomllib.loads(content.decode("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        fault = " ".join(str(error).split())[:200]
        raise SettingsError(f"{path} is not a TOML file: {fault}") from error

    values = {}
    for key, value in table.items():
        require_key(key, KEYS, str(path))
        try:
            _VALUE.validate_python(value)
        except ValidationError:
            raise SettingsError(
                f"{path}: {key} is {reprlib.repr(value)}; it must be a text in quotation marks, without control "
                f"characters and of at most {MAX_VALUE_CHARS} characters"
            ) from None
        is_path = key not in ("preset", "server") or is_file_name(value)
        is_local = is_path and value and "://" not in value
        values[key] = str(path.parent / value) if is_local else value
    return Project(**values, file=str(path))
