"""Labelling: the rule is checked, nothing written is lost, and what comes out is a games file."""

import contextlib
import json
import os
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from evaluate.errors import GamesError
from evaluate.games.labelled import LabelledGame, load_games
from evaluate.games.labeller import add_game, choose_paragraphs, label_games
from evaluate.games.locating import check_games
from tests.contracts.paragraphs import paragraph
from tests.fakes import each

IVY = paragraph("alpha:1:1", "Ivy scales brickwork. Tendrils grip mortar.")
MOSS = paragraph("alpha:1:2", "Moss carpets boulders. Shade keeps damp cushions.")
FERNS = paragraph("beta:1:1", "Ferns unroll fronds. Spores drift downhill.")
ALL = (IVY, MOSS, FERNS)
WHOLE = ("climber on walls", "plants 1", "", "garden", "botany")
"""Hint, book name, opening sentence as it was read, associative word, domain."""


OUT = Path("games.jsonl")


def label(*lines: str) -> tuple[int, str]:
    """Games in the file after these lines were typed, and all that was shown."""
    typed, shown = iter(lines), StringIO()

    def ask(prompt: str) -> str:
        print(prompt)
        if (line := next(typed, None)) is None:
            raise EOFError
        return line

    with contextlib.redirect_stdout(shown):
        n_games = label_games(ALL, OUT, ask)
    return n_games, shown.getvalue()


def test_games_are_written_with_the_paragraph_and_what_was_said() -> None:
    label(*WHOLE, "", "feathery leaves", "", "Ferns unroll fronts.", "")
    games = load_games(OUT)
    assert games[0] == LabelledGame(
        "game-001",
        "plants 1",
        "climber on walls",
        "botany",
        "garden",
        "alpha:1:1",
        IVY.opening_sentence,
        IVY.text,
        "alpha.pdf",
        1,
    )
    assert games[1].paragraph_id == "beta:1:1"
    assert games[1].associative_word == ""
    assert games[1].opening_sentence == "Ferns unroll fronts.", "as it was typed"

    assert check_games(games, ALL) == []


def test_a_paragraph_is_shown_in_whole_words_and_without_escape_codes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "20")
    paragraph = replace(IVY, doc_id="al\x1b[31mpha", heading="Cli\x1b[31mmbers")
    with contextlib.redirect_stdout(StringIO()) as shown:
        label_games([paragraph], OUT, lambda prompt: "")
    assert "al\\x1b[31mpha, page 1, prose  Cli\\x1b[31mmbers\n" in shown.getvalue()
    assert "Ivy scales\nbrickwork. Tendrils\ngrip mortar.\n" in shown.getvalue()


def test_what_breaks_a_rule_or_is_not_utf_8_is_asked_for_again() -> None:
    hint, book, opening, word, domain = WHOLE
    refused = ["ivy on walls", "w " * 16, "caf\udce9"]
    _, shown = label(
        *refused, hint, book, "photograph", opening, "mortar", word, domain
    )
    assert shown.count("with the paragraph.") == 2
    assert "The line is not UTF-8. Type it again.\n" in shown
    assert shown.count("The paragraph does not begin with its opening sentence") == 1
    (game,) = load_games(OUT)
    assert (game.hint, game.associative_word) == (hint, word)
    assert game.opening_sentence == IVY.opening_sentence


def test_a_hint_may_end_like_a_command() -> None:
    _, *rest = WHOLE
    label("ratio of a:b", *rest, "ratio of p:q")
    assert each(load_games(OUT), "hint") == ["ratio of a:b"]


def test_a_file_is_added_to_and_its_paragraphs_are_not_shown_again() -> None:
    line = {"game_id": "game-002", "hint": "damp", "paragraph_id": "alpha:1:2"}
    OUT.write_text(json.dumps(line), "utf-8")
    label(*WHOLE)
    n_games, shown = label("feathery leaves", "", "", "")
    assert n_games == 3
    assert shown.startswith("\n[1 of 1] beta, page 1, prose  Section 1\n")
    assert each(load_games(OUT), "game_id") == ["game-002", "game-003", "game-004"]


def test_answers_and_games_can_be_given_again() -> None:
    typed = [WHOLE[0], "plans", ":b", *WHOLE[1:], ":b", "garden wall cover"]
    label(*typed, *WHOLE[1:])
    (game,) = load_games(OUT)
    assert (game.hint, game.book_name) == ("garden wall cover", "plants 1")


def test_games_that_are_added_at_the_same_time_have_ids_of_their_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def load_slowly(path: Path) -> list[LabelledGame]:
        games = load_games(path)
        time.sleep(0.02)
        return games

    monkeypatch.setattr("evaluate.games.labeller.load_games", load_slowly)
    with ThreadPoolExecutor(8) as threads:
        added = [*threads.map(lambda hint: add_game(OUT, IVY, hint=hint), "abcdefgh")]
    assert len({*added}) == 8
    assert sorted(each(load_games(OUT), "game_id")) == sorted(added)
    assert os.listdir() == [OUT.name]


def test_undoing_a_game_keeps_those_that_another_program_has_added() -> None:
    typed = iter([*WHOLE, "", ":b", ":b", ":q"])

    def ask(prompt: str) -> str:
        line = next(typed)
        if line == ":b" and len(load_games(OUT)) == 1:
            add_game(OUT, FERNS, hint="feathery leaves")
        return line

    with contextlib.redirect_stdout(StringIO()):
        assert label_games(ALL, OUT, ask) == 1
    assert each(load_games(OUT), "hint") == ["feathery leaves"]


def test_paragraphs_are_chosen_by_lecture_and_kind() -> None:
    moss = replace(MOSS, kind="heading")
    ferns = replace(FERNS, kind="item")
    paragraphs = (IVY, moss, ferns)
    assert choose_paragraphs(paragraphs) == [IVY, ferns]
    assert choose_paragraphs(paragraphs, kinds=["heading"]) == [moss]
    assert choose_paragraphs(paragraphs, "BET") == [ferns]
    with pytest.raises(GamesError, match=r"Lectures: alpha, beta\. Kinds: heading"):
        choose_paragraphs(paragraphs, "gamma")
