"""YAML files of users: limited in size, without aliases, with the booleans and numbers of YAML 1.2."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape that may be half of a surrogate pair, which no UTF-8 file can hold."""
MAX_CHARS = 200_000
MAX_DIGITS = 100


class _PlainLoader(yaml.SafeLoader):
    """PyYAML's safe loader in which `off` is a word and 1e-1 a number; refuses aliases and very long integers."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(
            yaml.AliasEvent
        ):  # a few lines of aliases may expand to gigabytes
            raise yaml.YAMLError(
                "it must hold no alias (*name), got one; write the value again in its place"
            )
        return super().compose_node(parent, index)

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        if len(node.value) > MAX_DIGITS:
            raise yaml.YAMLError(
                f"an integer must have at most {MAX_DIGITS} digits, got {len(node.value)}"
            )
        return super().construct_yaml_int(node)


_PlainLoader.yaml_implicit_resolvers = {
    start: [
        (tag, form)
        for tag, form in known
        if tag.rpartition(":")[2] not in ("bool", "float")
    ]
    for start, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_PlainLoader.add_constructor("tag:yaml.org,2002:int", _PlainLoader.construct_yaml_int)
_PlainLoader.add_implicit_resolver(
    "tag:yaml.org,2002:bool", re.compile(r"(?i:true|false)$"), [*"tTfF"]
)
_PlainLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(
        r"[-+]?(?:(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|\.(?i:inf))$|\.(?i:nan)$"
    ),
    [*"-+.0123456789"],
)


def read_plain_file(path: Path) -> Any:
    """Read the value of a UTF-8 file.

    Raises:
        OSError: the file cannot be read.
        ValueError: as `read_plain_yaml`; UnicodeDecodeError for another encoding.
    """
    with path.open("rb") as file:
        return read_plain_yaml(file.read(4 * MAX_CHARS + 4).decode("utf-8"))


def read_plain_yaml(text: str) -> Any:
    """Read the value of a text.

    Raises:
        ValueError: it is not YAML, too long, too deeply nested or has aliases; the message completes "must be".
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"at most {MAX_CHARS} characters, got more")
    if HALF_PAIR.search(text):
        raise ValueError("Unicode, without half surrogate pairs")
    try:
        return _PlainLoader(text).get_single_data()
    except RecursionError:
        raise ValueError("less deeply nested") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"YAML: {' '.join(str(error).split())}") from error
