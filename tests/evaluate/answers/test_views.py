"""What respondents are shown, by what they may see of the paragraph."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from quarry.evaluate.__main__ import main
from quarry.evaluate.answers.batches import VIEWED, AskedBatch, read_batches, respondent_line
from quarry.player.questions.question import Question
from tests.evaluate.fakes import course_games, make_store, record_of, run_main, write_games
from tests.player.fakes import course

BATCH = AskedBatch(
    "g1",
    "Merge runs — twice. Then heap.",
    (
        Question("Which?", ("merge", "pivot", "heap", "None"), "word", frozenset({"merge"}), (("merge",),)),
        Question("How many?", ("1", "2", "3", "more"), "filler", frozenset({"filler 2"})),
    ),
    "Merge runs — twice.",
)
ASKED = [
    {
        "question_number": 1,
        "question_text": "Which?",
        "options": {"A": "merge", "B": "pivot", "C": "heap", "D": "None"},
    },
    {"question_number": 2, "question_text": "How many?", "options": {"A": "1", "B": "2", "C": "3", "D": "more"}},
]


def shown(view: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(respondent_line(BATCH, view, lambda text: (f"about {text}", "another")))
    return found


def test_each_view_shows_its_text_the_questions_and_nothing_else() -> None:
    assert shown("paragraph") == {"game_id": "g1", "paragraph": "Merge runs — twice. Then heap.", "questions": ASKED}
    assert shown("opening") == {"game_id": "g1", "paragraph": "Merge runs — twice.", "questions": ASKED}
    assert shown("passages") == {
        "game_id": "g1",
        "opening_sentence": "Merge runs — twice.",
        "questions": [
            {**ASKED[0], "passages": ["about Which?", "another"]},
            {**ASKED[1], "passages": ["about How many?", "another"]},
        ],
    }


@pytest.mark.usefixtures("fast_models")
class TestCommand:
    def test_sheets_hold_the_questions_of_the_batches(self, tmp_path: Path) -> None:
        store = make_store(tmp_path / "store", course()).location
        games = write_games(tmp_path / "games.jsonl", map(record_of, course_games(course())[:2]))
        arguments = ("questions", "--store", store, "--games", str(games), "--out")
        assert run_main(main, *arguments, str(tmp_path / "batches.jsonl")) == 0
        batches = read_batches(tmp_path / "batches.jsonl")
        texts = {item.text for item in course()}
        for view in VIEWED:
            out = tmp_path / f"{view}.jsonl"
            assert run_main(main, *arguments, str(out), "--for-respondent", "--view", view) == 0
            sheets = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
            for sheet in sheets:
                asked = batches[sheet["game_id"]].questions
                assert [item["question_text"] for item in sheet["questions"]] == [question.text for question in asked]
                assert "kind" not in sheet["questions"][0]
                assert ("paragraph" in sheet) == (view != "passages")
                assert all(len(set(item["passages"]) & texts) == 4 for item in sheet["questions"] if view == "passages")
        assert sheets[0]["opening_sentence"] == course()[0].opening_sentence
