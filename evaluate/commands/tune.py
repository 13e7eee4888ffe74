"""`tune`: fits the search's settings on labelled games."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from quarry.configs.arguments import (
    COLLECTION,
    JSON,
    PRESET,
    STORE,
    at_least,
    number,
    option,
    path,
    settings_of,
    warn,
)
from quarry.configs.settings import as_dict
from quarry.evaluate.commands.command import GAMES, command, print_json, require_writable, seed, write_text
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.locating import locate_games, require_of_store
from quarry.evaluate.games.splits import select_split
from quarry.evaluate.runs.provenance import code_digest, commit
from quarry.ingest.store import open_store

OFFERED = Path("tuned.yaml")
"""Where a result that is better is written unless the user says otherwise, in the folder that he is in."""


def run(options: argparse.Namespace) -> int:
    """Tune, write the settings and print the figures."""
    from optuna.distributions import CategoricalDistribution

    from quarry.evaluate.tuning.objective import OBJECTIVE
    from quarry.evaluate.tuning.prepared import prepare, require_known
    from quarry.evaluate.tuning.space import DEFAULT_SPACE, load_space, numbers_of
    from quarry.evaluate.tuning.storage import open_storage
    from quarry.evaluate.tuning.study import Splits, history, report, run_study
    from quarry.player.search.build import store_embedder

    _check(options)
    settings = settings_of(options)
    space = load_space(options.space or DEFAULT_SPACE)
    require_known(settings.search)
    open_storage(options.storage)  # before anything is prepared for it
    games = load_games(options.games)
    by_split = {name: select_split(games, name, options.seed) for name in ("train", "validation", "test")}
    store = open_store(options.store, options.collection)
    chosen = [game for part in by_split.values() for game in part]
    located = locate_games(chosen, store.paragraphs)
    require_of_store(located, store.location, str(options.games))
    for name, part in by_split.items():
        if not any(game.answerable for game in part):
            raise GamesError(f"{options.games}: split {name} must hold an answerable game, got none; add some")
    embedder = store_embedder(store, settings)
    modes = space.get("keywords")
    asks_keywords = isinstance(modes, CategoricalDistribution) and bool({"fused", "fallback"} & {*modes.choices})
    prepared = {
        name: prepare(part, located, store, settings, embedder, keywords=asks_keywords)
        for name, part in by_split.items()
    }
    base = settings.search
    name = _name([games_told(chosen), store.fingerprint, as_dict(settings)["search"], repr(space)])
    splits = Splits(prepared["train"], prepared["validation"], prepared["test"])
    tuned = run_study(
        space,
        splits,
        base,
        name=name,
        n_trials=options.trials,
        seed=options.seed,
        storage=options.storage,
        n_workers=options.workers,
        attributes={"store": str(options.store), "games": str(options.games), "untuned": numbers_of(space, base)},
    )
    document = {
        "objective": OBJECTIVE,
        "study": name,
        "trials": len(tuned.trials),
        "trials_before": tuned.n_before,
        "seconds": round(tuned.seconds, 1),
        "cpu_seconds": round(tuned.cpu_seconds, 1),
        "settings": {key: getattr(tuned.settings, key) for key in space},
        **report(space, tuned, splits, base, options.seed),
    }
    provenance = {
        "written_by": "python -m evaluate tune; not by hand",
        "commit": commit(),
        "code": code_digest(),
        "store": str(options.store),
        "store_fingerprint": store.fingerprint,
        "games": str(options.games),
        "seed": options.seed,
        "storage": "in memory" if options.storage is None else options.storage.split("@")[-1],
        "workers": options.workers,
        **{key: value for key, value in document.items() if key != "settings"},
    }
    out = options.out or (OFFERED if document["significant"] else None)
    if out is not None:
        text = yaml.safe_dump({"provenance": provenance, "search": document["settings"]}, sort_keys=False, width=120)
        write_text(out, f"# Written by python -m evaluate tune, with where it comes from; never by hand.\n{text}")
    if options.study_out:
        untuned = {key: getattr(base, key) for key in space}
        trials = {**document, "untuned_settings": untuned, "history": history(tuned.trials)}
        write_text(options.study_out, json.dumps(trials, ensure_ascii=False) + "\n")
    _say(options, {**document, "written_to": None if out is None else str(out)}, out)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Pass if what was asked for can be done.

    Raises:
        SettingsError: it cannot.
    """
    require_writable(options.out or OFFERED)
    require_writable(options.study_out)


def _say(options: argparse.Namespace, document: Mapping[str, Any], out: Path | None) -> None:
    """Print the figures, and the warnings on standard error."""
    if options.json:
        print_json(document)
    else:
        _print(document)
        print(_told_of(out))
    for warning in document["warnings"]:
        warn(options, warning)


def _told_of(out: Path | None) -> str:
    """Where the settings are, and how they are used."""
    if out is None:
        return "nothing written: the untuned settings stay the better choice; --out FILE writes the tuned ones anyway"
    return f"written to {out}; in force only where you name it, such as: python -m evaluate replay --config {out} ..."


def games_told(games: Sequence[LabelledGame]) -> list[list[Any]]:
    """What a study depends on of its games."""
    return [[game.game_id, game.hint, game.book_name, game.paragraph_id, game.opening_sentence] for game in games]


def _name(depends_on: Sequence[Any]) -> str:
    """Make a name that changes with what a study depends on: none goes on with other games or another store."""
    return f"quarry-{hashlib.sha256(json.dumps(depends_on, sort_keys=True).encode()).hexdigest()[:12]}"


def _print(document: Mapping[str, Any]) -> None:
    print(
        f"{document['trials']} trials ({document['trials_before']} from before) in {document['seconds']} s; "
        f"study {document['study']}"
    )
    print(f"objective: {document['objective']}")
    for split in ("train", "validation", "test"):
        for kind in ("untuned", "tuned"):
            found = document[kind][split]
            cells = ", ".join(
                f"{name} {value:.3f} [{found['intervals'][name][0]:.3f}, {found['intervals'][name][1]:.3f}]"
                for name, value in found["measures"].items()
            )
            print(f"  {split:10} {kind:8} {found['objective']:.4f}  {cells}")
    gain = document["gain"]
    low, high = gain["interval"]
    change = f"{gain['difference']:+.3f} [{low:+.3f}, {high:+.3f}], p {gain['p']:.4f}"
    print(f"  gain in {gain['measure']} on the test games {change}")
    print(f"  {document['verdict']}")
    print("  " + ", ".join(f"{name} {value}" for name, value in document["settings"].items()))
    if document["importance"]:
        shares = (f"{name} {share:.2f}" for name, share in document["importance"].items())
        print(f"  share of the objective's variance that each explains: {', '.join(shares)}")


COMMANDS = (
    command(
        "tune",
        "--store data/store --games data/games/english.jsonl --trials 2000",
        (
            *(STORE, COLLECTION, GAMES, PRESET),
            path("--space", "FILE", "YAML of what may be tuned (default: configs/space.yaml)"),
            option("--trials", "N", "that the study has in the end", type=at_least(1), required=True),
            seed("of splits, sampler and intervals"),
            option(
                "--storage",
                "URL",
                "of any Optuna storage, or the path of a journal file; a study there goes on (default: in memory)",
            ),
            number("--workers", 1, "processes", 1),
            path(
                "--out",
                "FILE",
                "settings with their provenance, whatever was gained; nothing reads the file unless you name it "
                f"(--config FILE; default: {OFFERED} here, only where the gain on the test games is significant)",
            ),
            path("--study-out", "FILE", "also write every trial as JSON"),
            JSON,
        ),
        run,
    ),
)
