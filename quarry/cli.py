"""Options that commands share, settings that a command line changes, and errors in one line."""

import contextlib
import glob
import io
import logging
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TextIO

from cyclopts import App, CycloptsError, Group, Parameter
from cyclopts.validators import Number, mutually_exclusive

from configs.directories import DEFAULT_COLLECTION, default_store
from configs.errors import QuarryError, SettingsError, WorkerError
from configs.faults import FAULTS, MORE_MEMORY, fault_and_remedy
from configs.project import find_project
from configs.settings import (
    Settings,
    load,
    merge_changes,
    preset_names,
    require_preset,
)
from configs.surrogates import is_unicode
from quarry import interrupts
from quarry.terminal import describe_error, visible

if TYPE_CHECKING:
    from cyclopts import Token
    from cyclopts.completion import CompletionContext

    from quarry.parallel import Workers
    from quarry.store import Course

N_FILES = 4_096
"""Number of files that a command asks the system to allow; each game on a server takes a connection."""
MAX_FAULT_CHARS = 500
"""Maximum length of an error that quotes a command line."""


def complete_presets(context: "CompletionContext") -> list[str]:
    """Return the presets and the YAML files of the current folder, each after the presets that a word already lists."""
    before, comma, _ = context.incomplete.rpartition(",")
    names = (*preset_names(), *glob.glob("*.y*ml"))
    return [f"{before}{comma}{name}" for name in names]


def _read_whole_number(_: type, tokens: Sequence["Token"]) -> int:
    text = tokens[0].value
    try:
        return int(text)
    except ValueError:
        raise ValueError(f'unable to convert "{text}" into a whole number') from None


WholeNumber = Annotated[int, Parameter(converter=_read_whole_number)]
"""Type of a whole number; that of cyclopts rounds fractions."""
PositiveNumber = Annotated[WholeNumber, Parameter(validator=Number(gt=0))]
NonNegativeNumber = Annotated[WholeNumber, Parameter(validator=Number(gte=0))]

AsJson = Annotated[
    bool, Parameter("--json", help="Print one JSON document and nothing else.")
]
Preset = Annotated[
    str | None,
    Parameter(
        completer=complete_presets,
        help="Settings, by name or a YAML file (default: that of quarry.toml, else default).",
    ),
]


@dataclass(frozen=True)
class Overrides:
    """Settings that a command line changes."""

    config: Annotated[
        Path | None, Parameter(help="YAML merged over configs/default.yaml.")
    ] = None
    changes: Annotated[
        tuple[str, ...],
        Parameter(
            "--set",
            metavar="SECTION.KEY=VALUE",
            help="One setting, such as search.rule_weight=0; repeatable.",
        ),
    ] = ()

    def load(self, preset: str | None = None) -> Settings:
        """Load the settings of a preset, or of the preset of quarry.toml, and merge the changes over them."""
        if not preset:
            project = find_project()
            preset = project.preset or "default"
            require_preset(preset, f"{project.file}: ")
        return load(preset, self.config, self.changes)

    def merge_over(self, settings: Settings) -> Settings:
        """Merge the changes over settings."""
        return merge_changes(settings, self.config, self.changes)


ParsedOverrides = Annotated[Overrides, Parameter(parse=False)]
"""The overrides, which `launch` of quarry/command.py parses for all commands."""


@Parameter(name="*")
@dataclass(frozen=True)
class StoreOptions:
    """Options that name the store of a course."""

    store: Annotated[
        str | None,
        Parameter(
            help="Folder, or URL of a Chroma server (default: that of quarry.toml, else store/ in the data folder that "
            "doctor names)."
        ),
    ] = None
    collection: Annotated[str, Parameter(help="Name within the store.")] = (
        DEFAULT_COLLECTION
    )

    @property
    def location(self) -> str:
        """The folder or URL: that of the command line, else that of the project, else the default."""
        if self.store == "":  # an empty variable of a shell
            raise SettingsError("--store is empty; name a folder or a URL")
        named = os.path.expanduser(self.store or "")  # as in '~/x' or --store=~/x
        return named or find_project().store or default_store()

    def open(self, *, all_rejected_ok: bool = False) -> "Course":
        """Open the store; see `open_store`."""
        from quarry.store import open_store

        return open_store(
            self.location, self.collection, all_rejected_ok=all_rejected_ok
        )


EITHER = Group(validator=mutually_exclusive)
"""Options of which only one may be set."""


@Parameter(name="*")
@dataclass(frozen=True)
class WorkerOptions:
    """Options that choose the processes that do the work."""

    workers: Annotated[
        NonNegativeNumber,
        Parameter(group=EITHER, help="Processes; 0 takes as many as pay (tune: one)."),
    ] = 0
    cluster: Annotated[
        str | None,
        Parameter(
            group=EITHER,
            help="Dask scheduler whose workers do the work, such as tcp://HOST:8786.",
        ),
    ] = None

    def start(self) -> AbstractContextManager["Workers"]:
        """Return a context with the workers; the connection to a cluster is closed at its end."""
        if self.cluster is None:
            return nullcontext(self.workers)
        from quarry.parallel import Cluster

        return Cluster(self.cluster)


def run(app: App, arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code.

    The code is 2 for bad input, 1 if workers cannot do the work, and 130 after Ctrl-C; a line says why.

    Args:
        arguments: the words after the command; None takes those of the process.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    label = app.name[0]

    def parse_and_call() -> int:
        command, bound, _ = app.meta.parse_args(words)
        return command(*bound.args, **bound.kwargs) or 0

    try:
        _require_unicode(words)
        command, _, _ = app.parse_commands(words)
        label = " ".join([label, *command])
        interrupts.on_interrupt_print(f"{label}: interrupted")
        _allow_open_files()
        with log_as_lines(label):
            return run_command(parse_and_call)

    except CycloptsError as error:
        fault = f"{str(error)[:MAX_FAULT_CHARS]} (see {label} --help)"
    except WorkerError as error:
        print_line(label, error)
        return 1
    except QuarryError as error:
        fault = str(error)
    except OSError as error:
        if error.errno not in FAULTS:
            raise
        path = f"{error.filename}: " if error.filename else ""
        fault = f"{path}{fault_and_remedy(error)}"
    except SystemExit as error:
        fault = f"code of your own ended the command ({describe_error(error)}); let it raise an error instead"
    except MemoryError:
        fault = f"the memory is used up; {MORE_MEMORY}"
    except KeyboardInterrupt:
        interrupts.announce()
        return interrupts.INTERRUPTED
    print_line(label, fault)
    return 2


def _require_unicode(words: Sequence[str]) -> None:
    """Raise a SettingsError if a word has bytes that Python cannot decode, and so has turned into half surrogates."""
    encoding = sys.getfilesystemencoding()
    fault = "is not UTF-8; save or type it as UTF-8"
    if encoding != "utf-8":
        fault = f"cannot be read, since this locale is {encoding}; set PYTHONUTF8=1"
    for word in words:
        if not is_unicode(word):
            raise SettingsError(f"{ascii(word)[:80]} {fault}")


def _allow_open_files() -> None:
    """Let this process open N_FILES files, or as many as the system allows."""
    try:
        import resource
    except ImportError:  # Windows
        return

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    # a negative limit is none
    n_files = min(hard, N_FILES) if hard >= 0 else N_FILES
    if 0 <= soft < n_files:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (n_files, hard))


class _Lines(logging.Handler):
    """Prints each log record as a line of a command."""

    def __init__(self, label: str) -> None:
        super().__init__()
        self._label = label

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line."""
        print_line(self._label, record.getMessage())


@contextlib.contextmanager
def log_as_lines(label: str) -> Iterator[None]:
    """Print records of our packages' loggers, from INFO on, as lines of a command."""
    lines = _Lines(label)
    loggers = [logging.getLogger(name) for name in interrupts.OUR_PACKAGES]
    for logger in loggers:
        logger.addHandler(lines)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(lines)
            logger.setLevel(logging.NOTSET)


def print_line(label: str, text: object) -> None:
    """Print a line on standard error that begins with the command's name, above progress bars."""
    from tqdm import tqdm

    try:
        tqdm.write(f"{label}: {visible(text)}", file=sys.stderr)
    except BrokenPipeError:
        raise
    except OSError:  # a full disk; the line is lost, and the work goes on
        _drop_output(sys.stderr)


def run_command(command: Callable[[], int]) -> int:
    """Run `command` with output streams that cannot fail, and return its exit code.

    Characters that the encoding of the output lacks become question marks, and a reader that closes the pipe early,
    such as head, ends the command with 0.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a replaced stream may lack it
            stream.reconfigure(errors="replace")

    try:
        code = command()
        sys.stdout.flush()
        return code
    except (BrokenPipeError, SystemExit) as error:
        # rich raises the latter for the former
        if BrokenPipeError not in (type(error), type(error.__context__)):
            raise
        _drop_output(sys.stdout)
        return 0


def _drop_output(stream: TextIO) -> None:
    """Drop what a stream prints from now on; the interpreter would fail on a closed or full one when it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
