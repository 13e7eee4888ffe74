"""What all command lines share: settings, errors of one line, and an output that never ends in a traceback."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NoReturn, TextIO

from quarry.configs.settings import Settings, laid_over, load


class OneLineParser(argparse.ArgumentParser):
    """An ArgumentParser that says what is wrong in one line on standard error, without the usage, and exits with 2."""

    def error(self, message: str) -> NoReturn:
        """Exit with 2 and one line that names the command and where its help is."""
        self.exit(2, f"{self.prog.removeprefix('python -m ')}: {' '.join(message.split())}; see {self.prog} --help\n")


def add_settings(parser: argparse.ArgumentParser, flags: Collection[str] = ("--plugin", "--set")) -> None:
    """--config, and those of the flags that are wanted; `settings_of` reads them."""
    parser.add_argument("--config", type=Path, metavar="FILE", help="YAML laid over configs/default.yaml")
    if "--plugin" in flags:
        parser.add_argument(
            "--plugin",
            action="append",
            default=[],
            dest="plugins",
            metavar="MODULE:CLASS",
            help="ask a search strategy of your own beside the others; again for more",
        )
    if "--set" in flags:
        add_set(parser)


def add_set(parser: argparse.ArgumentParser, says: str = "one setting, such as search.rule_weight=0") -> None:
    """--set, any number of times."""
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        dest="changes",
        metavar="SECTION.KEY=VALUE",
        help=f"{says}; again for more",
    )


def settings_of(options: argparse.Namespace, preset: str = "", changes: Sequence[str] | None = None) -> Settings:
    """The settings that a command line asks for.

    Args:
        preset: in the place of --preset.
        changes: in the place of --set.

    Raises:
        SettingsError: they cannot be had.
    """
    changes = options.changes if changes is None else changes
    settings = load(preset or getattr(options, "preset", "default"), options.config, changes)
    for plugin in getattr(options, "plugins", []):
        strategies = [*settings.search.strategies, plugin.replace(":", ".")]
        settings = laid_over(settings, {"search": {"strategies": strategies}}, f"--plugin {plugin}")
    return settings


def run_command(command: Callable[[], int]) -> int:
    """The exit code of `command`, run so that its output suits whatever reads it.

    Characters that the output's encoding lacks become question marks, and a reader that has had enough (head, for one)
    ends the command with 0.
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
        silence(sys.stdout)
        return 0


def silence(stream: TextIO) -> None:
    """Send what a closed stream still holds nowhere, so that the interpreter does not stumble over it at its end."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
