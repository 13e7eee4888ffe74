"""The command `tune`: fits the settings of search on labelled games."""

import logging

from configs.errors import SettingsError
from evaluate.commands.options import CourseOptions, Out, find_games_file, write_text
from evaluate.games.labelled import load_games
from quarry.cli import ParsedOverrides, PositiveNumber, Preset
from quarry.terminal import visible_json

_log = logging.getLogger(__name__)


def tune(
    *,
    options: CourseOptions = CourseOptions(),
    trials: PositiveNumber | None = None,
    grid: tuple[str, ...] = (),
    storage: str | None = None,
    out: Out | None = None,
    preset: Preset = None,
    overrides: ParsedOverrides,
) -> None:
    """Tune, write the settings and print the figures.

    Args:
        trials: Trials that the study has in the end.
        grid: In place of --trials, KEY=A,B,...: try every combination of these values of `search`; again for another
            key.
        storage: URL of a database, or path of an SQLite file; a study there is resumed (default: in memory).
        out: Write the tuned settings and all others that they were tuned with; nothing reads the file unless you name
            it (--preset FILE).
    """
    from evaluate.tuning.tuner import format_tuned, format_tuned_file
    from evaluate.tuning.tuner import tune as tune_settings

    if bool(trials) == bool(grid):
        raise SettingsError("tune needs --trials N or --grid KEY=A,B,..., one of them.")
    file = find_games_file(options.games)
    games = load_games(file)
    course = options.open()
    with options.work.start() as workers:
        result = tune_settings(
            games,
            course,
            overrides.load(preset),
            n_trials=trials or 0,
            grid=grid,
            seed=options.seed,
            storage=storage,
            workers=workers,
        )
    result["games"] = str(file)
    if out is not None:
        write_text(out, format_tuned_file(result))
    if options.as_json:
        result["written_to"] = out and str(out)
        print(visible_json(result))
    else:
        print(*format_tuned(result), sep="\n")
        print(
            f"written to {out}; used only where you name it, such as: --preset {out}"
            if out
            else "nothing written; --out FILE writes the tuned settings"
        )
    for warning in result["warnings"]:
        _log.warning("%s", warning)
