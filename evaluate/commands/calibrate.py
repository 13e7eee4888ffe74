"""`calibrate search|prior|rates|tokens|words`: fits the numbers that search, belief and associations rely on."""

from __future__ import annotations

import argparse
import functools
import json
import sys
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from tqdm.auto import tqdm

from quarry.configs.arguments import (
    COLLECTION,
    JSON,
    PRESET,
    STORE,
    Option,
    flag,
    number,
    option,
    path,
    settings_of,
    several,
    warn,
)
from quarry.configs.json_files import read_objects
from quarry.configs.places import own_fit, to_fit
from quarry.evaluate.commands.command import (
    ANSWERS,
    BATCHES,
    GAMES,
    SPLIT,
    as_json,
    chosen_games,
    command,
    lost_code,
    open_for,
    print_json,
    require_writable,
    seed,
    write_text,
)
from quarry.evaluate.errors import BatchError, GamesError
from quarry.evaluate.games.labelled import LabelledGame, load_games
from quarry.evaluate.games.locating import locate_games, require_of_store
from quarry.evaluate.games.splits import select_split
from quarry.ingest.embed import BUILT_IN, TokenEmbedder
from quarry.ingest.embed.hint_bank import HINTS, Hints, load_hints
from quarry.ingest.embed.tokens import FORMS, MOST_COMPONENTS, N_COMPONENTS, basis_of
from quarry.ingest.store import Course, open_store
from quarry.player.answer.associations import ASSOCIATIONS_FILE
from quarry.player.questions.places import STARTS_FILE
from quarry.player.questions.rates import RATES_FILE
from quarry.player.questions.views import VIEWS
from quarry.player.search.calibration import CALIBRATION, as_tree, calibration_of, is_calibrated

N_NEGATIVES = 600
"""Of the bundled hints."""
OURS = "where to write (default: the player's own)"


def search(options: argparse.Namespace) -> int:
    """Fit, and write the numbers beside those of the user's other embedders."""
    from quarry.evaluate.fit.calibration import calibrate, hints_about, labelled_course
    from quarry.player.search.build import store_embedder, word_scorers
    from quarry.player.search.cache import RememberingEmbedder

    require_writable(options.out)
    settings = settings_of(options)
    if (options.questions is None) != (options.questions_store is None):
        raise GamesError(
            "--questions and --questions-store must come together, got one; name the other, or leave both out"
        )
    store = open_store(options.store, options.collection)
    questions = open_store(options.questions_store) if options.questions_store else None
    if questions is not None and store.embedder_spec != questions.embedder_spec:
        raise GamesError(
            f"--questions-store must be of the embedder {store.embedder_spec!r}, got {questions.embedder_spec!r}; "
            "ingest it with --embedder"
        )
    embedder = RememberingEmbedder(store_embedder(store, settings))
    before = calibration_of(store.embedder_spec)
    if not is_calibrated(store.embedder_spec):
        before = before.rescaled(store.vectors)
    course = labelled_course(store, embedder, chosen_games(options))
    bank = load_hints(Path(settings.search.hints) if settings.search.hints else HINTS)
    ordinary = None
    if questions is not None:
        asked = load_games(options.questions, "--questions")
        asked = asked[:: max(1, len(asked) // options.limit)]
        ordinary = labelled_course(questions, embedder, asked)
        ordinary = replace(ordinary, scorers=word_scorers(questions, settings, embedder, bank))
    fitted = calibrate(
        replace(course, scorers=word_scorers(store, settings, embedder, hints_about(course, bank)), hubs=options.hubs),
        ordinary,
        _texts(options.negatives) if options.negatives else _of_others(store, bank),
        settings.search,
        before,
    )
    tree = json.loads(options.out.read_text(encoding="utf-8")) if options.out.exists() else {}
    tree[store.embedder_spec] = as_tree(fitted)
    write_text(options.out, as_json(tree) + "\n")
    used = f"; used for every store of {store.embedder_spec}" if options.out == own_fit(CALIBRATION) else ""
    warn(options, f"written to {options.out}{used}")
    print_json(tree[store.embedder_spec])
    return 0


def _of_others(store: Course, bank: Hints) -> list[str]:
    """Return the bundled hints, which are about other lectures.

    Raises:
        GamesError: they are about these.
    """
    if not bank.course.isdisjoint(document.doc_id for document in store.documents):
        raise GamesError(
            "--negatives must be given for the bundled lectures, which the bundled hints are about, got none"
        )
    return list(bank.texts)[:N_NEGATIVES]


def _texts(path: Path) -> list[str]:
    texts = [(where, found.get("text")) for where, found in read_objects(path, GamesError, named="--negatives")]
    for where, text in texts:
        if not isinstance(text, str):
            raise GamesError(f"{where}: text must be a string, got {text!r}; mend the line or remove it")
    if not texts:
        raise GamesError(f'--negatives must hold at least one {{"text"}}, got none in {path}')
    return [str(text) for _, text in texts]


def prior(options: argparse.Namespace) -> int:
    """Fit, and print the settings; 1 if a game's paragraph is not in the store."""
    from quarry.evaluate.fit.prior import fit_prior, log_likelihood
    from quarry.player.player import build_player

    settings = settings_of(options)
    games = [game for game in chosen_games(options) if game.answerable]
    store = open_for(options, settings)
    located = locate_games(games, store.paragraphs)
    require_of_store(located, store.location, str(options.games))
    player = build_player(store, settings)
    places = player.index.places
    found = [
        (player.candidates(game.told()), paragraph.opening_sentence)
        for game in tqdm(games, desc="searching", unit="game")
        if (paragraph := located.get(game.game_id)) is not None
    ]
    if not found:
        raise GamesError(f"{options.games}: at least one game must be answerable, got none; add some")
    require_writable(options.out)
    fit = fit_prior(found, places, player.prior_model.floor)
    fitted = {
        "prior_temperature": round(fit.model.temperature, 3),
        "prior_filter_share": round(fit.model.book_share["filter"], 4),
        "prior_boost_share": round(fit.model.book_share["boost"], 4),
    }
    now = log_likelihood(found, places, player.prior_model)
    weights = {name: round(weight, 2) for name, weight in fit.weights.items()}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps({"weights": weights}, indent=1) + "\n", encoding="utf-8")
    if options.json:
        told = {"game": fitted, "weights": weights, "log_likelihood": fit.log_likelihood, "now": now}
        print_json(told | {"games": fit.n_games, "out": str(options.out)})
    else:
        print("game:")
        for name, value in fitted.items():
            print(f"  {name}: {value}")
    print(
        f"wrote the weights of kinds and places to {options.out}; mean log-likelihood of {fit.n_games} games: "
        f"{fit.log_likelihood:.4f} fitted, {now:.4f} with the settings now",
        file=sys.stderr,
    )
    return lost_code(options, len(games) - len(found))


def rates(options: argparse.Namespace) -> int:
    """Count, print and write; 1 if a game's paragraph is not in the store."""
    from quarry.evaluate.answers.batches import read_answered
    from quarry.evaluate.fit.rates import count_answers, logged_answers, read_logged
    from quarry.player.player import build_player
    from quarry.player.questions.kinds import KINDS
    from quarry.player.questions.rates import Counts, learned, rates_yaml

    require_writable(options.out)
    if not options.batches or not options.answers:
        raise BatchError("--batches and --answers must be given, got one or none; name what `questions` wrote")
    settings = settings_of(options)
    batches, answers, games = read_answered(options.batches, options.answers, load_games(options.games), options.games)
    store = open_for(options, settings)
    player = build_player(store, settings)
    located = {
        game_id: paragraph.opening_sentence
        for game_id, paragraph in locate_games(games, store.paragraphs).items()
        if paragraph is not None
    }
    priors = {name: kind.wrong for name, kind in KINDS.items()}
    before = read_logged(options.out) if options.out.is_file() else {}
    counts = count_answers(logged_answers(batches, answers, located, player, options.view), priors)
    if options.add:
        counts = {
            key: Counts(count.given + before[key].given, count.wrong + before[key].wrong) if key in before else count
            for key, count in counts.items()
        }
    kept = {key: count for key, count in before.items() if options.add or key[0] != options.view}
    write_text(options.out, rates_yaml(kept | counts))
    found = {key: learned(priors[key[1]], count) for key, count in counts.items()}
    if options.json:
        print_json(
            {
                f"{view} {kind}": {"wrong": found[view, kind], "logged": asdict(counts[view, kind])}
                for view, kind in counts
            }
        )
    else:
        print(f"{'view':10} {'kind':10} {'answers':>8} {'wrong':>7}")
        for (view, kind), wrong in found.items():
            print(f"{view:10} {kind:10} {counts[view, kind].given:8.0f} {wrong:7.3f}")
    print(f"{options.out}: learned from {len(located)} games", file=sys.stderr)
    return lost_code(options, len(answers) - len(located))


def tokens(options: argparse.Namespace) -> int:
    """Fit, write, and print how much of the tokens' vectors is kept."""
    spec: str = options.embedder
    out: Path = options.out or to_fit(FORMS / f"{spec}.npy")
    require_writable(out)
    settings = settings_of(options)
    stores = [open_store(location) for location in options.store]
    embedder = stores[0].models(settings.embed).embedder(spec)
    assert isinstance(embedder, TokenEmbedder)
    states = np.concatenate(
        [embedder.read_passages([paragraph.text for paragraph in store.paragraphs])[1].states for store in stores]
    )
    basis = basis_of(states, N_COMPONENTS.get(spec, MOST_COMPONENTS))
    np.save(out, basis)
    unit = states / np.linalg.norm(states, axis=1, keepdims=True)
    kept = np.square(unit @ basis.astype(np.float32)).sum(axis=1).mean()
    print(
        f"{spec}: {len(states)} tokens, {basis.shape[1]} of {basis.shape[0]} components, which hold {kept:.2f} of them"
    )
    return 0


def words(options: argparse.Namespace) -> int:
    """Fit the weights on the train split, write, and print how well the words do on each split."""
    from quarry.evaluate.fit import associations as fitting
    from quarry.evaluate.referee.scoring import word_similarity
    from quarry.ingest.embed import Models
    from quarry.ingest.paragraph import Paragraph
    from quarry.player.answer.associations import load_associations
    from quarry.player.answer.guess import associative_words

    require_writable(options.out)
    games = [game for game in load_games(options.games) if game.associative_word and game.paragraph]
    if not games:
        raise GamesError(
            f"{options.games}: at least one game must have associative_word and paragraph, got none; add their texts"
        )
    models = Models(options.models, settings_of(options).embed)
    weights = fitting.fit_weights(load_associations(ASSOCIATIONS_FILE), select_split(games, "train", 0))
    fitting.write_weights(weights, ASSOCIATIONS_FILE, options.out)
    made = load_associations(options.out)
    print(f"{len(made.words)} words, weights {np.round(made.weights[1], 2).tolist()}")

    def choose(game: LabelledGame) -> list[str]:
        paragraph = Paragraph("", "", 0, "", game.paragraph, "")
        return associative_words(paragraph, game.association_domain, game.hint, made)

    similarity = functools.cache(word_similarity("minilm", models))
    named = {game.split for game in games}
    for split in ("train", "validation", "test"):
        if split in named or named == {None}:
            score = fitting.score_associations(choose, select_split(games, split, 0), similarity)
            print(
                f"{split:10} {score.n_games:4} games, exact {score.exact:.3f}, among 20 {score.top20:.3f}, "
                f"score {score.score:.1f} +- {score.half_width:.1f} (the domain itself {score.domain_score:.1f})"
            )
    return 0


COMMANDS = (
    command(
        "calibrate search",
        "--store my/store --games my/games.jsonl",
        (
            *(STORE, COLLECTION, GAMES, SPLIT),
            option(
                "--questions-store",
                "DIR",
                "store of the same embedder, for ordinary questions (default: what keywords count stays as it is)",
            ),
            path("--questions", "FILE", "ordinary questions about it, as labelled games"),
            path(
                "--negatives",
                "FILE",
                'hints about nothing of it, {"text"} a line (default: the hints for other courses of Quarry)',
            ),
            number("--limit", 1, "questions used", 600),
            Option(
                ("--hubs",),
                {
                    "action": argparse.BooleanOptionalAction,
                    "default": True,
                    "help": "whether a paragraph's nearness to hints in general is weighed where models compare word "
                    "by word; it says little where most hints are in another language than the course",
                },
            ),
            path("--out", "FILE", "default: %(default)s", default=functools.partial(own_fit, CALIBRATION)),
        ),
        search,
    ),
    command(
        "calibrate prior",
        "--games data/games/english.jsonl --split train",
        (
            *(STORE, COLLECTION, GAMES, SPLIT, PRESET, seed("of splits")),
            path("--out", "STARTS.json", "default: %(default)s", default=functools.partial(own_fit, STARTS_FILE)),
            JSON,
        ),
        prior,
    ),
    command(
        "calibrate rates",
        "--games data/games/english.jsonl --batches data/games/answers/english-batches.jsonl "
        "--answers data/games/answers/english-paragraph-learning.jsonl",
        (
            *(STORE, COLLECTION, GAMES, BATCHES, ANSWERS),
            option(
                "--view",
                "|".join(VIEWS),
                "what the respondents saw of the paragraph (default: %(default)s); rates of other views stay as they "
                "are",
                choices=VIEWS,
                default="paragraph",
            ),
            flag("--add", says="add to what --out has of this view, e.g. answers in another language"),
            path("--out", "RATES.yaml", OURS, default=functools.partial(to_fit, RATES_FILE)),
            JSON,
        ),
        rates,
    ),
    command(
        "calibrate tokens",
        "--embedder minilm --store data/store",
        (
            option("--embedder", "|".join(BUILT_IN), "whose tokens", required=True, choices=BUILT_IN),
            several("--store", "DIR", "whose paragraphs; repeatable", required=True),
            path("--out", "FILE.npy", "where to write (default: ingest's own)"),
        ),
        tokens,
    ),
    command(
        "calibrate words",
        "--games data/games/english.jsonl --models data/store/models",
        (
            GAMES,
            path("--models", "DIR", "folder of exported models", required=True),
            path("--out", "FILE.npz", OURS, default=functools.partial(to_fit, ASSOCIATIONS_FILE)),
        ),
        words,
    ),
)
