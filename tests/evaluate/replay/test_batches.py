"""Batches of questions and answers as files, and games replayed with them."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluate.errors import BatchError
from evaluate.referee.protocol import Secret
from evaluate.referee.simulated import make_referee
from evaluate.replay.batches import (
    AskedBatch,
    format_batch,
    format_respondent_batch,
    read_answered,
    read_answers_file,
    read_batches,
)
from player.game.messages import questions_json
from player.question import Question
from quarry.json_files import read_objects
from tests.evaluate.fakes import (
    ABOUT,
    Evaluate,
    course_records,
    write_games,
)
from tests.fakes import each, refusal, shorten
from tests.player.fakes import course

GROUPS = (("merge",), ("pivot",))
WORDS = ("merge", "pivot", "heap", "None")
WORD = Question("Which?", WORDS, "word", GROUPS)
FILLER = Question("How many?", ("1", "2", "3", "more"), "filler")
WHOLE, OPENING = "Merge runs — twice. Then heap.", "Merge runs — twice."
BATCH = AskedBatch("g1", WHOLE, (WORD, *[FILLER] * 19), OPENING)


def written(name: str, *lines: str) -> Path:
    path = Path(name)
    path.write_text("\n".join([*lines, ""]), "utf-8")
    return path


def answers_line(*answers: tuple[int, Any], game_id: str = "g1") -> str:
    items = [
        {"question_number": number, "answer": answer} for number, answer in answers
    ]
    return json.dumps({"game_id": game_id, "answers": items})


def read_back(line: str) -> dict[str, AskedBatch]:
    """The batches of a file with a line."""
    return read_batches(written("batches.jsonl", line))


def test_a_batch_comes_back_as_it_was_written() -> None:
    line = format_batch(BATCH)
    assert read_back(line) == {"g1": BATCH}
    record = json.loads(line)
    record["questions"].reverse()
    assert read_back(json.dumps(record)) == {"g1": BATCH}
    del record["opening_sentence"]  # as older files lack it
    older = {"g1": replace(BATCH, opening_sentence="")}
    assert read_back(json.dumps(record)) == older


def read_answers(line: str) -> Any:
    """The answers of a file with a line."""
    return read_answers_file(written("answers.jsonl", line), {"g1": BATCH})


def test_answers_are_read_in_any_order_and_spelling_and_may_be_left_out() -> None:
    answers = read_answers(answers_line((2, "not_relevant"), (1, " b ")) + "\n")["g1"]
    assert answers == ("B", "Not Relevant", *[None] * 18)


RIGHT = answers_line((1, "A"))
LONG = "x" * 9_000


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("[]", "list is not a JSON object"),
        (answers_line((1, "A"), game_id="g9"), "no batch has the game_id 'g9'; name"),
        (answers_line((1, "A"), game_id=LONG), "no batch has the game_id 'xxx"),
        (answers_line((21, "A")), "question_number within 1..20"),
        (answers_line((1, "E")), "answers hold {"),
        (answers_line((1, LONG)), "; each has its own question_number"),
        (answers_line((True, "A")), "answers hold {"),
        (
            '{"game_id": "g1", "answers": ["A"]}',
            "each has its own question_number within",
        ),
        ('{"game_id": "g1"}', "each has its own question_number within"),
        (f"{RIGHT}\n{RIGHT}", "is there twice"),
        (answers_line((1, "A"), (1, "B")), "its own question_number"),
        ('{"answers": []}', "the line has no game_id"),
    ],
    ids=shorten,
)
def test_what_is_wrong_with_a_line_of_answers_is_said_briefly(
    line: str, says: str
) -> None:
    message = refusal(BatchError, read_answers, line)

    assert message.startswith("answers.jsonl line ")
    assert says in message
    assert len(message) < 500


FEW = format_batch(replace(BATCH, questions=(WORD, FILLER)))


@pytest.mark.parametrize("line", ["{}", "3", f"{format_batch(BATCH)}\n" * 2, FEW])
def test_what_is_wrong_with_a_line_of_batches_is_said(line: str) -> None:
    with pytest.raises(BatchError, match=r"batches.jsonl line \d: .*; "):
        read_back(line)


@pytest.mark.parametrize("line", ["", RIGHT])
def test_answers_must_be_about_games(line: str) -> None:
    batches = written("batches.jsonl", format_batch(BATCH))
    answers = written("answers.jsonl", line)
    with pytest.raises(BatchError, match="lines answer games of --games"):
        read_answered(batches, answers, [])


def test_each_view_shows_its_text_the_questions_and_nothing_else() -> None:
    questions = questions_json(BATCH.questions)
    with_paragraphs = [
        item | {"passages": [f"on {item['question_text']}"]} for item in questions
    ]
    shown: dict[Any, Any] = {
        "paragraph": {"paragraph": WHOLE, "questions": questions},
        "opening": {"paragraph": OPENING, "questions": questions},
        "passages": {"opening_sentence": OPENING, "questions": with_paragraphs},
    }
    for view, sheet in shown.items():
        line = format_respondent_batch(BATCH, view, lambda text: (f"on {text}",))
        assert json.loads(line) == {"game_id": "g1"} | sheet


def test_the_batches_of_games_are_shown_answered_and_replayed(
    evaluate: Evaluate,
) -> None:
    records = [record | {"hint": "a lesson"} for record in course_records()[:4]]
    write_games(Path("games.jsonl"), records)
    for out in ("batches.jsonl", "sheets.jsonl --for-respondent --view passages"):
        assert evaluate(f"questions {ABOUT} --out {out}").code == 0

    batches = read_batches(Path("batches.jsonl"))
    texts = {*each(course(), "text")}
    for _, sheet in read_objects(Path("sheets.jsonl"), ValueError):
        for item in sheet["questions"]:
            assert len(texts.intersection(item["passages"])) == 4

    oracle = make_referee("oracle")
    lines = []
    for game_id, batch in batches.items():
        posed = [(asked.text, asked.options) for asked in batch.questions]
        answers = oracle.answers(Secret(batch.paragraph, ""), posed)
        lines.append(answers_line(*enumerate(answers, 1), game_id=game_id))
    written("answers.jsonl", *lines)
    # another player, with other questions of its own, reads them as well
    files = "--batches batches.jsonl --answers answers.jsonl"
    run = evaluate(f"replay {ABOUT} {files} --seed 5 --json").json
    assert (run["games"], run["win_rate"]) == (4, 1.0)
