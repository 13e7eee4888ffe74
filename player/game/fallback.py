"""DeadlinePlayer: a player that always has 20 valid questions and a valid guess when the time is up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from quarry.player.answer.justify import Evidence, justify_sentence, justify_word
from quarry.player.deadlines import Call, described, start_in_thread
from quarry.player.player import Contestant, Decision, Plan
from quarry.player.protocol.payloads import Guess, RoundStart
from quarry.player.questions.answer import NOT_RELEVANT, Answers
from quarry.player.questions.design import N_QUESTIONS
from quarry.player.questions.kinds import opening
from quarry.player.questions.language import Language, language_of
from quarry.player.questions.lists import NONE_OF_THESE
from quarry.player.questions.question import Question
from quarry.player.questions.views import VIEWS
from quarry.player.search.types import Query, SearchResult

T = TypeVar("T")

DESIGN_SHARE = 0.6
SEARCH_SHARE = 0.3
"""Of the time for the questions: to search and design them, then to search alone if that was too long."""
LATE_SHARE = 0.3
DECIDE_SHARE = 0.6
"""Of the time for the guess: to wait for a plan that is late, then to decide."""
LAST_RESORT = "theory"
"""The associative word where none could be looked for."""


@dataclass(slots=True)
class Planned:
    """A plan, or the questions alone and a plan that may still come.

    Attributes:
        plan: what was asked; it has no candidates where the search was too late.
        late: the search that was under way when the time was up.
    """

    plan: Plan
    late: Call[Plan] | None = None


class DeadlinePlayer:
    """A contestant within budgets.

    Args:
        player: plans and decides.
        say: is told in a line what was too late or failed.
    """

    def __init__(self, player: Contestant, say: Callable[[str], None]) -> None:
        self._player = player
        self._say = say

    def warmup(self, question: str, budget_s: float | None) -> str:
        """The result of the sum; "0" where there is none in time."""
        if budget_s is None:
            return self._player.answer_warmup(question)
        answer = self._result(start_in_thread(lambda: self._player.answer_warmup(question)), budget_s, "the warm-up")
        return answer or "0"

    def plan(self, start: RoundStart, budget_s: float | None) -> Planned:
        """The best plan there is in time: designed questions, else generic ones about what was found, else these alone.

        Args:
            budget_s: seconds; None takes whatever time it takes, and lets errors pass.
        """
        if budget_s is None:
            return Planned(self._player.plan(start))
        designed = self._result(
            start_in_thread(lambda: self._player.plan(start)), DESIGN_SHARE * budget_s, "the questions"
        )
        if designed is not None:
            return Planned(designed)
        questions = generic_questions(start)
        search = start_in_thread(lambda: self._player.plan(start, questions))
        found = self._result(search, SEARCH_SHARE * budget_s, "the search")
        return Planned(found) if found is not None else Planned(_without_candidates(start, questions), search)

    def again(self, start: RoundStart, questions: Sequence[Question], budget_s: float | None) -> Planned:
        """The plan of questions that were asked before, by a process that is no more."""
        if budget_s is None:
            return Planned(self._player.plan(start, questions))
        search = start_in_thread(lambda: self._player.plan(start, questions))
        found = self._result(search, budget_s, "the search")
        return Planned(found) if found is not None else Planned(_without_candidates(start, questions), search)

    def decide(self, planned: Planned, answers: Answers, budget_s: float | None) -> Decision:
        """The guess after the answers; where that cannot be had in time, the likeliest by the hint alone."""
        if budget_s is None:
            return self._player.decide(planned.plan, answers)
        if planned.late is not None:
            planned.plan = self._result(planned.late, LATE_SHARE * budget_s, "the search") or planned.plan
        plan = planned.plan
        if not plan.result.hits:
            return _by_hint(plan, answers)
        decision = self._result(
            start_in_thread(lambda: self._player.decide(plan, answers)), DECIDE_SHARE * budget_s, "the decision"
        )
        return decision or _by_hint(plan, answers)

    def _result(self, call: Call[T], budget_s: float, what: str) -> T | None:
        """What came in time; None, and a line that says so, where nothing did."""
        try:
            return call.result(max(0.0, budget_s))
        except TimeoutError:
            self._say(f"{what} must be ready in {max(0.0, budget_s):.1f} s and is not; the game goes on with less")
        except Exception as error:  # whatever fails, the referee gets its reply
            self._say(f"{what} failed: {described(error)}; the game goes on with less")
        return None


def generic_questions(start: RoundStart) -> tuple[Question, ...]:
    """20 valid questions that need no search: which common words the opening sentence has."""
    language = language_of(start.hint)
    questions = []
    for row in range(N_QUESTIONS):
        groups = tuple((word,) for word in _COMMON[language].split()[3 * row : 3 * row + 3])
        a, b, c = (group[0] for group in groups)
        text = opening.KIND.ask[language].format(f"{a}; {b}; {c}")
        key = frozenset(f"opening {word}" for word in (a, b, c))
        questions.append(Question(text, (a, b, c, NONE_OF_THESE[language]), opening.KIND.name, key, groups))
    return tuple(questions)


def _without_candidates(start: RoundStart, questions: Sequence[Question]) -> Plan:
    fits = np.empty((len(VIEWS), len(questions), 0, 4), dtype=np.float32)
    return Plan(start, SearchResult(Query(start.hint, start.book_name), ()), np.empty(0), tuple(questions), fits, 0.0)


def _by_hint(plan: Plan, answers: Answers) -> Decision:
    """The candidate that the hint makes likeliest, whatever was answered; without candidates, the hint itself."""
    start = plan.start
    evidence = [
        Evidence(number, answer, 0.0)
        for number, answer in enumerate(answers, 1)
        if answer is not None and answer != NOT_RELEVANT
    ]
    best = int(np.argmax(plan.prior)) if len(plan.prior) else -1
    confidence = float(plan.prior[best]) if best >= 0 else 0.0
    sentence = plan.result.hits[best].paragraph.opening_sentence if best >= 0 else start.hint or start.book_name
    language = language_of(sentence)
    guess = Guess(
        opening_sentence=sentence or LAST_RESORT,
        sentence_justification=justify_sentence(evidence, confidence, language),
        associative_word=LAST_RESORT,
        word_justification=justify_word(evidence, LAST_RESORT, start.association_domain, language),
        confidence=confidence,
    )
    return Decision(guess, plan.prior, {}, best, tuple(evidence), (LAST_RESORT,), 0.0)


_COMMON: dict[Language, str] = {
    "en": "the a is in of to this we are and for that it an with can be on as by one which not from if have when or "
    "two at but their its these more than our has there all each so how first data then between used some use may "
    "will what most new such was only many both every",
    "he": "של את על הוא היא זה לא עם כל או גם אם כי בין כדי יש אך אין רק זו כמו יותר אחד הם ניתן אלה מה לכל כאשר "
    "בו אנו אחת שני שבו בכל מספר איך כך לפי בה שהוא היו אל אבל היה ידי זאת למשל שלו שלה לאחר ללא להיות עוד תוך "
    "לכן שאינו כאן ביותר פעם",
}
"""60 words that open sentences of lectures have or have not, three a question."""
