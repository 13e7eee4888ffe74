"""Options and commands, each declared once; parsing a command line, and errors on one line."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, TextIO

from quarry.configs.places import default_store
from quarry.configs.settings import Settings, laid_over, load
from quarry.configs.suggest import meant
from quarry.configs.terminal import visible


class OneLineParser(argparse.ArgumentParser):
    """An ArgumentParser that says what is wrong in one line on standard error, without the usage, and exits with 2."""

    def error(self, message: str) -> NoReturn:
        """Exit with 2 and one line that names the command and where its help is."""
        message = re.sub(r"^argument (\S+): must ", r"\1 must ", " ".join(message.split()))
        self.exit(2, f"{self.prog.removeprefix('python -m ')}: {visible(message)}; see {self.prog} --help\n")


@dataclass(frozen=True)
class Option:
    """An option of a command, or a positional argument.

    Attributes:
        flags: such as `--store`.
        keywords: of `ArgumentParser.add_argument`; a default that can be called is called when a parser is made.
    """

    flags: tuple[str, ...]
    keywords: Mapping[str, Any]

    def add_to(self, parser: argparse._ActionsContainer) -> None:
        """Add the option to a parser or a group."""
        default = self.keywords.get("default")
        made = {"default": default()} if callable(default) else {}
        parser.add_argument(*self.flags, **{**self.keywords, **made})


def option(name: str, metavar: str, says: str, **keywords: Any) -> Option:
    """Declare an option that takes a text, unless `type` says otherwise.

    Args:
        metavar: stands for the value in --help.
        says: the help.
        keywords: others of `ArgumentParser.add_argument`.
    """
    return Option((name,), {"metavar": metavar, "help": says, **keywords})


def path(name: str, metavar: str, says: str, **keywords: Any) -> Option:
    """Declare an option that takes a path."""
    return option(name, metavar, says, type=Path, **keywords)


def several(name: str, metavar: str, says: str, **keywords: Any) -> Option:
    """Declare an option that may be given any number of times."""
    return option(name, metavar, says, action="append", **{"default": [], **keywords})


def number(name: str, least: int, says: str, default: int | None = None) -> Option:
    """Declare an option that takes a whole number of at least `least`; the help names the default, if there is one."""
    shown = "" if default is None else " (default: %(default)s)"
    return option(name, "N", f"{says}{shown}", type=at_least(least), default=default)


def flag(*names: str, says: str) -> Option:
    """Declare an option that takes no value."""
    return Option(names, {"action": "store_true", "help": says})


def at_least(least: int) -> Callable[[str], int]:
    """Return a function that reads a whole number of at least `least`."""

    def read(text: str) -> int:
        try:
            found = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"must be a whole number, got {text!r}") from None
        if found < least:
            raise argparse.ArgumentTypeError(f"must be at least {least}, got {found}")
        return found

    return read


STORE = option("--store", "S", "folder, or URL of a Chroma server (default: %(default)s)", default=default_store)
COLLECTION = option("--collection", "NAME", "name within the store (default: %(default)s)", default="course")
PRESET = option("--preset", "NAME", "settings, by name or a YAML file (default: %(default)s)", default="default")
JSON = flag("--json", says="print one JSON document and nothing else")
CONFIG = path("--config", "FILE", "YAML laid over configs/default.yaml")
PLUGIN = several(
    "--plugin", "MODULE:CLASS", "ask a search strategy of your own beside the others; again for more", dest="plugins"
)


def set_option(says: str = "one setting, such as search.rule_weight=0") -> Option:
    """Declare --set, any number of times."""
    return several("--set", "SECTION.KEY=VALUE", f"{says}; again for more", dest="changes")


SETTINGS = (CONFIG, PLUGIN, set_option())
"""Options that `settings_of` reads, beside --preset."""


@dataclass(frozen=True)
class Command:
    """A command: its options and the function that it runs.

    Attributes:
        name: such as `replay`.
        summary: says what the command does, beginning with a verb in lower case.
        example: whole command lines.
        options: a sequence among them holds options of which at most one may be given.
        run: takes the parsed options and returns the exit code.
        notes: for the end of --help.
    """

    name: str
    summary: str
    example: str
    options: Sequence[Option | Sequence[Option]]
    run: Callable[[argparse.Namespace], int]
    notes: str = ""

    def parser(self, prog: str) -> OneLineParser:
        """Return the parser of the command, which is called by `prog`."""
        example = self.example.replace("\n", "\n  ")
        parser = OneLineParser(
            prog=prog,
            description=f"{self.summary[0].upper()}{self.summary[1:]}.",
            epilog=f"example:\n  {example}\n\n{self.notes}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        for given in self.options:
            if isinstance(given, Option):
                given.add_to(parser)
            else:
                group = parser.add_mutually_exclusive_group()
                for one in given:
                    one.add_to(group)
        parser.set_defaults(label=prog.removeprefix("python -m "))
        return parser

    def main(
        self,
        arguments: Sequence[str],
        prog: str,
        errors: tuple[type[Exception], ...],
        interrupted: str = "interrupted",
    ) -> int:
        """Run the command and return its exit code: 2 after one of `errors`, which is printed, 130 after Ctrl-C."""
        options = self.parser(prog).parse_args(arguments)
        try:
            return run_command(lambda: self.run(options))
        except errors as error:
            warn(options, error)
            return 2
        except KeyboardInterrupt:
            warn(options, interrupted)
            return 130


def choose(
    summaries: Mapping[str, str], arguments: Sequence[str] | None, prog: str, about: str
) -> tuple[str, list[str]]:
    """Return the name of the command that a command line begins with, of one word or two, and the rest of the line.

    Exits with 0 after --help, which lists the commands, and with 2 if there is no such command.

    Args:
        summaries: of the commands, by name.
        arguments: None takes those of the process.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    name = next((name for n_words in (2, 1) if (name := " ".join(given[:n_words])) in summaries), None)
    if name is None:
        _help_or_refuse(summaries, given, OneLineParser(prog=prog), about)
    return name, given[len(name.split()) :]


def _help_or_refuse(summaries: Mapping[str, str], given: Sequence[str], parser: OneLineParser, about: str) -> NoReturn:
    """List the commands, or those of the group that is named, or say that there is no such command."""
    group = given[0] if given and any(name.startswith(f"{given[0]} ") for name in summaries) else ""
    named = {name: says for name, says in summaries.items() if name.startswith(group)}
    if {"-h", "--help"} & {*given[:2]}:
        width = max(map(len, named))
        listed = "\n".join(f"  {name:{width}}  {says}" for name, says in named.items())
        print(f"usage: {parser.prog} COMMAND ...\n\n{about}\n\n{listed}\n\n{parser.prog} COMMAND --help says more")
        parser.exit(0)
    got = " ".join(given[: 2 if group else 1])
    same_word = (f"; did you mean {name}?" for name in named if got == name.split()[-1])
    near = meant(got, named) or next(same_word, "")
    parser.error(f"the command must be one of {', '.join(named)}, got {got!r}{near}")


def warn(options: argparse.Namespace, text: object) -> None:
    """Print a line on standard error that begins with the command's name."""
    print(f"{options.label}: {visible(text)}", file=sys.stderr)


def settings_of(options: argparse.Namespace, preset: str = "", changes: Sequence[str] | None = None) -> Settings:
    """Load the settings that a command line asks for.

    Args:
        preset: in place of --preset.
        changes: in place of --set.

    Raises:
        SettingsError: a preset, key or value is invalid.
    """
    changes = options.changes if changes is None else changes
    settings = load(preset or getattr(options, "preset", "default"), options.config, changes)
    for plugin in getattr(options, "plugins", []):
        strategies = [*settings.search.strategies, plugin.replace(":", ".")]
        settings = laid_over(settings, {"search": {"strategies": strategies}}, f"--plugin {plugin}")
    return settings


def run_command(command: Callable[[], int]) -> int:
    """Run `command` so that its output suits whatever reads it, and return its exit code.

    Characters that the output's encoding lacks become question marks, and a reader that closes the pipe early (head,
    for one) ends the command with 0.
    """
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)  # a stream put in its place may have none
        if reconfigure is not None:
            reconfigure(errors="replace")
    try:
        code = command()
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        redirect_to_devnull(sys.stdout)
        return 0


def redirect_to_devnull(stream: TextIO) -> None:
    """Redirect what a closed stream still holds, so that the interpreter does not fail on it when it exits."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
