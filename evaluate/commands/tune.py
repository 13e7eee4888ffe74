"""`tune`, `calibrate search` and `calibrate prior`: fit the settings and the numbers of search on labelled games."""

import dataclasses
import json
import logging
from pathlib import Path

from cyclopts.types import PositiveInt

from configs.directories import own_fit
from configs.errors import SettingsError
from evaluate.commands.shared import (
    Games,
    Out,
    Seed,
    Split,
    chosen_games,
    games_file,
    lost_code,
    write_text,
)
from evaluate.games.labelled import load_games
from evaluate.games.locating import locate_in
from player.search.calibration import CALIBRATION, open_course
from player.starts import STARTS_FILE
from quarry.cli import AsJson, Given, Preset, StoreOptions, WorkerOptions
from quarry.terminal import pluralize, visible_json

_log = logging.getLogger(__name__)


def tune(
    *,
    games: Games = None,
    trials: PositiveInt | None = None,
    grid: tuple[str, ...] = (),
    storage: str | None = None,
    warm_start: str | None = None,
    out: Out | None = None,
    at: StoreOptions = StoreOptions(),
    preset: Preset = None,
    work: WorkerOptions = WorkerOptions(),
    seed: Seed = 0,
    as_json: AsJson = False,
    given: Given,
) -> None:
    """Tune, write the settings and print the figures.

    Args:
        trials: Trials that the study has in the end.
        grid: In place of --trials, KEY=A,B,...: try every combination of these values of `search`; again for another
            key.
        storage: URL of a database, or path of an SQLite file; a study there is resumed (default: in memory).
        warm_start: Storage of an earlier study, of which the best trials are run first.
        out: Write the tuned settings and all others that they were tuned with; nothing reads the file unless you name
            it (--preset FILE).
    """
    from evaluate.tuning.tuner import tune as tune_settings
    from evaluate.tuning.tuner import tuned_file, tuned_lines

    if bool(trials) == bool(grid):
        raise SettingsError("tune needs --trials N or --grid KEY=A,B,..., one of them.")
    file = games_file(games)
    labelled = load_games(file)
    course = open_course(at.location, at.collection)
    with work.start() as workers:
        result = tune_settings(
            labelled,
            course,
            given.load(preset),
            n_trials=trials or 0,
            grid=grid,
            seed=seed,
            storage=storage,
            workers=workers,
            warm_start=warm_start,
        )
    result["games"] = str(file)
    if out is not None:
        write_text(out, tuned_file(result))
    if as_json:
        result["written_to"] = out and str(out)
        print(visible_json(result))
    else:
        print(*tuned_lines(result), sep="\n")
        print(
            f"written to {out}; used only where you name it, such as: --preset {out}"
            if out
            else "nothing written; --out FILE writes the tuned settings"
        )
    for warning in result["warnings"]:
        _log.warning("%s", warning)


def calibrate_search(
    *,
    games: Games = None,
    split: Split = None,
    questions: Path | None = None,
    out: Out | None = None,
    at: StoreOptions = StoreOptions(),
    given: Given,
) -> None:
    """Fit relevance and fusion, and write the numbers next to those of the user's other embedders.

    Args:
        questions: Ordinary questions, {"question", "about_course"} a line: fits the relevance alone, on these and a
            few hints of --games.
        out: File of the numbers (default: the file of your own fits, which every search reads).
    """
    from evaluate.tuning.calibration import (
        calibrate,
        calibrate_relevance,
        read_questions,
    )

    asked = read_questions(questions) if questions else {}
    settings = given.load()
    course = open_course(at.location, at.collection)
    spec = course.embedder_spec
    chosen = chosen_games(games, split)
    fitted = dataclasses.asdict(
        calibrate_relevance(course, settings, chosen, asked)
        if asked
        else calibrate(course, settings, chosen)
    )
    file = out or own_fit(CALIBRATION)
    tree = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    write_text(file, visible_json({**tree, spec: fitted}) + "\n")
    used = "" if out else f"; used for every store of {spec}"
    _log.info("written to %s%s", file, used)
    print(visible_json(fitted))


def calibrate_prior(
    *,
    games: Games = None,
    split: Split = None,
    out: Out | None = None,
    at: StoreOptions = StoreOptions(),
    preset: Preset = None,
    seed: Seed = 0,
    given: Given,
) -> int:
    """Fit the prior, write its weights and print its settings; return 1 if a game's paragraph is not in the store.

    Args:
        out: File of the weights (default: the file of your own fits, which every game reads).
    """
    from tqdm.auto import tqdm

    from evaluate.tuning.prior import fit_prior
    from player.belief.places import places_of
    from player.player import build_player

    chosen = chosen_games(games, split, seed)
    answerable = [game for game in chosen if game.answerable]
    course = open_course(at.location, at.collection)
    located = locate_in(answerable, course, str(games_file(games)))
    player = build_player(course, given.load(preset))
    pairs = []
    for game in tqdm(answerable, desc="searching", unit="game"):
        if (paragraph := located[game.game_id]) is not None:
            result = player.candidates(game.round_start())
            pairs.append((result, paragraph.opening_sentence))
    fit = fit_prior(pairs, places_of(course.paragraphs))
    weights = {name: round(weight, 2) for name, weight in fit.weights.items()}
    file = out or own_fit(STARTS_FILE)
    write_text(file, json.dumps({"weights": weights}, indent=1) + "\n")
    print(
        "game:",
        f"  prior_temperature: {fit.temperature:.3f}",
        f"  prior_filter_share: {fit.book_share['filter']:.4f}",
        f"  prior_boost_share: {fit.book_share['boost']:.4f}",
        sep="\n",
    )
    _log.info(
        "%s; weights of kinds and places written to %s",
        pluralize(fit.n_games, "game"),
        file,
    )
    return lost_code(len(answerable) - len(pairs))
