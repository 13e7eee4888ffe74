"""Readers of JSON files and of files with one JSON object a line; errors name the file and the line."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from configs.faults import fault_and_remedy, require_regular
from configs.surrogates import HALF_PAIR

Refuse = Callable[[str], Exception]
"""A function that makes the caller's error from a text."""
LINE_REMEDY = "correct the line or remove it"
"""Remedy of a bad line."""


def read_text(
    path: Path, refuse: Refuse, *, flag: str = "", remedy: str = "check the path"
) -> str:
    """Read a UTF-8 file without its byte order mark.

    Args:
        flag: the flag that names the file, such as `--games`; "" leaves it out of errors.
        remedy: for a missing file.

    Raises:
        refuse: the file cannot be read, or is not UTF-8.
    """
    try:
        require_regular(path)
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        fault = f"{path} cannot be read: {fault_and_remedy(error, remedy)}"
        raise refuse(f"{flag} {fault}".lstrip()) from error
    except UnicodeDecodeError as error:
        raise refuse(
            f"{path} is not UTF-8: {error.reason} at byte {error.start}; save it as UTF-8"
        ) from error


def read_lines(
    path: Path, refuse: Refuse, **how: str
) -> Iterator[tuple[int, str, str]]:
    """Yield the number from 1, "PATH line NUMBER" and the text of each line of a file that is not blank.

    Only line feeds end a line: JSON strings may hold the other separators of `splitlines`.

    Args:
        how: `flag` and `remedy` of `read_text`.

    Raises:
        refuse: the file cannot be read.
    """
    text = read_text(path, refuse, **how)
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, f"{path} line {number}", line


def read_objects(
    path: Path, refuse: Refuse, **how: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield "PATH line NUMBER" and the object for each line of a file of JSON lines; skip blank lines.

    Args:
        how: `flag` and `remedy` of `read_text`.

    Raises:
        refuse: the file cannot be read, or a line is not a JSON object.
    """
    for _, where, line in read_lines(path, refuse, **how):
        yield where, as_object(line, where, refuse)


def as_object(text: str, where: str, refuse: Refuse) -> dict[str, Any]:
    """Read a text as a JSON object.

    Args:
        where: file and line of the text, for the error.

    Raises:
        refuse: it is not an object, or holds half a surrogate pair.
    """
    try:
        document = json.loads(text)
        if HALF_PAIR.search(text):
            json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise refuse(
            f"{where}: not Unicode text, since it has half a surrogate pair; {LINE_REMEDY}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise refuse(f"{where}: not a JSON object: {error}; {LINE_REMEDY}") from error
    if not isinstance(document, dict):
        kind = type(document).__name__
        raise refuse(f"{where}: {kind} is not a JSON object; {LINE_REMEDY}")
    return document
