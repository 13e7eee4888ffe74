"""Errors of evaluation.

EvaluateError
├── GamesError (ValueError)           a games file is missing, empty, broken, or belongs to another course
├── BatchError (ValueError)           a file of questions or answers is broken, or belongs to other games
├── RefereeError (ValueError)         a referee SPEC is unknown, or needs a package that is not installed
├── PortError (OSError)               the practice server cannot listen on its address
├── RefusedMessageError (ServerError) the practice referee refuses a message; see evaluate/practice/referee_game.py
├── TuneError (ValueError)            a study cannot be run or resumed
└── RunError (ValueError)             a file holds no run, or runs are of different games or stores
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from configs.errors import QuarryError, SettingsError
from configs.faults import fault_and_remedy

MAX_KEY_CHARS = 40
"""Maximum number of characters of a key of the input that an error quotes."""

NOT_BLANK = r"\S"
"""Pattern of a text that is not empty."""


class EvaluateError(QuarryError):
    """Base of all errors that evaluation raises on purpose; its text is one line."""


class GamesError(EvaluateError, ValueError):
    """Games cannot be used."""


class BatchError(EvaluateError, ValueError):
    """Questions or answers cannot be used."""


class RefereeError(EvaluateError, ValueError):
    """A referee SPEC cannot be used."""


class PortError(EvaluateError, OSError):
    """The practice server cannot listen."""


class TuneError(EvaluateError, ValueError):
    """A study cannot be run or resumed."""


class RunError(EvaluateError, ValueError):
    """Runs cannot be read or compared."""


@contextlib.contextmanager
def writing(out: Path, flag: str = "--out") -> Iterator[None]:
    """Turn an OSError in the block, which writes the file of a flag, into a SettingsError."""
    try:
        yield
    except OSError as error:
        raise SettingsError(
            f"{flag} {out} cannot be written: {fault_and_remedy(error)}"
        ) from error


def first_fault(faults: Sequence[Any]) -> str:
    """Return the location and the message of the first of pydantic's errors, such as "questions.3.options.A: ..."."""
    fault = faults[0]
    location = ".".join(str(part)[:MAX_KEY_CHARS] for part in fault["loc"])
    message = fault["msg"]
    if fault.get("ctx") == {"pattern": NOT_BLANK}:
        message = "it must not be empty"
    return ": ".join(filter(None, (location, message)))


def refuse_options(options: Mapping[str, object], reason: str) -> None:
    """Raise a SettingsError with a reason for the first of some options that is set."""
    for name, value in options.items():
        if value:
            raise SettingsError(f"{name} {reason}.")
