"""DeadlinePlayer: the player of one game, with 20 valid questions and a valid guess by the deadline."""

import functools
import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from math import inf
from typing import TypeVar

import numpy as np

from player.answer import NOT_RELEVANT, Answers
from player.belief.places import places_of
from player.deadlines import Runner, due_at
from player.guess.justification import Evidence, justify_sentence, justify_word
from player.player import Contestant, Decision, Plan
from player.question import N_QUESTIONS, VIEWS, FitArray, Question
from player.questions.kinds import OPENING
from player.round import Guess, RoundStart
from player.search.results import Query, SearchResult
from quarry.languages.registry import language_of
from quarry.terminal import described, visible

T = TypeVar("T")
_log = logging.getLogger(__name__)

SEARCH_SHARE = 0.3
"""Share of the time for the guess that a search may take if it was late before the questions."""
DECIDE_SHARE = 0.6
"""Share of the time for the guess that the decision may take."""
LAST_RESORT = "theory"
"""Associative word if there was no time to choose one."""


class DeadlinePlayer:
    """The player of one game. A part that fails or is late is logged, and the best that is ready takes its place.

    Times are in seconds. In an infinite time, parts run in the calling thread and errors are raised.

    Args:
        player: plans and decides.
        game_id: names the game in the log.
        runner: runs the parts of all games; a new one unless given.

    Attributes:
        plan: None before the questions; without candidates if the search was too slow.
    """

    def __init__(
        self,
        player: Contestant,
        game_id: str,
        runner: Runner | None = None,
    ) -> None:
        self.plan: Plan | None = None
        self._player = player
        self._game_id = game_id
        self._runner = runner or Runner()

    def warmup(self, question: str, budget_s: float) -> str:
        """Return the result of the sum, "0" if it is not ready in time."""
        work = functools.partial(self._player.answer_warmup, question)
        return self._within(budget_s, "the warm-up", work) or "0"

    def ask(
        self,
        start: RoundStart,
        budget_s: float,
        questions: Sequence[Question] | None = None,
    ) -> Plan:
        """Set and return the plan, or one of generic questions without candidates if it is not ready in time.

        Args:
            questions: questions of a killed process; None designs new ones.
        """
        work = functools.partial(self._player.plan, start, questions)
        plan = self._within(budget_s, "the questions", work)
        if plan is None:
            questions = questions or generic_questions(start)
            places = places_of(())
            plan = Plan(
                start=start,
                result=SearchResult(Query(start.hint, start.book_name), ()),
                places=places,
                rows=places.rows,
                prior=np.empty(0),
                questions=tuple(questions),
                fits=_no_fits(questions),
                questions_ms=0.0,
            )
        self.plan = plan
        return plan

    def drop_fits(self) -> None:
        """Forget the fits of the plan, which take megabytes; they are computed again if they are needed."""
        if self.plan is not None:
            self.plan = replace(self.plan, fits=_no_fits(self.plan.questions))

    def decide(self, answers: Answers, budget_s: float) -> Decision:
        """Return the guess after the answers, or the likeliest by the hint if it is not ready in time."""
        assert self.plan is not None
        search_s, decide_s = SEARCH_SHARE * budget_s, DECIDE_SHARE * budget_s
        plan = self._within(search_s, "the search", self.whole_plan)
        if plan is None:
            return _guess_by_hint(self.plan, answers)
        if not len(self.plan.rows):
            self.plan = plan

        work = functools.partial(self._player.decide, plan, answers)
        decision = self._within(decide_s, "the decision", work)
        return decision or _guess_by_hint(plan, answers)

    def whole_plan(self) -> Plan:
        """Return the plan with its fits."""
        assert self.plan is not None
        if self.plan.fits.size:
            return self.plan
        return self._player.plan(self.plan.start, self.plan.questions)

    def _within(self, budget_s: float, part: str, work: Callable[[], T]) -> T | None:
        """Return the result of work; log and return None if it fails or is not ready in time."""
        if budget_s == inf:
            return work()
        due = time.monotonic() + budget_s
        call = self._runner.start(part, lambda: due_at(due, work), due)
        try:
            return call.result(budget_s)
        except TimeoutError:
            problem = f"took more than {budget_s:.1f} s"
        except Exception as error:  # the referee gets its reply in any case
            problem = f"failed: {described(error)}"
        _log.warning(
            "game %s: %s %s; the game goes on with less",
            visible(self._game_id),
            part,
            problem,
        )
        return None


def generic_questions(start: RoundStart) -> tuple[Question, ...]:
    """Make 20 valid questions without a search, about common words of the opening sentence."""
    language = language_of(start.hint)
    words = language.common_words.split()
    questions = []
    for first in range(0, 3 * N_QUESTIONS, 3):
        one, two, three = options = words[first : first + 3]
        question = Question(
            text=language.ask_opening.format("; ".join(options)),
            options=(one, two, three, language.no_word),
            kind=OPENING.name,
            groups=tuple((word,) for word in options),
        )
        questions.append(question)
    return tuple(questions)


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
        best=best,
        evidence=evidence,
        associations=[LAST_RESORT],
    )
