"""What is wrong with a games file is named, game by game, and a file that keeps the rule passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from quarry.evaluate.__main__ import main
from quarry.evaluate.games.locating import check_games, shared_word_errors
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import labelled_game, make_store, record_of, run_main, write_games

IVY = paragraph("alpha:1:1", "Ivy climbs the old wall slowly. It clings with small roots.")
MOSS = paragraph("alpha:1:2", "Moss covers the damp stone. It needs shade and water.")


def findings(*games: Any) -> list[tuple[str, str]]:
    return check_games(games, [IVY, MOSS])


CLEAN = labelled_game(hint="plant that ascends brickwork", associative_word="garden")


class TestFindings:
    def test_fifteen_words_of_hint_are_allowed_and_sixteen_are_not(self) -> None:
        fifteen = labelled_game(hint=" ".join(f"w{n}" for n in range(15)))
        sixteen = labelled_game(hint=" ".join(f"w{n}" for n in range(16)))
        assert findings(fifteen) == []
        assert findings(sixteen) == [("g1", "hint must have at most 15 words, got 16; shorten it")]

    def test_words_of_the_hint_that_the_paragraph_has_are_named_sorted(self) -> None:
        game = labelled_game(hint="WALL-bound plant with tiny Ivy feet")
        assert findings(game) == [
            ("g1", "hint must share no word with the paragraph, got ivy, wall, with; say it in other words")
        ]

    def test_an_associative_word_that_occurs_is_named(self) -> None:
        assert findings(labelled_game(hint="brickwork", associative_word="Roots")) == [
            ("g1", "associative_word must share no word with the paragraph, got roots; say it in other words")
        ]

    def test_a_paragraph_that_the_store_does_not_hold_is_named(self) -> None:
        game = labelled_game(paragraph_id="beta:9:9", opening_sentence="Unrelated quantum jazz.")
        said = "no place in the store begins with its opening sentence; ingest its PDF, or mend the sentence"
        assert findings(game) == [("g1", said)]

    def test_a_hint_that_comes_twice_is_named_with_the_game_that_had_it_first(self) -> None:
        again = labelled_game(game_id="g2", hint="Plant, that ascends brickwork!", associative_word="garden")
        third = labelled_game(game_id="g3", hint=CLEAN.hint, associative_word="garden")
        assert findings(CLEAN, again, third) == [
            ("g2", "hint must be unique, got that of g1 again; write another"),
            ("g3", "hint must be unique, got that of g1 again; write another"),
        ]


@pytest.mark.parametrize(
    ("hint", "text", "shared"),
    [
        ("", "some text", []),
        ("The index", "an INDEX of the index", ["index", "the"]),
        ("e-mail", "E mail", ["e", "mail"]),
        ("ﬁx", "a fix", ["fix"]),
        ("העץ הגבוה", "עץ גבוה", []),
        ("עץ גבוה", "עץ גבוה", ["גבוה", "עץ"]),
    ],
)
def test_shared_words_are_folded_whole_words(hint: str, text: str, shared: list[str]) -> None:
    named = [error.split(", got ")[1].split(";")[0] for error in shared_word_errors("hint", hint, text)]
    assert named == ([", ".join(shared)] if shared else [])


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return make_store(tmp_path_factory.mktemp("check"), [IVY, MOSS]).location


class TestCommand:
    def test_an_unknown_key_is_named_once(self, tmp_path: Path, store: str, capsys: pytest.CaptureFixture[str]) -> None:
        records = [{**record_of(CLEAN), "mood": "fair"}, {**record_of(CLEAN), "game_id": "g2", "hint": "x", "mood": ""}]
        path = write_games(tmp_path / "games.jsonl", records)
        assert run_main(main, "games", "check", "--store", store, "--games", str(path)) == 1
        lines = capsys.readouterr().out.splitlines()
        assert lines[1:] == [f"{path}: 2 games, 1 thing wrong"]
        assert lines[0].endswith("got 'mood' in 2 lines; it is ignored")
