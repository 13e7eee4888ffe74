"""DeadlinePlayer: 20 valid questions and a valid guess when their time is up, whatever hangs or fails."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from player.deadlines import Runner, reply_due
from player.game import messages as protocol
from player.game.deadline_player import DeadlinePlayer, generic_questions
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
    """A contestant of which some calls hang or fail.

    Attributes:
        hanging: names of the calls that hang until they are mended, each once.
        error: the error of decisions.
        budgets_s: seconds that calls had, by name.
    """

    def __init__(self) -> None:
        self.hanging: list[str] = []
        self.error: Exception | None = None
        self.mended = threading.Event()
        self.budgets_s: dict[str, float] = {}
        self._player = dense_player()

    def __getattr__(self, name: str) -> Any:
        def call(*arguments: Any) -> Any:
            self.budgets_s[name] = reply_due() - time.monotonic()
            if name in self.hanging:
                self.hanging.remove(name)
                self.mended.wait(30.0)
            if name == "decide" and self.error is not None:
                raise self.error
            return getattr(self._player, name)(*arguments)

        return call


@pytest.fixture
def unsteady() -> Iterator[Any]:
    unsteady = Unsteady()
    yield unsteady
    unsteady.mended.set()


@pytest.fixture
def steady(unsteady: Any) -> DeadlinePlayer:
    return DeadlinePlayer(unsteady, "7", Runner())


def sentence_of(steady: DeadlinePlayer, budget_s: float) -> str:
    """The sentence of a guess, after checking that questions and guess can be sent."""
    assert steady.plan is not None
    batch = protocol.questions_payload(START, steady.plan.questions)
    assert len(batch["questions"]) == 20
    letters = ["A", "Not Relevant", None, *["B"] * 17]
    guess = steady.decide(letters, budget_s).guess
    assert guess.sentence_justification
    assert guess.associative_word
    assert guess.word_justification
    return guess.opening_sentence


def test_questions_that_take_too_long_give_way_to_generic_ones_about_what_is_found_later(
    unsteady: Any, steady: DeadlinePlayer, caplog: pytest.LogCaptureFixture
) -> None:
    for hanging, budget_s, sentences in (
        (["plan"], 20.0, set(each(course(), "opening_sentence"))),
        (["plan", "plan"], 0.5, {START.hint}),  # nothing is found
    ):
        unsteady.hanging = hanging
        began = time.monotonic()
        plan = steady.make_plan(START, 0.3)
        assert time.monotonic() - began < 2.0
        assert plan.questions == generic_questions(START)
        assert sentence_of(steady, budget_s) in sentences
    says = "game 7: the questions took more than 0.3 s; the game goes on with less"
    assert caplog.messages[:2] == [says] * 2
    assert len(caplog.messages) == 3


def test_a_decision_that_hangs_or_fails_leaves_the_likeliest_by_the_hint(
    unsteady: Any, steady: DeadlinePlayer, caplog: pytest.LogCaptureFixture
) -> None:
    unsteady.hanging = ["decide"]
    unsteady.error = ZeroDivisionError("decide")
    for budget_s in (0.5, 20.0):
        plan = steady.make_plan(START, 20.0)
        best = plan.as_paragraph(int(plan.prior.argmax()))
        assert sentence_of(steady, budget_s) == best.opening_sentence
    says = "game 7: the decision failed: ZeroDivisionError: decide; the game goes on with less"
    assert says in caplog.messages

    unsteady.error = TimeoutError()  # another step was late
    steady.decide(["A"] * 20, 20.0)
    assert "the decision failed: " in caplog.messages[-1]


def test_the_loop_gives_each_part_its_budget_and_cuts_a_longer_one_short(
    unsteady: Any,
) -> None:
    unsteady.hanging = ["answer_warmup"]
    calls = [warmup(deadline=2), round_start(deadline=600), answers(), score()]
    server = FakeGameServer([[call] for call in calls])
    report = report_of(server, player=unsteady)
    assert server.sent[0]["payload"]["answer"] == "0"
    assert 1.0 <= report.elapsed_s < 10.0
    # half of 2 s; half of the usual 40 s, which a longer deadline does not raise; of as much .6 for the decision
    expected_s = {"answer_warmup": 1.0, "plan": 20.0, "decide": 12.0}
    assert unsteady.budgets_s == pytest.approx(expected_s, abs=0.3)


def test_generic_questions_are_put_in_the_language_of_the_hint() -> None:
    hebrew = RoundStart("M1", "", "מה מטפס אל האור", "צבע", "")
    for start in (START, hebrew):
        questions = generic_questions(start)
        assert len(set(each(questions, "text"))) == 20
        options = set().union(*each(questions, "options"))
        assert len(options) == 61
    assert "הפסקה" in generic_questions(hebrew)[0].text
