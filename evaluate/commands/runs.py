"""`replay`, `compare`, `report` and `export`: make, compare and show runs over labelled games."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarry.configs import arguments as cli
from quarry.configs.settings import Settings, SettingsError, is_file_name, preset_names
from quarry.configs.terminal import pluralize, visible
from quarry.evaluate.commands import shared
from quarry.evaluate.errors import RunError, writing
from quarry.evaluate.referee.simulated import EVERY, SPECS, judges_of
from quarry.evaluate.referee.spec import HINT_ALONE, read_spec, spec_table
from quarry.evaluate.runs.files import partial_path, read_runs, write_run
from quarry.evaluate.runs.measures import find_measures
from quarry.evaluate.runs.run import Run
from quarry.ingest.embed import Models

if TYPE_CHECKING:
    from quarry.evaluate.runs.comparison import PairedTest

LOST_AT = {"ingest": "at ingest", "book": "at the book", "search": "in the search", "answers": "by the answers"}
MAX_SHOWN = 20
"""Most lost games that are explained."""
REPEATS_OF_SEVERAL = 3
FIGURES = {
    "won": ("won", ".3f", ".2f"),
    "won_more_than_hint": ("than the hint alone", "+.3f", "+.2f"),
    "private_score": ("private score", ".1f", ".1f"),
    "brier": ("Brier", ".4f", ".3f"),
    "log_score": ("log score", ".3f", ".2f"),
}
"""Figures of the table of referees: the head of the column, and the formats of the figure and of its interval."""


def replay(options: argparse.Namespace) -> int:
    """Replay, and print or write the run; return 1 with --strict if a game was lost at ingest."""
    shared.require_writable(options.out)
    if bool(options.answers) != bool(options.batches):
        raise SettingsError("--answers and --batches must come together, got one of them; name the other")
    if options.answers and options.referee:
        raise SettingsError(f"--referee must be left out with --answers, got {options.referee[0]}")
    settings = cli.settings_of(options)
    find_measures(options.measures)  # an unknown one is refused before anything is played
    referees = list(SPECS) if options.referee == [EVERY] else options.referee
    if len(referees) > 1:
        return _play_several(options, settings, referees)
    played = _replay_answers(options, settings) if options.answers else _replay(options, settings, *referees)
    if options.out:
        write_run(options.out, played)
    if options.json:
        print(shared.as_json(played.as_json()))
    else:
        _print_run(played, options)
    return shared.lost_code(options, played.lost_at_ingest)


def _replay(options: argparse.Namespace, settings: Settings, referee: str = HINT_ALONE) -> Run:
    from quarry.evaluate.replay.replay import replay_store

    games, store = shared.chosen_games(options), shared.open_for(options)
    with shared.workers_of(options) as workers:
        return replay_store(
            games,
            store,
            settings,
            referee=referee,
            seed=options.seed,
            repeats=options.repeats or 1,
            workers=workers,
            measures=find_measures(options.measures),
            out=options.out,
        )


def _replay_answers(options: argparse.Namespace, settings: Settings) -> Run:
    """Replay the games that a file answers."""
    from quarry.evaluate.answers.batches import answering, read_answered
    from quarry.evaluate.referee.scoring import word_similarity
    from quarry.evaluate.replay.replay import replay_games
    from quarry.evaluate.replay.replayer import Replayer, patient_player
    from quarry.evaluate.runs.run import make_run

    games = shared.chosen_games(options)
    batches, answers, games = read_answered(options.batches, options.answers, games, options.games)
    store = shared.open_for(options)
    similarity = word_similarity(store.embedder_spec, Models.of(settings.embed))
    replayer = Replayer(patient_player(store, settings), (), similarity, options.seed)
    records = replay_games(games, store, answering(replayer, batches, answers))
    measures = find_measures(options.measures)
    return make_run(records, store.fingerprint, settings, "answers", options.seed, 1, measures=measures)


def _play_several(options: argparse.Namespace, settings: Settings, referees: Sequence[str]) -> int:
    """Play against several referees, and print or write the table."""
    from quarry.evaluate.replay.replay import replay_judges
    from quarry.evaluate.runs.table import make_table

    judges = judges_of(referees, options.repeats or REPEATS_OF_SEVERAL, options.seed)
    games = [game for game in shared.chosen_games(options) if game.answerable]
    store = shared.open_for(options)
    with shared.workers_of(options) as workers:
        records = replay_judges(
            games, store, settings, judges, seed=options.seed, workers=workers, out=options.out, n_candidates=0
        )
    table = make_table(records, judges, store.fingerprint, settings, options.seed)
    if options.out:
        shared.write_text(options.out, shared.as_json(table) + "\n")
        partial_path(options.out).unlink()
    if options.json:
        print(shared.as_json(table))
    else:
        print(f"{options.games}, {options.split or 'all splits'}, preset {options.preset}: {table['games']} games")
        print(table_text(table))
    return shared.lost_code(options, table["lost_at_ingest"])


def table_text(table: Mapping[str, Any]) -> str:
    """Return a table of referees in Markdown."""
    heads = ["referee", "plays", *(head for head, _, _ in FIGURES.values()), "confidence"]
    rows = [heads, ["---"] * len(heads)]
    for line in (table["hint_alone"], *table["referees"]):
        name = f"`{line['referee']}`" if "referee" in line else "the hint alone"
        is_blank = {"won_more_than_hint"} if "referee" not in line else set()
        cells = [
            "" if figure in is_blank else shared.with_interval(line[figure], line[f"{figure}_interval"], *forms)
            for figure, (_, *forms) in FIGURES.items()
        ]
        rows.append([name, str(line["plays"]), *cells, f"{line['confidence']:.3f}"])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _print_run(played: Run, options: argparse.Namespace) -> None:
    """Print the figures of a run, and the first lost games."""
    run = played.as_json()
    referee = f"answers of {options.answers}" if options.answers else f"referee {played.referee}"
    changes = "".join(f" with {change}" for change in (options.config, *options.changes) if change)
    print(f"{options.games}, {options.split or 'all splits'}, preset {options.preset}{changes}, {referee}")
    print(
        f"{run['games']} games, {run['unanswerable']} of them unanswerable, {run['lost_at_ingest']} lost at ingest; "
        f"opening sentence exact {_percent(run['opening_sentence_exact'])}, "
        f"book resolved {_percent(run['book_resolved'])}"
    )
    for name, (value, ends) in played.figures.items():
        print(f"  {name:11} {shared.with_interval(value, ends)}")
    if run["win_rate"] is not None:
        print(f"  sentence exact {_percent(run['sentence_exact'])}, private score {run['private_score']:.1f}")
    times = (f"{part} {ms['p50']:.1f} / {ms['p95']:.1f}" for part, ms in run["latency_ms"].items() if ms)
    print(f"  ms at p50 / p95: {', '.join(times)}")
    lost = [game for game in run["per_game"] if game["lost_at"]]
    counts = Counter(game["lost_at"] for game in lost)
    causes = ", ".join(f"{counts[cause]} {words}" for cause, words in LOST_AT.items())
    print(f"  lost: {len(lost)} of {len(run['per_game'])} ({causes})")
    for game in lost[:MAX_SHOWN]:
        repeat = f", repeat {game['repeat'] + 1}" if played.repeats > 1 else ""
        print(f"    {game['game_id']}{repeat}: {game['fate']}")
    if len(lost) > MAX_SHOWN:
        print(f"    ... and {len(lost) - MAX_SHOWN} more; `report` shows every game")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


def compare(options: argparse.Namespace) -> int:
    """Replay presets or read runs, test them and print the table; return 1 with --strict if a game was lost."""
    from quarry.evaluate.runs.comparison import compare as tests_of

    if options.runs and (options.presets or options.games or options.changes):
        raise SettingsError("compare takes RUN.json files, or --games and --presets, got both; leave one out")
    runs = read_runs(options.runs, find_measures(options.measures)) if options.runs else _replayed(options)
    tests = tests_of(runs, seed=options.seed)
    document = {"presets": {run.name: run.as_json() for run in runs}, "tests": [asdict(test) for test in tests]}
    if options.out:
        shared.write_text(options.out / "compare.json", shared.as_json(document) + "\n")
    if options.json:
        print(shared.as_json(document))
    else:
        _print_table(runs, tests)
    return shared.lost_code(options, max(run.lost_at_ingest for run in runs))


def _replayed(options: argparse.Namespace) -> list[Run]:
    """Replay the games with each preset, under its name or the name of its file."""
    from quarry.evaluate.replay.replay import replay_each

    if options.games is None or not options.presets:
        raise SettingsError("compare must be given --games and --presets, or RUN.json files, got neither")
    presets = [name.strip() for name in options.presets.split(",") if name.strip()]
    settings = {Path(name).stem if is_file_name(name) else name: cli.settings_of(options, name) for name in presets}
    if len(settings) < max(2, len(presets)):
        raise RunError(
            f"--presets must name different presets, two or more, got {options.presets!r}; e.g. dual,filtered"
        )
    measures = find_measures(options.measures)
    read_spec(options.referee)
    store = shared.open_for(options)
    if options.out:
        with writing(options.out):
            options.out.mkdir(parents=True, exist_ok=True)
    games = shared.chosen_games(options)
    with shared.workers_of(options) as workers:
        return replay_each(
            games,
            store,
            settings,
            folder=options.out,
            referee=options.referee,
            seed=options.seed,
            repeats=options.repeats,
            workers=workers,
            measures=measures,
        )


def _print_table(runs: Sequence[Run], tests: Sequence[PairedTest]) -> None:
    """Print the figures of each run, and the tests."""
    width = max(len("preset"), *(len(run.name) for run in runs))
    n_stores = len({run.store_fingerprint for run in runs})
    over = f", over {pluralize(n_stores, 'store')}" if n_stores > 1 else ""
    print(f"{pluralize(len(runs[0].games), 'answerable game')}{over}, 95% intervals in brackets")
    print(f"{'preset':{width}}", *(f"{name:>21}" for name in runs[0].figures))
    for run in runs:
        print(f"{run.name:{width}}", *(f"{shared.with_interval(*figure):>21}" for figure in run.figures.values()))
    print(f"\npaired randomisation tests, p corrected by Holm for all {len(tests)}:")
    for test in tests:
        change = shared.with_interval(test.difference, (test.low, test.high), "+.3f", "+.3f")
        verdict = f"{test.verdict} {'than' if test.verdict in ('better', 'worse') else 'from'} {test.against}"
        print(f"{test.preset:{width}}  {test.measure:10}  {change}  p {test.p_holm:.4f}  {verdict}")


def report(options: argparse.Namespace) -> int:
    """Write the page and print its path, or print the headline."""
    from quarry.evaluate.report.page import headline, paired_tests, render

    shared.require_writable(options.out)
    runs = read_runs(options.runs, find_measures(options.measures))
    if options.out:
        shared.write_text(options.out, render(runs))
        print(options.out)
    else:
        print(*map(visible, headline(runs, paired_tests(runs))), sep="\n")
    return 0


def export(options: argparse.Namespace) -> int:
    """Write the files and print their names."""
    from quarry.evaluate.runs.export import export as write_files

    runs = read_runs(options.runs, find_measures(options.measures))
    with writing(options.out):
        print(*write_files(runs, options.out), sep="\n")
    return 0


COMMANDS = (
    shared.command(
        "replay",
        "--store data/store --games data/games/english.jsonl --split test --referee none\n"
        "python -m evaluate replay --games data/games/english.jsonl --split test --referee every --out table.json\n"
        "python -m evaluate replay --games data/games/english.jsonl --batches batches.jsonl --answers answers.jsonl",
        (
            *shared.PLAYED,
            cli.several(
                "--referee",
                "SPEC",
                "answers the questions; again for another, every for all kinds: with several, a table of games won, "
                "private score, Brier and log score next to the hint alone (default: none)",
            ),
            cli.path("--batches", "FILE", "questions as `questions` writes them, with --answers"),
            cli.path(
                "--answers",
                "FILE",
                'answers of somebody else: {"game_id", "answers": [{"question_number", "answer"}]} a line',
            ),
            shared.MEASURE,
            shared.seed("of splits, referee and intervals"),
            cli.number(
                "--repeats", 1, "plays of each game, each with another seed (default: 1, of several referees 3)"
            ),
            cli.path(
                "--out",
                "RUN.json",
                "also write the run to this file, with RUN.games.jsonl, or the table; the same command resumes an "
                "interrupted replay",
            ),
            shared.WORKERS,
            *(shared.STRICT, cli.JSON),
        ),
        replay,
        notes=spec_table(),
    ),
    shared.command(
        "compare",
        "--store data/store --games data/games/english.jsonl --split test --presets dual,filtered,unfiltered",
        (
            *(shared.RUNS, *shared.COURSE),
            cli.path("--games", "FILE", "labelled games (their form: games check --help)"),
            shared.SPLIT,
            cli.option(
                "--presets",
                "A,B,...",
                f"the others are tested against the first; YAML files, or of {', '.join(preset_names())}",
            ),
            cli.option(
                "--referee", "SPEC", "as for replay, to compare win rates (default: %(default)s)", default="none"
            ),
            shared.MEASURE,
            shared.seed("of splits, referee and tests"),
            cli.number("--repeats", 1, "plays of each game, each with another referee seed", 1),
            cli.path("--out", "DIR", "also write each run there, and compare.json; resumes what was interrupted"),
            *(shared.WORKERS, shared.STRICT, cli.JSON),
        ),
        compare,
    ),
    shared.command(
        "report",
        "default.json dual.json --out report.html",
        (
            *(shared.RUNS, shared.MEASURE),
            cli.path("--out", "report.html", "the page (default: none; the headline is printed)"),
        ),
        report,
        settings=(),
    ),
    shared.command(
        "export",
        "default.json dual.json --out exported",
        (shared.RUNS, shared.MEASURE, cli.path("--out", "DIR", "folder to write to; made if need be", required=True)),
        export,
        settings=(),
    ),
)
