"""YAML that somebody else wrote: small, also once its aliases are written out, so that no few lines fill the memory."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

MAX_CHARS = 200_000
MAX_WRITTEN_OUT = 200_000
"""Characters and values with every alias (*name) in the place of which it stands; aliases within aliases multiply."""
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


class _Loader(yaml.SafeLoader):
    """Reads truth values and numbers as YAML 1.2 has them: `off` is a word, and 1e-1 a number."""


_Loader.yaml_implicit_resolvers = {
    start: [(tag, form) for tag, form in known if tag.rpartition(":")[2] not in ("bool", "float")]
    for start, known in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_Loader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"(?:true|True|TRUE|false|False|FALSE)$"), [*"tTfF"])
_Loader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"[-+]?(?:(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF))$|\.(?:nan|NaN|NAN)$"),
    [*"-+.0123456789"],
)


def read_plain_file(path: Path) -> Any:
    """What a UTF-8 file says; no more of it is read than it may hold.

    Raises:
        OSError: it cannot be read.
        ValueError: as `read_plain_yaml`; UnicodeDecodeError for another encoding.
    """
    with path.open("rb") as file:
        content = file.read(4 * MAX_CHARS + 1)
    if len(content) > 4 * MAX_CHARS:
        raise ValueError(f"at most {MAX_CHARS} characters, got more")
    return read_plain_yaml(content.decode("utf-8"))


def read_plain_yaml(text: str) -> Any:
    """What the text says.

    Raises:
        ValueError: it is no YAML, too long (also once it is written out) or too deeply nested; says what it must be.
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"at most {MAX_CHARS} characters, got {len(text)}")
    if _HALF_PAIR.search(text):
        raise ValueError("Unicode, without half surrogate pairs")
    try:
        n_written_out = _size(yaml.compose(text, yaml.SafeLoader)) if "*" in text else 0
        if n_written_out <= MAX_WRITTEN_OUT:
            return _Loader(text).get_single_data()
    except RecursionError:
        raise ValueError("less deeply nested") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"YAML: {' '.join(str(error).split())}") from error
    raise ValueError(f"at most {MAX_WRITTEN_OUT} characters once its aliases (*name) are written out, it is longer")


def _size(root: yaml.Node | None) -> int:
    """Characters and values once aliases are written out."""
    sizes: dict[int, int] = {}

    def size(node: yaml.Node) -> int:
        if id(node) not in sizes:
            sizes[id(node)] = MAX_WRITTEN_OUT + 1  # of a node that holds itself
            sizes[id(node)] = 1 + sum(map(size, _parts(node)), start=len(node.value) if _is_scalar(node) else 0)
        return sizes[id(node)]

    return size(root) if root is not None else 0


def _is_scalar(node: yaml.Node) -> bool:
    return isinstance(node, yaml.ScalarNode)


def _parts(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [part for pair in node.value for part in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []
