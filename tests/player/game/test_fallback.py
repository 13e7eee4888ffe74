"""DeadlinePlayer: 20 valid questions and a valid guess when their time is up, whatever hangs or fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest

from player.game.fallback import DeadlinePlayer, generic_questions
from player.player import Decision, Plan
from player.protocol import messages as protocol
from player.protocol.messages import RoundStart
from player.questions.answer import Answers
from player.questions.question import Question
from tests.player.fakes import course, dense_player, perfect_answer

START = RoundStart("M1", "first", "grammar token lookahead terminal", "color", "t")


class Hanging:
    """A contestant of which some parts hang until they are released, or fail."""

    def __init__(self, *hangs: str, fails: Sequence[str] = ()) -> None:
        self._player = dense_player(course(), questions_pool=60)
        self._hangs = hangs
        self._fails = fails
        self.released = threading.Event()

    def _perhaps(self, part: str) -> None:
        if part in self._hangs:
            self.released.wait(30.0)
        if part in self._fails:
            raise ZeroDivisionError(part)

    def answer_warmup(self, question: str) -> str:
        self._perhaps("warmup")
        return self._player.answer_warmup(question)

    def plan(
        self, start: RoundStart, questions: Sequence[Question] | None = None
    ) -> Plan:
        self._perhaps("plan" if questions is None else "search")
        return self._player.plan(start, questions)

    def decide(self, plan: Plan, answers: Answers) -> Decision:
        self._perhaps("decide")
        return self._player.decide(plan, answers)


@pytest.fixture
def told() -> list[str]:
    return []


def valid(plan: Plan, decision: Decision) -> None:
    assert len(protocol.questions_payload(START, plan.questions)["questions"]) == 20
    assert protocol.guess_payload(START, decision.guess)["opening_sentence"]


def test_in_time_nothing_differs_from_the_player_alone(told: list[str]) -> None:
    player = dense_player(course(), questions_pool=60)
    planned = DeadlinePlayer(player, told.append).plan(START, 30.0)
    assert planned.plan.questions == player.plan(START).questions
    assert told == []


def test_questions_that_take_too_long_give_way_to_generic_ones_about_what_was_found(
    told: list[str],
) -> None:
    player = Hanging("plan")
    steady = DeadlinePlayer(player, told.append)
    started = time.monotonic()
    planned = steady.plan(START, 2.0)
    assert time.monotonic() - started < 2.0
    assert planned.plan.questions == generic_questions(START)
    assert len(planned.plan.result.hits) == len(course())
    text = course()[5].text
    answers = [perfect_answer(question, text) for question in planned.plan.questions]
    valid(planned.plan, steady.decide(planned, answers, 5.0))
    assert told == ["the questions took more than 1.2 s; the game goes on with less"]
    player.released.set()


def test_a_search_that_hangs_leaves_the_generic_questions_and_the_hint(
    told: list[str],
) -> None:
    player = Hanging("plan", "search")
    steady = DeadlinePlayer(player, told.append)
    planned = steady.plan(START, 0.5)
    assert planned.plan.result.hits == ()
    decision = steady.decide(planned, ["A", "Not Relevant", None, *["B"] * 17], 0.5)
    valid(planned.plan, decision)
    assert decision.guess.opening_sentence == START.hint
    assert len(told) == 3
    player.released.set()


def test_a_search_that_is_late_still_serves_the_guess(told: list[str]) -> None:
    player = Hanging("plan", "search")
    steady = DeadlinePlayer(player, told.append)
    planned = steady.plan(START, 0.2)
    player.released.set()
    decision = steady.decide(planned, ["A"] * 20, 20.0)
    assert decision.guess.opening_sentence in {
        item.opening_sentence for item in course()
    }


def test_a_decision_that_hangs_or_fails_leaves_the_likeliest_by_the_hint(
    told: list[str],
) -> None:
    for player in (Hanging("decide"), Hanging(fails=["decide"])):
        steady = DeadlinePlayer(player, told.append)
        planned = steady.plan(START, 20.0)
        decision = steady.decide(planned, ["A"] * 20, 0.5)
        valid(planned.plan, decision)
        best = planned.plan.result.hits[int(planned.plan.prior.argmax())].paragraph
        assert decision.guess.opening_sentence == best.opening_sentence
        player.released.set()
    assert (
        "the decision failed: ZeroDivisionError: decide; the game goes on with less"
        in told
    )


def test_a_plan_that_fails_costs_the_designed_questions_alone(told: list[str]) -> None:
    planned = DeadlinePlayer(Hanging(fails=["plan"]), told.append).plan(START, 20.0)
    assert planned.plan.questions == generic_questions(START)
    assert planned.plan.result.hits


def test_a_warmup_that_fails_is_answered_with_0(told: list[str]) -> None:
    assert (
        DeadlinePlayer(Hanging(fails=["warmup"]), told.append).warmup(
            "What is 2 * 3?", 1.0
        )
        == "0"
    )


def test_generic_questions_are_put_in_the_language_of_the_hint() -> None:
    hebrew = RoundStart("M1", "", "מה מטפס אל האור", "צבע", "")
    for start in (START, hebrew):
        questions = generic_questions(start)
        assert len({question.text for question in questions}) == 20
        assert (
            len({option for question in questions for option in question.options}) == 61
        )
    assert "הפסקה" in generic_questions(hebrew)[0].text
