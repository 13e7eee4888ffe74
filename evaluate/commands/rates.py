"""`rates`: learns how often respondents err on each kind of question from their logged answers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from quarry.configs.arguments import settings_of
from quarry.configs.places import to_fit
from quarry.evaluate.answers.batches import AskedBatch, read_answers, read_batches
from quarry.evaluate.commands.command import (
    add_command,
    add_games,
    add_json,
    add_store,
    open_for,
    print_json,
    require_writable,
    write_text,
)
from quarry.evaluate.errors import BatchError
from quarry.evaluate.fit.rates import LoggedAnswer, count_answers
from quarry.evaluate.games.labelled import load_games
from quarry.evaluate.games.locating import locate_games
from quarry.player.player import Player
from quarry.player.questions.kinds import KINDS
from quarry.player.questions.pool import fit_questions
from quarry.player.questions.rates import RATES_FILE, Counts, Logged, learned, load_logged, rates_yaml
from quarry.player.questions.views import VIEWS, View
from quarry.player.questions.word_index import Candidates


def add(commands: Any) -> None:
    """Name the command's arguments."""
    command = add_command(
        commands,
        "rates",
        run,
        "learn from respondents' answers how often they err on each kind of question, for the player",
        "python -m evaluate rates --games data/games/english.jsonl --batches data/games/answers/english-batches.jsonl "
        "--answers data/games/answers/english-learning.jsonl",
    )
    add_store(command)
    add_games(command)
    command.add_argument(
        "--batches", type=Path, required=True, metavar="FILE", help="what `python -m evaluate questions` wrote"
    )
    command.add_argument(
        "--answers", type=Path, required=True, metavar="FILE", help="what respondents answered, as for `answers`"
    )
    command.add_argument(
        "--view",
        choices=VIEWS,
        default="paragraph",
        metavar="|".join(VIEWS),
        help="what the respondents saw of the paragraph (default: %(default)s); rates of other views stay as they are",
    )
    command.add_argument(
        "--add", action="store_true", help="add to what --out has of this view, e.g. answers in another language"
    )
    command.add_argument(
        "--out",
        type=Path,
        default=to_fit(RATES_FILE),
        metavar="RATES.yaml",
        help="where to write (default: the player's own)",
    )
    add_json(command)


def run(options: argparse.Namespace) -> int:
    """Count, print and write."""
    from quarry.player.player import build_player

    require_writable(options.out)
    settings = settings_of(options)
    batches = read_batches(options.batches)
    answers = read_answers(options.answers, batches)
    if not answers:
        raise BatchError(f"{options.answers}: must answer at least one game, got none; one JSON object a line")
    games = [game for game in load_games(options.games) if game.game_id in answers]
    if unknown := sorted(set(answers) - {game.game_id for game in games}):
        raise BatchError(
            f"{options.answers}: every game_id must be in --games {options.games}, got {unknown[0]!r}; name that file"
        )
    store = open_for(options, settings)
    player = build_player(store, settings)
    located = {
        game_id: paragraph.paragraph_id
        for game_id, paragraph in locate_games(games, store.paragraphs).items()
        if paragraph is not None
    }
    priors = {name: kind.wrong for name, kind in KINDS.items()}
    before = _logged_before(options.out)
    counts = count_answers(_logged(batches, answers, located, player, options.view), priors)
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
    n_lost = len(answers) - len(located)
    print(f"{options.out}: learned from {len(located)} games", file=sys.stderr)
    if n_lost:
        print(f"evaluate rates: {n_lost} games are about paragraphs that the store does not hold", file=sys.stderr)
    return 1 if n_lost else 0


def _logged_before(out: Path) -> Logged:
    """What `--out` has already; nothing where it is not there.

    Raises:
        BatchError: it is no file of rates.
    """
    try:
        found = load_logged(out) if out.is_file() else {}
        if unknown := {view for view, _ in found} - set(VIEWS):
            raise ValueError(f"no view: {unknown}")
        return found
    except (yaml.YAMLError, TypeError, AttributeError, ValueError) as error:
        raise BatchError(f"--out must be a file that rates wrote, or none yet, got {out}; name another") from error


def _logged(
    batches: Mapping[str, AskedBatch],
    answers: Mapping[str, tuple[str | None, ...]],
    paragraph_ids: Mapping[str, str],
    player: Player,
    view: View,
) -> Iterator[LoggedAnswer]:
    for game_id, paragraph_id in paragraph_ids.items():
        row = np.array([player.index.rows[paragraph_id]])
        questions = batches[game_id].questions
        fits = fit_questions(questions, Candidates(player.index, row, np.ones(1)))[VIEWS.index(view)]
        for question, fit, answer in zip(questions, fits, answers[game_id], strict=True):
            if answer is not None:
                yield LoggedAnswer(view, question.kind, fit[0], answer)
