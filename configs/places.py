"""Where things are: what comes with the code, and what is made.

In a checkout all of it is in data/. An installed package is only read; what is made goes to a folder of the user's.
"""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

ROOT = Path(__file__).resolve().parents[1]
"""Of a checkout, or of the installed package."""

BUNDLED = ROOT / "data"
"""Lectures and labelled games that come with the code."""


def is_checkout() -> bool:
    """Whether the code lies in a checkout, where what is fitted is kept with the code."""
    return (ROOT / "pyproject.toml").is_file()


def home() -> Path:
    """Where what is made is kept: QUARRY_HOME, else data/ of a checkout, else a folder of the user's."""
    if named := os.environ.get("QUARRY_HOME"):
        return Path(named)
    return BUNDLED if is_checkout() else platformdirs.user_data_path("quarry", appauthor=False)


def cache() -> Path:
    """Where what can be made again is kept: QUARRY_HOME/cache, else the user's cache folder."""
    if named := os.environ.get("QUARRY_HOME"):
        return Path(named) / "cache"
    return platformdirs.user_cache_path("quarry", appauthor=False)


def default_store() -> str:
    """The store that is meant where none is named, wherever one stands."""
    return str(home() / "store")


def default_journal() -> Path:
    """Where games against a server are kept."""
    return home() / "runs" / "games.sqlite"


def own_fit(bundled: Path) -> Path:
    """Where a user's own fit of what comes with the code as `bundled` is kept, in a checkout too."""
    return home() / "fitted" / bundled.name


def to_fit(bundled: Path) -> Path:
    """Where a fit writes what comes with the code as `bundled`, unless told otherwise."""
    return bundled if is_checkout() else own_fit(bundled)


def fitted(bundled: Path) -> Path:
    """The file in force: the user's own fit of it where there is one, else `bundled`."""
    own = to_fit(bundled)
    return own if own.exists() else bundled
