"""Reader of users' YAML files: every value is a text, which the type of its setting converts later."""

from pathlib import Path
from typing import Any

import yaml

from configs.surrogates import HALF_PAIR

MAX_FILE_CHARS = 200_000
"""Maximum length of a text or a file."""


class _PlainLoader(yaml.SafeLoader):
    """A loader that takes plain values as texts, and `<<` as a merge."""

    yaml_implicit_resolvers = {  # noqa: RUF012 - as yaml declares it
        "<": yaml.SafeLoader.yaml_implicit_resolvers["<"]
    }


def read_plain_file(path: Path) -> Any:
    """Read the value of a UTF-8 file.

    Raises:
        OSError: the file cannot be read.
        ValueError: as `read_plain_yaml`.
        UnicodeDecodeError: the file has another encoding.
    """
    with path.open(encoding="utf-8", newline="") as file:
        return read_plain_yaml(file.read(MAX_FILE_CHARS + 1))


def read_plain_yaml(text: str) -> Any:
    """Read a YAML text of mappings, lists and texts (`off` and `1e-1` are texts); return None if it is empty.

    Raises:
        ValueError: the text is not YAML, too long or too deeply nested; the message says which.
    """
    if len(text) > MAX_FILE_CHARS:
        raise ValueError(f"more than {MAX_FILE_CHARS} characters; shorten it")
    if HALF_PAIR.search(text):
        raise ValueError("not Unicode: half a surrogate pair")
    try:
        return _PlainLoader(text).get_single_data()
    except RecursionError:
        raise ValueError("too deeply nested") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"not YAML: {' '.join(str(error).split())}") from error
