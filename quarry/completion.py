"""The command `completion`: a script with which bash, zsh or tcsh completes commands and options."""

import argparse

from quarry import cli

SHELLS = ("bash", "zsh", "tcsh")


def _run(options: argparse.Namespace) -> int:
    """Print the script for one parser with every command and its options."""
    import shtab

    from quarry.command import COMMANDS as ALL

    whole = argparse.ArgumentParser(prog="quarry")
    levels = {"": whole.add_subparsers()}
    for full_name, (_, summary) in ALL.items():
        group, _, name = full_name.rpartition(" ")
        if group not in levels:
            above = levels[""].add_parser(group, help=f"commands of {group}")
            levels[group] = above.add_subparsers()
        parser = cli.command_of(ALL, full_name).parser(f"quarry {full_name}")
        levels[group].add_parser(name, parents=[parser], add_help=False, help=summary)
    print(shtab.complete(whole, options.shell))
    return 0


COMMANDS = {
    "completion": cli.Command(
        "bash > ~/.local/share/bash-completion/completions/quarry",
        (cli.option("shell", "SHELL", "bash, zsh or tcsh", choices=SHELLS),),
        _run,
    )
}
