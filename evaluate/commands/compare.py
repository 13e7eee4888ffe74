"""`compare`: presets, or runs that were written, against each other on the same games."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quarry.configs.arguments import (
    COLLECTION,
    CONFIG,
    JSON,
    PLUGIN,
    STORE,
    flag,
    number,
    option,
    path,
    set_option,
    settings_of,
)
from quarry.configs.plural import counted
from quarry.configs.settings import Settings, SettingsError, is_file_name, preset_names
from quarry.evaluate.commands.command import (
    SPLIT,
    STRICT,
    WORKERS,
    as_json,
    chosen_games,
    command,
    lost_code,
    make_folder,
    print_json,
    print_notices,
    seed,
    write_text,
)
from quarry.evaluate.errors import RunError
from quarry.evaluate.referee import read_spec
from quarry.evaluate.runs.files import partial_path, read_run, write_run
from quarry.evaluate.runs.run import Run
from quarry.ingest.store import Course, open_store
from quarry.player.search.build import GIVE_ONE

if TYPE_CHECKING:
    from quarry.evaluate.runs.comparison import PairedTest


@dataclass(frozen=True, slots=True)
class Setup:
    """What a run is made with: settings over a store, under a name."""

    name: str
    store: Course
    settings: Settings


def run(options: argparse.Namespace) -> int:
    """Replay the presets or read the runs, test, print the table; 1 if a model lacks, with --strict also a game."""
    from quarry.evaluate.runs.comparison import compare

    missing: dict[str, str] = {}
    runs = _read(options) if options.runs else _replayed(options, missing)
    tests = compare(runs, pairs=options.pairs, seed=options.seed)
    document: dict[str, Any] = {
        "presets": {found.name: found.as_json() for found in runs},
        "tests": [test.as_json() for test in tests],
    }
    if missing:
        document["missing"] = missing
    if options.out:
        make_folder(options.out)
        write_text(options.out / "compare.json", as_json(document) + "\n")
    if options.json:
        print_json(document)
    else:
        _print_table(runs, missing)
        _print_tests(tests)
    lost = lost_code(options, max(found.lost_at_ingest for found in runs))
    return 1 if missing else lost


def _read(options: argparse.Namespace) -> list[Run]:
    if options.presets or options.games or options.stores or options.changes:
        raise SettingsError("compare takes RUN.json files, or --games and --presets, got both; leave one out")
    return [read_run(path) for path in options.runs]


def _setups(options: argparse.Namespace, missing: dict[str, str]) -> list[Setup]:
    """Return each preset, and the first one with each --set, over each store; what lacks a model goes to `missing`."""
    if options.games is None or not options.presets:
        raise SettingsError("compare must be given --games and --presets, or RUN.json files, got neither")
    presets = _listed(options.presets)
    first = presets[0] if presets else "default"
    settings = {Path(name).stem if is_file_name(name) else name: settings_of(options, name, ()) for name in presets}
    settings |= {change.replace("/", "_"): settings_of(options, first, [change]) for change in options.changes}
    stores = _listed(options.stores or "") or [options.store]
    n_wanted = (len(presets) + len(options.changes)) * len(stores)
    named = {
        _name(name, store, n_settings=len(settings), n_stores=len(stores)): (store, found)
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
    setups = [Setup(name, opened[store], found) for name, (store, found) in named.items() if name not in missing]
    for one in setups:
        print_notices(options, one.settings, one.store)
    return setups


def _listed(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _name(settings: str, store: str, *, n_settings: int, n_stores: int) -> str:
    """Return a name that tells a setup from the others and may be a file's."""
    if n_stores == 1:
        return settings
    folder = store.rstrip("/").rpartition("/")[2].replace(":", "_")
    return folder if n_settings == 1 else f"{settings}@{folder}"


def _replayed(options: argparse.Namespace, missing: dict[str, str]) -> list[Run]:
    """Replay each setup; those that lack a model go into `missing`, with the remedy."""
    from quarry.evaluate.replay.replay import replay_store

    setups = _setups(options, missing)
    read_spec(options.referee)
    games = chosen_games(options)
    if options.out:
        make_folder(options.out)
    runs = []
    for one in setups:
        out = options.out / f"{one.name}.json" if options.out else None
        run = replay_store(
            games,
            one.store,
            one.settings,
            referee=options.referee,
            seed=options.seed,
            repeats=options.repeats,
            workers=options.workers,
            partial=partial_path(out) if out else None,
            name=one.name,
        )
        if out:
            write_run(out, run)
            partial_path(out).unlink(missing_ok=True)
        runs.append(run)
    return runs


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


def _in_words(test: PairedTest) -> str:
    than = {"better": " than ", "worse": " than "}.get(test.verdict)
    return f"{test.verdict}{than}{test.against}" if than else f"{test.verdict} from {test.against}"


def _cell(value: float, interval: Sequence[float]) -> str:
    return f"{value:.3f} [{interval[0]:.3f}, {interval[1]:.3f}]"


COMMANDS = (
    command(
        "compare",
        "--store data/store --games data/games/english.jsonl --split test --presets dual,filtered,unfiltered",
        (
            path("runs", "RUN.json", "runs to compare in place of presets", nargs="*"),
            *(STORE, COLLECTION),
            option(
                "--stores",
                "A,B,...",
                "stores that hold the same lectures, in place of --store: each with each preset",
            ),
            path("--games", "FILE", "labelled games (their form: games check --help)"),
            SPLIT,
            option(
                "--presets",
                "A,B,...",
                f"the first is what others are judged by; YAML files, or of {', '.join(preset_names())}",
            ),
            set_option("one more to compare: the first preset with this setting, such as search.rule_weight=0"),
            flag("--pairs", says="test every two of them, not only against the first"),
            option("--referee", "SPEC", "as for replay, to compare win rates (default: %(default)s)", default="none"),
            seed("of splits, referee and tests"),
            number("--repeats", 1, "plays of each game, each with another referee seed", 1),
            path("--out", "DIR", "also write each run there, and compare.json; resumes what was interrupted"),
            *(WORKERS, STRICT, JSON),
        ),
        run,
        settings=(CONFIG, PLUGIN),
    ),
)
