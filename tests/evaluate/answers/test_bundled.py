"""The stored answers of respondents belong to the bundled games, and those that teach are not those reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluate.answers.batches import AskedBatch, read_answers, read_batches
from evaluate.games.labelled import LabelledGame, load_games, same_text
from player.questions.kinds import KINDS
from tests.fakes import each

GAMES = Path(__file__).resolve().parents[3] / "data" / "games"
ANSWERS = GAMES / "answers"
READ = ("paragraph", "opening", "passages")
"""What respondents saw."""


def stored(language: str) -> tuple[dict[str, LabelledGame], dict[str, AskedBatch]]:
    games = {game.game_id: game for game in load_games(GAMES / f"{language}.jsonl")}
    return games, read_batches(ANSWERS / f"{language}-batches.jsonl")


@pytest.mark.parametrize(("language", "n"), [("english", 32), ("hebrew", 14)])
def test_every_batch_asks_20_questions_about_the_paragraph_of_a_game_that_is_no_test_game(
    language: str, n: int
) -> None:
    games, batches = stored(language)
    assert len(batches) == n
    former = {"beginning", "ending"}
    for game_id, batch in batches.items():
        assert games[game_id].split in ("train", "validation")
        assert same_text(batch.paragraph, games[game_id].paragraph)
        assert len(batch.questions) == 20
        assert len({*each(batch.questions, "text")}) == 20
        assert {*each(batch.questions, "kind")} <= {*KINDS} | former


@pytest.mark.parametrize("view", READ)
@pytest.mark.parametrize(("language", "n_learning"), [("english", 10), ("hebrew", 4)])
def test_every_question_is_answered_once_and_no_game_both_teaches_and_is_reported(
    language: str, n_learning: int, view: str
) -> None:
    _, batches = stored(language)
    learning, reported = (
        read_answers(ANSWERS / f"{language}-{view}-{part}.jsonl", batches)
        for part in ("learning", "reported")
    )
    assert len(learning) == n_learning
    assert set(learning) | set(reported) == set(batches)
    assert not set(learning) & set(reported)
    for letters in (*learning.values(), *reported.values()):
        assert None not in letters
