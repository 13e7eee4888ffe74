"""JSON from files: a document, or one a line. What cannot be used is refused in one line that names file and line."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

Refuse = Callable[[str], Exception]
"""Makes the error of whoever reads, from its text."""

MEND = "mend the line or remove it"


def read_text(path: Path, refuse: Refuse, *, named: str = "", remedy: str = "check the path") -> str:
    """The text of a file, without a byte order mark.

    Args:
        named: how the user named the file, such as `--games`; "" where the path alone says it.
        remedy: what to do where the file is not there.

    Raises:
        refuse: the file cannot be read, or is not UTF-8.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        what = f"{named} must be a readable file, got {path}:" if named else f"{path}: must be a readable file, got"
        raise refuse(f"{what} {error.strerror}; {remedy}") from error
    except UnicodeDecodeError as error:
        raise refuse(f"{path}: must be UTF-8, {error.reason} at byte {error.start}; save it as UTF-8") from error


def lines_of(text: str, path: Path) -> Iterator[tuple[str, str]]:
    """Where each line stands that is not blank, for people, and the line.

    Not by `splitlines`, which would break a line at the separators that JSON strings may hold as they are.
    """
    return ((f"{path} line {number}", line) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def read_objects(
    path: Path, refuse: Refuse, *, named: str = "", remedy: str = "check the path"
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Where each object of a file of JSON lines stands, for people, and the object; blank lines are passed over.

    Raises:
        refuse: the file cannot be read, or a line is no JSON object.
    """
    for where, line in lines_of(read_text(path, refuse, named=named, remedy=remedy), path):
        yield where, as_object(line, where, refuse)


def read_object(path: Path, refuse: Refuse, *, what: str, needed: Sequence[str] = (), remedy: str) -> dict[str, Any]:
    """The one object of a JSON file.

    Args:
        what: the file must hold, such as "a study as JSON".
        needed: keys that it must have.

    Raises:
        refuse: the file cannot be read, or holds anything else.
    """
    found = as_object(read_text(path, refuse, remedy=remedy), str(path), refuse, what=what, remedy=remedy)
    if missing := [key for key in needed if key not in found]:
        raise refuse(f"{path}: must be {what}, but has no {missing[0]}; {remedy}")
    return found


def as_object(
    text: str, where: str, refuse: Refuse, *, what: str = "a JSON object", remedy: str = MEND
) -> dict[str, Any]:
    """The object that a text holds.

    Args:
        where: the text stands, for people.

    Raises:
        refuse: it holds none, or one with half a surrogate pair in it, which no file can be written with.
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise refuse(f"{where}: must be {what}: {error}; {remedy}") from error
    if not isinstance(found, dict):
        raise refuse(f"{where}: must be {what}, got {type(found).__name__}; {remedy}")
    halved = found.items() if _SURROGATE.search(text) else ()
    for key, value in halved:
        try:
            json.dumps([key, value], ensure_ascii=False).encode()
        except UnicodeEncodeError as error:
            raise refuse(
                f"{where}: {ascii(key)[1:-1]} must be Unicode text, got half a surrogate pair; {remedy}"
            ) from error
    return found


_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
