"""The commands `replay`, `compare`, `report` and `export`, which make, compare and show runs over labelled games."""

import shlex
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from configs.errors import SettingsError
from configs.project import find_project
from configs.settings import Settings, is_file_name
from evaluate.commands.shared import (
    Games,
    Limit,
    Measures,
    Out,
    Runs,
    Seed,
    Split,
    Strict,
    lost_code,
    select_games,
    write_text,
)
from evaluate.errors import RunError, writing
from evaluate.referee.simulated import EVERY, SPECS, build_judges
from evaluate.referee.spec import HINT_ALONE, read_spec
from evaluate.runs.differences import BELIEFS
from evaluate.runs.files import COMPARISON, read_runs, write_run
from evaluate.runs.lines import comparison_lines, run_lines, table_text
from evaluate.runs.measures import find_measures
from evaluate.runs.run import MAX_REPEATS, Run
from player.search.build import open_course
from player.writer.options import WriterOptions
from quarry.cli import (
    AsJson,
    Overrides,
    ParsedOverrides,
    Preset,
    StoreOptions,
    WorkerOptions,
    complete_presets,
)
from quarry.terminal import visible, visible_json

REPEATS_OF_SEVERAL = 3
"""Default number of plays of each game against each of several referees."""
Repeats = Annotated[int, Parameter(validator=Number(gte=1, lte=MAX_REPEATS))]


def replay(
    *,
    games: Games = None,
    split: Split = None,
    limit: Limit = None,
    referees: Annotated[
        tuple[str, ...],
        Parameter("--referee", completer=lambda context: ("none", EVERY, *SPECS)),
    ] = (),
    batches: Path | None = None,
    answers: Path | None = None,
    lost_in: Path | None = None,
    measures: Measures = (),
    repeats: Repeats | None = None,
    out: Out | None = None,
    at: StoreOptions = StoreOptions(),
    preset: Preset = None,
    work: WorkerOptions = WorkerOptions(),
    writer: WriterOptions = WriterOptions(),
    seed: Seed = 0,
    strict: Strict = False,
    as_json: AsJson = False,
    overrides: ParsedOverrides,
) -> int:
    """Replay, print the run, and with --out write it; return 1 with --strict if a game was lost at ingest.

    Args:
        referees: SPEC of who answers the questions (default: none); again for another, every for all kinds: then a
            table is made.
        batches: Questions as `questions` writes them, with --answers.
        answers: Answers of somebody else, {"game_id", "answers": [{"question_number", "answer"}]} a line.
        lost_in: Play only the games that were lost in this run, of --games or as the run holds them.
        repeats: Plays of each game, each with another seed (default: 1, of several referees 3).
        out: Also write the run to this file, RUN.json, with RUN.games.jsonl, or the table; the same command resumes
            an interrupted replay.
    """
    from evaluate.replay.answered import replay_answered
    from evaluate.replay.batches import read_answered
    from evaluate.replay.replay import replay_store, replay_table

    specs = _choose_specs(referees, batches, answers, repeats, measures)
    settings = writer.override(overrides.load(preset))
    # an unknown measure is refused before anything is played
    more_measures = find_measures(measures)
    judges = None
    if len(specs) != 1:
        judges = build_judges(specs, repeats or REPEATS_OF_SEVERAL, seed)

    selected = select_games(games, split, seed, lost_in)
    course = open_course(at.location, at.collection)
    source = games or find_project().games or lost_in
    title = _title(source, split, limit, settings)
    with work.start() as workers:
        if judges:
            table = replay_table(
                selected[:limit],
                course,
                settings,
                judges,
                seed=seed,
                workers=workers,
                out=out,
            )
            _print_table(table, title, as_json=as_json)
            return lost_code(table["lost_at_ingest"], strict=strict)

        if answers and batches:
            asked, replies, answered = read_answered(batches, answers, selected)
            run = replay_answered(
                asked,
                replies,
                answered[:limit],
                course,
                settings,
                seed=seed,
                measures=more_measures,
            )
        else:
            run = replay_store(
                selected[:limit],
                course,
                settings,
                referee=specs[0],
                repeats=repeats or 1,
                seed=seed,
                measures=more_measures,
                workers=workers,
                out=out,
            )

    if out:
        write_run(out, run)
    if as_json:
        print(visible_json(run.as_json()))
    else:
        changes = map(str, filter(None, (overrides.config, *overrides.changes)))
        who = f"answers of {answers}" if answers else run.referee
        print(" with ".join([title, *changes]) + f", referee {who}")
        print(*map(visible, run_lines(run)), sep="\n")
        _offer_lost_games(run, at.location, out, overrides.changes)
    return lost_code(run.lost_at_ingest, strict=strict)


def _print_table(table: dict[str, Any], title: str, *, as_json: bool) -> None:
    """Print the table of a replay against several referees."""
    if as_json:
        print(visible_json(table))
    else:
        print(f"{title}: {table['games']} games\n{table_text(table)}")


def _choose_specs(
    referees: tuple[str, ...],
    batches: Path | None,
    answers: Path | None,
    repeats: int | None,
    measures: Sequence[str],
) -> tuple[str, ...]:
    """Return the SPECs of the referees of a replay.

    Raises:
        SettingsError: options exclude each other.
    """
    specs = SPECS if referees == (EVERY,) else referees or (HINT_ALONE,)
    if bool(answers) != bool(batches):
        raise SettingsError("--answers and --batches belong together; name the other.")
    if answers and referees:
        raise SettingsError("--answers takes the place of --referee; leave one out.")
    if answers and repeats:
        raise SettingsError(
            "--answers holds one play of each game; leave out --repeats."
        )
    if len(specs) != 1 and measures:
        raise SettingsError(
            "A table of several referees has its own measures; leave out --measure."
        )
    return specs


def _title(
    source: Path | str | None, split: str | None, limit: int | None, settings: Settings
) -> str:
    part = split or "all splits"
    if limit:
        part += f", first {limit} games"
    return f"{source}, {part}, preset {settings.preset}"


def _offer_lost_games(
    run: Run, location: str, out: Path | None, changes: Sequence[str]
) -> None:
    """Print the command that replays the lost games of a run."""
    if not out or not run.lost_ids:
        return
    words = ["quarry", "replay", "--store", location]
    words += ["--lost-in", str(out), "--preset", run.settings["preset"]]
    for change in changes:
        words += ["--set", change]
    if run.played:
        words += ["--referee", run.referee]
    print(f"  to play the lost games again: {visible(shlex.join(words))}")


def compare(
    *runs: Runs,
    games: Games = None,
    split: Split = None,
    limit: Limit = None,
    presets: Annotated[str, Parameter(completer=complete_presets)] = "",
    belief: Literal["course", "hits", "preset"] = "course",
    referee: Annotated[str, Parameter(completer=lambda context: SPECS)] = HINT_ALONE,
    measures: Measures = (),
    repeats: Repeats = 1,
    out: Path | None = None,
    at: StoreOptions = StoreOptions(),
    work: WorkerOptions = WorkerOptions(),
    seed: Seed = 0,
    strict: Strict = False,
    as_json: AsJson = False,
    overrides: ParsedOverrides,
) -> int:
    """Replay presets or read runs, test them and print the table; return 1 with --strict if a game was lost.

    Args:
        presets: The others are tested against the first; names, or YAML files, such as dual,filtered,my.yaml.
        belief: All beliefs run over the whole course, over the hits of each search, or over what each preset says.
        referee: SPEC as for replay, to compare win rates.
        repeats: Plays of each game, each with another referee seed.
        out: Also write each run into this folder, and compare.json; resumes what was interrupted.
    """
    from evaluate.replay.replay import replay_each
    from evaluate.runs.comparison import compare as compare_runs

    replays = [presets, games, split, limit, overrides.changes]
    replays += [belief != "course", referee != HINT_ALONE, repeats != 1]
    if runs and any(replays):
        raise SettingsError(
            "compare takes RUN.json files, or --games and --presets; leave one out, and its options."
        )
    more_measures = find_measures(measures)
    if runs:
        all_runs = read_runs(runs, more_measures)
    elif presets:
        beliefs = BELIEFS.get(belief)
        changes = [f"game.candidates={beliefs}"] if beliefs is not None else []
        overrides = replace(overrides, changes=(*changes, *overrides.changes))
        settings = _load_presets(presets, overrides)
        read_spec(referee)
        selected = select_games(games, split, seed)[:limit]
        course = open_course(at.location, at.collection)
        with work.start() as workers:
            all_runs = replay_each(
                selected,
                course,
                settings,
                folder=out,
                referee=referee,
                repeats=repeats,
                seed=seed,
                measures=more_measures,
                workers=workers,
            )
    else:
        raise SettingsError("compare needs --games and --presets, or RUN.json files.")
    tests = compare_runs(all_runs, seed=seed)

    document = {
        "presets": {run.name: run.as_json() for run in all_runs},
        "tests": [asdict(test) for test in tests],
    }
    if out:
        write_text(out / COMPARISON, visible_json(document) + "\n")
    if as_json:
        print(visible_json(document))
    else:
        print(*comparison_lines(all_runs, tests), sep="\n")
    return lost_code(max(run.lost_at_ingest for run in all_runs), strict=strict)


def _load_presets(presets: str, overrides: Overrides) -> dict[str, Settings]:
    """Load the settings of each preset, by its name or the name of its file."""
    names = [*filter(None, map(str.strip, presets.split(",")))]
    settings = {}
    for name in names:
        run_name = Path(name).stem if is_file_name(name) else name
        settings[run_name] = overrides.load(name)
    if len(settings) < len(names):
        raise RunError(f"--presets {presets!r} names a preset twice; name each once")
    if len(settings) < 2:
        raise RunError(
            f"--presets {presets!r} names fewer than two presets; name e.g. dual,filtered"
        )
    return settings


def report(*runs: Runs, measures: Measures = (), out: Out | None = None) -> None:
    """Write the page and print its path, or print the headline.

    Args:
        out: The page, report.html (default: none; the headline is printed).
    """
    from evaluate.report.page import headline, paired_tests, render

    all_runs = read_runs(runs, find_measures(measures))
    if out:
        write_text(out, render(all_runs))
        print(out)
    else:
        print(*map(visible, headline(all_runs, *paired_tests(all_runs))), sep="\n")


def export(*runs: Runs, out: Path, measures: Measures = ()) -> None:
    """Write the files and print their names.

    Args:
        out: Folder to write to; it is made if need be.
    """
    from evaluate.runs.export import export as export_runs

    all_runs = read_runs(runs, find_measures(measures))
    with writing(out):
        print(*export_runs(all_runs, out), sep="\n")
