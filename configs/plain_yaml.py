"""Reading YAML files that somebody else wrote: bounded in size, without aliases, with the words of YAML 1.2."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

MAX_CHARS = 200_000
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


class Yaml12Loader(yaml.SafeLoader):
    """PyYAML's safe loader, with YAML 1.2's truth values and numbers: `off` is a word, and 1e-1 a number."""


Yaml12Loader.yaml_implicit_resolvers = {
    start: [(tag, form) for tag, form in known if tag.rpartition(":")[2] not in ("bool", "float")]
    for start, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
Yaml12Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?i:true|false)$"), [*"tTfF"])
Yaml12Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(?:(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|\.(?i:inf))$|\.(?i:nan)$"),
    [*"-+.0123456789"],
)


class _PlainLoader(Yaml12Loader):
    """Refuses aliases, by which a few lines may stand for gigabytes."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError("it must hold no alias (*name), got one; write the value again in its place")
        return super().compose_node(parent, index)


def read_plain_file(path: Path) -> Any:
    """Read the value that a UTF-8 file holds.

    Raises:
        OSError: the file cannot be read.
        ValueError: as `read_plain_yaml`; UnicodeDecodeError for another encoding.
    """
    with path.open("rb") as file:
        content = file.read(4 * MAX_CHARS + 1)
    if len(content) > 4 * MAX_CHARS:
        raise ValueError(f"at most {MAX_CHARS} characters, got more")
    return read_plain_yaml(content.decode("utf-8"))


def read_plain_yaml(text: str) -> Any:
    """Read the value that a text holds.

    Raises:
        ValueError: it is no YAML, too long, too deeply nested or has aliases; the message completes "must be".
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"at most {MAX_CHARS} characters, got {len(text)}")
    if _HALF_PAIR.search(text):
        raise ValueError("Unicode, without half surrogate pairs")
    try:
        return _PlainLoader(text).get_single_data()
    except RecursionError:
        raise ValueError("less deeply nested") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"YAML: {' '.join(str(error).split())}") from error
