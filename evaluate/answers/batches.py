"""Batches of questions and their answers as files of JSON lines, for people or models of others who answer them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, TypeVar

from evaluate.errors import BatchError
from evaluate.games.labelled import LabelledGame
from evaluate.referee.simulated import Retriever
from evaluate.referee.spec import secret_of
from ingest.json_files import read_objects
from ingest.paragraph import Paragraph
from player.player import Player
from player.protocol.messages import questions_json
from player.questions.answer import LETTERS, Answer, read_answer
from player.questions.question import Question
from player.questions.views import View

VIEWED: tuple[View, ...] = ("paragraph", "opening", "passages")
"""Views that a respondent may have; no respondent is shown the name and the hint alone."""
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class AskedBatch:
    """The questions of one game.

    Attributes:
        paragraph: text of the secret paragraph, for the outside referee; no player is given it.
        questions: as they were sent, with what they are about.
        opening_sentence: the opening sentence of that paragraph; "" if a file does not hold it.
    """

    game_id: str
    paragraph: str
    questions: tuple[Question, ...]
    opening_sentence: str = ""


def make_batches(
    games: Sequence[LabelledGame],
    located: Mapping[str, Paragraph | None],
    player: Player,
) -> Iterator[AskedBatch]:
    """Yield the batch the player would send in each game whose paragraph the store holds, with the labelled text."""
    for game in games:
        if paragraph := located.get(game.game_id):
            secret = secret_of(game, paragraph)
            questions = player.plan(game.round_start()).questions
            yield AskedBatch(
                game.game_id, secret.paragraph, questions, secret.opening_sentence
            )


def batch_line(batch: AskedBatch) -> str:
    """Return a batch as one line of JSON, with what its questions are about."""
    sent = questions_json(batch.questions)
    for item, question in zip(sent, batch.questions, strict=True):
        item["kind"] = question.kind
        item["key"] = sorted(question.key)
        item["groups"] = question.groups
    game = {
        "game_id": batch.game_id,
        "paragraph": batch.paragraph,
        "opening_sentence": batch.opening_sentence,
        "questions": sent,
    }
    return json.dumps(game, ensure_ascii=False)


def respondent_line(batch: AskedBatch, view: View, retrieve: Retriever) -> str:
    """Return a batch as one line of JSON for a respondent, without what its questions were made from.

    Under `opening` the opening sentence is called the paragraph, and nothing reveals that there is more.

    Args:
        retrieve: returns the passages of the course for a question's text, for the view `passages`.
    """
    sent = questions_json(batch.questions)
    shown = {"paragraph": batch.opening_sentence}
    if view == "paragraph":
        shown = {"paragraph": batch.paragraph}
    elif view == "passages":
        shown = {"opening_sentence": batch.opening_sentence}
        for item, question in zip(sent, batch.questions, strict=True):
            item["passages"] = list(retrieve(question.text))
    sheet = {"game_id": batch.game_id, **shown, "questions": sent}
    return json.dumps(sheet, ensure_ascii=False)


def read_answered(
    batches_path: Path,
    answers_path: Path,
    games: Sequence[LabelledGame],
    games_path: Path,
) -> tuple[dict[str, AskedBatch], dict[str, tuple[Answer, ...]], list[LabelledGame]]:
    """Return batches and answers by game_id, and the games that are answered.

    Args:
        games: the games of --games.
        games_path: the path of --games, for the error.

    Raises:
        BatchError: a file cannot be used, answers nothing, or is about other games.
    """
    batches = read_batches(batches_path)
    answers = read_answers(answers_path, batches)
    if not answers:
        raise BatchError(
            f"{answers_path}: must answer at least one game, has no line; write one JSON object a line"
        )
    answered = [game for game in games if game.game_id in answers]
    if unknown := answers.keys() - map(attrgetter("game_id"), answered):
        raise BatchError(
            f"{answers_path}: every game_id must be in --games {games_path}, got {min(unknown)!r}; name that file"
        )
    return batches, answers, answered


def read_batches(path: Path) -> dict[str, AskedBatch]:
    """Read the batches of a file by game_id.

    Raises:
        BatchError: unreadable, a line that `batch_line` does not write, or a duplicate game_id.
    """

    def batch(record: Mapping[str, Any], where: str) -> AskedBatch:
        try:
            questions = tuple(map(_question, record["questions"]))
            opening = str(record.get("opening_sentence", ""))
            return AskedBatch(
                record["game_id"], str(record["paragraph"]), questions, opening
            )
        except (KeyError, TypeError, ValueError) as error:
            raise BatchError(
                f"{where}: must be a batch as `quarry questions` writes it: {error!r}; write the file again"
            ) from error

    return _by_game(path, "--batches", batch)


def _question(record: Mapping[str, Any]) -> Question:
    a, b, c, d = map(str, itemgetter(*LETTERS)(record["options"]))
    groups = [tuple(map(str, group)) for group in record["groups"]]
    return Question(
        str(record["question_text"]),
        (a, b, c, d),
        str(record["kind"]),
        frozenset(map(str, record["key"])),
        tuple(groups),
    )


def read_answers(
    path: Path, batches: Mapping[str, AskedBatch]
) -> dict[str, tuple[Answer, ...]]:
    """Read the answers of a file by game_id, one for each question of its batch; None if a question has no answer.

    Raises:
        BatchError: unreadable, about a game or question that is in no batch, no valid answer, a duplicate game_id.
    """

    def answers(record: Mapping[str, Any], where: str) -> tuple[Answer, ...]:
        game_id = record["game_id"]
        if game_id not in batches:
            raise BatchError(
                f"{where}: game_id must be that of a batch, got {game_id!r}; name the batches it answers"
            )

        sent: list[Answer] = [None] * len(batches[game_id].questions)

        items = record.get("answers")
        for item in items if isinstance(items, list) else [items]:
            fields = item if isinstance(item, dict) else {}
            number, letter = fields.get("question_number"), fields.get("answer")
            answer = read_answer(letter)
            row = number - 1 if isinstance(number, int) else -1
            is_numbered = 0 <= row < len(sent)
            if not is_numbered or (answer is None and letter is not None):
                raise BatchError(
                    f"{where}: answers must have a question_number within 1..{len(sent)} and an answer A, B, C, D or "
                    f'"Not Relevant", got {item!r}; mend the line'
                )
            sent[row] = answer
        return tuple(sent)

    return _by_game(path, "--answers", answers)


def _by_game(
    path: Path, named: str, read: Callable[[Mapping[str, Any], str], T]
) -> dict[str, T]:
    by_game: dict[str, T] = {}
    for where, record in read_objects(path, BatchError, named=named):
        game_id = str(record.get("game_id"))
        if game_id in by_game:
            raise BatchError(
                f"{where}: game_id must be unique, got {game_id!r} again; remove one"
            )
        by_game[game_id] = read({**record, "game_id": game_id}, where)
    return by_game
