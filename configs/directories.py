"""Folders: the data that comes with the code, and the folders for stores, journals, fits and caches.

In a checkout, these folders are in data/, apart from the cache. An installed package is only read, and files are
written to a folder of the user.
"""

import os
import sysconfig
from pathlib import Path

import platformdirs

ROOT = Path(__file__).resolve().parents[1]
"""The folder of the packages: the checkout, or site-packages."""
IS_CHECKOUT = (ROOT / "pyproject.toml").is_file()
"""Whether the code runs in a checkout rather than as an installed package."""

BUNDLED = ROOT / "data"
if not IS_CHECKOUT:
    BUNDLED = ROOT / "share" / "quarry"  # pip install --target
    if not BUNDLED.is_dir():
        BUNDLED = Path(sysconfig.get_path("data")) / "share" / "quarry"
"""The folder of the lectures and labelled games that come with the code."""

DEFAULT_COLLECTION = "course"
"""Default name of a course within a store."""


def home() -> Path:
    """Return the folder of stores, journals and fits: QUARRY_HOME, else data/ of a checkout, else one of the user's."""
    if folder := os.environ.get("QUARRY_HOME"):
        return Path(folder)
    if IS_CHECKOUT:
        return BUNDLED
    return platformdirs.user_data_path("quarry", appauthor=False)


def cache() -> Path:
    """Return the folder of files that can be made again: QUARRY_HOME/cache, else the user's cache folder."""
    if folder := os.environ.get("QUARRY_HOME"):
        return Path(folder) / "cache"
    return platformdirs.user_cache_path("quarry", appauthor=False)


def default_store() -> str:
    """Return the store of commands if neither --store nor quarry.toml names one."""
    return str(home() / "store")


def default_journal() -> Path:
    """Return the journal of commands without --journal."""
    return home() / "runs" / "games.sqlite"


def fitted_folder() -> Path:
    """Return the folder of the files that the user has fitted."""
    return home() / "fitted"


def user_fitted_file(bundled: Path) -> Path:
    """Return the path of the file that replaces a bundled one after the user has fitted it again."""
    return fitted_folder() / bundled.name
