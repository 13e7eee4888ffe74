"""Batches of questions and answers as files, and games replayed with them."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluate.answers.batches import (
    VIEWED,
    AskedBatch,
    batch_line,
    make_batches,
    read_answered,
    read_answers,
    read_batches,
    respondent_line,
)
from evaluate.answers.replay import answering
from evaluate.errors import BatchError
from evaluate.games.locating import locate_games
from evaluate.referee.simulated import make_referee
from evaluate.referee.spec import Secret
from evaluate.replay.replayer import Job, Replayer
from ingest.json_files import read_objects
from ingest.store import Course
from player.questions.question import Question
from tests.evaluate.fakes import Evaluate, course_games, record_of, write_games
from tests.fakes import each
from tests.player.fakes import course, dense_player

GROUPS = (("merge",), ("pivot",))
WORD = Question("Which?", ("merge", "pivot", "heap", "None"), "word", GROUPS)
FILLER = Question("How many?", ("1", "2", "3", "more"), "filler")
WHOLE, OPENING = "Merge runs — twice. Then heap.", "Merge runs — twice."
BATCH = AskedBatch("g1", WHOLE, (WORD, FILLER), OPENING)


def written(path: Path, *lines: str) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def answers_line(*answers: tuple[int, Any], game_id: str = "g1") -> str:
    items = [{"question_number": n, "answer": answer} for n, answer in answers]
    return json.dumps({"game_id": game_id, "answers": items})


def test_a_batch_comes_back_as_it_was_written(tmp_path: Path) -> None:
    path = written(tmp_path / "batches.jsonl", batch_line(BATCH))
    assert read_batches(path) == {"g1": BATCH}
    record = json.loads(batch_line(BATCH))
    del record["opening_sentence"]  # as older files lack it
    older = {"g1": replace(BATCH, opening_sentence="")}
    assert read_batches(written(path, json.dumps(record))) == older


@pytest.mark.parametrize(
    ("answers", "read"),
    [
        (((2, "not_relevant"), (1, " b ")), ("B", "Not Relevant")),
        (((2, "A"),), (None, "A")),
    ],
)
def test_answers_are_read_in_any_order_and_spelling_and_may_be_left_out(
    tmp_path: Path, answers: tuple[tuple[int, str], ...], read: tuple[str | None, ...]
) -> None:
    path = written(tmp_path / "answers.jsonl", answers_line(*answers), "")
    assert read_answers(path, {"g1": BATCH}) == {"g1": read}


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("[]", "must be a JSON object, got list"),
        (answers_line((1, "A"), game_id="g9"), "got 'g9'"),
        (answers_line((3, "A")), "question_number within 1..2"),
        (answers_line((1, "E")), 'an answer A, B, C, D or "Not Relevant", got {'),
        ('{"game_id": "g1", "answers": ["A"]}', "answers must have a question_number"),
        ('{"game_id": "g1"}', "answers must have a question_number"),
        ("\n".join([answers_line((1, "A"))] * 2), "game_id must be unique"),
    ],
)
def test_what_is_wrong_with_a_line_of_answers_is_said(
    tmp_path: Path, line: str, says: str
) -> None:
    path = written(tmp_path / "answers.jsonl", line)
    with pytest.raises(BatchError, match=r"answers\.jsonl line") as caught:
        read_answers(path, {"g1": BATCH})
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "line", ["{}", "3", "\n".join([batch_line(BATCH)] * 2)], ids=["{}", "3", "twice"]
)
def test_what_is_wrong_with_a_line_of_batches_is_said(
    tmp_path: Path, line: str
) -> None:
    with pytest.raises(BatchError, match=r"batches.jsonl line \d"):
        read_batches(written(tmp_path / "batches.jsonl", line))


@pytest.mark.parametrize("line", ["", answers_line((1, "A"))])
def test_answers_must_be_about_games(tmp_path: Path, line: str) -> None:
    batches = written(tmp_path / "batches.jsonl", batch_line(BATCH))
    answers = written(tmp_path / "answers.jsonl", line)
    with pytest.raises(BatchError, match="must answer games of --games"):
        read_answered(batches, answers, [])


def test_each_view_shows_its_text_the_questions_and_nothing_else() -> None:
    questions: list[dict[str, Any]] = []
    for number, asked in enumerate((WORD, FILLER), 1):
        options = dict(zip("ABCD", asked.options, strict=True))
        numbered = {"question_number": number, "question_text": asked.text}
        questions.append(numbered | {"options": options})
    with_passages = [
        item | {"passages": [f"on {item['question_text']}"]} for item in questions
    ]
    shown: dict[Any, Any] = {
        "paragraph": {"paragraph": WHOLE, "questions": questions},
        "opening": {"paragraph": OPENING, "questions": questions},
        "passages": {"opening_sentence": OPENING, "questions": with_passages},
    }
    for view, sheet in shown.items():
        line = respondent_line(BATCH, view, lambda text: (f"on {text}",))
        assert json.loads(line) == {"game_id": "g1"} | sheet


def test_sheets_hold_the_questions_of_the_batches(
    evaluate: Evaluate, store: Course, tmp_path: Path
) -> None:
    records = map(record_of, course_games(course())[:2])
    games = write_games(tmp_path / "games.jsonl", records)
    command = ("questions", "--store", store.location, "--games", games, "--out")

    assert evaluate(*command, tmp_path / "batches.jsonl").code == 0
    batches = read_batches(tmp_path / "batches.jsonl")
    texts = {*each(course(), "text")}
    for view in VIEWED:
        out = tmp_path / f"{view}.jsonl"
        assert evaluate(*command, out, "--for-respondent", "--view", view).code == 0
        for _, sheet in read_objects(out, ValueError):
            asked = batches[sheet["game_id"]].questions
            sent = sheet["questions"]
            assert each(sent, "question_text") == each(asked, "text")
            for item in sent if view == "passages" else ():
                assert len(set(item["passages"]) & texts) == 4


def test_answers_of_a_careful_reader_win_the_games() -> None:
    paragraphs, player = course()[:4], dense_player(course())
    games = [replace(game, hint="a lesson") for game in course_games(paragraphs)]
    located = locate_games(games, course())
    batches = {batch.game_id: batch for batch in make_batches(games, located, player)}
    assert each(batches.values(), "paragraph") == each(paragraphs, "text")
    oracle = make_referee("oracle")
    answers = {}
    for game_id, batch in batches.items():
        posed = [(asked.text, asked.options) for asked in batch.questions]
        answers[game_id] = tuple(oracle.answers(Secret(batch.paragraph, ""), posed))

    # another player, with other questions of its own, reads them as well
    replayer = Replayer(dense_player(course(), seed=5), (), lambda one, other: 0.0, 0)
    jobs = [Job(row, game, located[game.game_id]) for row, game in enumerate(games)]
    records = answering(replayer, batches, answers)(jobs)
    for record, letters in zip(records, answers.values(), strict=True):
        assert record["plays"][0]["won"]
        assert record["plays"][0]["answers"] == list(letters)
