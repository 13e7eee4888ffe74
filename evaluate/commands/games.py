"""`games check`, `games label`, `questions`, `serve`: check labelled games, write, ask about and serve them."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from quarry.configs import arguments as cli
from quarry.configs.places import BUNDLED
from quarry.configs.terminal import pluralize, visible
from quarry.evaluate.answers.batches import VIEWED
from quarry.evaluate.commands import shared
from quarry.evaluate.errors import BatchError
from quarry.evaluate.games.labelled import FORM, KEYS, read_games
from quarry.evaluate.referee.simulated import tools_of
from quarry.evaluate.referee.spec import spec_table
from quarry.ingest.store import open_store


def check(options: argparse.Namespace) -> int:
    """Print the errors of a games file; return 1 if there are any."""
    from quarry.evaluate.games.locating import check_games

    games, problems, unknown = read_games(options.games)
    findings = [("", str(problem)) for problem in problems]
    findings += [
        ("", f"a key must be one of {', '.join(KEYS)}, got {key!r} in {pluralize(n_lines, 'line')}; it is ignored")
        for key, n_lines in sorted(unknown.items())
    ]
    findings += check_games(games, open_store(options.store, options.collection).paragraphs)
    for game_id, wrong in findings:
        print(f"{game_id}: {wrong}" if game_id else wrong)
    print(f"{options.games}: {pluralize(len(games), 'game')}, {pluralize(len(findings), 'thing')} wrong")
    return 1 if findings else 0


def label(options: argparse.Namespace) -> int:
    """Ask a person for games until the paragraphs or the answers end."""
    from quarry.evaluate.games.labeller import label_games

    cli.settings_of(options)
    shared.require_writable(options.out)
    paragraphs = open_store(options.store, options.collection).paragraphs
    chosen = [paragraphs[row] for row in np.random.default_rng(options.seed).permutation(len(paragraphs))]
    if reconfigure := getattr(sys.stdin, "reconfigure", None):
        reconfigure(errors="surrogateescape")  # a line that is not UTF-8 is asked for again
    n_games = label_games(chosen, options.out, input)
    print(f"{options.out}: {pluralize(n_games, 'game')}; the same command goes on from here")
    return 0


def questions(options: argparse.Namespace) -> int:
    """Write the batches; return 1 if a game has no paragraph to ask about."""
    from tqdm.auto import tqdm

    from quarry.evaluate.answers.batches import batch_line, make_batches, respondent_line
    from quarry.evaluate.games.locating import locate_in
    from quarry.player.player import build_player

    shared.require_writable(options.out)
    if options.view and not options.for_respondent:
        raise BatchError(
            f"--view must come with --for-respondent, got {options.view} alone; a batch is the same for all views"
        )
    settings = cli.settings_of(options)
    games = [game for game in shared.chosen_games(options) if game.answerable]
    store = shared.open_for(options)
    located = locate_in(games, store, str(options.games))
    batches = make_batches(games, located, build_player(store, settings, options.seed))
    retrieve = tools_of(store, settings.embed).retrieve
    lines = [
        respondent_line(batch, options.view or "paragraph", retrieve) if options.for_respondent else batch_line(batch)
        for batch in tqdm(batches, desc="asking", unit="game", total=len(games))
    ]
    shared.write_text(options.out, "".join(f"{line}\n" for line in lines))
    print(f"{options.out}: {len(lines)} batches of 20 questions", file=sys.stderr)
    return shared.lost_code(options, len(games) - len(lines))


def serve(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from quarry.evaluate.practice.server import PracticeServer, create_app, listen, load_repertoire
    from quarry.evaluate.practice.server import serve as serve_app

    settings = cli.settings_of(options)
    with listen(options.host, options.port) as listener:
        host = f"[{options.host}]" if ":" in options.host else options.host
        url = f"http://{host}:{listener.getsockname()[1]}"
        store = shared.open_for(options)
        repertoire = load_repertoire(store, options.games, options.referee, options.seed, settings)
        server = PracticeServer(repertoire, options.seed)
        line = (
            f"practice game server on {url} with {len(repertoire.games)} games, OpenAPI at /docs; stop it with Ctrl-C"
        )
        print(visible(line), file=sys.stderr, flush=True)
        serve_app(create_app(server), listener)
    return 0


COMMANDS = (
    shared.command(
        "games check",
        "--store data/store --games data/games/english.jsonl",
        (*shared.COURSE, shared.GAMES),
        check,
        settings=(),
        notes=FORM,
    ),
    shared.command(
        "games label",
        "--store my/store --out my/games.jsonl",
        (
            *shared.COURSE,
            cli.path("--out", "FILE", "the games file; it is added to", required=True),
            shared.seed("of the order"),
        ),
        label,
    ),
    shared.command(
        "questions",
        "--games data/games/english.jsonl --split train --out batches.jsonl",
        (
            *shared.PLAYED,
            shared.seed("of splits and questions"),
            cli.path("--out", "BATCHES.jsonl", "one game a line: game_id, paragraph, questions", required=True),
            cli.flag(
                "--for-respondent",
                says="write what respondents are shown, not what the questions are about; `replay --answers` needs "
                "the other file",
            ),
            cli.option(
                "--view",
                "|".join(VIEWED),
                "with --for-respondent: what they see of the paragraph; opening calls its opening sentence the "
                "paragraph, passages gives that sentence and, for each question, four paragraphs of the course "
                "(default: paragraph)",
                choices=VIEWED,
            ),
        ),
        questions,
    ),
    shared.command(
        "serve",
        "--store data/store",
        (
            *shared.COURSE,
            cli.path(
                "--games",
                "FILE",
                "labelled games (default: the bundled ones)",
                default=BUNDLED / "games" / "english.jsonl",
            ),
            cli.option("--host", "H", "address to listen on (default: %(default)s)", default="127.0.0.1"),
            cli.number("--port", 0, "port, 0 for a free one", 8017),
            cli.option("--referee", "SPEC", "who answers (default: %(default)s)", default="oracle"),
            cli.number("--seed", 0, "of the choice of games (default: by chance)"),
        ),
        serve,
        notes=spec_table(),
    ),
)
