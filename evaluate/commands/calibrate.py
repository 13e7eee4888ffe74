"""`calibrate search|prior`: fit the numbers of search, and of the belief before the questions, on labelled games."""

from __future__ import annotations

import argparse
import functools
import json
from pathlib import Path

from quarry.configs import arguments as cli
from quarry.configs.json_files import read_objects
from quarry.configs.places import own_fit
from quarry.configs.terminal import pluralize
from quarry.evaluate.commands import shared
from quarry.evaluate.errors import GamesError
from quarry.evaluate.games.locating import locate_games
from quarry.ingest.embed.hint_bank import as_asked, hints_of, load_hints
from quarry.ingest.store import open_store
from quarry.player.questions.start_model import STARTS_FILE
from quarry.player.search.calibration import CALIBRATION, as_tree, calibration_for

N_NEGATIVES = 600
"""Most bundled hints that a calibration takes as negatives."""


def search(options: argparse.Namespace) -> int:
    """Fit relevance and fusion, and write the numbers next to those of the user's other embedders."""
    from quarry.evaluate.fit.calibration import calibrate
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
    if options.negatives:
        negatives = _texts(options.negatives)
    elif is_about_others:
        negatives = list(bank.texts)[:N_NEGATIVES]
    else:
        raise GamesError("--negatives must be given for the bundled lectures, which the bundled hints are about")
    if not is_about_others:  # the hints of the games, each with its document, so that nearness reveals no answer
        documents = {game_id: paragraph.doc_id for game_id, paragraph in located.items() if paragraph}
        bank = hints_of({as_asked(game.hint): documents.get(game.game_id, "") for game in games})
    scorers = word_scorers(store, settings, embedder, bank)
    fitted = as_tree(calibrate(store, embedder, scorers, games, located, negatives, settings.search, before))
    tree = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    shared.write_text(options.out, shared.as_json({**tree, spec: fitted}) + "\n")
    used = f"; used for every store of {spec}" if options.out == own_fit(CALIBRATION) else ""
    cli.warn(options, f"written to {options.out}{used}")
    shared.print_json(fitted)
    return 0


def prior(options: argparse.Namespace) -> int:
    """Fit the prior, write its weights and print its settings; return 1 if a game's paragraph is not in the store."""
    from tqdm.auto import tqdm

    from quarry.evaluate.fit.prior import fit_prior
    from quarry.player.player import build_player

    shared.require_writable(options.out)
    settings = cli.settings_of(options)
    games = [game for game in shared.chosen_games(options) if game.answerable]
    store = open_store(options.store, options.collection)
    located = shared.locate(options, games, store)
    player = build_player(store, settings)
    found = [
        (player.candidates(game.told()), paragraph.opening_sentence)
        for game in tqdm(games, desc="searching", unit="game")
        if (paragraph := located[game.game_id]) is not None
    ]
    fit = fit_prior(found, player.index_of(store.paragraphs).places)
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


def _texts(path: Path) -> list[str]:
    texts = []
    for where, found in read_objects(path, GamesError, named="--negatives"):
        if not isinstance(found.get("text"), str):
            raise GamesError(f"{where}: text must be a string, got {found.get('text')!r}; mend the line or remove it")
        texts.append(found["text"])
    if not texts:
        raise GamesError(f'--negatives must hold at least one {{"text"}}, {path} holds no line')
    return texts


COMMANDS = (
    shared.command(
        "calibrate search",
        "--store my/store --games my/games.jsonl",
        (
            *(*shared.COURSE, shared.GAMES, shared.SPLIT),
            cli.path(
                "--negatives",
                "FILE",
                'hints that the course has no answer to, {"text"} a line (default: hints for the bundled lectures)',
            ),
            cli.path("--out", "FILE", "default: %(default)s", default=functools.partial(own_fit, CALIBRATION)),
        ),
        search,
    ),
    shared.command(
        "calibrate prior",
        "--games data/games/english.jsonl --split train",
        (
            *(*shared.PLAYED, shared.seed("of splits")),
            cli.path("--out", "STARTS.json", "default: %(default)s", default=functools.partial(own_fit, STARTS_FILE)),
        ),
        prior,
    ),
)
