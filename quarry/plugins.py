"""Extensions by name: parts of a table, or a user's own by dotted path such as `my_module.MyStrategy`."""

import contextlib
import inspect
import os
import pkgutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from configs.errors import QuarryError, SettingsError
from configs.similar_names import did_you_mean
from quarry.terminal import described

T = TypeVar("T")


def is_dotted(name: str) -> bool:
    """Return whether a name is a dotted path: identifiers joined by dots, two at least."""
    parts = name.split(".")
    return len(parts) > 1 and all(part.isidentifier() for part in parts)


def named_by_data(name: str, where: str) -> str:
    """Return a name that a file of data or a form holds; refuse a dotted path, since only users may name code.

    Args:
        where: what names it, for the error.

    Raises:
        SettingsError: the name is a dotted path.
    """
    if is_dotted(name):
        raise SettingsError(
            f"{where} names {name[:100]!r}, which may run any code; if you trust it, name it on the command line"
        )
    return name


def find(table: Mapping[str, T], name: str, key: str) -> T:
    """Look up a name in a table, or import a dotted path.

    The name comes from the command line, the settings or Python; one that data hold passes `named_by_data` first.

    Args:
        table: parts by name.
        key: setting or flag of the name, for errors, such as `search.strategies` or `--referee`.

    Raises:
        SettingsError: the table lacks the name, or the path cannot be imported.
    """
    if name in table:
        return table[name]
    if not is_dotted(name):
        raise SettingsError(
            f"{key} {name!r} is unknown; take {', '.join(table)}, or the dotted path of "
            f"your own{did_you_mean(name, table)}; see docs/guides/extend.md"
        )
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())  # the command `quarry` starts without it
    part: T = _guarded(
        lambda: pkgutil.resolve_name(":".join(name.rsplit(".", 1))), name, key
    )
    return part


def make(
    table: Mapping[str, Any],
    name: str,
    key: str,
    *arguments: Any,
) -> Any:
    """Find a part as `find` does, and call it with as many of the arguments as it accepts.

    Raises:
        SettingsError: there is no such part, or the user's own fails.
    """
    part = find(table, name, key)
    if name in table:
        return call_with_available(part, arguments)
    return _guarded(lambda: call_with_available(part, arguments), name, key)


def call_with_available(part: Any, arguments: Sequence[Any]) -> Any:
    """Call a part with as many of the arguments as it accepts; return a part that is not callable unchanged."""
    if not (inspect.isclass(part) or inspect.isroutine(part)):
        return part
    parameters = inspect.signature(part).parameters.values()
    if any(item.kind is inspect.Parameter.VAR_POSITIONAL for item in parameters):
        return part(*arguments)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return part(*arguments[: sum(item.kind in kinds for item in parameters)])


@contextlib.contextmanager
def failing_as(kind: type[QuarryError], what: str, remedy: str) -> Iterator[None]:
    """Raise an error of one line in place of whatever a user's own code raises while it works.

    Args:
        kind: type of the error.
        what: the part of the user.
    """
    try:
        yield
    except (Exception, SystemExit) as error:
        raise kind(f"{what} failed: {described(error)}. {remedy}") from None


def _guarded(get: Callable[[], Any], path: str, key: str) -> Any:
    """Call `get`; turn any error of the user's own code into a SettingsError that names the path."""
    try:
        return get()
    except Exception as error:
        raise SettingsError(
            f"{key} {path!r} cannot be imported and made: {described(error)}; "
            "start Python in the folder of the module, or install it"
        ) from error
