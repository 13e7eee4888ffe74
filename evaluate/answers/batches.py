"""Batches of questions and their answers as files, so that people or models of others can answer them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from quarry.configs.json_files import read_objects
from quarry.evaluate.errors import BatchError
from quarry.evaluate.games.labelled import LabelledGame
from quarry.evaluate.referee import secret_of
from quarry.evaluate.referee.types import Retriever
from quarry.ingest.paragraph import Paragraph
from quarry.player.player import Player
from quarry.player.protocol.payloads import questions_json
from quarry.player.questions.answer import LETTERS, Answer, read_answer
from quarry.player.questions.question import Question
from quarry.player.questions.views import View


@dataclass(frozen=True, slots=True)
class AskedBatch:
    """The questions of one game.

    Attributes:
        paragraph: text of the secret paragraph, which the outside referee reads; no player is given it.
        questions: as they were sent, with what they are about.
        opening_sentence: of that paragraph; "" where a file does not say.
    """

    game_id: str
    paragraph: str
    questions: tuple[Question, ...]
    opening_sentence: str = ""


def make_batches(
    games: Sequence[LabelledGame], located: Mapping[str, Paragraph | None], player: Player
) -> Iterable[AskedBatch]:
    """The batch the player would send in each answerable game, with the paragraph as its label has it."""
    for game in games:
        paragraph = located.get(game.game_id)
        secret = secret_of(game, paragraph)
        if not game.answerable or secret is None:
            continue
        plan = player.plan(game.told())
        yield AskedBatch(game.game_id, secret.paragraph, plan.questions, secret.opening_sentence)


def batch_line(batch: AskedBatch) -> str:
    """A batch as one line of JSON, with what its questions are about."""
    return json.dumps(
        {
            "game_id": batch.game_id,
            "paragraph": batch.paragraph,
            "opening_sentence": batch.opening_sentence,
            "questions": [
                {**sent, "kind": question.kind, "key": sorted(question.key), "groups": question.groups}
                for sent, question in zip(questions_json(batch.questions), batch.questions, strict=True)
            ],
        },
        ensure_ascii=False,
    )


VIEWED: tuple[View, ...] = ("paragraph", "opening", "passages")
"""What a respondent may be shown; no respondent is shown the name and the hint alone."""


def respondent_line(batch: AskedBatch, view: View, retrieve: Retriever) -> str:
    """Return a batch as one line of JSON for a respondent, without what its questions were made from.

    Under `opening` the opening sentence is called the paragraph, and nothing says that there is more.

    Args:
        retrieve: the passages of the course for a question's text, for the view `passages`.
    """
    sent = questions_json(batch.questions)
    if view == "passages":
        for item, question in zip(sent, batch.questions, strict=True):
            item["passages"] = list(retrieve(question.text))
        shown = {"opening_sentence": batch.opening_sentence, "questions": sent}
    else:
        text = batch.paragraph if view == "paragraph" else batch.opening_sentence
        shown = {"paragraph": text, "questions": sent}
    return json.dumps({"game_id": batch.game_id, **shown}, ensure_ascii=False)


def read_answered(
    batches_path: Path, answers_path: Path, games: Sequence[LabelledGame], games_path: Path
) -> tuple[dict[str, AskedBatch], dict[str, tuple[Answer, ...]], list[LabelledGame]]:
    """Return batches and answers by game_id, and the games that are answered.

    Args:
        games: of --games.
        games_path: of --games, for the error.

    Raises:
        BatchError: a file cannot be used, answers nothing, or is about other games.
    """
    batches = read_batches(batches_path)
    answers = read_answers(answers_path, batches)
    if not answers:
        raise BatchError(f"{answers_path}: must answer at least one game, got none; one JSON object a line")
    if unknown := sorted(set(answers) - {game.game_id for game in games}):
        raise BatchError(
            f"{answers_path}: every game_id must be in --games {games_path}, got {unknown[0]!r}; name that file"
        )
    return batches, answers, [game for game in games if game.game_id in answers]


def read_batches(path: Path) -> dict[str, AskedBatch]:
    """The batches of a file by game_id.

    Raises:
        BatchError: unreadable, a line that `batch_line` does not write, or a game_id that comes twice.
    """
    batches: dict[str, AskedBatch] = {}
    for where, record in read_objects(path, BatchError, named="--batches"):
        try:
            questions = tuple(_question(item) for item in record["questions"])
            opening = str(record.get("opening_sentence", ""))
            batch = AskedBatch(str(record["game_id"]), str(record["paragraph"]), questions, opening)
        except (KeyError, TypeError, ValueError) as error:
            raise BatchError(
                f"{where}: must be a batch as `python -m evaluate questions` writes it: {error!r}; write the file again"
            ) from error
        if batch.game_id in batches:
            raise BatchError(f"{where}: game_id must be unique, got {batch.game_id!r} again; remove one")
        batches[batch.game_id] = batch
    return batches


def read_answers(path: Path, batches: Mapping[str, AskedBatch]) -> dict[str, tuple[Answer, ...]]:
    """The answers of a file by game_id, one for each question of its batch; None where none is given.

    Raises:
        BatchError: unreadable, about a game or question that is in no batch, an answer that is none, a game_id twice.
    """
    found: dict[str, tuple[Answer, ...]] = {}
    for where, record in read_objects(path, BatchError, named="--answers"):
        game_id = str(record.get("game_id"))
        if game_id not in batches:
            raise BatchError(f"{where}: game_id must be that of a batch, got {game_id!r}; name the batches it answers")
        if game_id in found:
            raise BatchError(f"{where}: game_id must be unique, got {game_id!r} again; remove one")
        given: list[Answer] = [None] * len(batches[game_id].questions)
        items = record.get("answers")
        for item in items if isinstance(items, list) else [items]:
            number = item.get("question_number") if isinstance(item, dict) else None
            if not isinstance(item, dict) or not isinstance(number, int) or not 1 <= number <= len(given):
                raise BatchError(
                    f"{where}: answers must have a question_number within 1..{len(given)}, got {item!r}; mend the line"
                )
            given[number - 1] = _answer(item.get("answer"), where)
        found[game_id] = tuple(given)
    return found


def _answer(value: object, where: str) -> Answer:
    answer = read_answer(value)
    if answer is None and value is not None:
        raise BatchError(f'{where}: answer must be A, B, C, D or "Not Relevant", got {value!r}; mend the line')
    return answer


def _question(record: Mapping[str, Any]) -> Question:
    a, b, c, d = (str(record["options"][letter]) for letter in LETTERS)
    groups = tuple(tuple(str(word) for word in group) for group in record["groups"])
    return Question(
        str(record["question_text"]), (a, b, c, d), str(record["kind"]), frozenset(map(str, record["key"])), groups
    )
