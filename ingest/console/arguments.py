"""Command lines: options and commands, each declared once, and errors in one line."""

from __future__ import annotations

import argparse
import contextlib
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from configs.directories import default_store
from configs.project import find_project
from configs.settings import Settings, SettingsError, WorkerError, load
from configs.similar_names import did_you_mean
from ingest.console import interrupts
from ingest.console.terminal import visible


class OneLineParser(argparse.ArgumentParser):
    """An ArgumentParser that prints an error in one line, without the usage, and exits with 2."""

    def error(self, message: str) -> NoReturn:
        """Print a line with the command, the error and the way to the help, and exit with 2."""
        line = re.sub(r"^argument (\S+): must ", r"\1 must ", " ".join(message.split()))
        line = f"{visible(as_typed(line, self.prog))}; see {self.prog} --help"
        self.exit(2, f"{label_of(self.prog)}: {line}\n")


def label_of(prog: str) -> str:
    """Return the beginning of a command's messages, such as `quarry search`, `evaluate replay` or `run_game`."""
    return prog.removeprefix("python ").removeprefix("-m ").removesuffix(".py")


def as_typed(text: str, prog: str) -> str:
    """Return a text whose commands are written as the user types them.

    Args:
        prog: the command line of the running command; where it is `quarry ...`, `python -m evaluate replay` becomes
            `quarry replay`, and `run_game.py` becomes `quarry play`.
    """
    if not prog.startswith("quarry"):
        return text
    text = re.sub(r"(?:python )?\brun_game\.py", "quarry play", text)
    return re.sub(r"python -m (?:evaluate |player |(?=ingest))", "quarry ", text)


Option = Callable[[argparse._ActionsContainer], object]
"""Adds an option, or a positional argument, to a parser or a group."""


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
    return option(name, metavar, says, type=Path, **keywords)


def several(name: str, metavar: str, says: str, **keywords: Any) -> Option:
    """Declare an option that may be repeated."""
    return option(name, metavar, says, action="append", **{"default": [], **keywords})


def number(name: str, least: int, says: str, default: int | None = None) -> Option:
    """Declare an option that takes a whole number of at least `least`; the help names the default, if there is one."""
    shown = "" if default is None else " (default: %(default)s)"
    return option(name, "N", f"{says}{shown}", type=at_least(least), default=default)


def flag(*names: str, says: str) -> Option:
    """Declare an option that takes no value."""
    return lambda parser: parser.add_argument(*names, action="store_true", help=says)


def text(argument: str) -> str:
    """Return an argument unchanged; refuse bytes that are not UTF-8, which Python turns into half surrogates."""
    try:
        argument.encode()
    except UnicodeEncodeError:
        raise argparse.ArgumentTypeError(
            f"must be UTF-8, got {ascii(argument)[:80]}; save or type it as UTF-8"
        ) from None
    return argument


def at_least(least: int) -> Callable[[str], int]:
    """Return a function that reads a whole number of at least `least`."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(
                f"must be a whole number, got {text!r}"
            ) from None
        if value < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, got {value}")
        return value

    return read


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
JSON = flag("--json", says="print one JSON document and nothing else")
CONFIG = path("--config", "FILE", "YAML merged over configs/default.yaml")
CLUSTER = option(
    "--cluster",
    "ADDRESS",
    "Dask scheduler whose workers do the work, such as tcp://HOST:8786",
)


SETTINGS = (
    CONFIG,
    several(
        "--set",
        "SECTION.KEY=VALUE",
        "one setting, such as search.rule_weight=0; repeatable",
        dest="changes",
    ),
)
"""Options that `settings_of` reads; it also reads --preset."""


@dataclass(frozen=True)
class Command:
    """A command with its options and its function.

    Attributes:
        name: such as `replay`.
        summary: the summary of the command, beginning with a verb in lower case.
        example: whole command lines.
        options: a sequence among them holds options that exclude each other.
        run: takes the parsed options and returns the exit code.
        notes: for the end of --help.
        shows: the logger whose records the command shows among its results.
    """

    name: str
    summary: str
    example: str
    options: Sequence[Option | Sequence[Option]]
    run: Callable[[argparse.Namespace], int]
    notes: str = ""
    shows: str = ""

    def parser(self, prog: str) -> OneLineParser:
        """Return the parser of the command; `prog` is the command line that calls it."""
        example = as_typed(self.example, prog).replace("\n", "\n  ")
        parser = OneLineParser(
            prog=prog,
            description=f"{self.summary[0].upper()}{self.summary[1:]}.",
            epilog=f"example:\n  {example}\n\n{as_typed(self.notes, prog)}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.set_defaults(label=label_of(prog))

        for item in self.options:
            if callable(item):
                item(parser)
                continue
            group = parser.add_mutually_exclusive_group()
            for add in item:
                add(group)
        return parser

    def parse(self, arguments: Sequence[str] | None, prog: str) -> argparse.Namespace:
        """Return the options of a command line; exit with 2 after one line if it or the project's file is wrong."""
        try:
            return self.parser(prog).parse_args(arguments)
        except SettingsError as error:
            OneLineParser(prog=prog).error(str(error))

    def main(
        self,
        arguments: Sequence[str],
        prog: str,
        errors: tuple[type[Exception], ...],
        interrupted: str = "interrupted",
    ) -> int:
        """Run the command and return its exit code; print an error.

        The code is 2 after one of `errors`, 1 if workers cannot do the work, and 130 after Ctrl-C.
        """
        options = self.parse(arguments, prog)
        interrupts.on_interrupt_print(f"{options.label}: {interrupted}")
        try:
            with log_as_lines(options, self.shows):
                return run_command(lambda: self.run(options))
        except errors as error:
            warn(options, error)
            return 2
        except WorkerError as error:
            warn(options, error)
            return 1
        except KeyboardInterrupt:
            interrupts.announce()
            return interrupts.INTERRUPTED


class _Lines(logging.Handler):
    """Prints each log record as a line of a command."""

    def __init__(self, options: argparse.Namespace) -> None:
        super().__init__()
        self._options = options

    def emit(self, record: logging.LogRecord) -> None:
        """Print a line."""
        warn(self._options, record.getMessage())


@contextlib.contextmanager
def log_as_lines(options: argparse.Namespace, shown: str = "") -> Iterator[None]:
    """Print what our packages log, from INFO on, as the command's own lines, except for the logger `shown`."""
    lines = _Lines(options)
    lines.addFilter(lambda record: record.name != shown)
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


def choose(
    summaries: Mapping[str, str], arguments: Sequence[str] | None, prog: str, about: str
) -> tuple[str, list[str]]:
    """Return the name of the command, of one word or two, and the rest of the command line.

    Exit with 0 after --help, which lists the commands, and with 2 for an unknown command.

    Args:
        summaries: the summaries of the commands, by name.
        arguments: None takes those of the process.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    n_words = 2 if " ".join(words[:2]) in summaries else 1
    name = " ".join(words[:n_words])
    if name not in summaries:
        _help_or_refuse(summaries, words, OneLineParser(prog=prog), about)
    return name, words[n_words:]


def _help_or_refuse(
    summaries: Mapping[str, str],
    words: Sequence[str],
    parser: OneLineParser,
    about: str,
) -> NoReturn:
    """List the commands or those of a group for --help, else refuse the unknown command."""
    group = "".join(words[:1])
    if not any(name.startswith(f"{group} ") for name in summaries):
        group = ""
    named = {}
    for name, says in summaries.items():
        if name.startswith(group):
            named[name] = says

    if {"-h", "--help"} & {*words[:2]}:
        width = max(map(len, named))
        listed = "\n".join(f"  {name:{width}}  {says}" for name, says in named.items())
        text = f"usage: {parser.prog} COMMAND ...\n\n{about}\n\n{listed}\n\n{parser.prog} COMMAND --help says more"
        parser.exit(run_command(lambda: print(text) or 0))

    got = " ".join(words[: 2 if group else 1])
    near = did_you_mean(got, named)
    for name in named:
        if not near and got == name.split()[-1]:
            near = f"; did you mean {name}?"
    parser.error(f"the command must be one of {', '.join(named)}, got {got!r}{near}")


def warn(options: argparse.Namespace, text: object) -> None:
    """Print a line on standard error that begins with the command's name, above progress bars."""
    from tqdm import tqdm

    line = as_typed(str(text), options.label)
    tqdm.write(f"{options.label}: {visible(line)}", file=sys.stderr)


def settings_of(options: argparse.Namespace, preset: str = "") -> Settings:
    """Load the settings of a command line.

    Args:
        preset: in place of --preset.

    Raises:
        SettingsError: a preset, key or value is invalid.
    """
    return load(
        preset or getattr(options, "preset", "default"), options.config, options.changes
    )


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
