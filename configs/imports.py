"""A user's own parts by dotted path: `my_package.my_module.MyStrategy`."""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Sequence
from typing import Any

from quarry.configs.settings import SettingsError


def is_dotted(name: str) -> bool:
    """Whether a name is a dotted path: identifiers joined by dots, two at least."""
    parts = name.split(".")
    return len(parts) > 1 and all(part.isidentifier() for part in parts)


def make(path: str, key: str, *given: Any) -> Any:
    """What a dotted path names; a class or function is called with as much of `given` as it takes.

    Args:
        path: of something that can be imported from where Python is started, or from what is installed.
        key: of the settings, for errors.

    Raises:
        SettingsError: there is no such thing, or it cannot be made.
    """
    return called(imported(path, key), path, key, given)


def imported(path: str, key: str) -> Any:
    """What a dotted path names.

    Raises:
        SettingsError: there is no such thing.
    """
    module, _, name = path.rpartition(".")
    try:
        return getattr(importlib.import_module(module), name)
    except Exception as error:  # a user's own code may raise anything
        raise _refused(path, key, error) from error


def called(found: Any, path: str, key: str, given: Sequence[Any]) -> Any:
    """As `taken`, of code that is not the project's.

    Raises:
        SettingsError: it cannot be made.
    """
    try:
        return taken(found, given)
    except Exception as error:  # a user's own code may raise anything
        raise _refused(path, key, error) from error


def taken(found: Any, given: Sequence[Any]) -> Any:
    """What a class or function makes of as much of `given` as it takes by position; anything else is itself."""
    return found(*given[: _n_taken(found)]) if inspect.isclass(found) or inspect.isfunction(found) else found


def _n_taken(found: Any) -> int | None:
    """Arguments that are taken by position; None for any number."""
    parameters = inspect.signature(found).parameters.values()
    if any(item.kind is inspect.Parameter.VAR_POSITIONAL for item in parameters):
        return None
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(item.kind in kinds for item in parameters)


def _refused(path: str, key: str, error: Exception) -> SettingsError:
    reason = " ".join(f"{type(error).__name__}: {error}".split())
    return SettingsError(
        f"{key} must name something that can be imported and made, got {path!r}: {reason}; "
        "start Python where the module lies, or install it"
    )
