"""`tune`, `calibrate search` and `calibrate prior`: fit the settings and the numbers of search on labelled games."""

from __future__ import annotations

import argparse
import functools
import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from quarry.configs import arguments as cli
from quarry.configs.places import code_digest, own_fit
from quarry.configs.settings import Settings, as_dict
from quarry.configs.terminal import pluralize
from quarry.evaluate.commands import shared
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.labelled import SPLITS, LabelledGame, load_games, select_split
from quarry.evaluate.games.locating import locate_games, locate_in
from quarry.evaluate.runs.run import commit
from quarry.ingest.store import Course, open_store
from quarry.player.questions.start_model import STARTS_FILE
from quarry.player.search.calibration import CALIBRATION, as_tree, calibration_for

if TYPE_CHECKING:
    from quarry.configs.executors import Workers

N_NEGATIVES = 600
"""Most bundled hints that a calibration takes as negatives."""


def tune(
    games: Sequence[LabelledGame],
    store: Course,
    settings: Settings,
    *,
    n_trials: int,
    seed: int = 0,
    storage: str | None = None,
    workers: Workers = 1,
    **study: Any,
) -> dict[str, Any]:
    """Fit the search's settings on training games, choose on validation games and report on test games.

    Args:
        settings: the untuned ones.
        n_trials: that the study has in the end.
        seed: the seed of splits, sampler and intervals.
        storage: URL of a database, or the path of an SQLite file, with a study to resume; None keeps nothing.
        workers: processes that score games and judge trials; or a cluster.
        study: `prune` and `warm_start`, as of `run_study`.

    Returns:
        The figures of tuned and untuned settings; `settings`, the values of what was tuned; `tuned_settings`, the
        whole of `search`; `game_settings`, the whole of `game`, and `embed_settings`, which tuning does not change.

    Raises:
        GamesError: a split has no answerable game, or the games are another corpus's.
        TuneError: the storage cannot be reached, or the settings cannot be tuned.
        WorkerError: workers cannot do the work.
    """
    from quarry.configs.executors import executor_of
    from quarry.evaluate.tuning.prepared import OBJECTIVE, prepare
    from quarry.evaluate.tuning.storage import open_storage
    from quarry.evaluate.tuning.study import load_space, numbers_of, report, run_study

    tunable = load_space()
    open_storage(storage)  # before anything is prepared for it
    by_split = {name: select_split(games, name, seed) for name in SPLITS}
    chosen = [game for part in by_split.values() for game in part]
    located = locate_in(chosen, store)
    for split, part in by_split.items():
        if not any(game.answerable for game in part):
            raise GamesError(f"--games must hold an answerable game in the split {split}, there is none; add some")
    base = settings.search
    labels = [[game.game_id, game.hint, game.book_name, game.paragraph_id, game.opening_sentence] for game in chosen]
    # the name changes with games, settings and store: no study goes on with others
    depends_on = json.dumps([labels, store.fingerprint, as_dict(settings)["search"], repr(tunable)], sort_keys=True)
    name = f"quarry-{hashlib.sha256(depends_on.encode()).hexdigest()[:12]}"
    with executor_of(workers) as executor:
        prepared = prepare(chosen, located, store, settings, executor=executor)
        ends = itertools.accumulate(map(len, by_split.values()), initial=0)
        splits = {
            split: prepared.part(slice(*rows)) for split, rows in zip(by_split, itertools.pairwise(ends), strict=True)
        }
        tuned = run_study(
            tunable,
            splits,
            base,
            name=name,
            n_trials=n_trials,
            seed=seed,
            storage=storage,
            executor=executor,
            **study,
            attributes={"store": store.location, "untuned": numbers_of(tunable, base)},
        )
    return {
        "objective": OBJECTIVE,
        "study": name,
        "trials": len(tuned.trials),
        "trials_before": tuned.n_before,
        "seconds": round(tuned.seconds, 1),
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
            storage=options.storage,
            workers=workers,
            prune=options.prune,
            warm_start=options.warm_start,
        )
    found["games"] = str(options.games)
    if options.out is not None:
        write_tuned(found, options.out)
    if options.json:
        print(shared.as_json({**found, "written_to": options.out and str(options.out)}))
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


def calibrate_search(options: argparse.Namespace) -> int:
    """Fit relevance and fusion, and write the numbers next to those of the user's other embedders."""
    from quarry.evaluate.tuning.calibration import calibrate
    from quarry.ingest.embed.hint_bank import as_asked, hints_of, load_hints
    from quarry.player.search.build import store_embedder, word_scorers
    from quarry.player.search.cache import CachingEmbedder

    shared.require_writable(options.out)
    settings = cli.settings_of(options)
    store = open_store(options.store, options.collection)
    spec = store.embedder_spec
    embedder = CachingEmbedder(store_embedder(store, settings))
    before = calibration_for(store)
    games = shared.chosen_games(options)
    located = locate_games(games, store.paragraphs)
    bank = load_hints()
    is_about_others = bank.course.isdisjoint(document.doc_id for document in store.documents)
    negatives = [game.hint for game in games if not game.answerable]
    if is_about_others:
        negatives += bank.texts[:N_NEGATIVES]
    else:
        # the hints of the games, each with its document, so that nearness reveals no answer
        documents = {game_id: paragraph.doc_id for game_id, paragraph in located.items() if paragraph}
        bank = hints_of({as_asked(game.hint): documents.get(game.game_id, "") for game in games})
    scorers = word_scorers(store, settings, embedder, bank)
    fitted = as_tree(calibrate(store, embedder, scorers, games, located, negatives, settings.search, before))
    tree = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    shared.write_text(options.out, shared.as_json({**tree, spec: fitted}) + "\n")
    used = f"; used for every store of {spec}" if options.out == own_fit(CALIBRATION) else ""
    cli.warn(options, f"written to {options.out}{used}")
    print(shared.as_json(fitted))
    return 0


def calibrate_prior(options: argparse.Namespace) -> int:
    """Fit the prior, write its weights and print its settings; return 1 if a game's paragraph is not in the store."""
    from tqdm.auto import tqdm

    from quarry.evaluate.tuning.prior import fit_prior
    from quarry.player.player import build_player
    from quarry.player.questions.places import places_of

    shared.require_writable(options.out)
    settings = cli.settings_of(options)
    games = [game for game in shared.chosen_games(options) if game.answerable]
    store = open_store(options.store, options.collection)
    located = locate_in(games, store, str(options.games))
    player = build_player(store, settings)
    found = [
        (player.candidates(game.round_start()), paragraph.opening_sentence)
        for game in tqdm(games, desc="searching", unit="game")
        if (paragraph := located[game.game_id]) is not None
    ]
    fit = fit_prior(found, places_of(store.paragraphs))
    weights = {name: round(weight, 2) for name, weight in fit.weights.items()}
    shared.write_text(options.out, json.dumps({"weights": weights}, indent=1) + "\n")
    print(
        "game:",
        f"  prior_temperature: {fit.temperature:.3f}",
        f"  prior_filter_share: {fit.book_share['filter']:.4f}",
        f"  prior_boost_share: {fit.book_share['boost']:.4f}",
        sep="\n",
    )
    cli.warn(options, f"{pluralize(fit.n_games, 'game')}; weights of kinds and places written to {options.out}")
    return shared.lost_code(options, len(games) - len(found))


COMMANDS = (
    shared.command(
        "tune",
        "--store data/store --games data/games/english.jsonl --trials 2000",
        (
            *(*shared.COURSE, shared.GAMES, cli.PRESET),
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
    shared.command(
        "calibrate search",
        "--store my/store --games my/games.jsonl",
        (
            *(*shared.COURSE, shared.GAMES, shared.SPLIT),
            cli.path("--out", "FILE", "default: %(default)s", default=functools.partial(own_fit, CALIBRATION)),
        ),
        calibrate_search,
    ),
    shared.command(
        "calibrate prior",
        "--games data/games/english.jsonl --split train",
        (
            *(*shared.PLAYED, shared.seed("of splits")),
            cli.path("--out", "STARTS.json", "default: %(default)s", default=functools.partial(own_fit, STARTS_FILE)),
        ),
        calibrate_prior,
    ),
)
