"""Command lines: options and commands, each declared once, and errors in one line."""

import argparse
import contextlib
import errno
import importlib
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from configs.directories import default_store
from configs.errors import QuarryError, SettingsError, WorkerError
from configs.project import find_project
from configs.settings import load
from configs.similar_names import did_you_mean
from quarry import interrupts
from quarry.terminal import visible

LEAST_FILES = 128
"""Files, sockets and pipes that every command can open; a search takes half of them."""
N_FILES = 4_096
"""Files that a command may open if the system allows it; a game on a server takes a connection."""
MORE_FILES = "allow more open files: ulimit -n 1024"
Option = Callable[[argparse._ActionsContainer], object]
"""Adds an option, or a positional argument, to a parser or a group."""


class OneLineParser(argparse.ArgumentParser):
    """An ArgumentParser that prints an error in one line, without the usage, and exits with 2."""

    @property
    def label(self) -> str:
        """The beginning of a command's messages, such as `quarry search` or `evaluate replay`."""
        prog = self.prog.removeprefix("python ").removeprefix("-m ")
        return prog.removesuffix(".py")

    def error(self, message: str) -> NoReturn:
        """Print a line with the command, the error and the way to the help, and exit with 2."""
        line = re.sub(r"^argument (\S+: )", r"\1", " ".join(message.split()))
        self.exit(2, f"{self.label}: {visible(line)}; see {self.prog} --help\n")


def option(
    name: str, metavar: str, says: str, *, project: str = "", **keywords: Any
) -> Option:
    """Declare an option that takes a text, unless `type` or `action` says otherwise.

    Args:
        metavar: name of the value in --help.
        says: the help.
        project: key of `quarry.toml` that gives the default, if the user's project has it.
        keywords: others of `ArgumentParser.add_argument`; a default that can be called is called for each parser.
    """

    def add(parser: argparse._ActionsContainer) -> None:
        settled = dict(keywords)
        if "action" not in settled:
            settled.setdefault("type", text)
        if callable(settled.get("default")):
            settled["default"] = settled["default"]()
        if value := getattr(find_project(), project) if project else "":
            settled |= {"default": settled["type"](value), "required": False}
        parser.add_argument(name, metavar=metavar, help=says, **settled)

    return add


def path(name: str, metavar: str, says: str, **keywords: Any) -> Option:
    """Declare an option that takes a path."""
    return option(name, metavar, says, type=path_of, **keywords)


def path_of(argument: str) -> Path:
    """Return an argument as a path; refuse one that no file can have."""
    try:
        os.lstat(text(argument))
    except OSError as error:
        if error.errno in (errno.ENAMETOOLONG, errno.ELOOP):
            raise argparse.ArgumentTypeError(
                f"{argument[:80]} cannot be a path: {error.strerror}"
            ) from None
    return Path(argument)


def several(name: str, metavar: str, says: str, **keywords: Any) -> Option:
    """Declare an option that may be repeated."""
    return option(name, metavar, says, action="append", **{"default": [], **keywords})


def number(
    name: str, least: int, says: str, default: int | None = None, most: int = 10**15
) -> Option:
    """Declare an option that takes a whole number of `least` to `most`; the help names the default, if there is one."""

    def read(text: str) -> int:
        if not re.fullmatch(r"-?\d+", text, re.ASCII):
            raise argparse.ArgumentTypeError(f"{text[:40]!r} is not a whole number")
        n = int(text[:20])  # all others are out of range
        if n < least:
            raise argparse.ArgumentTypeError(f"{text[:40]} is less than {least}")
        if n > most:
            raise argparse.ArgumentTypeError(f"{text[:40]} is more than {most}")
        return n

    shown = "" if default is None else " (default: %(default)s)"
    return option(name, "N", f"{says}{shown}", type=read, default=default)


def flag(name: str, says: str) -> Option:
    """Declare an option that takes no value."""
    return lambda parser: parser.add_argument(name, action="store_true", help=says)


def text(argument: str) -> str:
    """Return an argument unchanged; refuse bytes that are not UTF-8, which Python turns into half surrogates."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(
            f"{ascii(argument)[:80]} is not UTF-8; save or type it as UTF-8"
        ) from None
    return argument


STORE = option(
    "--store",
    "S",
    "folder, or URL of a Chroma server (default: %(default)s)",
    default=default_store,
    project="store",
)
COLLECTION = option(
    "--collection",
    "NAME",
    "name within the store (default: %(default)s)",
    default="course",
)
PRESET = option(
    "--preset",
    "NAME",
    "settings, by name or a YAML file (default: %(default)s)",
    default="default",
    project="preset",
)
JSON = flag("--json", "print one JSON document and nothing else")
CLUSTER = option(
    "--cluster",
    "ADDRESS",
    "Dask scheduler whose workers do the work, such as tcp://HOST:8786",
)
SETTINGS = (
    path("--config", "FILE", "YAML merged over configs/default.yaml"),
    several(
        "--set",
        "SECTION.KEY=VALUE",
        "one setting, such as search.rule_weight=0; repeatable",
        dest="changes",
    ),
)
"""Options of every command; `Command.main` loads the settings that they and --preset name."""


@dataclass(frozen=True)
class Command:
    """A command with its options and its function.

    Attributes:
        example: command lines, without the name of the command.
        options: a sequence among them holds options that exclude each other.
        run: takes the parsed options, with `settings` and the `label` of messages, and returns the exit code.
        notes: for the end of --help.
        interrupted: printed after Ctrl-C.
    """

    example: str
    options: Sequence[Option | Sequence[Option]]
    run: Callable[[argparse.Namespace], int]
    notes: str = ""
    interrupted: str = "interrupted"

    def parser(self, prog: str, summary: str = "") -> OneLineParser:
        """Return the parser of the command.

        Args:
            prog: the command line that calls it.
            summary: what it does, beginning with a verb in lower case.
        """
        examples = "".join(
            f"  {prog} {line}".rstrip() + "\n" for line in self.example.split("\n")
        )
        parser = OneLineParser(
            prog=prog,
            description=f"{summary[:1].upper()}{summary[1:]}.",
            epilog=f"example:\n{examples}\n{self.notes}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.set_defaults(label=parser.label, preset="default")

        for item in (*self.options, *SETTINGS):
            if callable(item):
                item(parser)
                continue
            group = parser.add_mutually_exclusive_group()
            for add in item:
                add(group)
        return parser

    def main(self, arguments: Sequence[str] | None, prog: str, summary: str) -> int:
        """Run the command and return its exit code.

        The code is 2 for bad input, 1 if workers cannot do the work, and 130 after Ctrl-C; a line says why.
        """
        try:
            options = self.parser(prog, summary).parse_args(arguments)
        except SettingsError as error:  # of the project's file
            OneLineParser(prog).error(str(error))

        interrupts.on_interrupt_print(f"{options.label}: {self.interrupted}")
        try:
            _require_files()
            options.settings = load(options.preset, options.config, options.changes)
            with log_as_lines(options):
                return run_command(lambda: self.run(options))
        except QuarryError as error:
            warn(options, error)
            return 1 if isinstance(error, WorkerError) else 2
        except OSError as error:
            if error.errno not in (errno.EMFILE, errno.ENFILE):
                raise
            warn(options, f"{error.strerror}; {MORE_FILES}")
            return 2
        except KeyboardInterrupt:
            interrupts.announce()
            return interrupts.INTERRUPTED


def _require_files() -> None:
    """Let this process open N_FILES files, as far as the system allows it.

    Raises:
        SettingsError: it may not even open LEAST_FILES.
    """
    try:
        import resource
    except ImportError:  # Windows
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft == unlimited or soft >= N_FILES:
        return
    most = N_FILES if hard == unlimited else min(hard, N_FILES)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, most), hard))
    if most < LEAST_FILES:
        raise SettingsError(f"a process may open {most} files here; {MORE_FILES}")


class _Lines(logging.Handler):
    """Prints each log record as a line of a command."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self._options = options

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line."""
        warn(self._options, record.getMessage())


@contextlib.contextmanager
def log_as_lines(options: argparse.Namespace) -> Iterator[None]:
    """Print what our packages log, from INFO on, as the command's own lines."""
    lines = _Lines(options)
    loggers = [logging.getLogger(name) for name in interrupts.OURS]
    for logger in loggers:
        logger.addHandler(lines)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        for logger in loggers:
            logger.removeHandler(lines)
            logger.setLevel(logging.NOTSET)


Commands = Mapping[str, tuple[str, str]]
"""By the name of a command, of one word or two: its module, which has it in COMMANDS, and its summary."""


def command_of(commands: Commands, name: str) -> Command:
    """Import a command; its module alone, because all of them take seconds."""
    command: Command = importlib.import_module(commands[name][0]).COMMANDS[name]
    return command


def choose_and_run(
    commands: Commands, arguments: Sequence[str] | None, prog: str, about: str
) -> int:
    """Run the command that a command line names, and return its exit code.

    Exit with 0 after --help, which lists the commands, and with 2 for an unknown command.

    Args:
        arguments: None takes those of the process.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    n_words = 2 if " ".join(words[:2]) in commands else 1
    name = " ".join(words[:n_words])
    if name not in commands:
        _help_or_refuse(commands, words, OneLineParser(prog), about)
    command = command_of(commands, name)
    return command.main(words[n_words:], f"{prog} {name}", commands[name][1])


def _help_or_refuse(
    commands: Commands, words: Sequence[str], parser: OneLineParser, about: str
) -> NoReturn:
    """List the commands, or those of a group, for --help; else refuse the unknown command."""
    group = [name for name in commands if name.startswith(f"{''.join(words[:1])} ")]
    names = group or list(commands)
    if {"-h", "--help"}.intersection(words[:2]):
        width = max(map(len, names))
        lines = [f"  {name:{width}}  {commands[name][1]}" for name in names]
        head = f"usage: {parser.prog} COMMAND ...\n\n{about}\n"
        tail = f"\n{parser.prog} COMMAND --help says more"
        parser.exit(run_command(lambda: print(head, *lines, tail, sep="\n") or 0))

    name = " ".join(words[: 2 if group else 1])
    near = did_you_mean(name, names)
    parser.error(f"the command {name!r} is unknown; take {', '.join(names)}{near}")


def warn(options: argparse.Namespace, text: object) -> None:
    """Print a line on standard error that begins with the command's name, above progress bars."""
    from tqdm import tqdm

    tqdm.write(f"{options.label}: {visible(text)}", file=sys.stderr)


def run_command(command: Callable[[], int]) -> int:
    """Run `command` with output streams that cannot fail, and return its exit code.

    Characters that the encoding of the output lacks become question marks, and a reader that closes the pipe early,
    such as head, ends the command with 0.
    """
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # closed before the process began
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115 - used until the process ends
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a replaced stream may lack it
            stream.reconfigure(errors="replace")

    try:
        code = command()
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # the interpreter would fail on a closed stream when it exits
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
