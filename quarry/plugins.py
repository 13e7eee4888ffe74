"""Lookup of extensions: by a name in a table, or by a dotted path to a user's own, such as `my_module.MyStrategy`."""

import contextlib
import inspect
import os
import pkgutil
import reprlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from configs.errors import QuarryError, SettingsError
from configs.similar_names import did_you_mean
from quarry.terminal import describe_error

T = TypeVar("T")


def is_dotted(name: str) -> bool:
    """Return whether a name is a dotted path: at least two identifiers, joined by dots."""
    parts = name.split(".")
    return len(parts) > 1 and all(part.isidentifier() for part in parts)


def refuse_dotted(name: str) -> str:
    """Return a name from a web form; refuse a dotted path, since only the command line, settings and Python name code.

    Raises:
        SettingsError: the name is a dotted path.
    """
    if is_dotted(name):
        raise SettingsError(
            f"the form names {reprlib.repr(name)}, which may run any code; if you trust it, name it on the command line"
        )
    return name


def find(table: Mapping[str, T], name: str, key: str) -> T:
    """Look up a name in a table, or import a dotted path.

    The name comes from the command line, the settings or Python. Before this call, `refuse_dotted` checks names from
    web forms, and `Models.embedder` checks names from stores.

    Args:
        table: extensions by name.
        key: setting or flag that holds the name, for errors, such as `search.strategies` or `referee`.

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
    extension: T = _guarded(
        lambda: pkgutil.resolve_name(":".join(name.rsplit(".", 1))), name, key
    )
    return extension


def make(
    table: Mapping[str, Any],
    name: str,
    key: str,
    *arguments: Any,
) -> Any:
    """Find an extension as `find` does, and call it with as many of the arguments as it accepts.

    Raises:
        SettingsError: there is no such extension, or the user's own fails.
    """
    extension = find(table, name, key)
    if name in table:
        return call_with_available(extension, arguments)
    return _guarded(lambda: call_with_available(extension, arguments), name, key)


def call_with_available(extension: Any, arguments: Sequence[Any]) -> Any:
    """Call an extension with as many of the arguments as it accepts.

    Return an extension that is neither a class nor a function unchanged, even if it can be called.
    """
    if not (inspect.isclass(extension) or inspect.isroutine(extension)):
        return extension
    parameters = inspect.signature(extension).parameters.values()
    if any(item.kind is inspect.Parameter.VAR_POSITIONAL for item in parameters):
        return extension(*arguments)
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    n_accepted = sum(item.kind in kinds for item in parameters)
    return extension(*arguments[:n_accepted])


@contextlib.contextmanager
def failing_as(kind: type[QuarryError], what: str, remedy: str) -> Iterator[None]:
    """Turn any error that a user's own code raises in the block into an error of one line.

    The text of an error of Quarry is kept; that of any other error is described.

    Args:
        kind: type of the new error.
        what: the user's extension, as the error names it.
        remedy: sentence at the end of the error.
    """
    try:
        yield
    except QuarryError as error:
        raise kind(f"{error}. {remedy}") from None
    except (Exception, SystemExit) as error:
        raise kind(f"{what} failed: {describe_error(error)}. {remedy}") from None


def _guarded(get: Callable[[], Any], path: str, key: str) -> Any:
    """Call `get`; turn any error of the user's own code into a SettingsError that names the path."""
    try:
        return get()
    except (Exception, SystemExit) as error:
        raise SettingsError(
            f"{key} {path!r} cannot be imported and made: {describe_error(error)}; "
            "start Python in the folder of the module, or install it"
        ) from error
