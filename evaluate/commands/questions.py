"""The command `questions`: writes the questions that the player would send, for respondents."""

import sys
from typing import Literal

from tqdm.auto import tqdm

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
from evaluate.games.locating import locate_in
from evaluate.referee.passages import build_retriever
from player.search.stores import open_course
from quarry.cli import ParsedOverrides, Preset, StoreOptions


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
