"""`tune`: fits the search's settings on labelled games."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import yaml

from configs.settings import DEFAULT_CONFIG, TUNED_CONFIG, Settings, SettingsError, as_dict, load
from evaluate.commands.command import (
    add_command,
    add_games,
    add_json,
    add_store,
    print_json,
    require_writable,
    write_text,
)
from evaluate.errors import GamesError
from evaluate.games import LabelledGame, load_games, match_games, select_split
from evaluate.provenance import code_digest, commit
from ingest.store import open_store


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "tune",
        run,
        "fit the search's settings: on the training games, chosen on the validation games, reported on the test games",
        "python -m evaluate tune --store data/store --games data/games/english.jsonl --trials 2000",
    )
    add_store(command)
    add_games(command)
    command.add_argument("--trials", type=int, required=True, metavar="N", help="that the study has in the end")
    command.add_argument(
        "--seed", type=int, default=0, metavar="N", help="of splits, sampler and intervals (default: %(default)s)"
    )
    command.add_argument(
        "--storage",
        metavar="URL",
        help="of any Optuna storage, or the path of a journal file; a study there goes on (default: in memory)",
    )
    command.add_argument("--workers", type=int, default=1, metavar="N", help="processes (default: %(default)s)")
    command.add_argument(
        "--out",
        type=Path,
        default=TUNED_CONFIG,
        metavar="FILE",
        help="settings with their provenance (default: %(default)s)",
    )
    command.add_argument("--study-out", type=Path, metavar="FILE", help="also write every trial, for report --sweep")
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Tune, write the settings and print the figures."""
    from evaluate.tuning.course import prepare, require_known
    from evaluate.tuning.objective import OBJECTIVE
    from evaluate.tuning.study import Splits, history, report, run_study, tuned_values
    from player.search.build import store_embedder

    for name in ("trials", "workers"):
        if getattr(options, name) < 1:
            raise SettingsError(f"--{name} must be at least 1, got {getattr(options, name)}")
    require_writable(options.out)
    require_writable(options.study_out)
    settings = _untuned(options.config)
    require_known(settings.search)
    games = load_games(options.games)
    by_split = {name: select_split(games, name, options.seed) for name in ("train", "validation", "test")}
    store = open_store(options.store, options.collection)
    chosen = [game for part in by_split.values() for game in part]
    matched = match_games(chosen, store.paragraphs)
    if not any(matched.values()):
        raise GamesError(
            f"{options.games}: at least one game must be about a paragraph of {store.location}, got none of "
            f"{len(games)}; name the games that belong to the store"
        )
    for name, part in by_split.items():
        if not any(game.answerable for game in part):
            raise GamesError(f"{options.games}: split {name} must hold an answerable game, got none; add some")
    embedder = store_embedder(store, settings)
    prepared = {name: prepare(part, matched, store, settings, embedder) for name, part in by_split.items()}
    splits = Splits(prepared["train"], prepared["validation"], prepared["test"])
    name = _study_name(chosen, store.fingerprint, settings)
    tuned = run_study(
        splits,
        settings.search,
        name=name,
        n_trials=options.trials,
        seed=options.seed,
        storage=options.storage,
        n_workers=options.workers,
    )
    figures = report(tuned, splits, settings.search, options.seed)
    document = {
        "objective": OBJECTIVE,
        "study": name,
        "trials": len(tuned.study.trials),
        "trials_before": tuned.n_before,
        "seconds": round(tuned.seconds, 1),
        "cpu_seconds": round(tuned.cpu_seconds, 1),
        "settings": dict(tuned_values(tuned.settings)),
        **figures,
    }
    provenance = {
        "written_by": "python -m evaluate tune; not by hand",
        "commit": commit(),
        "code": code_digest(),
        "store_fingerprint": store.fingerprint,
        "games": str(options.games),
        "seed": options.seed,
        "storage": "in memory" if options.storage is None else options.storage.split("@")[-1],
        "workers": options.workers,
        **{key: value for key, value in document.items() if key != "settings"},
    }
    text = yaml.safe_dump({"provenance": provenance, "search": document["settings"]}, sort_keys=False, width=120)
    write_text(options.out, f"# Written by python -m evaluate tune, with where it comes from; never by hand.\n{text}")
    if options.study_out:
        trials = {
            **document,
            "untuned_settings": dict(tuned_values(settings.search)),
            "history": history(tuned.study.trials),
        }
        write_text(options.study_out, json.dumps(trials, ensure_ascii=False) + "\n")
    if options.json:
        print_json(document)
    else:
        _print(document, options.out)
    for warning in figures["warnings"]:
        print(f"evaluate tune: {warning}", file=sys.stderr)
    return 0


def _untuned(config: Path | None) -> Settings:
    """The default settings without configs/tuned.yaml, the user's file laid over them."""
    if config is None:
        return load(config=DEFAULT_CONFIG)
    load(config=config)  # says what is wrong with the user's file under its own name
    tree = yaml.safe_load(DEFAULT_CONFIG.read_text(encoding="utf-8"))
    for section, values in (yaml.safe_load(config.read_text(encoding="utf-8")) or {}).items():
        if section != "provenance":
            tree[section] |= values
    with tempfile.TemporaryDirectory(prefix="quarry-tune-") as folder:
        merged = Path(folder) / "untuned.yaml"
        merged.write_text(yaml.safe_dump(tree), encoding="utf-8")
        return load(config=merged)


def _study_name(games: list[LabelledGame], fingerprint: str, settings: Settings) -> str:
    """A name that changes with what a study depends on, so that no study goes on with other games or another store."""
    told = [[game.game_id, game.hint, game.book_name, game.paragraph_id, game.opening_sentence] for game in games]
    search = as_dict(settings)["search"]
    digest = hashlib.sha256(json.dumps([told, fingerprint, search], sort_keys=True).encode()).hexdigest()
    return f"quarry-{digest[:12]}"


def _print(document: dict[str, Any], out: Path) -> None:
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
    print(f"  gain in RR on the test games {gain['difference']:+.3f} [{low:+.3f}, {high:+.3f}], p {gain['p']:.4f}")
    print(f"  {document['verdict']}")
    print("  " + ", ".join(f"{name} {value}" for name, value in document["settings"].items()))
    print(f"written to {out}")
