"""Checks of the types of arguments, for functions that users call from Python."""

import functools
import inspect
import reprlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, ParamSpec, TypeVar, Union, get_args, get_origin

import numpy as np
from pydantic import (
    ConfigDict,
    NonNegativeInt,
    PositiveInt,
    TypeAdapter,
    ValidationError,
)

from configs.errors import SettingsError
from configs.settings import Settings
from quarry.store import Course

P = ParamSpec("P")
R = TypeVar("R")

TYPE_NAMES: dict[Any, str] = {
    NoneType: "None",
    bool: "True or False",
    str: "a text",
    Path: "a path",
    PositiveInt: "a whole number of at least 1",
    NonNegativeInt: "a whole number of at least 0",
    Course: "a course",
    Settings: "settings of load_settings",
    Sequence[str]: "a list of texts",
    Sequence[str | Path]: "a list of paths",
    Mapping[str, Settings]: "settings by name",
}
"""Types of arguments in words; the others are named as in Python."""


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Let a function raise a SettingsError if an argument is not of the type that its signature names."""
    signature = inspect.signature(function, eval_str=True)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            _require_type(name, value, signature.parameters[name].annotation)
        return function(*args, **kwargs)

    return call


def _require_type(name: str, value: object, kind: Any) -> None:
    plain = value.item() if isinstance(value, np.generic) else value
    try:
        _adapter(kind).validate_python(plain)
    except ValidationError:
        is_union = get_origin(kind) in (Union, UnionType)
        kinds = get_args(kind) if is_union else (kind,)
        wanted = " or ".join(map(_describe, kinds))
        raise SettingsError(
            f"{name} is {reprlib.repr(value)}; it must be {wanted}"
        ) from None


def _describe(kind: Any) -> str:
    """Describe a type in words."""
    if get_origin(kind) is Literal:
        return f"one of {', '.join(get_args(kind))}"
    return TYPE_NAMES.get(kind) or str(kind.__name__)


@functools.cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    config = ConfigDict(arbitrary_types_allowed=True, strict=True)
    return TypeAdapter(kind, config=config)
