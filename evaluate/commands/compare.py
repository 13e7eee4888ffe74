"""`compare`: presets side by side on the same games."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from quarry.configs.arguments import add_set, settings_of
from quarry.configs.plural import counted
from quarry.configs.settings import SettingsError, is_file_name, preset_names
from quarry.evaluate.commands.command import (
    add_command,
    add_depth,
    add_json,
    add_store,
    add_strict,
    add_workers,
    as_json,
    lost_code,
    print_json,
    require_depth,
    require_repeats,
    say_queries,
    say_tuned,
    write_text,
)
from quarry.evaluate.errors import RunError
from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.splits import select_split
from quarry.evaluate.referee import read_spec
from quarry.evaluate.runs.files import partial_path, read_run, write_run
from quarry.evaluate.runs.run import Run
from quarry.evaluate.runs.sequential import MARGIN
from quarry.ingest.store import open_store
from quarry.player.search.build import GIVE_ONE

if TYPE_CHECKING:
    from quarry.evaluate.replay.abreast import Contestant
    from quarry.evaluate.runs.comparison import PairedTest
    from quarry.evaluate.runs.sequential import SequentialTest


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "compare",
        run,
        "put presets, or runs that were written, side by side on the same games, with paired tests",
        "python -m evaluate compare --store data/store --games data/games/english.jsonl --split test "
        "--presets dual,filtered,unfiltered",
        flags=("--plugin",),
    )
    command.add_argument("runs", nargs="*", type=Path, metavar="RUN.json", help="runs to compare in place of presets")
    add_store(command)
    command.add_argument(
        "--stores",
        metavar="A,B,...",
        help="stores that hold the same lectures, in place of --store: each with each preset",
    )
    command.add_argument(
        "--games", type=Path, metavar="FILE", help="labelled games, .jsonl or .csv (their form: check-games --help)"
    )
    command.add_argument("--split", metavar="NAME", help="train, validation or test (default: all games)")
    command.add_argument(
        "--presets",
        metavar="A,B,...",
        help=f"the first is what others are judged by; YAML files, or of {', '.join(preset_names())}",
    )
    add_set(command, "one more to compare: the first preset with this setting, such as search.rule_weight=0")
    command.add_argument(
        "--until-decided",
        action="store_true",
        help="play games in an order drawn by --seed, all presets each, and stop once each verdict on RR (with "
        "--referee: on games won) is better, worse or alike; the chance that any of them is wrong is at most 5%%, "
        "however early it stops",
    )
    command.add_argument(
        "--margin",
        type=float,
        default=MARGIN,
        metavar="D",
        help="with --until-decided: means that are less than this apart are alike (default: %(default)s)",
    )
    command.add_argument("--pairs", action="store_true", help="test every two of them, not only against the first")
    command.add_argument(
        "--referee", default="none", metavar="SPEC", help="as for replay, to compare win rates (default: %(default)s)"
    )
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of splits, referee and tests (default: %(default)s)"
    )
    command.add_argument(
        "--repeats", type=int, default=1, metavar="N", help="plays of each game, each with another referee seed"
    )
    command.add_argument(
        "--out", type=Path, metavar="DIR", help="also write each run there, and compare.json; goes on if interrupted"
    )
    add_depth(command)
    add_workers(command)
    add_strict(command)
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Replay the presets or read the runs, test, print the table; 1 if a model lacks, with --strict also a game."""
    from quarry.evaluate.runs.comparison import compare

    require_repeats(options.repeats)
    require_depth(options.depth)
    missing: dict[str, str] = {}
    tests: Sequence[PairedTest] = ()
    decided: Sequence[SequentialTest] = ()
    if options.until_decided:
        runs, decided = _until_decided(options, missing)
    else:
        runs = _read(options) if options.runs else _replayed(options, missing)
        tests = compare(runs, pairs=options.pairs, seed=options.seed)
    document: dict[str, Any] = {
        "presets": {found.name: found.as_json() for found in runs},
        "tests": [test.as_json() for test in tests],
    }
    if options.until_decided:
        document["sequential_tests"] = [test.as_json() for test in decided]
    if missing:
        document["missing"] = missing
    if options.out:
        _make_folder(options.out)
        write_text(options.out / "compare.json", as_json(document) + "\n")
    if options.json:
        print_json(document)
    else:
        _print_table(runs, missing)
        if options.until_decided:
            _print_decided(decided, len(runs[0].answerable))
        else:
            _print_tests(tests)
    lost = lost_code(options, max(found.lost_at_ingest for found in runs))
    return 1 if missing else lost


def _read(options: argparse.Namespace) -> list[Run]:
    if options.presets or options.games or options.stores or options.changes:
        raise SettingsError("compare takes RUN.json files, or --games and --presets, got both; leave one out")
    return [read_run(path) for path in options.runs]


def _contestants(options: argparse.Namespace, missing: dict[str, str]) -> list[Contestant]:
    """Each preset, and the first one with each --set, over each store; what lacks a model goes into `missing`."""
    from quarry.evaluate.replay.abreast import Contestant

    if options.games is None or not options.presets:
        raise SettingsError("compare must be given --games and --presets, or RUN.json files, got neither")
    presets = _listed(options.presets)
    first = presets[0] if presets else "default"
    settings = {_short(name): settings_of(options, name, ()) for name in presets}
    settings |= {change.replace("/", "_"): settings_of(options, first, [change]) for change in options.changes}
    stores = _listed(options.stores or "") or [options.store]
    n_wanted = (len(presets) + len(options.changes)) * len(stores)
    named = {
        _called(name, store, n_settings=len(settings), n_stores=len(stores)): (store, found)
        for store in stores
        for name, found in settings.items()
    }
    if n_wanted < 2 or len(named) < n_wanted:
        raise RunError(
            f"--presets must name two or more different presets, got {options.presets!r}; e.g. dual,filtered, "
            "or one with --set or --stores"
        )
    lacking = [name for name, (_, found) in named.items() if found.search.lacks_cross_encoder]
    missing |= dict.fromkeys(lacking, f"no model given; {GIVE_ONE}")
    if next(iter(named)) in missing or len(named) - len(missing) < 2:
        lacks, why = next(iter(missing.items()))
        raise RunError(f"--presets must begin with one that has its model, and hold two such, got {lacks}: {why}")
    opened = {store: open_store(store, options.collection) for store in stores}
    contestants = [
        Contestant(name, opened[store], found) for name, (store, found) in named.items() if name not in missing
    ]
    for one in contestants:
        say_tuned(options, one.settings, one.store)
    return contestants


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _short(preset: str) -> str:
    return Path(preset).stem if is_file_name(preset) else preset


def _called(settings: str, store: str, *, n_settings: int, n_stores: int) -> str:
    """The name of a contestant: as much as tells it from the others, and as a file may be called."""
    if n_stores == 1:
        return settings
    folder = store.rstrip("/").rpartition("/")[2].replace(":", "_")
    return folder if n_settings == 1 else f"{settings}@{folder}"


def _replayed(options: argparse.Namespace, missing: dict[str, str]) -> list[Run]:
    """The contestants' runs; those that lack a model go into `missing`, with the remedy."""
    from quarry.evaluate.replay.replay import replay_store

    contestants = _contestants(options, missing)
    games = _games(options)
    if options.out:
        _make_folder(options.out)
    runs = []
    for one in contestants:
        say_queries(options, games, one.settings)
        out = options.out / f"{one.name}.json" if options.out else None
        partial = partial_path(out) if out else None
        run = replay_store(
            games,
            one.store,
            one.settings,
            collection=options.collection,
            referee=options.referee,
            seed=options.seed,
            repeats=options.repeats,
            workers=options.workers,
            partial=partial,
            name=one.name,
            depth=options.depth,
        )
        if out and partial:
            write_run(out, run)
            partial.unlink(missing_ok=True)
        runs.append(run)
    return runs


def _games(options: argparse.Namespace) -> list[LabelledGame]:
    read_spec(options.referee)
    return select_split(load_games(options.games), options.split, options.seed)


def _until_decided(options: argparse.Namespace, missing: dict[str, str]) -> tuple[list[Run], list[SequentialTest]]:
    """The contestants' runs over as many games, in an order drawn by the seed, as it took to decide, and the tests.

    Raises:
        SettingsError: the margin is none, or the command was given runs.
    """
    from quarry.evaluate.replay.abreast import replay_until
    from quarry.evaluate.runs.sequential import Decision

    if options.runs:
        raise SettingsError(
            "--until-decided must come with --games and --presets, got runs that are over; leave it out"
        )
    if options.depth:
        raise SettingsError("--depth must be left out with --until-decided: it keeps nothing but the hits")
    if not 0.0 < options.margin < 1.0:
        raise SettingsError(f"--margin must be within 0..1, without the ends, got {options.margin}")
    contestants = _contestants(options, missing)
    answerable = [game for game in _games(options) if game.answerable]
    if not answerable:
        raise RunError(f"{options.games}: at least one game must be answerable to compare, got none; add some")
    order = np.random.default_rng(options.seed).permutation(len(answerable))
    if options.out:
        _make_folder(options.out)
    decision = Decision([one.name for one in contestants], options.referee, pairs=options.pairs, margin=options.margin)
    runs = replay_until(
        [answerable[place] for place in order],
        contestants,
        decision.after,
        collection=options.collection,
        referee=options.referee,
        seed=options.seed,
        repeats=options.repeats,
        workers=options.workers,
    )
    if options.out:
        for found in runs:
            write_run(options.out / f"{found.name}.json", found)
    return runs, decision.tests()


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SettingsError(f"--out must be a folder that can be made, got {folder}: {error.strerror}") from error


def _print_table(runs: Sequence[Run], missing: Mapping[str, str]) -> None:
    measures = list(runs[0].measures)
    played = runs[0].win_rate is not None
    width = max(len("preset"), *(len(found.name) for found in runs), *map(len, missing))
    heads = [*measures, *(["win rate"] if played else [])]
    n_stores = len({found.store_fingerprint for found in runs})
    over = f", over {counted(n_stores, 'store')}" if n_stores > 1 else ""
    print(f"{counted(len(runs[0].answerable), 'answerable game')}{over}, 95% intervals in brackets")
    print(f"{'preset':{width}}  " + "  ".join(f"{head:>20}" for head in heads))
    for found in runs:
        cells = [_cell(found.measures[name], found.intervals[name]) for name in measures]
        if found.win_rate is not None and found.win_rate_interval is not None:
            cells.append(_cell(found.win_rate, found.win_rate_interval))
        print(f"{found.name:{width}}  " + "  ".join(f"{cell:>20}" for cell in cells))
    for name, why in missing.items():
        print(f"{name:{width}}  {why}")


def _print_tests(tests: Sequence[PairedTest]) -> None:
    width = max(len(test.preset) for test in tests)
    print(f"\npaired randomisation tests, p corrected by Holm for all {len(tests)}:")
    for test in tests:
        print(
            f"{test.preset:{width}}  {test.measure:10}  {test.difference:+.3f} [{test.low:+.3f}, {test.high:+.3f}]  "
            f"p {test.p_holm:.4f}  {_in_words(test)}"
        )


def _print_decided(tests: Sequence[SequentialTest], n_games: int) -> None:
    from quarry.evaluate.runs.sequential import ALPHA, IN_WORDS

    width = max(len(test.preset) for test in tests)
    print(
        f"\nplayed until decided: {counted(n_games, 'game')}. The chance that any of these verdicts is wrong is at "
        f"most {ALPHA:.0%}, however early\nit stopped; the intervals of the table above do not know of the stopping."
    )
    for test in tests:
        print(
            f"{test.preset:{width}}  {test.measure:10}  {test.difference:+.3f} [{test.low:+.3f}, {test.high:+.3f}]  "
            f"after {counted(test.n_games, 'game')}  {IN_WORDS[test.verdict]} {test.against}"
        )


def _in_words(test: PairedTest) -> str:
    than = {"better": " than ", "worse": " than "}.get(test.verdict)
    return f"{test.verdict}{than}{test.against}" if than else f"{test.verdict} from {test.against}"


def _cell(value: float, interval: Sequence[float]) -> str:
    return f"{value:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]"
