"""`tune`: fit the settings of search on labelled games."""

import argparse

from configs.errors import SettingsError
from evaluate.commands import shared
from evaluate.games.labelled import load_games
from quarry import cli
from quarry.terminal import visible_json


def run(options: argparse.Namespace) -> int:
    """Tune, write the settings and print the figures."""
    from evaluate.tuning.tuner import tune, tuned_file, tuned_lines

    if bool(options.trials) == bool(options.grid):
        raise SettingsError("tune needs --trials N or --grid KEY=A,B,..., one of them.")
    games = load_games(options.games)
    store = shared.open_for(options)
    with shared.workers_of(options) as workers:
        result = tune(
            games,
            store,
            options.settings,
            n_trials=options.trials or 0,
            grid=options.grid,
            seed=options.seed,
            storage=options.storage,
            workers=workers,
            warm_start=options.warm_start,
        )
    result["games"] = str(options.games)
    if options.out is not None:
        shared.write_text(options.out, tuned_file(result))
    if options.json:
        result["written_to"] = options.out and str(options.out)
        print(visible_json(result))
    else:
        print(*tuned_lines(result), sep="\n")
        print(
            f"written to {options.out}; used only where you name it, such as: --preset {options.out}"
            if options.out
            else "nothing written; --out FILE writes the tuned settings"
        )
    for warning in result["warnings"]:
        cli.warn(options, warning)
    return 0


COMMANDS = {
    "tune": cli.Command(
        "--store data/store --games data/games/english.jsonl --trials 2000",
        (
            *(*shared.COURSE, shared.GAMES, cli.PRESET),
            cli.number("--trials", 1, "that the study has in the end"),
            cli.several(
                "--grid",
                "KEY=A,B,...",
                "in place of --trials: try every combination of these values of `search`; again for another key",
            ),
            shared.seed("of splits, sampler and intervals"),
            cli.option(
                "--storage",
                "URL",
                "of a database that Optuna can use, or the path of an SQLite file; a study there is resumed (default: "
                "in memory)",
            ),
            cli.option(
                "--warm-start",
                "URL",
                "storage of an earlier study, of which the best trials are run first",
            ),
            (cli.number("--workers", 1, "processes", 1), cli.CLUSTER),
            shared.out(
                "FILE",
                "write the tuned settings and all others that they were tuned with; nothing reads the file unless you "
                "name it (--preset FILE)",
            ),
            cli.JSON,
        ),
        run,
    ),
}
