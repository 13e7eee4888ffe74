"""Fit the numbers of search, or the belief before the questions, on labelled games, and write them to a file."""

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from tqdm.auto import tqdm

from configs.directories import default_store, user_fitted_file
from configs.errors import QuarryError
from configs.settings import Settings, load
from evaluate.commands.options import write_text
from evaluate.errors import writing
from evaluate.games.labelled import LabelledGame, load_games, select_split
from evaluate.games.locating import locate_in
from player.belief.places import find_places
from player.player import build_player
from player.search.calibration import CALIBRATION
from player.starts import STARTS_FILE
from quarry.store import Course, open_store
from quarry.terminal import describe_error, pluralize, visible_json
from tools.calibration.prior import fit_prior
from tools.calibration.search import calibrate


def calibrate_search(
    course: Course,
    settings: Settings,
    games: Sequence[LabelledGame],
    out: Path,
) -> None:
    """Fit relevance and fusion, and add the numbers to those of the user's other embedders in a file."""
    fitted = dataclasses.asdict(calibrate(course, settings, games))
    tree = json.loads(out.read_text(encoding="utf-8")) if out.exists() else {}
    _write(out, visible_json({**tree, course.embedder_spec: fitted}))
    print(visible_json(fitted))


def calibrate_prior(
    course: Course, settings: Settings, games: Sequence[LabelledGame], out: Path
) -> None:
    """Fit the prior, write its weights, and print its settings and the number of games that the store does not hold."""
    located = locate_in(games, course)
    player = build_player(course, settings)
    pairs = []
    for game in tqdm(games, desc="searching", unit="game"):
        if (paragraph := located[game.game_id]) is not None:
            result = player.search(game.round_start())
            pairs.append((result, paragraph.opening_sentence))

    fit = fit_prior(pairs, find_places(course.paragraphs))
    weights = {name: round(weight, 2) for name, weight in fit.weights.items()}
    _write(out, json.dumps({"weights": weights}, indent=1))
    print(
        "game:",
        f"  prior_temperature: {fit.temperature:.3f}",
        f"  prior_filter_share: {fit.book_share['filter']:.4f}",
        f"  prior_boost_share: {fit.book_share['boost']:.4f}",
        sep="\n",
    )
    lost = len(games) - fit.n_games
    print(f"{pluralize(fit.n_games, 'game')}; {lost} not in the store", file=sys.stderr)


def _write(out: Path, text: str) -> None:
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    write_text(out, f"{text}\n")
    print(f"written to {out}", file=sys.stderr)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit code, 2 for bad input."""
    parser = argparse.ArgumentParser("python -m tools.calibration", description=__doc__)
    parser.add_argument("fit", choices=("search", "prior"))
    parser.add_argument("--store", default=default_store(), help="folder or URL")
    parser.add_argument("--games", type=Path, required=True, help="labelled games")
    parser.add_argument("--split", help="train, validation or test (default: all)")
    parser.add_argument("--preset", default="default", help="name or YAML file")
    parser.add_argument(
        "--out", type=Path, help="default: the file that the player reads"
    )

    options = parser.parse_args(arguments)
    try:
        settings = load(options.preset)
        games = select_split(load_games(options.games), options.split, seed=0)
        course = open_store(options.store)
        if options.fit == "search":
            out = options.out or user_fitted_file(CALIBRATION)
            calibrate_search(course, settings, games, out)
        else:
            answerable = [game for game in games if game.answerable]
            out = options.out or user_fitted_file(STARTS_FILE)
            calibrate_prior(course, settings, answerable, out)
    except QuarryError as error:
        print(str(error) or describe_error(error), file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
