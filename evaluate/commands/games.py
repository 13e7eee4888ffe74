"""`games check`, `games label`, `questions`, `serve`: check labelled games, write, ask about and serve them."""

import argparse
import logging
import sys
from typing import get_args

import numpy as np

from configs.directories import BUNDLED
from evaluate.commands import shared
from evaluate.errors import BatchError
from evaluate.games.labelled import FORM, KEYS, read_games
from evaluate.games.labeller import SKIPPED_KINDS
from evaluate.referee.simulated import tools_of
from evaluate.referee.spec import SPEC_NOTE, spec_table
from evaluate.replay.batches import VIEWED
from quarry import cli
from quarry.languages.language import Kind
from quarry.store import open_store
from quarry.terminal import pluralize, visible

logger = logging.getLogger(__name__)


def referees(options: argparse.Namespace) -> int:
    """Print the terms of a SPEC."""
    print(spec_table())
    return 0


def check(options: argparse.Namespace) -> int:
    """Print the errors of a games file; return 1 if there are any."""
    from evaluate.games.locating import check_games

    games, problems, unknown = read_games(options.games)
    store = open_store(options.store, options.collection)
    lines = [*map(str, problems)]
    for key, n_lines in sorted(unknown.items()):
        where = pluralize(n_lines, "line")
        lines.append(f"Unknown key {key!r} in {where}; the keys are {', '.join(KEYS)}.")
    for game_id, error in check_games(games, store.paragraphs):
        lines.append(f"{game_id}: {error}")

    for line in lines:
        print(visible(line))
    n_games, n_wrong = pluralize(len(games), "game"), pluralize(len(lines), "thing")
    print(f"{options.games}: {n_games}, {n_wrong} wrong")
    return 1 if lines else 0


def label(options: argparse.Namespace) -> int:
    """Ask a person for games until the paragraphs or the answers end."""
    from evaluate.games.labeller import choose_paragraphs, label_games

    paragraphs = choose_paragraphs(
        open_store(options.store, options.collection).paragraphs,
        options.lecture,
        options.kinds,
    )
    order = np.random.default_rng(options.seed).permutation(len(paragraphs))
    if reconfigure := getattr(sys.stdin, "reconfigure", None):
        # a line that is not UTF-8 is asked for again
        reconfigure(errors="surrogateescape")
    n_games = label_games([paragraphs[row] for row in order], options.out, input)
    print(
        f"{options.out}: {pluralize(n_games, 'game')}; the same command goes on from here"
    )
    return 0


def draw(options: argparse.Namespace) -> int:
    """Write secrets as a referee's program draws them; their hints are still to be written."""
    import json

    from evaluate.games.drawing import draw_secrets

    edition = f"{options.reader}:{options.cut}"
    secrets = draw_secrets(options.pdfs, edition, options.n, options.seed)
    lines = [f"{json.dumps(secret, ensure_ascii=False)}\n" for secret in secrets]
    shared.write_text(options.out, "".join(lines))
    print(f"{options.out}: {pluralize(len(lines), 'secret')}; write a hint for each")
    return 0


def questions(options: argparse.Namespace) -> int:
    """Write the batches; return 1 if a game has no paragraph to ask about."""
    from tqdm.auto import tqdm

    from evaluate.games.locating import locate_in
    from evaluate.replay.batches import batch_line, make_batches, respondent_line
    from player.player import build_player

    if options.view and not options.for_respondent:
        raise BatchError("--view needs --for-respondent; a batch has no view.")
    games = shared.answerable_games(options)
    store = shared.open_for(options)
    located = locate_in(games, store, str(options.games))
    batches = make_batches(
        games, located, build_player(store, options.settings, options.seed)
    )
    retrieve = tools_of(store, options.settings.embed).retrieve
    lines = []
    for batch in tqdm(batches, desc="asking", unit="game", total=len(games)):
        line = batch_line(batch)
        if options.for_respondent:
            line = respondent_line(batch, options.view or "paragraph", retrieve)
        lines.append(f"{line}\n")
    shared.write_text(options.out, "".join(lines))
    print(f"{options.out}: {len(lines)} batches of 20 questions", file=sys.stderr)
    return shared.lost_code(options, len(games) - len(lines))


def serve(options: argparse.Namespace) -> int:
    """Serve until interrupted."""
    from evaluate.practice.routes import listen
    from evaluate.practice.routes import serve as serve_app
    from evaluate.practice.server import PracticeServer, load_repertoire
    from evaluate.studio.matches import create_app

    with listen(options.host, options.port) as listener:
        host = f"[{options.host}]" if ":" in options.host else options.host
        url = f"http://{host}:{listener.getsockname()[1]}"
        store = shared.open_for(options)
        repertoire = load_repertoire(
            store, options.games, options.referee, options.seed, options.settings
        )
        server = PracticeServer(repertoire, options.seed, is_public=True)
        n_games = len(repertoire.games)
        order = "random" if options.seed is None else f"of seed {options.seed}"
        logger.info(
            "practice game server on %s with %d games, their order %s; players and results are on this page, "
            "the HTTP of players at /docs; stop it with Ctrl-C",
            url,
            n_games,
            order,
        )
        serve_app(create_app(server), listener, [options.host, *options.names])
    return 0


COMMANDS = {
    "referees": cli.Command("", (), referees),
    "games check": cli.Command(
        "--store data/store --games data/games/english.jsonl",
        (*shared.COURSE, shared.GAMES),
        check,
        notes=FORM,
    ),
    "games label": cli.Command(
        "--store my/store --out my/games.jsonl",
        (
            *shared.COURSE,
            shared.out("FILE", "the games file; it is added to", required=True),
            cli.option(
                "--lecture",
                "NAME",
                "only paragraphs of this lecture: its file's name, or a part of it",
                default="",
            ),
            cli.several(
                "--kind",
                "KIND",
                f"only paragraphs of this kind; repeatable (default: all but {', '.join(sorted(SKIPPED_KINDS))})",
                dest="kinds",
                choices=get_args(Kind),
            ),
            shared.seed("of the order"),
        ),
        label,
    ),
    "games draw": cli.Command(
        "lectures/*.pdf --reader pdfplumber --cut page --n 20 --out secrets.jsonl",
        (
            cli.path("pdfs", "PDF", "lectures to draw from", nargs="+"),
            cli.option(
                "--reader",
                "READER",
                "the referee's library, as in ingest.editions (default: pdfplumber)",
                default="pdfplumber",
            ),
            cli.option(
                "--cut",
                "CUT",
                "the referee's cut, as in ingest.editions (default: page)",
                default="page",
            ),
            cli.number("--n", 1, "secrets", default=20),
            shared.out("FILE", "the games file", required=True),
            shared.seed("of the draw"),
        ),
        draw,
    ),
    "questions": cli.Command(
        "--games data/games/english.jsonl --split train --out batches.jsonl",
        (
            *shared.PLAYED,
            shared.seed("of splits and questions"),
            shared.out(
                "BATCHES.jsonl",
                "one game a line: game_id, paragraph, questions",
                required=True,
            ),
            cli.flag(
                "--for-respondent",
                "write what respondents are shown, not what the questions are about; `replay --answers` needs "
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
    "serve": cli.Command(
        "--store data/store",
        (
            *shared.COURSE,
            cli.path(
                "--games",
                "FILE",
                "labelled games (default: the bundled ones)",
                default=BUNDLED / "games" / "english.jsonl",
            ),
            cli.option(
                "--host",
                "H",
                "address to listen on (default: %(default)s)",
                default="127.0.0.1",
            ),
            cli.several(
                "--name",
                "NAME",
                "name under which players reach the server, if it is neither localhost, this machine's name nor an "
                "address; repeatable",
                dest="names",
            ),
            cli.number("--port", 0, "port, 0 for a free one", 8017),
            cli.option(
                "--referee",
                "SPEC",
                "who answers (default: %(default)s)",
                default="oracle",
            ),
            cli.number("--seed", 0, "of the choice of games (default: by chance)"),
        ),
        serve,
        notes=SPEC_NOTE,
    ),
}
