"""Files of questions for outside respondents, people or models, and files of their answers, as JSON lines."""

import json
import reprlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

from evaluate.errors import BatchError
from evaluate.games.labelled import LabelledGame
from evaluate.practice.referee_game import RefusedMessageError, read_batch
from evaluate.referee.passages import Retrieve
from evaluate.referee.protocol import Posed, Secret, build_secret
from player.answer import NOT_RELEVANT, Answer, read_answer
from player.game.messages import questions_json
from player.player import Player
from player.question import Question, View
from quarry.course.paragraph import Paragraph
from quarry.json_files import read_objects


@dataclass(frozen=True, slots=True)
class AskedBatch:
    """The questions of one game.

    Attributes:
        paragraph: text of the secret paragraph, for the respondent; no player gets it.
        questions: the questions, with kinds and groups.
        opening_sentence: opening sentence of that paragraph; "" if the file does not hold it.
        file_answers: answers to the questions, None to one without an answer; () before they are read.
    """

    game_id: str
    paragraph: str
    questions: tuple[Question, ...]
    opening_sentence: str = ""
    file_answers: tuple[Answer, ...] = ()

    def answers(self, secret: Secret, questions: Sequence[Posed]) -> list[Answer]:
        """Answer as a referee would, from the file; questions without an answer get "Not Relevant"."""
        return [answer or NOT_RELEVANT for answer in self.file_answers]


def make_batches(
    games: Sequence[LabelledGame],
    located: Mapping[str, Paragraph | None],
    player: Player,
) -> Iterator[AskedBatch]:
    """Yield the batch that the player would send in each game whose paragraph the store holds."""
    for game in games:
        if paragraph := located.get(game.game_id):
            secret = build_secret(game, paragraph)
            questions = player.plan(game.round_start()).questions
            yield AskedBatch(
                game.game_id,
                secret.paragraph,
                questions,
                secret.opening_sentence,
            )


def format_batch(batch: AskedBatch) -> str:
    """Write a batch as one line of JSON, with the kinds and groups of its questions."""
    questions = questions_json(batch.questions)
    for item, question in zip(questions, batch.questions, strict=True):
        item |= {"kind": question.kind, "groups": question.groups}
    game = {
        "game_id": batch.game_id,
        "paragraph": batch.paragraph,
        "opening_sentence": batch.opening_sentence,
        "questions": questions,
    }
    return json.dumps(game, ensure_ascii=False)


def format_respondent_batch(
    batch: AskedBatch,
    view: View,
    retrieve: Retrieve,
) -> str:
    """Write a batch as one line of JSON for a respondent, without kinds and groups.

    Under the view `opening`, the opening sentence is called the paragraph, and nothing reveals that there is more.

    Args:
        batch: the batch.
        view: the part of the paragraph that the respondent sees.
        retrieve: returns the paragraphs of the course for the text of a question, for the view `passages`.
    """
    questions = questions_json(batch.questions)
    content = {"paragraph": batch.opening_sentence}
    if view == "paragraph":
        content = {"paragraph": batch.paragraph}
    elif view == "passages":
        content = {"opening_sentence": batch.opening_sentence}
        for item in questions:
            item["passages"] = list(retrieve(item["question_text"]))
    sheet = {"game_id": batch.game_id, **content, "questions": questions}
    return json.dumps(sheet, ensure_ascii=False)


def read_answered(
    batches_path: Path,
    answers_path: Path,
    games: Sequence[LabelledGame],
) -> dict[str, AskedBatch]:
    """Read the batches of the answered games, with their answers, by game_id.

    Args:
        batches_path: file of batches.
        answers_path: file of answers.
        games: the games of --games.

    Raises:
        BatchError: a file cannot be used, answers nothing, or is about other games.
    """
    batches = read_batches(batches_path)
    answers = read_answers_file(answers_path, batches)
    n_known = sum(game.game_id in answers for game in games)
    if not answers or n_known < len(answers):
        raise BatchError(
            f"{answers_path}: {n_known} of {len(answers)} lines answer games of --games; "
            "name the file of all their games"
        )
    return {
        game_id: replace(batches[game_id], file_answers=file_answers)
        for game_id, file_answers in answers.items()
    }


def read_batches(path: Path) -> dict[str, AskedBatch]:
    """Read the batches of a file by game_id.

    Raises:
        BatchError: the file is unreadable, or has a line that is not a batch, questions that a referee would refuse, or
            a duplicate game_id.
    """
    batches: dict[str, AskedBatch] = {}
    for where, record in _read_by_game(path, "--batches"):
        game_id = record["game_id"]
        try:
            posed = read_batch(record)  # as a referee reads it
            items = sorted(record["questions"], key=itemgetter("question_number"))

            batches[game_id] = AskedBatch(
                game_id,
                str(record["paragraph"]),
                tuple(map(_read_question, posed, items)),
                str(record.get("opening_sentence", "")),
            )
        except (RefusedMessageError, KeyError, TypeError) as error:
            raise BatchError(
                f"{where}: not a batch as `quarry questions` writes it: {error!r}; write the file again"
            ) from error
    return batches


def _read_question(posed: Posed, item: Mapping[str, Any]) -> Question:
    """Add the kind and the groups of a question in a file to its text and options."""
    text, (a, b, c, d) = posed
    groups = tuple(tuple(map(str, group)) for group in item["groups"])
    return Question(text, (a, b, c, d), str(item["kind"]), groups)


def read_answers_file(
    path: Path, batches: Mapping[str, AskedBatch]
) -> dict[str, tuple[Answer, ...]]:
    """Read the answers of a file by game_id, one for each question of the batch; None if a question has no answer.

    Raises:
        BatchError: the file is unreadable, or has an unknown game or question, an invalid answer, or a duplicate
            game_id.
    """
    answers: dict[str, tuple[Answer, ...]] = {}
    for where, record in _read_by_game(path, "--answers"):
        game_id, items = record["game_id"], record.get("answers")
        if game_id not in batches:
            raise BatchError(
                f"{where}: no batch has the game_id {reprlib.repr(game_id)}; name the batches that were answered"
            )

        replies: list[Answer] = [None] * len(batches[game_id].questions)
        unanswered = set(range(1, 1 + len(replies)))
        for item in items if isinstance(items, list) else [items]:
            fields = item if isinstance(item, dict) else {}
            number, letter = fields.get("question_number"), fields.get("answer")
            answer = read_answer(letter)
            is_read = answer is not None or letter is None
            if not is_read or type(number) is not int or number not in unanswered:
                raise BatchError(
                    f"{where}: answers hold {reprlib.repr(item)}; each has its own "
                    f"question_number within 1..{len(replies)} "
                    'and an answer A, B, C, D or "Not Relevant"'
                )
            unanswered.remove(number)
            replies[number - 1] = answer
        answers[game_id] = tuple(replies)
    return answers


def _read_by_game(path: Path, flag: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield "PATH line NUMBER" and the object of each line; refuse missing and duplicate game_ids."""
    game_ids = set()
    for where, record in read_objects(path, BatchError, flag=flag):
        game_id = str(record.get("game_id") or "")
        if not game_id:
            raise BatchError(f"{where}: the line has no game_id; write the file again")
        if game_id in game_ids:
            raise BatchError(
                f"{where}: game_id {reprlib.repr(game_id)} is there twice; remove one"
            )
        game_ids.add(game_id)
        yield where, record | {"game_id": game_id}
