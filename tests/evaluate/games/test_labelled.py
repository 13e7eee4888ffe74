"""Games files are read strictly and split by paragraph; sentences are compared by letters and digits."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluate.errors import GamesError
from evaluate.games.labelled import (
    LabelledGame,
    assign_split,
    load_games,
    same_text,
    select_split,
)
from tests.evaluate.fakes import labelled_game, write_games
from tests.fakes import each, refusal

FILE = Path("games.jsonl")


def game_line(without: str = "", **changes: Any) -> dict[str, Any]:
    line = {"game_id": "g1", "hint": "what climbs", "paragraph_id": "alpha:1:1"}
    line.pop(without, None)
    return line | changes


def load(*lines: object) -> list[LabelledGame]:
    """The games of a file with these lines."""
    return load_games(write_games(FILE, lines))


def test_a_full_line_is_read_field_by_field() -> None:
    line: dict[str, Any] = {
        "game_id": "g7",
        "book_name": "Trees",
        "hint": "what climbs",
        "association_domain": "botany",
        "associative_word": "garden",
        "opening_sentence": "It grows.",
        "paragraph": "It grows. It stays.",
        "pdf": "lecture.04.pdf",
        "page": 3,
        "reader": "pypdf",
        "cut": "page",
        "in_text_layer": False,
        "split": "test",
    }

    (game,) = load({"manner": "vague", **line})
    assert game == LabelledGame(**line)
    assert game.edition == "pypdf:page"


@pytest.mark.parametrize(
    ("pdf", "doc_id"),
    {
        "notes.pdf": "notes",
        "a/notes.pdf": "notes",
        "b/notes.pdf": "b/notes",
        "/home/me/b/notes.pdf": "b/notes",
        "lecture.04.pdf": "lecture.04",
        "c/other.pdf": "other",
        "": "",
    }.items(),
)
def test_a_document_is_found_by_the_longest_path_that_is_an_id(
    pdf: str, doc_id: str
) -> None:
    ids = {"notes", "b/notes", "lecture.04"}
    assert labelled_game(pdf=pdf).find_document(ids) == doc_id


def test_what_a_line_leaves_out_is_empty_and_a_null_id_is_unanswerable() -> None:
    answerable, unanswerable = load(
        game_line(book_name=None), game_line(game_id="g2", paragraph_id=None)
    )
    assert answerable == LabelledGame("g1", "", "what climbs", paragraph_id="alpha:1:1")
    assert (unanswerable.answerable, unanswerable.paragraph_id) == (False, "")


def test_a_game_without_an_id_has_the_number_of_its_line() -> None:
    line = json.dumps(game_line(without="game_id"))
    FILE.write_text(f"\n\n{line}\n\n{line}\n")
    assert each(load_games(FILE), "game_id") == ["game-3", "game-5"]


def test_keys_that_resemble_none_of_ours_are_named_in_one_line_when_the_file_is_read(
    caplog: pytest.LogCaptureFixture,
) -> None:
    games = load(
        game_line(game_id="a", fold="test") | {"\x1b[2J": 1},
        game_line(game_id="b", fold="test"),
        game_line(mood="fair"),
        game_line(game_id="g2"),
    )
    assert len(games) == 4
    assert caplog.messages == [
        "games.jsonl: ignored unknown keys: '\\x1b[2J', 'fold', 'mood'; `games check` counts them"
    ]
    load(game_line())
    assert len(caplog.messages) == 1


BAD: Any = (
    ("{", "not a JSON object"),
    ("[" * 100_000, "not a JSON object"),
    ("[]", "list is not a JSON object"),
    ({"game_id": 7}, "game_id: Input should be a valid string, got 7"),
    ({"without": "hint"}, "hint: Field required"),
    ({"hint": " "}, "hint: it must not be empty, got ' '; correct"),
    ({"hint": "\ud800"}, "not Unicode text"),
    (
        {"split": "dev"},
        "split: Input should be 'train', 'validation' or 'test', got 'dev'",
    ),
    ({"in_text_layer": "no"}, "in_text_layer: Input should be a valid boolean"),
    ({"without": "paragraph_id"}, "no paragraph_id"),
    ({"game_id": "first"}, "is there twice"),
    ({"splt": "test"}, "unknown key 'splt'; did you mean split?"),
    ({"without": "game_id", "gameid": "a"}, "did you mean game_id?"),
)
"""Lines, or what makes one of `game_line`, and what is said of each."""


@pytest.mark.parametrize(("line", "holds"), BAD, ids=lambda value: str(value)[:40])
def test_a_bad_line_is_one_error_of_one_line_that_names_file_and_line(
    line: Any, holds: str
) -> None:
    first = json.dumps(game_line(game_id="first"))
    text = line if isinstance(line, str) else json.dumps(game_line(**line))
    FILE.write_text(f"{first}\n\n{text}\n", "utf-8")
    message = refusal(GamesError, load_games, FILE)
    assert message.startswith("games.jsonl line 3: ")
    assert holds in message


def test_a_file_without_games_or_not_in_utf_8_is_refused() -> None:
    for content, says in (
        (b'{"hint": "caf\xe9"}', "is not UTF-8: .* at byte 13"),
        (b"", "holds no game"),
        (b"\n \n\t\n", "holds no game"),
    ):
        FILE.write_bytes(content)
        with pytest.raises(GamesError, match=rf"games\.jsonl:? {says}"):
            load_games(FILE)


def test_the_draw_is_stable_over_machines_and_versions() -> None:
    """sha256sum over "SEED|alpha:1:1" begins with 0.19, 0.63, 0.41, 0.79 of 2^32."""
    game = labelled_game(paragraph_id="alpha:1:1")
    for seed, split in (
        (0, "train"),
        (12, "validation"),
        (7, "train"),
        (10, "test"),
    ):
        assert assign_split(game, seed) == split


def test_games_of_one_paragraph_fall_into_one_split_signs_aside() -> None:
    for number in range(50):
        game = labelled_game(paragraph_id="", opening_sentence=f"Ivy climbs {number}.")
        same = replace(game, opening_sentence=f"IVY CLIMBS {number}")
        assert assign_split(same, 0) == assign_split(game, 0)


def test_a_split_holds_its_games_in_order_and_an_empty_one_is_refused() -> None:
    splits = ("train", "test", "train", "test", "test")
    games = [
        labelled_game(game_id=f"g{n}", split=name) for n, name in enumerate(splits)
    ]
    tested = select_split(games, "test", 0)
    assert each(tested, "game_id") == ["g1", "g3", "g4"]
    assert select_split(games, None, 0) == games
    empty = "^the split validation has no game; .* test 3, train 2"
    with pytest.raises(GamesError, match=empty):
        select_split(games, "validation", 0)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("An index, once built.", "an INDEX once built", True),
        ("the ﬁrst “word”", 'The first "word"', True),
        ("e\u0301tude", "\u00e9tude", True),
        ("state-of-the-art", "state of the art", True),
        ("x₂", "X2", True),
        ("page 1", "page 11", False),
        ("one two", "two one", False),
    ],
)
def test_letters_and_digits_alone_make_a_difference(
    one: str, other: str, same: bool
) -> None:
    assert same_text(one, other) == same
