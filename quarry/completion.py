"""The command `completion`: a script with which bash, zsh or tcsh completes commands and options."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Iterator

from configs.settings import SettingsError
from ingest.console import arguments as cli

SHELLS = ("bash", "zsh", "tcsh")


def main(arguments: list[str], prog: str) -> int:
    """Print the script; return 0, or 2 for bad input."""
    return COMMAND.main(arguments, prog, (SettingsError,))


def commands() -> Iterator[cli.Command]:
    """Yield every command of `quarry`."""
    from evaluate.commands import MODULES
    from quarry.command import SINGLE

    for place in dict.fromkeys(
        ["player.command", *(place for place, _ in SINGLE.values())]
    ):
        module = importlib.import_module(place)
        yield from getattr(module, "COMMANDS", None) or (module.COMMAND,)
    for name in MODULES:
        yield from importlib.import_module(f"evaluate.commands.{name}").COMMANDS


def whole_parser() -> argparse.ArgumentParser:
    """Return one parser with every command and its options."""
    parser = argparse.ArgumentParser(prog="quarry")
    levels = {"": parser.add_subparsers()}
    for command in commands():
        group, _, name = command.name.rpartition(" ")
        if group not in levels:
            above = levels[""].add_parser(group, help=f"commands of {group}")
            levels[group] = above.add_subparsers()
        levels[group].add_parser(
            name,
            parents=[command.parser(f"quarry {command.name}")],
            add_help=False,
            help=command.summary,
        )
    return parser


def _run(options: argparse.Namespace) -> int:
    import shtab

    print(shtab.complete(whole_parser(), options.shell))
    return 0


COMMAND = cli.Command(
    "completion",
    "print a script that completes commands and options in your shell",
    "quarry completion bash > ~/.local/share/bash-completion/completions/quarry",
    (cli.option("shell", "SHELL", "bash, zsh or tcsh", choices=SHELLS),),
    _run,
)
