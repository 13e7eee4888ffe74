"""DeadlinePlayer: 20 valid questions and a valid guess when their time is up, whatever hangs or fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

import pytest

from quarry.player.game.fallback import DeadlinePlayer, generic_questions
from quarry.player.game.feedback import read_revealed, recognise, use_revealed
from quarry.player.game.ledger import Revealed
from quarry.player.player import Decision, Plan, Player
from quarry.player.protocol import payloads as protocol
from quarry.player.protocol.payloads import RoundStart, Score
from quarry.player.questions.answer import Answers
from quarry.player.questions.question import Question
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

    def plan(self, start: RoundStart, questions: Sequence[Question] | None = None) -> Plan:
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


def test_questions_that_take_too_long_give_way_to_generic_ones_about_what_was_found(told: list[str]) -> None:
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
    assert told == ["the questions must be ready in 1.2 s and is not; the game goes on with less"]
    player.released.set()


def test_a_search_that_hangs_leaves_the_generic_questions_and_the_hint(told: list[str]) -> None:
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
    assert decision.guess.opening_sentence in {item.opening_sentence for item in course()}


def test_a_decision_that_hangs_or_fails_leaves_the_likeliest_by_the_hint(told: list[str]) -> None:
    for player in (Hanging("decide"), Hanging(fails=["decide"])):
        steady = DeadlinePlayer(player, told.append)
        planned = steady.plan(START, 20.0)
        decision = steady.decide(planned, ["A"] * 20, 0.5)
        valid(planned.plan, decision)
        best = planned.plan.result.hits[int(planned.plan.prior.argmax())].paragraph
        assert decision.guess.opening_sentence == best.opening_sentence
        player.released.set()
    assert "the decision failed: ZeroDivisionError: decide; the game goes on with less" in told


def test_a_plan_that_fails_costs_the_designed_questions_alone(told: list[str]) -> None:
    planned = DeadlinePlayer(Hanging(fails=["plan"]), told.append).plan(START, 20.0)
    assert planned.plan.questions == generic_questions(START)
    assert planned.plan.result.hits


def test_a_warmup_that_fails_is_answered_with_0(told: list[str]) -> None:
    assert DeadlinePlayer(Hanging(fails=["warmup"]), told.append).warmup("What is 2 * 3?", 1.0) == "0"


def test_without_a_budget_errors_pass() -> None:
    with pytest.raises(ZeroDivisionError):
        DeadlinePlayer(Hanging(fails=["plan"]), print).plan(START, None)


def test_generic_questions_are_put_in_the_language_of_the_hint() -> None:
    hebrew = RoundStart("M1", "", "מה מטפס אל האור", "צבע", "")
    for start in (START, hebrew):
        questions = generic_questions(start)
        assert len({question.text for question in questions}) == 20
        assert len({option for question in questions for option in question.options}) == 61
    assert "הפסקה" in generic_questions(hebrew)[0].text


# what a referee revealed


def planned() -> tuple[Player, Plan]:
    player = dense_player(course(), questions_pool=60)
    return player, player.plan(START)


def scored(sentence: float, word: float, **feedback: str) -> Score:
    return Score(50.0, 1, {"opening_sentence_score": sentence, "associative_word_score": word}, feedback)


def test_right_parts_are_revealed_by_their_points() -> None:
    player, plan = planned()
    guess = player.decide(plan, ["A"] * 20).guess
    assert read_revealed(scored(100.0, 100.0), guess, plan) == Revealed(guess.opening_sentence, guess.associative_word)
    assert read_revealed(scored(40.0, 10.0), guess, plan) == Revealed("", "")


@pytest.mark.parametrize("frame", ['The sentence was "{}", not yours.', "expected: {}", "{}"])
def test_a_sentence_is_found_in_the_feedback(frame: str) -> None:
    player, plan = planned()
    guess = player.decide(plan, ["A"] * 20).guess
    other = next(
        hit.paragraph.opening_sentence
        for hit in plan.result.hits
        if hit.paragraph.opening_sentence != guess.opening_sentence
    )
    score = scored(10.0, 10.0, opening_sentence=frame.format(other))
    assert read_revealed(score, guess, plan).sentence == other


@pytest.mark.parametrize(
    ("remark", "word"),
    [
        ('The word was "fox".', "fox"),
        ("The secret word: fox", "fox"),
        ('You said "GUESSED", it is "fox"', "fox"),
        ("The associative word is another one; 0 of 100 for its nearness to the right one.", ""),
        ('either "fox" or "hen"', ""),
    ],
)
def test_a_word_is_found_in_the_feedback_where_it_is_plain(remark: str, word: str) -> None:
    player, plan = planned()
    guess = player.decide(plan, ["A"] * 20).guess
    told = remark.replace("GUESSED", guess.associative_word)
    assert read_revealed(scored(0.0, 0.0, associative_word=told), guess, plan).word == word


def test_a_round_that_is_recognised_is_guessed_as_revealed() -> None:
    player, plan = planned()
    other = plan.result.hits[-1].paragraph
    known = recognise(plan, Revealed(other.opening_sentence, "fox"))
    assert known.prior.sum() == pytest.approx(1.0)
    row = known.row_of(other.opening_sentence)
    assert row is not None
    assert known.prior[row] > 0.89
    decision = use_revealed(player.decide(known, [None] * 20), known, Revealed(other.opening_sentence, "fox"))
    assert (decision.guess.opening_sentence, decision.guess.associative_word) == (other.opening_sentence, "fox")


def test_a_revealed_sentence_that_begins_no_paragraph_is_guessed_as_it_was_told() -> None:
    player, plan = planned()
    revealed = Revealed("A sentence that was lost at ingest.", "")
    decision = use_revealed(player.decide(recognise(plan, revealed), [None] * 20), plan, revealed)
    assert decision.guess.opening_sentence == revealed.sentence
