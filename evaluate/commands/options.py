"""Options of the commands on labelled games, and the selection of games and writing of files that they ask for."""

import logging
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from configs.errors import SettingsError
from configs.project import find_project
from evaluate.errors import GamesError, writing
from evaluate.games.labelled import LabelledGame, load_games, select_split
from evaluate.games.labelled import Split as NamedSplit
from player.search.stores import open_course
from quarry.cli import AsJson, PositiveNumber, StoreOptions, WholeNumber, WorkerOptions
from quarry.files import write_named
from quarry.store import Course
from quarry.terminal import pluralize

_log = logging.getLogger(__name__)


def writable(_type: Any, path: Path | None) -> None:
    """Check before any work that a file can be written; None is a missing option.

    Raises:
        ValueError: its folder does not exist, or it is a folder itself.
    """
    if path is None:
        return
    if not path.parent.is_dir():
        raise ValueError(f"the folder of {path} does not exist; make {path.parent}")
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it")


Out = Annotated[Path, Parameter(validator=writable)]
Games = Annotated[
    Path | None,
    Parameter(
        help="Labelled games (default: those of quarry.toml; their form: quarry games check --help)."
    ),
]
Split = Annotated[
    NamedSplit | None,
    Parameter(help="Part of the games (default: all games)."),
]
Limit = Annotated[
    PositiveNumber | None,
    Parameter(help="At most this many games: the first ones of the file and split."),
]
Seed = Annotated[
    WholeNumber,
    Parameter(
        validator=Number(gte=0, lte=10**15),
        help="Seed of everything that is drawn: splits, answers, intervals.",
    ),
]
Measures = Annotated[
    tuple[str, ...],
    Parameter(
        "--measure",
        help="One more measure, such as nDCG@10 (any of ir-measures) or my_measure.found_5; repeatable.",
    ),
]
Runs = Annotated[
    Path,
    Parameter(
        help="Runs as replay --out writes them, and folders of them as compare --out writes."
    ),
]


@Parameter(name="*")
@dataclass(frozen=True)
class CourseOptions:
    """Options of the commands that measure the player on labelled games of a course."""

    games: Games = None
    at: StoreOptions = field(default_factory=StoreOptions)
    work: WorkerOptions = field(default_factory=WorkerOptions)
    seed: Seed = 0
    as_json: AsJson = False

    def open(self) -> Course:
        """Open the course to be searched."""
        return open_course(self.at.location, self.at.collection)


@dataclass(frozen=True)
class RunOptions(CourseOptions):
    """Options of the commands that make runs."""

    split: Split = None
    limit: Limit = None
    measures: Measures = ()
    strict: Annotated[
        bool, Parameter(help="Exit with 1 if a game was lost at ingest.")
    ] = False


def find_games_file(games: Path | None) -> Path:
    """Return the file of --games, or that of quarry.toml.

    Raises:
        SettingsError: neither names a file.
    """
    path = games or find_project().games
    if not path:
        raise SettingsError("--games FILE is missing, and no quarry.toml names one.")
    return Path(path)


def select_games(
    games: Path | None, split: str | None, seed: int, lost_in: Path | None = None
) -> list[LabelledGame]:
    """Load the games of a split, or only those that were lost in a run.

    Args:
        games: file of the games; None takes that of quarry.toml.
        split: name of the split; None takes all games.
        seed: seed of the splits.
        lost_in: file of a run; None takes all games.
    """
    file = find_games_file(games)
    all_games = load_games(file)
    if lost_in is not None:
        from evaluate.runs.files import read_run

        lost_ids = read_run(lost_in).lost_ids
        all_games = [game for game in all_games if game.game_id in lost_ids]
        if not all_games:
            raise GamesError(f"{lost_in} lost no game of {file}.")
    return select_split(all_games, split, seed)


def report_lost(n_lost: int, *, strict: bool) -> int:
    """Return the exit code, 1 if `strict` and games were lost at ingest; log a warning if any were lost."""
    if n_lost:
        are = "is about a paragraph" if n_lost == 1 else "are about paragraphs"
        _log.warning(
            "%s %s that the store does not hold", pluralize(n_lost, "game"), are
        )
    return 1 if n_lost and strict else 0


def write_text(out: Path, text: str) -> None:
    """Write the file of `--out`.

    Raises:
        SettingsError: it cannot be written.
    """
    with writing(out):
        write_named(out, text.encode())
