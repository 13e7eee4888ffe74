"""The commands `games check`, `games label` and `games draw`, about files of labelled games."""

import json
import logging
import sys
from pathlib import Path
from typing import Annotated

import numpy as np
from cyclopts import Parameter

from configs.errors import SettingsError
from evaluate.commands.options import (
    Games,
    Out,
    Seed,
    find_games_file,
    write_text,
)
from evaluate.games.drawing import draw_secrets
from evaluate.games.labelled import GAME_KEYS, read_games
from evaluate.games.labeller import choose_paragraphs, label_games
from evaluate.games.locating import check_games
from quarry.cli import (
    PositiveNumber,
    StoreOptions,
)
from quarry.languages.language import ParagraphKind
from quarry.terminal import pluralize, visible

_log = logging.getLogger(__name__)


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
