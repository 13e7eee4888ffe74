"""Quarry finds one paragraph in a course of lecture PDFs, and measures how well it does.

Importing it loads nothing else: a function's module is imported when the function is first used.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which takes a while to import
if TYPE_CHECKING:
    from typing import Any

    from configs.errors import QuarryError
    from configs.settings import Settings
    from player.game.callbacks import Callbacks
    from player.player import Player, build_player
    from quarry.api import ingest_folder, load_settings, open_store, play, search
    from quarry.course.course import Course
    from quarry.measuring import compare, export, replay, tune
    from quarry.version import __version__

__all__ = [
    "Callbacks",
    "Course",
    "Player",
    "QuarryError",
    "Settings",
    "__version__",
    "build_player",
    "compare",
    "export",
    "ingest_folder",
    "load_settings",
    "open_store",
    "play",
    "replay",
    "search",
    "tune",
]

_MODULES = {
    "Callbacks": "player.game.callbacks",
    "Course": "quarry.course.course",
    "Player": "player.player",
    "QuarryError": "configs.errors",
    "Settings": "configs.settings",
    "__version__": "quarry.version",
    "build_player": "player.player",
    "compare": "quarry.measuring",
    "export": "quarry.measuring",
    "replay": "quarry.measuring",
    "tune": "quarry.measuring",
}
"""Modules of the names that are not in `quarry.api`."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'quarry' has no attribute {name!r}")
    import importlib

    _refuse_other_packages()
    return getattr(importlib.import_module(_MODULES.get(name, "quarry.api")), name)


def __dir__() -> list[str]:
    return __all__


def _refuse_other_packages() -> None:
    """Check that `evaluate` and the other packages of Quarry are not another project's.

    Raises:
        ImportError: one of them is.
    """
    import importlib.util
    from pathlib import Path

    site = Path(__file__).resolve().parents[1]
    for name in ("configs", "ingest", "player", "evaluate"):
        spec = importlib.util.find_spec(name)
        origin = Path(spec.origin or "").resolve() if spec else None
        if origin != site / name / "__init__.py":
            raise ImportError(
                f"The package {name!r} is {origin}, not Quarry's. Install Quarry into an environment of its own."
            )
