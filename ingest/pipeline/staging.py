"""Staging: a cache of readings and vectors that are not in the store yet, from which an interrupted ingest resumes."""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
from typing import Any

from quarry.configs.places import cache
from quarry.ingest.store.records import digest_of


class Staging:
    """Pickled values by key, in the user's cache; a value is written as a whole or not at all.

    Args:
        location: of the store.
        collection: of the course.

    Attributes:
        n_found: number of values that `get` has found.
    """

    def __init__(self, location: str, collection: str) -> None:
        self._folder = cache() / "staged" / digest_of(location, collection)
        self.n_found = 0

    def get(self, *key: object) -> Any:
        """Return the value of a key, None if it is missing or damaged."""
        try:
            with (self._folder / digest_of(*key)).open("rb") as file:
                value = pickle.load(file)
        except Exception:  # missing, damaged, or of an older version
            return None
        self.n_found += 1
        return value

    def keep(self, value: object, *key: object) -> None:
        """Write a value; if that fails, an interrupted ingest is repeated as a whole."""
        with contextlib.suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            name = digest_of(*key)
            work = self._folder / f"{name}.{os.getpid()}"
            with work.open("wb") as file:
                pickle.dump(value, file)
            work.replace(self._folder / name)

    def clear(self) -> None:
        """Remove all values, once the store holds them."""
        shutil.rmtree(self._folder, ignore_errors=True)
