"""The games that an unfinished replay has done, on disk, so that the next one goes on from there."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from types import TracebackType
from typing import Any, TextIO

from quarry.configs.json_files import as_object, lines_of
from quarry.configs.settings import Settings, SettingsError, as_dict
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.runs.provenance import code_digest

FORMAT = "quarry replay journal 2"


class Journal:
    """One JSON record a line, beneath a line that says of which run; written game by game.

    Args:
        path: the file; a journal of other inputs in its place is begun anew.
        inputs: as `inputs_digest` gives it.

    Attributes:
        done: the records that an earlier, interrupted replay of the same inputs left, by game_id.
        begun_anew: whether a journal of other inputs was there.

    Raises:
        SettingsError: the file cannot be written.
    """

    def __init__(self, path: Path, inputs: str) -> None:
        self.path = path
        self._inputs = inputs
        self.done: dict[str, Any] = {}
        self.begun_anew = False
        self._file: TextIO | None = None
        try:
            self._read()
            # written afresh: the last line of a journal whose process died may be half a line
            self._file = path.open("w", encoding="utf-8")
            self._write({"format": FORMAT, "inputs": inputs})
            for record in self.done.values():
                self.add(record)
        except OSError as error:
            raise SettingsError(
                f"--out must be in a folder that can be written, got {path}: {error.strerror}"
            ) from error

    def add(self, record: Mapping[str, Any]) -> None:
        """Keep a game that is done, under its `game_id`."""
        self._write({"record": record, "digest": _digest(record)})

    def remove(self) -> None:
        """Forget it all: the run is written."""
        self.close()
        self.path.unlink(missing_ok=True)

    def close(self) -> None:
        """Close the file and keep it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _read(self) -> None:
        if not self.path.is_file():
            return
        documents = list(_documents(self.path))
        if not documents or documents[0] != {"format": FORMAT, "inputs": self._inputs}:
            self.begun_anew = True
            return
        # a record that was altered is played again
        kept = [line["record"] for line in documents[1:] if line.get("digest") == _digest(line.get("record"))]
        self.done = {record["game_id"]: record for record in kept}

    def _write(self, document: Any) -> None:
        assert self._file is not None
        self._file.write(json.dumps(document, ensure_ascii=False) + "\n")
        self._file.flush()


def open_journal(path: Path, inputs: str, n_games: int) -> Journal:
    """The journal of a run of so many games; what it holds already is told on standard error.

    Raises:
        SettingsError: the file cannot be written.
    """
    journal = Journal(path, inputs)
    if journal.done:
        print(f"going on from {path}: {len(journal.done)} of {n_games} games are done", file=sys.stderr)
    if journal.begun_anew:
        print(f"{path} is of another run, or of other code, and was begun anew", file=sys.stderr)
    return journal


def inputs_digest(
    games: Sequence[LabelledGame],
    store_fingerprint: str,
    settings: Settings,
    referee: str,
    seed: int,
    repeats: int,
    depth: int = 0,
) -> str:
    """Hexadecimal digits that change with anything that a run depends on: the code as well."""
    inputs = {
        "games": [asdict(game) for game in games],
        "store": store_fingerprint,
        "settings": as_dict(settings),
        "referee": referee,
        "seed": seed,
        "repeats": repeats,
        "depth": depth,
        "code": code_digest(),
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def _digest(record: object) -> str:
    return hashlib.sha256(json.dumps(record, sort_keys=True).encode()).hexdigest()[:16]


def _documents(path: Path) -> Iterator[dict[str, Any]]:
    """The documents of a file's lines, up to the first broken one."""
    # the last line of a process that died may end within a character
    text = path.read_text(encoding="utf-8", errors="replace")
    with contextlib.suppress(ValueError):
        for where, line in lines_of(text, path):
            yield as_object(line, where, ValueError)
