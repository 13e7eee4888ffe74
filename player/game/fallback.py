"""DeadlinePlayer: a player that returns 20 valid questions and a valid guess by the deadline, despite any failure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from quarry.configs.terminal import described
from quarry.player.answer.justify import Evidence, justify_sentence, justify_word
from quarry.player.deadlines import Call, start_in_thread
from quarry.player.player import Contestant, Decision, Plan
from quarry.player.protocol.messages import Guess, RoundStart
from quarry.player.questions.answer import NOT_RELEVANT, Answers
from quarry.player.questions.design import N_QUESTIONS
from quarry.player.questions.kinds import NONE_OF_THESE, OPENING
from quarry.player.questions.language import Language, language_of
from quarry.player.questions.places import places_of
from quarry.player.questions.question import Question
from quarry.player.questions.views import VIEWS
from quarry.player.search.types import Query, SearchResult

T = TypeVar("T")

DESIGN_SHARE = 0.6
SEARCH_SHARE = 0.3
"""Shares of the time for the questions: for search and design, then for the search alone if those were too slow."""
LATE_SHARE = 0.3
DECIDE_SHARE = 0.6
"""Shares of the time for the guess: to wait for a late plan, then for the decision."""
LAST_RESORT = "theory"
"""The associative word if there was no time to choose one."""


@dataclass(slots=True)
class Planned:
    """A plan, or questions without candidates and a plan that may still come.

    Attributes:
        plan: has no candidates if the search was too late.
        late: the search that was running at the deadline.
    """

    plan: Plan
    late: Call[Plan] | None = None


class DeadlinePlayer:
    """A contestant with time limits.

    Args:
        player: plans and decides.
        say: is called with a line about each part that was too late or failed.
    """

    def __init__(self, player: Contestant, say: Callable[[str], None]) -> None:
        self._player = player
        self._say = say

    def warmup(self, question: str, budget_s: float | None) -> str:
        """Return the result of the sum, "0" if it is not ready in time."""
        if budget_s is None:
            return self._player.answer_warmup(question)
        answer = self._result(start_in_thread(lambda: self._player.answer_warmup(question)), budget_s, "the warm-up")
        return answer or "0"

    def plan(self, start: RoundStart, budget_s: float | None, questions: Sequence[Question] | None = None) -> Planned:
        """Return the best plan in time: designed questions, else generic ones with candidates, else generic ones alone.

        Args:
            budget_s: seconds; None sets no limit, and raises errors.
            questions: questions of a killed process; None designs new ones.
        """
        if budget_s is None:
            return Planned(self._player.plan(start, questions))
        if questions is None:
            designed = start_in_thread(lambda: self._player.plan(start))
            if (plan := self._result(designed, DESIGN_SHARE * budget_s, "the questions")) is not None:
                return Planned(plan)
            questions, budget_s = generic_questions(start), SEARCH_SHARE * budget_s
        search = start_in_thread(lambda: self._player.plan(start, questions))
        if (plan := self._result(search, budget_s, "the search")) is not None:
            return Planned(plan)
        fits = np.empty((len(VIEWS), len(questions), 0, 4), dtype=np.float32)
        result, nothing = SearchResult(Query(start.hint, start.book_name), ()), places_of(())
        return Planned(
            Plan(start, result, nothing, nothing.rows, np.empty(0), tuple(questions), fits, 0.0), late=search
        )

    def decide(self, planned: Planned, answers: Answers, budget_s: float | None) -> Decision:
        """Return the guess after the answers, or the likeliest by the hint if it is not ready in time."""
        if budget_s is None:
            return self._player.decide(planned.plan, answers)
        if planned.late is not None:
            planned.plan = self._result(planned.late, LATE_SHARE * budget_s, "the search") or planned.plan
        plan = planned.plan
        if not len(plan.rows):
            return _by_hint(plan, answers)
        decision = self._result(
            start_in_thread(lambda: self._player.decide(plan, answers)), DECIDE_SHARE * budget_s, "the decision"
        )
        return decision or _by_hint(plan, answers)

    def _result(self, call: Call[T], budget_s: float, what: str) -> T | None:
        """Return the result of a call; print a line and return None if it fails or is not ready in time."""
        try:
            return call.result(max(0.0, budget_s))
        except TimeoutError:
            self._say(f"{what} must be ready in {max(0.0, budget_s):.1f} s and is not; the game goes on with less")
        except Exception as error:  # the referee gets its reply in any case
            self._say(f"{what} failed: {described(error)}; the game goes on with less")
        return None


def generic_questions(start: RoundStart) -> tuple[Question, ...]:
    """Make 20 valid questions without a search, about common words of the opening sentence."""
    language = language_of(start.hint)
    questions = []
    for row in range(N_QUESTIONS):
        groups = tuple((word,) for word in _COMMON[language].split()[3 * row : 3 * row + 3])
        a, b, c = (group[0] for group in groups)
        text = OPENING.ask[language].format(f"{a}; {b}; {c}")
        key = frozenset(f"opening {word}" for word in (a, b, c))
        questions.append(Question(text, (a, b, c, NONE_OF_THESE[language]), OPENING.name, key, groups))
    return tuple(questions)


def _by_hint(plan: Plan, answers: Answers) -> Decision:
    """Guess the candidate that is likeliest by the hint alone; without candidates, the hint itself."""
    start = plan.start
    evidence = [
        Evidence(number, answer, 0.0)
        for number, answer in enumerate(answers, 1)
        if answer is not None and answer != NOT_RELEVANT
    ]
    best = int(np.argmax(plan.prior)) if len(plan.prior) else -1
    confidence = float(plan.prior[best]) if best >= 0 else 0.0
    sentence = plan.paragraph(best).opening_sentence if best >= 0 else start.hint or start.book_name
    language = language_of(sentence)
    guess = Guess(
        opening_sentence=sentence or LAST_RESORT,
        sentence_justification=justify_sentence(evidence, confidence, language),
        associative_word=LAST_RESORT,
        word_justification=justify_word(evidence, LAST_RESORT, start.association_domain, language),
        confidence=confidence,
    )
    return Decision(guess, plan.prior, confidence, {}, best, tuple(evidence), (LAST_RESORT,), 0.0)


_COMMON: dict[Language, str] = {
    "en": "the a is in of to this we are and for that it an with can be on as by one which not from if have when or "
    "two at but their its these more than our has there all each so how first data then between used some use may "
    "will what most new such was only many both every",
    "he": "של את על הוא היא זה לא עם כל או גם אם כי בין כדי יש אך אין רק זו כמו יותר אחד הם ניתן אלה מה לכל כאשר "
    "בו אנו אחת שני שבו בכל מספר איך כך לפי בה שהוא היו אל אבל היה ידי זאת למשל שלו שלה לאחר ללא להיות עוד תוך "
    "לכן שאינו כאן ביותר פעם",
}
"""60 common words of opening sentences, three for each question."""
