"""`replay`, `compare`, `report` and `export`: make, compare and show runs over labelled games."""

import argparse
import shlex
from dataclasses import asdict
from pathlib import Path
from typing import Any

from configs.errors import SettingsError
from configs.project import find_project
from configs.settings import is_file_name, load, preset_names
from evaluate.commands import shared
from evaluate.errors import RunError, writing
from evaluate.referee.simulated import EVERY, SPECS, judges_of
from evaluate.referee.spec import HINT_ALONE, SPEC_NOTE, read_spec
from evaluate.runs.differences import BELIEFS
from evaluate.runs.files import COMPARISON, read_runs, write_run
from evaluate.runs.lines import comparison_lines, run_lines, table_text
from evaluate.runs.measures import find_measures
from evaluate.runs.run import MAX_REPEATS, Run
from player.writer.options import WRITER, writer_settings
from quarry import cli
from quarry.terminal import visible, visible_json

REPEATS_OF_SEVERAL = 3


def replay(options: argparse.Namespace) -> int:
    """Replay, and print or write the run; return 1 with --strict if a game was lost at ingest."""
    from evaluate.replay.answered import replay_answered
    from evaluate.replay.batches import read_answered
    from evaluate.replay.replay import replay_store, replay_table

    if bool(options.answers) != bool(options.batches):
        raise SettingsError("--answers and --batches belong together; name the other.")
    if options.answers and options.referee:
        raise SettingsError("--answers takes the place of --referee; leave one out.")
    if options.games is None and not options.lost_in:
        raise SettingsError("replay needs --games, or --lost-in.")
    settings = writer_settings(options, options.settings)
    # an unknown measure is refused before anything is played
    common = {"seed": options.seed, "measures": find_measures(options.measures)}
    referees = list(SPECS) if options.referee == [EVERY] else options.referee
    judges = None
    if len(referees) > 1:
        repeats = options.repeats or REPEATS_OF_SEVERAL
        judges = judges_of(referees, repeats, options.seed)

    games, store = shared.chosen_games(options), shared.open_for(options)
    if options.answers:
        answered = read_answered(options.batches, options.answers, games)
        return _finish(options, replay_answered(*answered, store, settings, **common))
    with shared.workers_of(options) as workers:
        where = {"workers": workers, "out": options.out}
        if judges:
            seed = options.seed
            table = replay_table(games, store, settings, judges, seed=seed, **where)
            if options.json:
                print(visible_json(table))
            else:
                print(f"{_title(options)}: {table['games']} games")
                print(table_text(table))
            return shared.lost_code(options, table["lost_at_ingest"])
        run = replay_store(
            games,
            store,
            settings,
            referee=referees[0] if referees else HINT_ALONE,
            repeats=options.repeats or 1,
            **common,
            **where,
        )
    return _finish(options, run)


def _finish(options: argparse.Namespace, run: Run) -> int:
    """Write a run, and print its figures and its first lost games."""
    if options.out:
        write_run(options.out, run)
    if options.json:
        print(visible_json(run.as_json()))
        return shared.lost_code(options, run.lost_at_ingest)

    changes = map(str, filter(None, (options.config, *options.changes)))
    who = f"answers of {options.answers}" if options.answers else run.referee
    print(" with ".join([_title(options), *changes]) + f", referee {who}")
    print(*map(visible, run_lines(run)), sep="\n")
    if options.out and run.lost_ids:
        again = ["quarry", "replay", "--store", options.store]
        again += ["--lost-in", str(options.out), "--preset", options.preset]
        if run.played:
            again += ["--referee", run.referee]
        print(f"  to play the lost games again: {visible(shlex.join(again))}")
    return shared.lost_code(options, run.lost_at_ingest)


def _title(options: argparse.Namespace) -> str:
    split = options.split or "all splits"
    return f"{options.games or options.lost_in}, {split}, preset {options.preset}"


def compare(options: argparse.Namespace) -> int:
    """Replay presets or read runs, test them and print the table; return 1 with --strict if a game was lost."""
    from evaluate.runs.comparison import compare as tests_of

    if not options.runs and options.games is None and find_project().games:
        options.games = Path(find_project().games)
    if options.runs and (options.presets or options.games or options.changes):
        raise SettingsError(
            "compare takes RUN.json files, or --games and --presets; leave one out."
        )
    measures = find_measures(options.measures)
    if options.runs:
        runs = read_runs(options.runs, measures)
    elif options.games and options.presets:
        runs = _replayed(options, seed=options.seed, measures=measures)
    else:
        raise SettingsError("compare needs --games and --presets, or RUN.json files.")
    tests = tests_of(runs, seed=options.seed)

    document = {
        "presets": {run.name: run.as_json() for run in runs},
        "tests": [asdict(test) for test in tests],
    }
    if options.out:
        shared.write_text(options.out / COMPARISON, visible_json(document) + "\n")
    if options.json:
        print(visible_json(document))
    else:
        print(*comparison_lines(runs, tests), sep="\n")
    return shared.lost_code(options, max(run.lost_at_ingest for run in runs))


def _replayed(options: argparse.Namespace, **common: Any) -> list[Run]:
    """Replay the games with each preset, under its name or the name of its file."""
    from evaluate.replay.replay import replay_each

    presets = [*filter(None, map(str.strip, options.presets.split(",")))]
    settings = {}
    belief = []
    if options.belief in BELIEFS:
        belief.append(f"game.candidates={BELIEFS[options.belief]}")
    for name in presets:
        run_name = Path(name).stem if is_file_name(name) else name
        settings[run_name] = load(name, options.config, [*belief, *options.changes])
    if len(settings) < max(2, len(presets)):
        raise RunError(
            f"--presets {options.presets!r} names fewer than two presets; name e.g. dual,filtered"
        )
    read_spec(options.referee)

    games, store = shared.chosen_games(options), shared.open_for(options)
    with shared.workers_of(options) as workers:
        return replay_each(
            games,
            store,
            settings,
            folder=options.out,
            referee=options.referee,
            repeats=options.repeats,
            workers=workers,
            **common,
        )


def report(options: argparse.Namespace) -> int:
    """Write the page and print its path, or print the headline."""
    from evaluate.report.page import headline, paired_tests, render

    runs = read_runs(options.runs, find_measures(options.measures))
    if options.out:
        shared.write_text(options.out, render(runs))
        print(options.out)
    else:
        print(*map(visible, headline(runs, paired_tests(runs))), sep="\n")
    return 0


def export(options: argparse.Namespace) -> int:
    """Write the files and print their names."""
    from evaluate.runs.export import export as write_files

    runs = read_runs(options.runs, find_measures(options.measures))
    with writing(options.out):
        print(*write_files(runs, options.out), sep="\n")
    return 0


COMMANDS = {
    "replay": cli.Command(
        "--store data/store --games data/games/english.jsonl --split test --referee none\n"
        "--games data/games/english.jsonl --split test --referee every --out table.json\n"
        "--games data/games/english.jsonl --batches batches.jsonl --answers answers.jsonl",
        (
            *shared.COURSE,
            cli.path(
                "--games",
                "FILE",
                "labelled games (default: those of --lost-in; their form: games check --help)",
                project="games",
            ),
            *(shared.SPLIT, cli.PRESET),
            cli.several(
                "--referee",
                "SPEC",
                "answers the questions (default: none); again for another, every for all kinds: then a table is made",
            ),
            cli.path(
                "--batches",
                "FILE",
                "questions as `questions` writes them, with --answers",
            ),
            cli.path(
                "--answers",
                "FILE",
                'answers of somebody else: {"game_id", "answers": [{"question_number", "answer"}]} a line',
            ),
            cli.path(
                "--lost-in",
                "RUN.json",
                "play only the games that were lost in this run, of --games or as the run holds them",
            ),
            shared.MEASURE,
            shared.seed("of splits, referee and intervals"),
            cli.number(
                "--repeats",
                1,
                "plays of each game, each with another seed (default: 1, of several referees 3)",
                most=MAX_REPEATS,
            ),
            shared.out(
                "RUN.json",
                "also write the run to this file, with RUN.games.jsonl, or the table; the same command resumes an "
                "interrupted replay",
            ),
            shared.WORKERS,
            *WRITER,
            *(shared.STRICT, cli.JSON),
        ),
        replay,
        notes=SPEC_NOTE,
    ),
    "compare": cli.Command(
        "--store data/store --games data/games/english.jsonl --split test --presets dual,filtered,unfiltered",
        (
            *(shared.RUNS, *shared.COURSE),
            cli.path(
                "--games", "FILE", "labelled games (their form: games check --help)"
            ),
            shared.SPLIT,
            cli.option(
                "--presets",
                "A,B,...",
                f"the others are tested against the first; YAML files, or of {', '.join(preset_names())}",
            ),
            cli.option(
                "--belief",
                "WHAT",
                "all beliefs run over the whole course, over the hits of each search, or over what each preset says: "
                "course, hits or preset (default: %(default)s)",
                choices=(*BELIEFS, "preset"),
                default="course",
            ),
            cli.option(
                "--referee",
                "SPEC",
                "as for replay, to compare win rates (default: %(default)s)",
                default="none",
            ),
            shared.MEASURE,
            shared.seed("of splits, referee and tests"),
            cli.number(
                "--repeats",
                1,
                "plays of each game, each with another referee seed",
                1,
                MAX_REPEATS,
            ),
            cli.path(
                "--out",
                "DIR",
                "also write each run there, and compare.json; resumes what was interrupted",
            ),
            *(shared.WORKERS, shared.STRICT, cli.JSON),
        ),
        compare,
    ),
    "report": cli.Command(
        "default.json dual.json --out report.html",
        (
            *(shared.RUNS, shared.MEASURE),
            shared.out(
                "report.html",
                "the page (default: none; the headline is printed)",
            ),
        ),
        report,
    ),
    "export": cli.Command(
        "default.json dual.json --out exported",
        (
            shared.RUNS,
            shared.MEASURE,
            cli.path(
                "--out", "DIR", "folder to write to; made if need be", required=True
            ),
        ),
        export,
    ),
}
