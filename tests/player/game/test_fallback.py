"""DeadlinePlayer: 20 valid questions and a valid guess when their time is up, whatever hangs or fails."""

import threading
import time
from collections.abc import Iterator, Sequence

import pytest

from player.answer import Answers
from player.deadlines import Runner, reply_due
from player.game import messages as protocol
from player.game.fallback import DeadlinePlayer, generic_questions
from player.player import Decision, Plan
from player.question import Question
from player.round import RoundStart
from tests.fakes import each
from tests.player.fakes import FakeGameServer, course, dense_player
from tests.player.game.test_loop import (
    answers,
    report_of,
    round_start,
    score,
    warmup,
)

START = RoundStart("M1", "first", "grammar token lookahead terminal", "color", "t")


class Unsteady:
    """A contestant of which some parts hang until they are mended, or fail."""

    def __init__(self) -> None:
        self.player = dense_player()
        self.steady = DeadlinePlayer(self, "7", Runner())
        self.hanging: set[str] = set()
        self.failing: set[str] = set()
        self.error: type[Exception] = ZeroDivisionError
        self.mended = threading.Event()
        self.budgets_s: dict[str, float] = {}

    def _may(self, part: str) -> None:
        self.budgets_s[part] = reply_due() - time.monotonic()
        if part in self.hanging:
            self.mended.wait(30.0)
        if part in self.failing:
            raise self.error(part)

    def answer_warmup(self, question: str) -> str:
        self._may("warmup")
        return self.player.answer_warmup(question)

    def plan(
        self,
        start: RoundStart,
        questions: Sequence[Question] | None = None,
    ) -> Plan:
        self._may("plan" if questions is None else "search")
        return self.player.plan(start, questions)

    def decide(
        self,
        plan: Plan,
        answers: Answers,
    ) -> Decision:
        self._may("decide")
        return self.player.decide(plan, answers)


@pytest.fixture
def unsteady() -> Iterator[Unsteady]:
    unsteady = Unsteady()
    yield unsteady
    unsteady.mended.set()


def sentence_of(unsteady: Unsteady, budget_s: float) -> str:
    """The sentence of a guess, after checking that questions and guess can be sent."""
    plan = unsteady.steady.plan
    assert plan is not None
    batch = protocol.questions_payload(START, plan.questions)
    assert len(batch["questions"]) == 20
    letters = ["A", "Not Relevant", None, *["B"] * 17]
    guess = unsteady.steady.decide(letters, budget_s).guess
    assert guess.sentence_justification
    assert guess.associative_word
    assert guess.word_justification
    return guess.opening_sentence


def test_questions_that_take_too_long_give_way_to_generic_ones_about_what_is_found_later(
    unsteady: Unsteady, caplog: pytest.LogCaptureFixture
) -> None:
    for hanging, budget_s, sentences in (
        ({"plan"}, 20.0, set(each(course(), "opening_sentence"))),
        ({"plan", "search"}, 0.5, {START.hint}),  # nothing is found
    ):
        unsteady.hanging = hanging
        began = time.monotonic()
        plan = unsteady.steady.make_plan(START, 0.3)
        assert time.monotonic() - began < 2.0
        assert plan.questions == generic_questions(START)
        assert sentence_of(unsteady, budget_s) in sentences
    says = "game 7: the questions took more than 0.3 s; the game goes on with less"
    assert caplog.messages[:2] == [says] * 2
    assert len(caplog.messages) == 3


def test_a_decision_that_hangs_or_fails_leaves_the_likeliest_by_the_hint(
    unsteady: Unsteady, caplog: pytest.LogCaptureFixture
) -> None:
    unsteady.hanging = {"decide"}
    unsteady.failing = {"decide"}
    for budget_s in (0.5, 20.0):
        plan = unsteady.steady.make_plan(START, 20.0)
        best = plan.as_paragraph(int(plan.prior.argmax()))
        assert sentence_of(unsteady, budget_s) == best.opening_sentence
        unsteady.mended.set()
    says = "game 7: the decision failed: ZeroDivisionError: decide; the game goes on with less"
    assert says in caplog.messages

    unsteady.error = TimeoutError  # another step was late
    unsteady.steady.decide(["A"] * 20, 20.0)
    assert "the decision failed: " in caplog.messages[-1]


def test_the_loop_gives_each_part_its_budget_and_cuts_a_longer_one_short(
    unsteady: Unsteady,
) -> None:
    unsteady.hanging = {"warmup"}
    calls = [warmup(deadline=2), round_start(deadline=600), answers(), score()]
    server = FakeGameServer([[call] for call in calls])
    report = report_of(server, player=unsteady)
    assert server.sent[0]["payload"]["answer"] == "0"
    assert 1.0 <= report.elapsed_s < 10.0
    # half of 2 s; half of the usual 40 s, which a longer deadline does not raise; of as much .6 for the decision
    expected_s = {"warmup": 1.0, "plan": 20.0, "decide": 12.0}
    assert unsteady.budgets_s == pytest.approx(expected_s, abs=0.3)


def test_generic_questions_are_put_in_the_language_of_the_hint() -> None:
    hebrew = RoundStart("M1", "", "מה מטפס אל האור", "צבע", "")
    for start in (START, hebrew):
        questions = generic_questions(start)
        assert len(set(each(questions, "text"))) == 20
        options = set().union(*each(questions, "options"))
        assert len(options) == 61
    assert "הפסקה" in generic_questions(hebrew)[0].text
