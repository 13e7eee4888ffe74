"""`tune`, `calibrate search` and `calibrate prior`: fit the settings and the numbers of search on labelled games."""

import argparse
import dataclasses
import functools
import json

from configs.directories import own_fit
from configs.errors import SettingsError
from evaluate.commands import shared
from evaluate.games.labelled import load_games
from evaluate.games.locating import locate_in
from player.search.calibration import CALIBRATION
from player.starts import STARTS_FILE
from quarry import cli
from quarry.terminal import pluralize, visible_json


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


def calibrate_search(options: argparse.Namespace) -> int:
    """Fit relevance and fusion, and write the numbers next to those of the user's other embedders."""
    from evaluate.tuning.calibration import (
        calibrate,
        calibrate_relevance,
        read_questions,
    )

    questions = options.questions and read_questions(options.questions)
    store = shared.open_for(options)
    spec = store.embedder_spec
    games = shared.chosen_games(options)
    if questions:
        fit = calibrate_relevance(store, options.settings, games, questions)
    else:
        fit = calibrate(store, options.settings, games)
    fitted = dataclasses.asdict(fit)
    out = options.out
    tree = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    shared.write_text(out, visible_json({**tree, spec: fitted}) + "\n")
    is_own = out == own_fit(CALIBRATION)
    used = f"; used for every store of {spec}" if is_own else ""
    cli.warn(options, f"written to {out}{used}")
    print(visible_json(fitted))
    return 0


def calibrate_prior(options: argparse.Namespace) -> int:
    """Fit the prior, write its weights and print its settings; return 1 if a game's paragraph is not in the store."""
    from tqdm.auto import tqdm

    from evaluate.tuning.prior import fit_prior
    from player.belief.places import places_of
    from player.player import build_player

    games = shared.answerable_games(options)
    store = shared.open_for(options)
    located = locate_in(games, store, str(options.games))
    player = build_player(store, options.settings)
    pairs = []
    for game in tqdm(games, desc="searching", unit="game"):
        if (paragraph := located[game.game_id]) is not None:
            result = player.candidates(game.round_start())
            pairs.append((result, paragraph.opening_sentence))
    fit = fit_prior(pairs, places_of(store.paragraphs))
    weights = {name: round(weight, 2) for name, weight in fit.weights.items()}
    shared.write_text(options.out, json.dumps({"weights": weights}, indent=1) + "\n")
    print(
        "game:",
        f"  prior_temperature: {fit.temperature:.3f}",
        f"  prior_filter_share: {fit.book_share['filter']:.4f}",
        f"  prior_boost_share: {fit.book_share['boost']:.4f}",
        sep="\n",
    )
    cli.warn(
        options,
        f"{pluralize(fit.n_games, 'game')}; weights of kinds and places written to {options.out}",
    )
    return shared.lost_code(options, len(games) - len(pairs))


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
    "calibrate search": cli.Command(
        "--store my/store --games my/games.jsonl",
        (
            *(*shared.COURSE, shared.GAMES, shared.SPLIT),
            cli.path(
                "--questions",
                "FILE",
                'ordinary questions, {"question", "about_course"} a line: fits the relevance alone, on these and a few '
                "hints of --games",
            ),
            shared.out(
                "FILE",
                "default: %(default)s",
                default=functools.partial(own_fit, CALIBRATION),
            ),
        ),
        calibrate_search,
    ),
    "calibrate prior": cli.Command(
        "--games data/games/english.jsonl --split train",
        (
            *(*shared.PLAYED, shared.seed("of splits")),
            shared.out(
                "STARTS.json",
                "default: %(default)s",
                default=functools.partial(own_fit, STARTS_FILE),
            ),
        ),
        calibrate_prior,
    ),
}
