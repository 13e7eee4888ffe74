"""The commands `games check`, `games label`, `games draw`, `questions`, `serve` and `referees`."""

import json
import logging
import sys
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from cyclopts import Parameter
from tqdm.auto import tqdm

from configs.errors import SettingsError
from configs.project import find_project
from evaluate.commands.options import (
    Games,
    Limit,
    Out,
    Seed,
    Split,
    find_games_file,
    report_lost,
    select_games,
    write_text,
)
from evaluate.errors import BatchError
from evaluate.games.drawing import draw_secrets
from evaluate.games.labelled import BUNDLED_GAMES, GAME_KEYS, read_games
from evaluate.games.labeller import choose_paragraphs, label_games
from evaluate.games.locating import check_games, locate_in
from evaluate.referee.passages import build_retriever
from evaluate.referee.spec import SPECS, format_spec_table
from player.search.stores import open_course
from quarry.cli import (
    NonNegativeNumber,
    ParsedOverrides,
    PositiveNumber,
    Preset,
    StoreOptions,
)
from quarry.languages.language import ParagraphKind
from quarry.terminal import pluralize, visible

_log = logging.getLogger(__name__)


def referees() -> None:
    """Print the terms of a SPEC."""
    print(format_spec_table())


def check(*, games: Games = None, at: StoreOptions = StoreOptions()) -> int:
    """Print the errors of a games file; return 1 if there are any."""
    file = find_games_file(games)
    labelled, problems, unknown = read_games(file)
    course = at.open()
    lines = [*map(str, problems)]
    for key, n_lines in sorted(unknown.items()):
        where = pluralize(n_lines, "line")
        lines.append(
            f"Unknown key {key!r} in {where}; the keys are {', '.join(GAME_KEYS)}."
        )
    for game_id, error in check_games(labelled, course.paragraphs):
        lines.append(f"{game_id}: {error}")

    for line in lines:
        print(visible(line))
    n_games, n_wrong = pluralize(len(labelled), "game"), pluralize(len(lines), "thing")
    print(f"{file}: {n_games}, {n_wrong} wrong")
    return 1 if lines else 0


def label(
    *,
    out: Out,
    lecture: str = "",
    kinds: Annotated[tuple[ParagraphKind, ...], Parameter("--kind")] = (),
    at: StoreOptions = StoreOptions(),
    seed: Seed = 0,
) -> None:
    """Ask a person for games until the paragraphs or the answers end.

    Args:
        out: The games file; it is added to.
        lecture: Only paragraphs of this lecture: its file's name, or a part of it.
        kinds: Only paragraphs of this kind; repeatable (default: all that can be secrets).
    """
    paragraphs = choose_paragraphs(at.open().paragraphs, lecture, kinds)
    order = np.random.default_rng(seed).permutation(len(paragraphs))
    if reconfigure := getattr(sys.stdin, "reconfigure", None):
        # a line that is not UTF-8 is asked for again
        reconfigure(errors="surrogateescape")
    n_games = label_games([paragraphs[row] for row in order], out, input)
    print(f"{out}: {pluralize(n_games, 'game')}; the same command goes on from here")


def draw(
    *pdfs: Path,
    out: Out,
    reader: str = "pdfplumber",
    cut: str = "page",
    n: PositiveNumber = 20,
    seed: Seed = 0,
) -> None:
    """Write secrets as a referee's program draws them; their hints are still to be written.

    Args:
        pdfs: Lectures to draw from.
        out: The games file.
        reader: The referee's library, as in ingest.editions.
        cut: The referee's cut, as in ingest.editions.
        n: Secrets to draw.
    """
    if not pdfs:
        raise SettingsError("PDF is missing; name the lectures to draw from")
    secrets = draw_secrets(pdfs, f"{reader}:{cut}", n, seed)
    lines = [f"{json.dumps(secret, ensure_ascii=False)}\n" for secret in secrets]
    write_text(out, "".join(lines))
    print(f"{out}: {pluralize(len(lines), 'secret')}; write a hint for each")


def questions(
    *,
    games: Games = None,
    split: Split = None,
    limit: Limit = None,
    out: Out,
    for_respondent: bool = False,
    view: Literal["paragraph", "opening", "passages"] | None = None,
    at: StoreOptions = StoreOptions(),
    preset: Preset = None,
    seed: Seed = 0,
    overrides: ParsedOverrides,
) -> int:
    """Write the batches; return 1 if a game has no paragraph to ask about.

    Args:
        out: One game a line: game_id, paragraph, questions.
        for_respondent: Write what respondents are shown, not what the questions are about; `replay --answers` needs
            the other file.
        view: With --for-respondent: what they see of the paragraph; opening calls its opening sentence the paragraph,
            passages gives that sentence and, for each question, four paragraphs of the course (default: paragraph).
    """
    from evaluate.replay.batches import (
        format_batch,
        format_respondent_batch,
        make_batches,
    )
    from player.player import build_player

    if view and not for_respondent:
        raise BatchError("--view needs --for-respondent; a batch has no view.")
    settings = overrides.load(preset)
    selected = select_games(games, split, seed)[:limit]
    course = open_course(at.location, at.collection)
    located = locate_in(selected, course, str(find_games_file(games)))
    player = build_player(course, settings, seed)
    batches = make_batches(selected, located, player)
    retrieve = build_retriever(course, settings.embed).retrieve

    lines = []
    for batch in tqdm(batches, desc="asking", unit="game", total=len(located)):
        line = format_batch(batch)
        if for_respondent:
            line = format_respondent_batch(batch, view or "paragraph", retrieve)
        lines.append(line)
    write_text(out, "".join(f"{line}\n" for line in lines))
    print(f"{out}: {len(lines)} batches of 20 questions", file=sys.stderr)
    return report_lost(len(located) - len(lines), strict=True)


def serve(
    *,
    games: Path | None = None,
    host: str = "127.0.0.1",
    port: NonNegativeNumber = 8017,
    names: Annotated[tuple[str, ...], Parameter("--name")] = (),
    referee: Annotated[str, Parameter(completer=lambda context: SPECS)] = "oracle",
    at: StoreOptions = StoreOptions(),
    seed: Seed | None = None,
    overrides: ParsedOverrides,
) -> None:
    """Serve until interrupted.

    Args:
        games: Labelled games (default: those of quarry.toml, else the bundled ones).
        host: Address to listen on.
        port: Port, 0 for a free one.
        names: Name under which players reach the server, if it is neither localhost, this machine's name nor an
            address; repeatable.
        referee: SPEC of the referee who answers.
        seed: Seed of the choice of games (default: by chance).
    """
    from evaluate.practice.routes import listen, serve_app
    from evaluate.practice.server import PracticeServer, load_repertoire
    from evaluate.studio.practice_games import create_practice_app

    file = Path(games or find_project().games or BUNDLED_GAMES)
    with listen(host, port) as listener:
        shown_host = f"[{host}]" if ":" in host else host
        url = f"http://{shown_host}:{listener.getsockname()[1]}"
        course = open_course(at.location, at.collection)
        repertoire = load_repertoire(course, file, referee, seed, overrides.load())
        server = PracticeServer(repertoire, seed, is_public=True)
        order = "random" if seed is None else f"of seed {seed}"
        _log.info(
            "practice game server on %s with %d games, their order %s; players and results are on this page, "
            "the HTTP of players at /docs; stop it with Ctrl-C",
            url,
            len(repertoire.games),
            order,
        )
        serve_app(create_practice_app(server), listener, [host, *names])
