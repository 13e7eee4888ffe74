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
    several,
    warn,
)
from quarry.configs.settings import Settings, SettingsError, as_dict
from quarry.configs.suggest import meant
from quarry.evaluate.commands.command import GAMES, command, print_json, require_writable, seed, write_text
from quarry.evaluate.errors import GamesError, RefereeError
from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.locating import locate_games, require_of_store
from quarry.evaluate.games.splits import select_split
from quarry.evaluate.referee import Referee, make_referee, spec_table, tools_of
from quarry.evaluate.runs.provenance import code_digest, commit
from quarry.evaluate.tuning import MIXED
from quarry.ingest.paragraph import Paragraph
from quarry.ingest.store import Course, open_store

if TYPE_CHECKING:
    from quarry.evaluate.tuning.answered_games import AnsweredGames
    from quarry.evaluate.tuning.part import G, Part, S, Splits

OFFERED = Path("tuned.yaml")
"""Where a result that is better is written unless the user says otherwise, in the folder that he is in."""


def run(options: argparse.Namespace) -> int:
    """Tune, write the settings and print the figures."""
    from quarry.evaluate.tuning.error_rates import ERROR_RATES
    from quarry.evaluate.tuning.objective import search_part
    from quarry.evaluate.tuning.part import Splits
    from quarry.evaluate.tuning.prepared import prepare, require_known
    from quarry.evaluate.tuning.space import DEFAULT_SPACE, load_space
    from quarry.evaluate.tuning.storage import open_storage
    from quarry.player.search.build import store_embedder

    _check(options)
    settings = settings_of(options)
    space = load_space(options.space or DEFAULT_SPACE)
    require_known(settings.search)
    open_storage(options.storage)  # before anything is prepared for it
    games = load_games(options.games)
    by_split = {name: select_split(games, name, options.seed) for name in ("train", "validation", "test")}
    store = open_store(options.store, options.collection)
    referees = _referees(options, store, settings)
    chosen = [game for part in by_split.values() for game in part]
    located = locate_games(chosen, store.paragraphs)
    require_of_store(located, store.location, str(options.games))
    for name, part in by_split.items():
        if not any(game.answerable for game in part):
            raise GamesError(f"{options.games}: split {name} must hold an answerable game, got none; add some")
    embedder = store_embedder(store, settings)
    asks_keywords = bool({"fused", "fallback"} & {*space.values("keywords")})
    prepared = {
        name: prepare(part, located, store, settings, embedder, keywords=asks_keywords)
        for name, part in by_split.items()
    }
    told = [games_told(chosen), store.fingerprint, as_dict(settings)["search"], repr(space)]
    told += [options.objective] if options.objective != MIXED else []
    splits = Splits(prepared["train"], prepared["validation"], prepared["test"])
    search, document, trials = _studied(
        search_part(space, options.objective), splits, settings.search, _name("quarry", told), options
    )
    tree = {"search": document["settings"]}
    if referees:
        found = replace(settings, search=search)
        asked = _asked(by_split, located, store, found, referees)
        told += [as_dict(found)["search"], as_dict(settings)["game"], list(referees)]
        _, game, game_trials = _studied(ERROR_RATES, asked, settings.game, _name("quarry-game", told), options)
        document["game"], trials["game"] = {**game, "referees": list(referees)}, game_trials
        tree["game"] = game["settings"]
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
    parts = (document, *([document["game"]] if referees else []))
    out = options.out or (OFFERED if all(part["significant"] for part in parts) else None)
    if out is not None:
        text = yaml.safe_dump({"provenance": provenance, **tree}, sort_keys=False, width=120)
        write_text(out, f"# Written by python -m evaluate tune, with where it comes from; never by hand.\n{text}")
    if options.study_out:
        write_text(options.study_out, json.dumps(trials, ensure_ascii=False) + "\n")
    _say(options, {**document, "written_to": None if out is None else str(out)}, parts, out)
    return 0


def _check(options: argparse.Namespace) -> None:
    """Pass if what was asked for can be done.

    Raises:
        SettingsError: it cannot.
    """
    from quarry.evaluate.tuning.objective import OBJECTIVES

    if options.objective not in OBJECTIVES:
        raise SettingsError(
            f"--objective must be one of {', '.join(OBJECTIVES)}, got {options.objective!r}"
            f"{meant(options.objective, OBJECTIVES)}"
        )
    require_writable(options.out or OFFERED)
    require_writable(options.study_out)


def _say(
    options: argparse.Namespace, document: Mapping[str, Any], parts: Sequence[Mapping[str, Any]], out: Path | None
) -> None:
    """Print the figures, and the warnings on standard error."""
    if options.json:
        print_json(document)
    else:
        for part in parts:
            _print(part)
        print(_told_of(out))
    for part in parts:
        for warning in part["warnings"]:
            warn(options, warning)


def _told_of(out: Path | None) -> str:
    """Where the settings are, and how they are used."""
    if out is None:
        return "nothing written: the untuned settings stay the better choice; --out FILE writes the tuned ones anyway"
    return f"written to {out}; in force only where you name it, such as: python -m evaluate replay --config {out} ..."


def _studied(
    part: Part[S, G], splits: Splits[G], base: S, name: str, options: argparse.Namespace
) -> tuple[S, dict[str, Any], dict[str, Any]]:
    """The settings that a study of one part chose, its figures, and the same with every trial."""
    from quarry.evaluate.tuning.study import history, report, run_study

    tuned = run_study(
        part,
        splits,
        base,
        name=name,
        n_trials=options.trials,
        seed=options.seed,
        storage=options.storage,
        n_workers=options.workers,
        told={"store": str(options.store), "games": str(options.games), "untuned": part.values(base)},
    )
    document = {
        "objective": part.objective,
        "study": name,
        "trials": len(tuned.study.trials),
        "trials_before": tuned.n_before,
        "seconds": round(tuned.seconds, 1),
        "cpu_seconds": round(tuned.cpu_seconds, 1),
        "settings": part.values(tuned.settings),
        **report(part, tuned, splits, base, options.seed),
    }
    trials = {**document, "untuned_settings": part.values(base), "history": history(tuned.study.trials)}
    return tuned.settings, document, trials


def _referees(options: argparse.Namespace, store: Course, settings: Settings) -> dict[str, Referee]:
    """The referees of --referee by SPEC.

    Raises:
        RefereeError: a SPEC is none, or one that answers nothing.
    """
    if not options.referee:
        return {}
    tools = tools_of(store, settings.embed)
    referees = {spec: make_referee(spec, options.seed, tools) for spec in options.referee}
    if silent := [spec for spec, referee in referees.items() if referee is None]:
        raise RefereeError(
            f"--referee must answer questions to tune error rates, got {silent[0]}; take noisy:0.15,0.10"
        )
    return {spec: referee for spec, referee in referees.items() if referee is not None}


def _asked(
    by_split: Mapping[str, Sequence[LabelledGame]],
    located: Mapping[str, Paragraph | None],
    store: Course,
    settings: Settings,
    referees: Mapping[str, Referee],
) -> Splits[AnsweredGames]:
    """The games of each split, asked and answered."""
    from quarry.evaluate.tuning.answered_games import prepare_answers
    from quarry.evaluate.tuning.part import Splits
    from quarry.player.player import build_player

    player = build_player(store, settings)
    asked = {name: prepare_answers(part, located, player, referees) for name, part in by_split.items()}
    for name, part in asked.items():
        if not part.games:
            raise GamesError(f"split {name} must hold a game about a paragraph of {store.location}, got none; add some")
    return Splits(asked["train"], asked["validation"], asked["test"])


def games_told(games: Sequence[LabelledGame]) -> list[list[Any]]:
    """What a study depends on of its games."""
    return [[game.game_id, game.hint, game.book_name, game.paragraph_id, game.opening_sentence] for game in games]


def _name(prefix: str, told: Sequence[Any]) -> str:
    """A name that changes with what a study depends on, so that no study goes on with other games or another store."""
    return f"{prefix}-{hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()[:12]}"


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
            option(
                "--objective",
                "NAME",
                "what the search's study climbs: mixed (RR, a little of Success@k and of abstaining rightly), RR, "
                "Success@1, Success@5 or Success@20 (default: %(default)s)",
                default=MIXED,
            ),
            option("--trials", "N", "that the study has in the end", type=at_least(1), required=True),
            seed("of splits, sampler and intervals"),
            several(
                "--referee",
                "SPEC",
                "also tune error rates, by games answered by this referee; again for another (default: search alone)",
            ),
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
        notes=spec_table(),
    ),
)
