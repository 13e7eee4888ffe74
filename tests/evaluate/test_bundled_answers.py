"""The stored answers of outside readers belong to the bundled games, and those that teach are not those reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluate.batches import AskedBatch, read_answers, read_batches
from evaluate.games import LabelledGame, load_games, same_text
from player.questions.pool import FITTERS

GAMES = Path(__file__).resolve().parents[2] / "data" / "games"
ANSWERS = GAMES / "answers"


def stored(language: str) -> tuple[dict[str, LabelledGame], dict[str, AskedBatch]]:
    games = {game.game_id: game for game in load_games(GAMES / f"{language}.jsonl")}
    return games, read_batches(ANSWERS / f"{language}-batches.jsonl")


@pytest.mark.parametrize(("language", "n"), [("english", 100), ("hebrew", 10)])
def test_every_batch_asks_20_questions_about_the_paragraph_of_a_game_that_is_no_test_game(
    language: str, n: int
) -> None:
    games, batches = stored(language)
    assert len(batches) == n
    for game_id, batch in batches.items():
        assert games[game_id].split in ("train", "validation")
        assert same_text(batch.paragraph, games[game_id].paragraph)
        assert (
            len(batch.questions) == len({question.text + str(question.options) for question in batch.questions}) == 20
        )
        assert {question.kind for question in batch.questions} <= set(FITTERS)


@pytest.mark.parametrize(
    ("language", "parts"), [("english", {"learning": 40, "reported": 60}), ("hebrew", {"reported": 10})]
)
def test_every_question_is_answered_once_and_no_game_both_teaches_and_is_reported(
    language: str, parts: dict[str, int]
) -> None:
    _, batches = stored(language)
    read = {part: read_answers(ANSWERS / f"{language}-{part}.jsonl", batches) for part in parts}
    assert {part: len(answers) for part, answers in read.items()} == parts
    assert sum(map(len, read.values())) == len(set().union(*read.values())) == len(batches)
    assert all(None not in given for answers in read.values() for given in answers.values())


def test_all_lectures_with_training_games_were_asked_about() -> None:
    games, batches = stored("english")
    asked = {games[game_id].document for game_id in batches}
    assert asked == {game.document for game in games.values() if game.answerable}
