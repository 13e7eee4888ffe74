"""Table: what can be named of one sort: the project's own, what packages bring, and a user's own by dotted path."""

from __future__ import annotations

import functools
import importlib.metadata
from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

from quarry.configs.imports import called, imported, is_dotted, taken
from quarry.configs.settings import SettingsError
from quarry.configs.suggest import meant

T = TypeVar("T")


class Table(Mapping[str, T]):
    """The things of one sort by name; whoever adds one writes one file, and one line of the table or of a package.

    A package that is installed brings its own by Python entry points in the table's group, such as

        [project.entry-points."quarry.strategies"]
        nearest = "my_package:Nearest"

    The project's own names come first, and no other thing takes their place.

    Args:
        group: of the entry points.
        own: the project's, in the order in which help texts name them.
    """

    def __init__(self, group: str, own: Mapping[str, T]) -> None:
        self.group = group
        self._own = dict(own)

    def __getitem__(self, name: str) -> T:
        if name in self._own:
            return self._own[name]
        found: T = _loaded(installed(self.group)[name])
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys([*self._own, *installed(self.group)]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    @property
    def names(self) -> str:
        """All that can be named, for help texts and errors."""
        return ", ".join(self)

    def knows(self, name: str) -> bool:
        """Whether a name is one of these, or a dotted path."""
        return name in self._own or is_dotted(name) or name in installed(self.group)

    def add(self, name: str, thing: T) -> None:
        """Let a name stand for a thing, for the life of this process.

        Raises:
            SettingsError: the name is taken.
        """
        if name in self:
            raise SettingsError(f"a name in {self.group} must be new, got {name!r} again; choose another")
        self._own[name] = thing

    def find(self, name: str, key: str) -> T:
        """The thing of a name, or of a dotted path.

        Args:
            key: where the name is written, for errors, such as `search.strategies` or `--referee`.

        Raises:
            SettingsError: nothing has this name, or it cannot be imported.
        """
        if name in self:
            return self[name]
        if not is_dotted(name):
            raise SettingsError(
                f"{key} must be of {self.names}, or the dotted path of your own, got {name!r}{meant(name, self)}; "
                "see docs/guides/extend.md"
            )
        found: T = imported(name, key)
        return found

    def make(self, name: str, key: str, *given: Any) -> Any:
        """What the thing of a name makes of as much of `given` as it takes; a thing that makes nothing is itself.

        Raises:
            SettingsError: nothing has this name, or another's own cannot be made.
        """
        thing: Any = self.find(name, key)
        return taken(thing, given) if name in self._own else called(thing, name, key, given)


@functools.cache
def installed(group: str) -> Mapping[str, importlib.metadata.EntryPoint]:
    """The entry points of a group, by name; read once, since no package is installed into a running process."""
    return {point.name: point for point in importlib.metadata.entry_points(group=group)}


def _loaded(point: importlib.metadata.EntryPoint) -> Any:
    try:
        return point.load()
    except Exception as error:  # another package's code may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise SettingsError(
            f"{point.group} must name what can be imported, got {point.value!r} of an installed package: {reason}; "
            "mend that package, or remove it"
        ) from error
