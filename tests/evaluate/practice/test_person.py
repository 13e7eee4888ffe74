"""A person as the referee: what is typed is all that the player gets."""

from pathlib import Path
from typing import Any

import pytest

from evaluate.games.labelled import load_games
from evaluate.practice.person import DOMAIN, play_with_person
from player.answer import NOT_RELEVANT
from player.belief.places import Places
from player.game.game import Spectator
from player.player import Decision, Plan
from quarry.course.piece import Piece
from tests.player.fakes import course, dense_player


class Notebook(Spectator):
    """Keeps what it sees of a game with these lines typed, and the lines that nobody asked for."""

    def __init__(self, *typed: str, games: Path | None = None) -> None:
        self.lines = list(typed)
        self.player = dense_player(course())
        play_with_person(self.player, self, lambda _: self.lines.pop(0), "1", games)

    def answered(
        self,
        game_id: str,
        plan: Plan,
        answers: Any,
        decision: Decision,
    ) -> None:
        self.plan, self.answers, self.guess = plan, answers, decision.guess


def test_wrong_lines_are_explained_answers_undone_and_a_game_is_kept(
    capsys: pytest.CaptureFixture[str],
) -> None:
    games = Path("games.jsonl")
    head = ["first", "word " * 16, "quick lookup", ""]
    letters = ["x", " a ", "u", "B", "", *["d"] * 18]
    seen = Notebook(*head, *letters, "y", "y", games=games)
    assert seen.lines == []
    start = seen.plan.start
    assert (start.book_name, start.association_domain) == ("first", DOMAIN)
    assert seen.answers == ["B", NOT_RELEVANT, *["D"] * 18]
    assert seen.guess == seen.player.decide(seen.plan, seen.answers).guess

    shown = capsys.readouterr().out
    assert "at most 15" in shown
    assert "X is no answer." in shown
    for question in seen.plan.questions:
        assert question.text in shown
    (game,) = load_games(games)
    assert game.hint == start.hint == "quick lookup"
    assert game.opening_sentence == seen.guess.opening_sentence


def test_the_person_is_asked_at_the_end_whether_the_guess_was_right(
    capsys: pytest.CaptureFixture[str],
) -> None:
    for typed, ending in (
        ("y", "The guess was right.\n"),
        (" NO", "The guess was wrong.\n"),
        ("who knows", "Whether the guess was right is not known.\n"),
    ):
        seen = Notebook("", "grammar token", "", *["A"] * 20, typed)
        assert capsys.readouterr().out.endswith(ending)
        assert seen.lines == []


def test_a_guess_of_another_edition_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    piece = Piece("pdfplumber:page", "a", 1, 1, "Raw text begins. It goes on.")
    monkeypatch.setattr(Places, "piece", lambda places, place: piece)
    games = Path("games.jsonl")
    letters = ["A"] * 20
    seen = Notebook("", "quick lookup", "", *letters, "y", "y", games=games)
    assert seen.lines == ["y"]
    assert not games.exists()
