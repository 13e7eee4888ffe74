"""What is wrong with a games file is named, game by game, and a file that keeps the rule passes."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from evaluate.games.locating import check_games, rule_errors
from tests.contracts.paragraphs import paragraph
from tests.evaluate.fakes import (
    Evaluate,
    labelled_game,
    make_store,
    record_of,
    write_games,
)

IVY = paragraph(
    "alpha:1:1", "Ivy climbs the old wall slowly. It clings with small roots."
)
CLEAN = labelled_game(hint="plant that ascends brickwork", associative_word="garden")


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"hint": "w " * 15}, ""),
        ({"hint": "w " * 16}, "The hint has 16 words; at most 15 are allowed."),
        (
            {"hint": "WALL-bound plant with tiny Ivy feet"},
            'The hint shares the words "ivy", "wall", "with" with the paragraph.',
        ),
        (
            {"associative_word": "Roots"},
            'The associative word shares the word "roots" with the paragraph.',
        ),
        (
            {"paragraph_id": "beta:9:9", "opening_sentence": "Unrelated quantum jazz."},
            "No place in the store begins with its opening sentence; ingest its PDF, or correct the sentence.",
        ),
    ],
)
def test_what_is_wrong_with_a_game_is_said(changes: dict[str, str], error: str) -> None:
    game = replace(CLEAN, **changes)  # type: ignore[arg-type]
    assert check_games([game], [IVY]) == ([("g1", error)] if error else [])


def test_a_hint_that_comes_twice_is_named_with_the_game_that_had_it_first() -> None:
    again = replace(CLEAN, game_id="g2", hint="Plant, that ascends brickwork!")
    third = replace(CLEAN, game_id="g3")
    error = "The hint is also that of g1; write another."
    assert check_games([CLEAN, again, third], [IVY]) == [("g2", error), ("g3", error)]


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
def test_shared_words_are_folded_whole_words(
    hint: str, text: str, shared: list[str]
) -> None:
    errors = " ".join(rule_errors(text, hint))
    assert re.findall('"(.+?)"', errors) == shared


def test_an_unknown_key_is_named_once(evaluate: Evaluate, tmp_path: Path) -> None:
    store = make_store(tmp_path / "store", [IVY]).location
    one = {**record_of(CLEAN), "mood": "fair"}
    games = [one, {**one, "game_id": "g2", "hint": "x"}]
    path = write_games(tmp_path / "games.jsonl", games)
    checked = evaluate("games", "check", "--store", store, "--games", path)
    unknown, summary = checked.out.splitlines()
    assert (checked.code, summary) == (1, f"{path}: 2 games, 1 thing wrong")
    assert unknown.startswith("Unknown key 'mood' in 2 lines; the keys are ")
