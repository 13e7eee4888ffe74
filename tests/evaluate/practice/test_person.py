"""A person as the referee: what is typed is all that the player gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluate.games.labelled import load_games
from evaluate.practice.person import DOMAIN, play_with_person
from ingest.editions.piece import Piece
from player.game.game import Spectator
from player.player import Decision, Plan, Player
from player.protocol.messages import RoundStart
from player.questions.answer import NOT_RELEVANT
from player.questions.places import Places
from tests.player.fakes import course, dense_player


class Notebook(Spectator):
    def __init__(self) -> None:
        self.starts: list[RoundStart] = []
        self.answers: list[object] = []
        self.decisions: list[Decision] = []

    def started(self, game_id: str, start: RoundStart) -> None:
        self.starts.append(start)

    def answered(
        self, game_id: str, plan: Plan, answers: object, decision: Decision
    ) -> None:
        self.answers.append(answers)
        self.decisions.append(decision)


def played(
    *typed: str, games: Path | None = None
) -> tuple[Notebook, Player, list[str]]:
    """What was seen of a game with these lines typed, the player, and the lines that nobody asked for."""
    player, notebook, lines = dense_player(course()), Notebook(), list(typed)
    play_with_person(player, notebook, lambda _: lines.pop(0), "1", games)
    return notebook, player, lines


def test_letters_in_either_case_count_enter_is_not_relevant_and_others_are_asked_for_again(
    capsys: pytest.CaptureFixture[str],
) -> None:
    letters = [" a ", "B", "", "E", "what?", *["d"] * 17]
    hint = "grammar token lookahead"
    notebook, player, _ = played("first", hint, "", *letters, "")
    (start,), (answers,) = notebook.starts, notebook.answers
    assert (start.book_name, start.hint) == ("first", hint)
    assert start.association_domain == DOMAIN
    assert answers == ["A", "B", NOT_RELEVANT, *["D"] * 17]

    plan = player.plan(start)
    assert notebook.decisions[0].guess == player.decide(plan, answers).guess
    shown = capsys.readouterr().out
    for question in plan.questions:
        assert question.text in shown


@pytest.mark.parametrize(
    ("typed", "ending"),
    [
        ("y", "The guess was right.\n"),
        (" NO", "The guess was wrong.\n"),
        ("who knows", "Whether the guess was right is not known.\n"),
    ],
)
def test_the_person_is_asked_at_the_end_whether_the_guess_was_right(
    typed: str, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    *_, lines = played("", "grammar token", "", *["A"] * 20, typed)
    assert capsys.readouterr().out.endswith(ending)
    assert lines == []


def test_long_hints_and_wrong_keys_are_explained_answers_undone_and_the_game_kept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "games.jsonl"
    head = ["", " ".join(["word"] * 16), "quick lookup", ""]
    typed = [*head, "x", "a", "u", "b", *["d"] * 19, "y", "y"]
    notebook, _, lines = played(*typed, games=games)
    assert lines == []
    assert notebook.answers == [["B", *["D"] * 19]]
    shown = capsys.readouterr().out
    assert "The hint has 16 words; at most 15 are allowed." in shown
    assert "X is no answer." in shown
    (game,) = load_games(games)
    assert game.hint == "quick lookup"
    assert game.opening_sentence == notebook.decisions[0].guess.opening_sentence


def test_a_guess_of_another_edition_is_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    piece = Piece("pdfplumber:page", "a", 1, 1, "Raw text begins. It goes on.")
    monkeypatch.setattr(Places, "piece", lambda places, place: piece)
    games = tmp_path / "games.jsonl"
    *_, lines = played("", "quick lookup", "", *["A"] * 20, "y", "y", games=games)
    assert lines == ["y"]
    assert not games.exists()
