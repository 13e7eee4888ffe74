"""A person as the referee: what is typed is all that the player gets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from quarry.evaluate.practice.person import DOMAIN, play_with_person
from quarry.player.game.game import Spectator
from quarry.player.player import Decision, Plan, Player
from quarry.player.protocol.messages import RoundStart
from quarry.player.questions.answer import NOT_RELEVANT
from tests.player.fakes import course, dense_player


class Notebook(Spectator):
    def __init__(self) -> None:
        self.starts: list[RoundStart] = []
        self.answers: list[object] = []
        self.decisions: list[Decision] = []

    def started(self, game_id: str, start: RoundStart) -> None:
        self.starts.append(start)

    def answered(self, plan: Plan, answers: object, decision: Decision) -> None:
        self.answers.append(answers)
        self.decisions.append(decision)


def played(typed: Iterator[str]) -> tuple[Decision, Notebook, Player]:
    player, notebook = dense_player(course()), Notebook()
    play_with_person(player, notebook, lambda prompt: next(typed, ""), "1")
    return notebook.decisions[0], notebook, player


def test_letters_in_either_case_count_and_enter_is_not_relevant(capsys: pytest.CaptureFixture[str]) -> None:
    letters = [" a ", "B", "", *["d"] * 17]
    decision, notebook, player = played(iter(["first", "grammar token lookahead", "tools", *letters]))
    (start,), (answers,) = notebook.starts, notebook.answers
    assert (start.book_name, start.hint, start.association_domain) == ("first", "grammar token lookahead", "tools")
    assert answers == ["A", "B", NOT_RELEVANT, *["D"] * 17]
    plan = player.plan(start)
    assert decision.guess == player.decide(plan, answers).guess
    shown = capsys.readouterr().out
    for question in plan.questions:
        assert question.text in shown


def test_what_is_no_answer_is_asked_for_again() -> None:
    _, notebook, _ = played(iter(["", "grammar token", "", "E", "what?", "C", *[""] * 19]))
    assert notebook.answers == [["C", *[NOT_RELEVANT] * 19]]
    assert notebook.starts[0].association_domain == DOMAIN


UNKNOWN = "Whether the guess was right is not known.\n"


@pytest.mark.parametrize(
    ("said", "ending"),
    [("y", "The guess was right.\n"), (" NO", "The guess was wrong.\n"), ("", UNKNOWN), ("who knows", UNKNOWN)],
)
def test_the_person_is_asked_at_the_end_whether_the_guess_was_right(
    said: str, ending: str, capsys: pytest.CaptureFixture[str]
) -> None:
    typed = iter(["", "grammar token", "", *["A"] * 20, said])
    play_with_person(dense_player(course()), Spectator(), lambda prompt: next(typed), "1")
    assert capsys.readouterr().out.endswith(ending)
    assert next(typed, None) is None
