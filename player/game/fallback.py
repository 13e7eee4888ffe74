"""DeadlinePlayer: a player that returns 20 valid questions and a valid guess by the deadline, despite any failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from ingest.console.terminal import described
from player.answer.justify import Evidence, justify_sentence, justify_word
from player.deadlines import Call, Runner, due_at
from player.player import Contestant, Decision, Plan
from player.protocol.messages import Guess, RoundStart
from player.questions.answer import NOT_RELEVANT, Answers
from player.questions.design import N_QUESTIONS
from player.questions.kinds import NONE_OF_THESE, OPENING
from player.questions.language import Language, language_of
from player.questions.places import places_of
from player.questions.question import FitArray, Question
from player.questions.views import VIEWS
from player.search.types import Query, SearchResult

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
        is_lean: True if the plan has no fits, which take megabytes; they are computed again for the decision.
    """

    plan: Plan
    late: Call[Plan] | None = None
    is_lean: bool = False


class DeadlinePlayer:
    """A contestant with time limits.

    Args:
        player: plans and decides.
        say: is called with a line about each part that was too late or failed.
        runner: runs the plans and decisions of all games; a new one unless given.
        lean: keep no fits between the questions and the answers.
    """

    def __init__(
        self,
        player: Contestant,
        say: Callable[[str], None],
        runner: Runner | None = None,
        *,
        lean: bool = False,
    ) -> None:
        self._player = player
        self._say = say
        self._runner = runner or Runner()
        self._lean = lean

    def warmup(self, question: str, budget_s: float | None) -> str:
        """Return the result of the sum, "0" if it is not ready in time."""
        if budget_s is None:
            return self._player.answer_warmup(question)

        call = self._start(
            "the warm-up", lambda: self._player.answer_warmup(question), budget_s
        )
        return self._result(call, budget_s) or "0"

    def plan(
        self,
        start: RoundStart,
        budget_s: float | None,
        questions: Sequence[Question] | None = None,
    ) -> Planned:
        """Return the best plan in time: designed questions, else generic ones with candidates, else generic ones alone.

        Args:
            budget_s: seconds; None sets no limit, and raises errors.
            questions: questions of a killed process; None designs new ones.
        """
        if budget_s is None:
            return Planned(self._player.plan(start, questions))

        if questions is None:
            design_s = DESIGN_SHARE * budget_s
            design = self._start(
                "the questions", lambda: self._player.plan(start), design_s
            )
            plan = self._result(design, design_s)
            if plan is not None:
                return self._planned(plan)
            questions, budget_s = generic_questions(start), SEARCH_SHARE * budget_s

        search = self._start(
            "the search", lambda: self._player.plan(start, questions), budget_s
        )
        plan = self._result(search, budget_s)
        if plan is not None:
            return self._planned(plan)
        return Planned(_plan_without_candidates(start, questions), late=search)

    def decide(
        self, planned: Planned, answers: Answers, budget_s: float | None
    ) -> Decision:
        """Return the guess after the answers, or the likeliest by the hint if it is not ready in time."""
        if budget_s is None:
            return self._player.decide(planned.plan, answers)

        if planned.late is not None:
            late_plan = self._result(planned.late, LATE_SHARE * budget_s)
            planned.plan = late_plan or planned.plan
        if not len(planned.plan.rows):
            return _guess_by_hint(planned.plan, answers)

        decide_s = DECIDE_SHARE * budget_s
        call = self._start(
            "the decision",
            lambda: self._player.decide(self.whole(planned), answers),
            decide_s,
        )
        return self._result(call, decide_s) or _guess_by_hint(planned.plan, answers)

    def whole(self, planned: Planned) -> Plan:
        """Return a plan with its fits."""
        plan = planned.plan
        return (
            self._player.plan(plan.start, plan.questions) if planned.is_lean else plan
        )

    def _planned(self, plan: Plan) -> Planned:
        if not self._lean:
            return Planned(plan)
        return Planned(replace(plan, fits=_no_fits(plan.questions)), is_lean=True)

    def _start(self, part: str, work: Callable[[], T], budget_s: float) -> Call[T]:
        due = time.monotonic() + budget_s
        return self._runner.start(part, lambda: due_at(due, work), due)

    def _result(self, call: Call[T], budget_s: float) -> T | None:
        """Return the result of a call; print a line and return None if it fails or is not ready in time."""
        try:
            return call.result(budget_s)
        except TimeoutError:
            problem = f"took more than {budget_s:.1f} s"
        except Exception as error:  # the referee gets its reply in any case
            problem = f"failed: {described(error)}"
        self._say(f"{call.name} {problem}; the game goes on with less")
        return None


def generic_questions(start: RoundStart) -> tuple[Question, ...]:
    """Make 20 valid questions without a search, about common words of the opening sentence."""
    language = language_of(start.hint)
    words = _COMMON[language].split()
    questions = []
    for first in range(0, 3 * N_QUESTIONS, 3):
        one, two, three = options = words[first : first + 3]
        question = Question(
            text=OPENING.ask[language].format("; ".join(options)),
            options=(one, two, three, NONE_OF_THESE[language]),
            kind=OPENING.name,
            key=frozenset(f"opening {word}" for word in options),
            groups=tuple((word,) for word in options),
        )
        questions.append(question)
    return tuple(questions)


def _plan_without_candidates(start: RoundStart, questions: Sequence[Question]) -> Plan:
    places = places_of(())
    return Plan(
        start=start,
        result=SearchResult(Query(start.hint, start.book_name), ()),
        places=places,
        rows=places.rows,
        prior=np.empty(0),
        questions=tuple(questions),
        fits=_no_fits(questions),
        questions_ms=0.0,
    )


def _no_fits(questions: Sequence[Question]) -> FitArray:
    return np.empty((len(VIEWS), len(questions), 0, 4), dtype=np.float32)


def _guess_by_hint(plan: Plan, answers: Answers) -> Decision:
    """Guess the candidate that is likeliest by the hint alone; without candidates, the hint itself."""
    start = plan.start
    best, confidence = -1, 0.0
    sentence = start.hint or start.book_name or LAST_RESORT
    if len(plan.prior):
        best = int(np.argmax(plan.prior))
        confidence = float(plan.prior[best])
        sentence = plan.paragraph(best).opening_sentence

    evidence = []
    for number, answer in enumerate(answers, 1):
        if answer is not None and answer != NOT_RELEVANT:
            evidence.append(Evidence(number, answer, 0.0))
    guess = Guess(
        opening_sentence=sentence,
        sentence_justification=justify_sentence(evidence, confidence),
        associative_word=LAST_RESORT,
        word_justification=justify_word(
            evidence, LAST_RESORT, start.association_domain
        ),
        confidence=confidence,
    )
    return Decision(
        guess=guess,
        belief=plan.prior,
        confidence=confidence,
        referees={},
        best=best,
        evidence=tuple(evidence),
        associations=(LAST_RESORT,),
        decide_ms=0.0,
    )


_COMMON: dict[Language, str] = {
    "en": "the a is in of to this we are and for that it an with can be on as by one which not from if have when or "
    "two at but their its these more than our has there all each so how first data then between used some use may "
    "will what most new such was only many both every",
    "he": "של את על הוא היא זה לא עם כל או גם אם כי בין כדי יש אך אין רק זו כמו יותר אחד הם ניתן אלה מה לכל כאשר "
    "בו אנו אחת שני שבו בכל מספר איך כך לפי בה שהוא היו אל אבל היה ידי זאת למשל שלו שלה לאחר ללא להיות עוד תוך "
    "לכן שאינו כאן ביותר פעם",
}
"""60 common words of opening sentences, three for each question."""
