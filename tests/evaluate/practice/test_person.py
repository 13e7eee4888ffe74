"""A person as the referee: what is typed is all that the player gets."""

from pathlib import Path
from unittest.mock import Mock

import pytest

from evaluate.games.labelled import load_games
from evaluate.practice.person import DOMAIN, play_with_person
from player.answer import NOT_RELEVANT, Answers
from player.belief.places import Places
from player.game.game import Spectator
from player.player import Plan
from quarry.course.piece import Piece
from tests.player.fakes import dense_player


def play(*typed: str, games: Path | None = None) -> tuple[Plan, Answers, list[str]]:
    """The plan and the answers of a game with these lines typed, and the lines that nobody asked for."""
    lines, spectator = list(typed), Mock(Spectator)
    play_with_person(dense_player(), spectator, lambda _: lines.pop(0), "1", games)
    _, plan, answers, _ = spectator.answered.call_args.args
    return plan, answers, lines


def test_wrong_lines_are_explained_answers_undone_and_a_game_is_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    games = Path("games.jsonl")
    head = ["first", "word " * 16, "quick lookup", ""]
    letters = ["x", " a ", "u", "B", "", *["d"] * 18]
    plan, answers, lines = play(*head, *letters, "y", "y", games=games)
    assert lines == []
    start = plan.start
    assert (start.book_name, start.association_domain) == ("first", DOMAIN)
    assert answers == ["B", NOT_RELEVANT, *["D"] * 18]

    shown = capsys.readouterr().out
    assert "at most 15" in shown
    assert "X is no answer." in shown
    for question in plan.questions:
        assert question.text in shown
    (game,) = load_games(games)
    assert game.hint == start.hint == "quick lookup"
    guess = dense_player().decide(plan, answers).guess
    assert game.opening_sentence == guess.opening_sentence


def test_the_person_is_asked_at_the_end_whether_the_guess_was_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for typed, ending in (
        ("y", "The guess was right.\n"),
        (" NO", "The guess was wrong.\n"),
        ("who knows", "Whether the guess was right is not known.\n"),
    ):
        _, _, lines = play("", "grammar token", "", *["A"] * 20, typed)
        assert capsys.readouterr().out.endswith(ending)
        assert lines == []


def test_a_guess_of_another_edition_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    piece = Piece("pdfplumber:page", "a", 1, 1, "Raw text begins. It goes on.")
    monkeypatch.setattr(Places, "piece", lambda places, place: piece)
    games = Path("games.jsonl")
    _, _, lines = play("", "quick lookup", "", *["A"] * 20, "y", "y", games=games)
    assert lines == ["y"]
    assert not games.exists()
