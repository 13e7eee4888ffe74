"""YAML that somebody else wrote: small and with few aliases, so that a few lines of it never fill the memory."""

from __future__ import annotations

import re
from typing import Any

import yaml

MAX_CHARS = 200_000
MAX_ALIASES = 30
"""Aliases within aliases multiply: 81 of them make a billion values, 30 make at most some ten thousand."""
_HALF_PAIR = re.compile(r"\\u[dD][89a-fA-F]")


def read_plain_yaml(text: str) -> Any:
    """What the text says.

    Raises:
        ValueError: it is no YAML, too long, too deeply nested, or has too many aliases; says what it must be.
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"at most {MAX_CHARS} characters, got {len(text)}")
    if _HALF_PAIR.search(text):
        raise ValueError("Unicode, without half surrogate pairs")
    n_aliases = 0
    try:
        if "*" in text:
            n_aliases = sum(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, yaml.SafeLoader))
        if n_aliases <= MAX_ALIASES:
            return yaml.safe_load(text)
    except RecursionError:
        raise ValueError("less deeply nested") from None
    except (yaml.YAMLError, ValueError) as error:
        raise ValueError(f"YAML: {' '.join(str(error).split())}") from error
    raise ValueError(f"with at most {MAX_ALIASES} aliases (*name), got {n_aliases}; write the values out")
