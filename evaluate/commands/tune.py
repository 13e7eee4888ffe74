"""`tune`: fits the search's settings on labelled games."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from quarry.configs import arguments as cli
from quarry.configs.places import code_digest
from quarry.configs.settings import Settings, as_dict
from quarry.evaluate.commands import shared
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import SPLITS, LabelledGame, load_games, select_split
from quarry.evaluate.games.locating import locate_games, require_of_store
from quarry.evaluate.runs.run import commit
from quarry.ingest.store import Course

if TYPE_CHECKING:
    from quarry.configs.executors import Workers


def tune(
    games: Sequence[LabelledGame],
    store: Course,
    settings: Settings,
    *,
    n_trials: int,
    seed: int = 0,
    space: Path | None = None,
    storage: str | None = None,
    workers: Workers = 1,
    prune: bool = False,
    warm_start: str | None = None,
) -> dict[str, Any]:
    """Fit the search's settings on training games, choose on validation games and report on test games.

    Args:
        settings: the untuned ones.
        n_trials: that the study has in the end.
        seed: of splits, sampler and intervals.
        space: YAML of what may be tuned; None takes configs/space.yaml.
        storage: URL of a database, or the path of an SQLite file, with a study to resume; None keeps nothing.
        workers: processes, or a cluster.
        prune: True to stop trials that are worse than the median of the earlier ones on the first games.
        warm_start: storage of an earlier study, of which the best trials are run first.

    Returns:
        The figures of tuned and untuned settings; `settings`, the values of what was tuned; `tuned_settings`, the
        whole of `search`; `game_settings`, the whole of `game`, and `embed_settings`, which tuning does not change.

    Raises:
        GamesError: a split has no answerable game, or the games are another corpus's.
        TuneError: the storage cannot be reached, or the settings cannot be tuned.
    """
    from optuna.distributions import CategoricalDistribution

    from quarry.evaluate.tuning.objective import OBJECTIVE
    from quarry.evaluate.tuning.prepared import prepare
    from quarry.evaluate.tuning.space import DEFAULT_SPACE, load_space, numbers_of
    from quarry.evaluate.tuning.storage import open_storage
    from quarry.evaluate.tuning.study import Splits, report, run_study
    from quarry.player.search.build import store_embedder

    tunable = load_space(space or DEFAULT_SPACE)
    open_storage(storage)  # before anything is prepared for it
    by_split = {name: select_split(games, name, seed) for name in SPLITS}
    chosen = [game for part in by_split.values() for game in part]
    located = locate_games(chosen, store.paragraphs)
    require_of_store(located, store.location, "--games")
    for split, part in by_split.items():
        if not any(game.answerable for game in part):
            raise GamesError(f"--games must hold an answerable game in the split {split}, there is none; add some")
    modes = tunable.get("keywords")
    keywords = isinstance(modes, CategoricalDistribution) and bool({"fused", "fallback"} & {*modes.choices})
    embedder = store_embedder(store, settings)
    splits = Splits(
        **{
            name: prepare(part, located, store, settings, embedder, keywords=keywords)
            for name, part in by_split.items()
        }
    )
    base = settings.search
    labels = [[game.game_id, game.hint, game.book_name, game.paragraph_id, game.opening_sentence] for game in chosen]
    # the name changes with games, settings and store: no study goes on with others
    depends_on = json.dumps([labels, store.fingerprint, as_dict(settings)["search"], repr(tunable)], sort_keys=True)
    name = f"quarry-{hashlib.sha256(depends_on.encode()).hexdigest()[:12]}"
    tuned = run_study(
        tunable,
        splits,
        base,
        name=name,
        n_trials=n_trials,
        seed=seed,
        storage=storage,
        workers=workers,
        prune=prune,
        warm_start=warm_start,
        attributes={"store": store.location, "untuned": numbers_of(tunable, base)},
    )
    return {
        "objective": OBJECTIVE,
        "study": name,
        "trials": len(tuned.trials),
        "trials_before": tuned.n_before,
        "seconds": round(tuned.seconds, 1),
        "cpu_seconds": round(tuned.cpu_seconds, 1),
        "settings": {key: getattr(tuned.settings, key) for key in tunable},
        **report(tunable, tuned, splits, base, seed),
        "commit": commit(),
        "code": code_digest(),
        "preset": settings.preset,
        "store": store.location,
        "store_fingerprint": store.fingerprint,
        "seed": seed,
        "storage": "in memory" if storage is None else storage.split("@")[-1],
        "tuned_settings": as_dict(replace(settings, search=tuned.settings))["search"],
        "game_settings": as_dict(settings)["game"],
        "embed_settings": {"max_tokens": settings.embed.max_tokens},  # the other keys are of the machine
    }


def write_tuned(found: Mapping[str, Any], path: Path) -> None:
    """Write the result of `tune` as a file of settings, with its provenance.

    Raises:
        SettingsError: the file cannot be written.
    """
    document = {
        "provenance": {key: value for key, value in found.items() if not key.endswith("settings")},
        "search": found["tuned_settings"],
        "game": found["game_settings"],
        "embed": found["embed_settings"],
    }
    text = yaml.safe_dump(document, sort_keys=False, width=120, allow_unicode=True)
    shared.write_text(path, f"# Written by python -m evaluate tune, with where it comes from; never by hand.\n{text}")


def run(options: argparse.Namespace) -> int:
    """Tune, write the settings and print the figures."""
    shared.require_writable(options.out)
    settings = cli.settings_of(options)
    games = load_games(options.games)
    store = shared.open_for(options)
    with shared.workers_of(options) as workers:
        found = tune(
            games,
            store,
            settings,
            n_trials=options.trials,
            seed=options.seed,
            space=options.space,
            storage=options.storage,
            workers=workers,
            prune=options.prune,
            warm_start=options.warm_start,
        )
    found["games"] = str(options.games)
    if options.out is not None:
        write_tuned(found, options.out)
    if options.json:
        shared.print_json({**found, "written_to": options.out and str(options.out)})
    else:
        _print(found)
        print(
            f"written to {options.out}; used only where you name it, such as: --preset {options.out}"
            if options.out
            else "nothing written; --out FILE writes the tuned settings"
        )
    for warning in found["warnings"]:
        cli.warn(options, warning)
    return 0


def _print(found: Mapping[str, Any]) -> None:
    print(f"{found['trials']} trials ({found['trials_before']} from before), study {found['study']}")
    print(f"objective: {found['objective']}")
    for split in SPLITS:
        for kind in ("untuned", "tuned"):
            one = found[kind][split]
            cells = (
                f"{name} {shared.with_interval(value, one['intervals'][name])}"
                for name, value in one["measures"].items()
            )
            print(f"  {split:10} {kind:8} {one['objective']:.4f}  {', '.join(cells)}")
    gain = found["gain"]
    change = shared.with_interval(gain["difference"], gain["interval"], "+.3f", "+.3f")
    print(f"  gain in {gain['measure']} on the test games {change}, p {gain['p']:.4f}")
    print(f"  {found['verdict']}")
    print("  " + ", ".join(f"{name} {value}" for name, value in found["settings"].items()))


COMMANDS = (
    shared.command(
        "tune",
        "--store data/store --games data/games/english.jsonl --trials 2000",
        (
            *(*shared.COURSE, shared.GAMES, cli.PRESET),
            cli.path("--space", "FILE", "YAML of what may be tuned (default: configs/space.yaml)"),
            cli.option("--trials", "N", "that the study has in the end", type=cli.at_least(1), required=True),
            shared.seed("of splits, sampler and intervals"),
            cli.option(
                "--storage",
                "URL",
                "of a database (postgresql://...), or the path of an SQLite file; a study there is resumed (default: "
                "in memory)",
            ),
            cli.option("--warm-start", "URL", "storage of an earlier study, of which the best trials are run first"),
            cli.flag("--prune", says="stop trials that are worse than the median on the first quarter of the games"),
            (cli.number("--workers", 1, "processes", 1), cli.CLUSTER),
            cli.path(
                "--out",
                "FILE",
                "write the tuned settings and all others that they were tuned with; nothing reads the file unless you "
                "name it (--preset FILE)",
            ),
            cli.JSON,
        ),
        run,
    ),
)
