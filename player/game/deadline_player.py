"""DeadlinePlayer: the player of one game; it always has 20 valid questions and a valid guess by the deadline."""

import logging
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import inf
from typing import Any, TypeVar

import numpy as np

from player.answer import LETTERS, Answers, letter_rows
from player.belief.places import find_places
from player.deadlines import Runner, due_at
from player.guess.justification import Evidence, justify_sentence, justify_word
from player.player import Contestant, Decision, Plan
from player.question import N_QUESTIONS, VIEWS, FitArray, Question
from player.questions.kinds import OPENING
from player.round import Guess, RoundStart
from player.search.results import Query, SearchResult
from quarry.languages.registry import detect_language
from quarry.terminal import visible

T = TypeVar("T")
_log = logging.getLogger(__name__)

SEARCH_SHARE = 0.3
"""Maximum share of the time for the guess that a search may take, if it was too late for the questions."""
DECIDE_SHARE = 0.6
"""Maximum share of the time for the guess that the decision may take."""
WORD_WITHOUT_TIME = "theory"
"""Associative word if there was no time to choose one."""


@dataclass(eq=False)
class DeadlinePlayer:
    """The player of one game. If a step fails or is late, this is logged, and the best result so far is used.

    Times are in seconds. If the time is infinite, steps run in the calling thread and errors are raised.

    Attributes:
        player: plans and decides.
        game_id: name of the game in the log.
        runner: runs the steps of all games.
        plan: the plan; None before the questions, and without candidates if the search was too slow.
    """

    player: Contestant
    game_id: str
    runner: Runner
    plan: Plan | None = None

    def warmup(self, question: str, budget_s: float) -> str:
        """Return the answer to the warm-up question; "0" if it is not ready in time."""
        answer = self.player.answer_warmup
        return self._within(budget_s, "the warm-up", answer, question) or "0"

    def make_plan(
        self,
        start: RoundStart,
        budget_s: float,
        questions: Sequence[Question] | None = None,
    ) -> Plan:
        """Make the plan and return it; if it is not ready in time, take generic questions and no candidates.

        Args:
            start: start of the round.
            budget_s: maximum time.
            questions: questions that an earlier process has sent; None designs new ones.
        """
        make = self.player.plan
        plan = self._within(budget_s, "the questions", make, start, questions)
        if plan is None:
            questions = questions or generic_questions(start)
            places = find_places(())
            plan = Plan(
                start=start,
                result=SearchResult(Query(start.hint, start.book_name), ()),
                places=places,
                candidate_places=np.arange(len(places)),
                prior=np.empty(0),
                questions=tuple(questions),
                fits=_no_fits(questions),
                questions_ms=0.0,
            )

        self.plan = plan
        return plan

    def drop_fits(self) -> None:
        """Delete the fits of the plan, which take megabytes; they are computed again if they are needed."""
        plan = self.plan  # which another thread may delete
        if plan is not None:
            self.plan = replace(plan, fits=_no_fits(plan.questions))

    def decide(self, answers: Answers, budget_s: float) -> Decision:
        """Return the decision after the answers; if it is not ready in time, guess by the hint alone."""
        assert self.plan is not None
        search_s, decide_s = SEARCH_SHARE * budget_s, DECIDE_SHARE * budget_s
        plan = self._within(search_s, "the search", self._whole_plan)
        if plan is None:
            return _guess_by_hint(self.plan, answers)
        self.plan = plan
        decide = self.player.decide
        decision = self._within(decide_s, "the decision", decide, plan, answers)
        return decision or _guess_by_hint(plan, answers)

    def _whole_plan(self) -> Plan:
        """Return the plan with its fits."""
        assert self.plan is not None
        if self.plan.fits.size:
            return self.plan
        return self.player.plan(self.plan.start, self.plan.questions)

    def _within(
        self, budget_s: float, part: str, work: Callable[..., T], *arguments: Any
    ) -> T | None:
        """Return the result of a step; if it fails or is not ready in time, log this and return None."""
        if budget_s == inf:
            return work(*arguments)

        due = time.monotonic() + budget_s
        call = self.runner.start(
            part, lambda: due_at(due, lambda: work(*arguments)), due
        )
        value = call.value()
        if call.failure:  # the referee gets its reply in any case
            problem = f"failed: {call.failure}"
            if not call.done():
                problem = f"took more than {budget_s:.1f} s"
            _log.warning(
                "game %s: %s %s; the game goes on with less",
                visible(self.game_id),
                part,
                problem,
            )
        return value


def generic_questions(start: RoundStart) -> tuple[Question, ...]:
    """Make 20 valid questions without a search, about common words of the opening sentence."""
    language = detect_language(start.hint)
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
    """Guess the likeliest candidate before the answers; without candidates, guess the hint itself."""
    start = plan.start
    best, confidence = -1, 0.0
    sentence = start.hint or start.book_name or WORD_WITHOUT_TIME
    if len(plan.prior):
        best = int(np.argmax(plan.prior))
        confidence = float(plan.prior[best])
        sentence = plan.as_paragraph(best).opening_sentence

    evidence = []
    for row, option in letter_rows(answers).items():
        evidence.append(Evidence(row + 1, LETTERS[option], 0.0))
    guess = Guess(
        opening_sentence=sentence,
        sentence_justification=justify_sentence(evidence, confidence),
        associative_word=WORD_WITHOUT_TIME,
        word_justification=justify_word(
            evidence, WORD_WITHOUT_TIME, start.association_domain
        ),
        confidence=confidence,
    )
    return Decision(
        guess=guess,
        belief=plan.prior,
        best=best,
        evidence=evidence,
        associations=[WORD_WITHOUT_TIME],
    )
