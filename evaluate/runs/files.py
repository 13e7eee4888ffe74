"""Files of runs: RUN.json with RUN.games.jsonl, the records of its games."""

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from filelock import FileLock
from pydantic import TypeAdapter, ValidationError

from configs.faults import require_regular
from evaluate.errors import RunError, first_fault, writing
from evaluate.runs.measures import Measure
from evaluate.runs.record import ReplayRecord
from evaluate.runs.run import Run, RunHeader, require_names
from player.round import Json
from quarry.files import write_named, write_whole
from quarry.json_files import read_text
from quarry.locks import acquire_lock, locked

RUN_REMEDY = "run the replay again"
"""Remedy of a broken run."""
COMPARISON = "compare.json"
"""File name of a comparison, next to the runs that it compares."""


@dataclass
class _Header(RunHeader):
    """The part of RUN.json that is read; its figures are computed again from the records."""

    games_digest: str


_HEADER = TypeAdapter(_Header)
_RECORD = TypeAdapter(ReplayRecord)


def games_path(out: Path) -> Path:
    """Return the path of the records of a run.

    Raises:
        RunError: the name of the run does not end in .json, so that another run could have the same path.
    """
    if out.suffix != ".json":
        raise RunError(
            f"{out} does not end in .json; name it {out.with_suffix('.json')}"
        )
    return out.with_name(f"{out.stem}.games.jsonl")


def partial_path(out: Path) -> Path:
    """Return the path of the file that marks a run as unfinished and holds the digest of its inputs."""
    return out.with_name(f"{out.name}.partial")


class RecordFile(Collection[ReplayRecord]):
    """The records of games in a file of JSON lines; one record at a time is in memory.

    A last line without a line break was cut off by a kill; the next append replaces it.

    Args:
        path: path of the file.
        lock: lock of the run, held as long as the records are in use.

    Raises:
        RunError: the file cannot be read.
    """

    def __init__(self, path: Path, lock: FileLock | None = None) -> None:
        self.path = path
        self._lock = lock
        self._n = self._size = 0
        for line in self._lines():
            if line.endswith(b"\n"):
                self._n += 1
                self._size += len(line)

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[ReplayRecord]:
        """Read, check and yield the records.

        Raises:
            RunError: the file cannot be read, or a line is not a record.
        """
        for number, line in enumerate(islice(self._lines(), self._n), 1):
            try:
                yield _RECORD.validate_json(line, strict=True)
            except ValidationError as error:
                raise _format_error(error, f"{self.path} line {number}") from error

    def __contains__(self, record: object) -> bool:
        return any(record == other for other in self)

    def append(self, record: ReplayRecord) -> None:
        """Append a record.

        Raises:
            SettingsError: the file cannot be written.
        """
        line = _format_line(record)
        with writing(self.path), self.path.open("r+b") as file:
            file.seek(self._size)
            file.truncate()
            file.write(line)
        self._n += 1
        self._size += len(line)

    def _lines(self) -> Iterator[bytes]:
        try:
            require_regular(self.path)
            with self.path.open("rb") as file:
                yield from file
        except OSError as error:
            raise RunError(
                f"{self.path} cannot be read: {error.strerror}; copy it along with the run, or {RUN_REMEDY}"
            ) from error


def resume_or_begin(out: Path, inputs: str) -> RecordFile:
    """Return the records of an interrupted replay to `out`; if there are none with these inputs, begin a new replay.

    Args:
        out: file of the run.
        inputs: digest of everything that the run depends on; records of a replay with other inputs are deleted.

    Raises:
        SettingsError: the files cannot be written, or another process writes them.
    """
    games, partial = games_path(out), partial_path(out)
    marker = json.dumps({"inputs": inputs}) + "\n"
    with writing(out):
        lock = acquire_lock(out)  # until the run is finished
        current = partial.read_bytes() if partial.is_file() else b""
        if current.decode(errors="replace") != marker or not games.is_file():
            # first a marker without inputs: a full disk is noticed before games are deleted, and after a crash the
            # marker never belongs to other games
            write_whole(partial, b"{}\n")
            write_whole(games, b"")
            write_whole(partial, marker.encode())
    return RecordFile(games, lock)


def write_run(out: Path, run: Run) -> None:
    """Write a run, and the records of its games if they are not in its file yet; this finishes the run.

    Raises:
        SettingsError: a file cannot be written, or another process writes it.
    """
    with writing(out), locked(out):
        path = games_path(out)
        if not (isinstance(run.records, RecordFile) and run.records.path == path):
            write_named(
                path, lambda file: file.writelines(map(_format_line, run.records))
            )
        write_finished(out, run.as_json())


def write_finished(out: Path, document: Json) -> None:
    """Write the document of a run or a table, and remove the mark of an unfinished one.

    Raises:
        SettingsError: the file cannot be written, or another process writes it.
    """
    text = json.dumps(document, ensure_ascii=False, indent=1)
    with writing(out), locked(out):
        write_named(out, f"{text}\n".encode())
        partial_path(out).unlink(missing_ok=True)


def _format_line(record: ReplayRecord) -> bytes:
    return f"{json.dumps(record, ensure_ascii=False)}\n".encode()


def read_run(path: Path, measures: Mapping[str, Measure] = {}) -> Run:
    """Read a run; the records of its games stay in their file.

    Args:
        path: RUN.json.
        measures: additional measures of the run.

    Raises:
        RunError: a file is missing or invalid, the two files hold different games, or the replay is not finished.
    """
    if os.path.exists(partial_path(path)):  # False for a name that is too long
        raise RunError(
            f"{path} is not finished: its folder holds {partial_path(path).name}; {RUN_REMEDY}"
        )
    remedy = "run the replay that writes it: quarry replay ... --out"
    text = read_text(path, RunError, remedy=f"{remedy} RUN.json")
    try:
        header = vars(_HEADER.validate_json(text, strict=True))
    except ValidationError as error:
        document = error.errors()[0]["input"]
        if isinstance(document, dict) and "hint_alone" in document:
            raise RunError(
                f"{path} is a table of several referees and no run; leave it out, or move it to another folder"
            ) from error
        raise _format_error(error, path) from error

    digest = header.pop("games_digest")
    records = RecordFile(games_path(path))
    run = Run(**header, records=records, name=path.stem, own_measures=measures)
    if run.games_digest != digest:
        raise RunError(
            f"{path} and {games_path(path).name} hold different games; {RUN_REMEDY}"
        )
    return run


def _format_error(error: ValidationError, where: object) -> RunError:
    fault = first_fault(error.errors())
    return RunError(f"{where} is not as replay writes it: {fault}; {RUN_REMEDY}")


def read_runs(paths: Sequence[Path], measures: Mapping[str, Measure] = {}) -> list[Run]:
    """Read runs with different names.

    Args:
        paths: runs, or folders of them.
        measures: additional measures of the runs.

    Raises:
        RunError: there is no path, two runs have the same name, or a file is not a run.
    """
    files = _find_runs(paths)
    if not files:
        missing = f"{paths[0]} holds no run" if paths else "No run is named"
        raise RunError(f"{missing}; name a RUN.json, as replay --out writes it")
    runs = [read_run(path, measures) for path in files]
    require_names(runs)
    return runs


def _find_runs(paths: Sequence[Path]) -> list[Path]:
    """Return the files of runs that paths name; a folder stands for its runs, the oldest first."""
    files: list[Path] = []
    for path in paths:
        if os.path.isdir(path):
            runs = sorted(path.glob("*.json"), key=lambda run: run.lstat().st_mtime_ns)
            files += [run for run in runs if run.name != COMPARISON]
        else:
            files.append(path)
    return list(dict.fromkeys(files))
