"""Benchmark of the first get_questions of a process against later ones."""

import functools
import json
import statistics
import subprocess
import sys

from configs.settings import load
from evaluate.games.labelled import load_games
from player.game.callbacks import Callbacks
from player.game.journal import Journal
from player.player import build_player
from quarry.store import open_store
from tools.benchmarks.searching import (
    DATA,
    Figures,
    bundled_course,
    uncached_settings,
    wall_s,
)

N_PROCESSES = 9
"""Number of processes that are measured."""
N_CALLS = 12
"""Number of calls in a process; each process has other games."""


def measure_first_call() -> Figures:
    """Measure the first get_questions of several processes (ms), and the median of the later ones."""
    firsts, later = [], []
    with bundled_course(uncached_settings()) as (course, _):
        for number in range(N_PROCESSES + 1):
            done = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "tools.benchmarks.calls",
                    course.location,
                    f"{number}",
                ],
                stdout=subprocess.PIPE,
                cwd=DATA.parent,
                check=True,
            )
            first, *rest = json.loads(done.stdout)
            if number:  # the first process fills the caches of the course
                firsts.append(first)
                later += rest

    quarry, baseline = statistics.median(firsts), statistics.median(later)
    return {
        "quarry": float(f"{quarry:.4g}"),
        "baseline": float(f"{baseline:.4g}"),
        "ratio": float(f"{quarry / baseline:.3g}"),
    }


def main(store: str, number: str) -> None:
    """Print the milliseconds of each get_questions of this process as a JSON list."""
    callbacks = Callbacks(
        build_player(open_store(store), load()), journal=Journal(None)
    )

    times_ms = []
    first = int(number) * N_CALLS
    games = load_games(DATA / "games" / "english.jsonl")
    for game in games[first : first + N_CALLS]:
        fields = {
            "book_name": game.book_name,
            "book_hint": game.hint,
            "association_word": game.association_domain,
        }
        context = {"dynamic": fields, "service": {}}
        ask = functools.partial(callbacks.get_questions, context)
        times_ms.append(1e3 * wall_s(ask))
    print(json.dumps(times_ms))


if __name__ == "__main__":
    main(*sys.argv[1:])
