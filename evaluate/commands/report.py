"""`report`: runs in plain words, as JSON, and as one HTML page."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any

from quarry.configs.arguments import JSON, path
from quarry.configs.terminal import visible
from quarry.evaluate.commands.command import RUNS, command, print_json, require_writable, write_text
from quarry.evaluate.errors import RunError
from quarry.evaluate.runs.files import read_runs


def run(options: argparse.Namespace) -> int:
    """Write the page and name it, or print the words."""
    from quarry.evaluate.report.page import render
    from quarry.evaluate.report.summary import summary

    require_writable(options.out)
    if not options.runs:
        raise RunError("report must be given a RUN.json, got none; name one")
    runs = read_runs(options.runs)
    if options.out:
        write_text(options.out, render(runs))
    if options.json:
        print_json(summary(runs))
    elif options.out:
        print(options.out)
    else:
        _print_words(summary(runs))
    return 0


def _print_words(found: Mapping[str, Any]) -> None:
    """The headline, what differs, and the games that only one run won."""
    for sentence in found["headline"]:
        _say(sentence)
    from quarry.evaluate.runs.contrast import shown

    names = list(found["runs"])
    if len(names) > 1:
        _say(f"\nsettings that differ ({', '.join(names)}):{'' if found['differing'] else ' none'}")
    for setting, values in found["differing"].items():
        _say(f"  {setting}: {', '.join(shown(setting, value) for value in values)}")
    if len(found["documents"]) > 1:
        _say("\nby lecture, games and the share that was won (without a referee: found):")
    for row in found["documents"] if len(found["documents"]) > 1 else []:
        shares = [
            f"{name} {run['share']:.3f} of {run['games']}" for name, run in zip(names, row["runs"], strict=True) if run
        ]
        _say(f"  {row['document']}: {', '.join(shares)}")
    if len(names) > 1:
        _say(f"\ngames that only one of two runs won: {len(found['won_by_one'])}")
    for game in found["won_by_one"]:
        _say(f"{game['game_id']}: {game['won_by']} won, {game['lost_by']} lost; {game['hint']}")
        _say(f"  {game['paragraph'] or 'the paragraph is in one of the stores alone'}")
        for side in game["sides"]:
            for line in side["why"]:
                _say(f"  {side['run']}: {line}")


def _say(line: str) -> None:
    """Print lines that may hold somebody else's text."""
    print("\n".join(map(visible, line.split("\n"))))


COMMANDS = (
    command(
        "report",
        "default.json dual.json --out report.html",
        (
            RUNS,
            path("--out", "report.html", "the page (default: none; the words are printed)"),
            JSON,
        ),
        run,
        settings=(),
    ),
)
