"""Benchmark of the first get_questions of a process against later ones."""

import functools
import json
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
    medians,
    run_module,
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
            words = ["tools.benchmarks.calls", course.location, str(number)]
            first, *rest = json.loads(run_module(words))
            if number:  # the first process fills the caches of the course
                firsts.append(first)
                later += rest

    return medians(firsts, later)


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
