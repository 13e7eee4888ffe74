"""Quarry finds one paragraph in a course of lecture PDFs, and measures how well it does.

Importing it does nothing; the module of a name is imported when the name is first used.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from quarry.api import compare, export, ingest_folder, load_settings, open_store, replay, search, tune
    from quarry.configs.settings import Settings
    from quarry.ingest.store import Course
    from quarry.player.player import Player, build_player
    from quarry.version import __version__

if not (Path(__file__).parent / "player").is_dir():  # in a checkout the other packages are next to this one
    __path__.append(str(Path(__file__).resolve().parents[1]))

if any(importlib.util.find_spec(name) is None for name in ("numpy", "yaml")):  # a checkout without its packages
    print(
        f"the packages of requirements.txt must be installed, {sys.executable} has not got them; "
        "type make play once, and take .venv/bin/python",
        file=sys.stderr,
    )
    sys.exit(2)

__all__ = ["Course", "Player", "Settings", "__version__", "build_player", "compare", "export", "ingest_folder"]
__all__ += ["load_settings", "open_store", "replay", "search", "tune"]

_MODULES = {
    "Course": "ingest.store",
    "Player": "player.player",
    "Settings": "configs.settings",
    "__version__": "version",
    "build_player": "player.player",
}
"""Modules of the names that are not in `api`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'quarry' has no attribute {name!r}")
    return getattr(importlib.import_module(f"quarry.{_MODULES.get(name, 'api')}"), name)
