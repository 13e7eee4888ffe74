"""Runs as files: RUN.json with RUN.games.jsonl, the record of every game; and TREC runs of other systems."""

from __future__ import annotations

import io
import json
import math
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import unquote

import ir_measures
from pydantic import Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from quarry.configs.json_files import as_object, read_text
from quarry.evaluate.errors import RunError, writing
from quarry.evaluate.referee.spec import HINT_ALONE
from quarry.evaluate.runs.measures import Measure
from quarry.evaluate.runs.record import GameRecord, HitRecord, SearchRecord
from quarry.evaluate.runs.run import Run


class _Header(TypedDict):
    """Keys of RUN.json that are read; every figure is computed again from the records."""

    referee: str
    settings: dict[str, Any]
    store_fingerprint: str
    games_digest: str
    commit: str
    seed: int
    repeats: Annotated[int, Field(ge=1)]


AGAIN = "run the replay again"
_HEADER: TypeAdapter[_Header] = TypeAdapter(_Header)
_RECORD: TypeAdapter[GameRecord] = TypeAdapter(GameRecord)


def games_path(out: Path) -> Path:
    """Return the path of the records of a run's games."""
    return out.with_name(f"{out.stem}.games.jsonl")


def partial_path(out: Path) -> Path:
    """Return the path of the file that marks a run as unfinished, with the digest of its inputs."""
    return out.with_name(f"{out.name}.partial")


class RecordFile(Collection[GameRecord]):
    """The records of games in a file of JSON lines, of which one at a time is in memory.

    A last line without a line break is torn, by a kill; the next append replaces it.

    Args:
        path: the path of the file.

    Raises:
        RunError: the file cannot be read.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._n = self._size = 0
        for line in self._lines():
            if line.endswith(b"\n"):
                self._n += 1
                self._size += len(line)

    def __len__(self) -> int:
        return self._n

    def __iter__(self) -> Iterator[GameRecord]:
        """Yield the records; each is checked as it is read.

        Raises:
            RunError: the file cannot be read, or a line is not a record.
        """
        for number, line in zip(range(1, self._n + 1), self._lines(), strict=False):
            try:
                yield _RECORD.validate_json(line, strict=True)
            except ValidationError as error:
                raise _refused(error, f"{self.path} line {number}") from error

    def __contains__(self, record: object) -> bool:
        return any(record == known for known in self)

    def append(self, record: GameRecord) -> None:
        """Write a record after the last one."""
        line = (json.dumps(record, ensure_ascii=False) + "\n").encode()
        with self.path.open("r+b") as file:
            file.seek(self._size)
            file.truncate()
            file.write(line)
        self._n += 1
        self._size += len(line)

    def _lines(self) -> Iterator[bytes]:
        try:
            if self.path.exists() and not self.path.is_file():  # a pipe may never end
                raise OSError(0, "not a regular file")
            with self.path.open("rb") as file:
                yield from file
        except OSError as error:
            raise RunError(
                f"{self.path}: must be a readable file, got {error.strerror}; copy it along with the run, or {AGAIN}"
            ) from error


def unfinished_records(out: Path, inputs: str) -> RecordFile:
    """Return the finished games of a replay to `out` that was interrupted, or begin a new one.

    Args:
        inputs: a digest of everything that the run depends on; games of other inputs are not used.

    Raises:
        SettingsError: the files cannot be written.
    """
    games, partial = games_path(out), partial_path(out)
    marker = json.dumps({"inputs": inputs}) + "\n"
    with writing(out):
        known = partial.read_text(encoding="utf-8", errors="replace") if partial.is_file() else ""
        if known != marker or not games.is_file():
            games.write_bytes(b"")  # before the marker, so that a crash never leaves the marker with other games
            partial.write_text(marker, encoding="utf-8")
    return RecordFile(games)


def write_run(out: Path, run: Run) -> None:
    """Write a run, and the records of its games unless they are in its file already; the run is then finished.

    Raises:
        SettingsError: a file cannot be written.
    """
    with writing(out):
        if not (isinstance(run.records, RecordFile) and run.records.path == games_path(out)):
            with games_path(out).open("w", encoding="utf-8", newline="\n") as file:
                file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in run.records)
        out.write_text(json.dumps(run.as_json(), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        partial_path(out).unlink(missing_ok=True)


def read_run(path: Path, measures: Mapping[str, Measure] | None = None) -> Run:
    """Read a run; the records of its games stay in their file.

    Args:
        measures: additional measures of the run.

    Raises:
        RunError: a file is missing or is not of a run, the two files are not of the same games, or the replay is not
            finished.
    """
    remedy = "run the replay that writes it: python -m evaluate replay ... --out RUN.json"
    if partial_path(path).exists():
        raise RunError(f"{path}: must be a finished run, got {partial_path(path).name} beside it; {remedy}")
    text = read_text(path, RunError, remedy=remedy)
    found = as_object(text, str(path), RunError, what="a run as replay --out writes it", remedy=remedy)
    try:
        header = _HEADER.validate_python({key: found.get(key) for key in _Header.__annotations__}, strict=True)
    except ValidationError as error:
        raise _refused(error, path) from error
    made_with: dict[str, Any] = {key: value for key, value in header.items() if key != "games_digest"}
    run = Run(RecordFile(games_path(path)), **made_with, name=path.stem, own_measures=measures or {})
    if run.games_digest != header["games_digest"]:
        raise RunError(f"{path}: must be of the games of {games_path(path).name}, got those of another run; {AGAIN}")
    return run


def _refused(error: ValidationError, where: object) -> RunError:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"])) or "the line"
    return RunError(f"{where}: {place} must be as replay writes it: {first['msg']}; {AGAIN}")


def read_runs(paths: Sequence[Path], measures: Mapping[str, Measure] | None = None) -> list[Run]:
    """Read runs that have names of their own; files that do not end in .json are TREC runs over the games of the first.

    Args:
        measures: additional measures of the runs.

    Raises:
        RunError: no path is given, two have the same name, or a file is not a run.
    """
    if not paths or paths[0].suffix != ".json":
        raise RunError(f"a RUN.json must be named first, got {paths[0] if paths else 'none'}; replay --out writes one")
    first = read_run(paths[0], measures)
    others = [read_run(path, measures) if path.suffix == ".json" else read_trec_run(path, first) for path in paths[1:]]
    runs = [first, *others]
    names = [found.name for found in runs]
    if twice := [name for name in names if names.count(name) > 1]:
        raise RunError(f"runs must have names of their own, got {twice[0]} twice; rename a file")
    return runs


def read_trec_run(path: Path, ours: Run) -> Run:
    """Read the TREC run of another system as a run over the same games: its ranking takes the place of our hits.

    A game that the file does not name has no hits. Scores rank the paragraphs; equal scores keep the file's order.

    Args:
        path: the path of lines `game_id Q0 paragraph_id rank score name`, with ids as `export` writes them.
        ours: a run over the same games and the store with the paragraph_ids of the file.

    Raises:
        RunError: the file cannot be read, or names no game of ours.
    """
    rankings: dict[str, dict[str, float]] = defaultdict(dict)
    try:
        for row in ir_measures.read_trec_run(io.StringIO(read_text(path, RunError))):  # type: ignore[no-untyped-call]
            if not math.isfinite(row.score):
                raise RunError(f"{path}: a score must be a number, got {row.score}; mend the file")
            rankings[unquote(row.query_id)].setdefault(unquote(row.doc_id), row.score)
    except RunError:
        raise
    except ValueError as error:
        raise RunError(
            f"{path}: must hold lines `game_id Q0 paragraph_id rank score name`, got {error}; mend the file"
        ) from error
    if not rankings.keys() & {record["game_id"] for record in ours.records}:
        raise RunError(f"{path}: must name games of {ours.name}, got {', '.join([*rankings][:3]) or 'none'}")
    records = tuple(_ranked(record, rankings[record["game_id"]], path.stem) for record in ours.records)
    preset = {"preset": path.name}
    return Run(records, HINT_ALONE, preset, ours.store_fingerprint, "", ours.seed, 1, path.stem, ours.own_measures)


def _ranked(record: GameRecord, scores: Mapping[str, float], name: str) -> GameRecord:
    """Return the record of a game with another ranking.

    Args:
        scores: the scores of the paragraphs of the ranking, in the order of the file.
    """
    ranking = sorted(scores, key=lambda paragraph_id: -scores[paragraph_id])
    hits: list[HitRecord] = [
        {
            "paragraph_id": paragraph_id,
            "document": "",
            "page": 0,
            "opening_sentence": paragraph_id,
            "slot": "",
            "strategy": name,
            "relevance": 0.0,
            "rank": rank,
            "score": scores[paragraph_id],
            "why": f"rank {rank} of {name}",
        }
        for rank, paragraph_id in enumerate(ranking, 1)
    ]
    truth = record["truth"]
    place = ranking.index(truth["paragraph_id"]) + 1 if truth and truth["paragraph_id"] in scores else None
    search: SearchRecord = {
        "hits": hits,
        "book": None,
        "answered_by": name,
        "relevant": bool(hits),
        "failures": [],
        "embed_ms": 0.0,
        "search_ms": 0.0,
        "rank": place,
    }
    return {**record, "search": search, "questions": [], "questions_ms": None, "decide_ms": None, "plays": []}
