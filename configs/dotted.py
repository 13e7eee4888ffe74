"""A user's own parts by dotted path: `my_package.my_module.MyStrategy`."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

from configs.settings import SettingsError


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
    module, _, name = path.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name)
        is_made = not inspect.isclass(found) and not inspect.isfunction(found)
        return found if is_made else _called(found, given)
    except Exception as error:  # a user's own code may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise SettingsError(
            f"{key} must name something that can be imported and made, got {path!r}: {reason}; "
            "start Python where the module lies, or install it"
        ) from error


def _called(found: Any, given: tuple[Any, ...]) -> Any:
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    takes = [item for item in inspect.signature(found).parameters.values() if item.kind in kinds]
    return found(*given[: len(takes)])
