"""Games as a person steps through them: the belief after each answer, and the games of a journal."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime

import numpy as np
from pydantic import Json, ValidationError

from ingest.arrays import Float64Array
from player.game.journal import Journal
from player.player import Decision, Plan, Player
from player.protocol.messages import Guess, RoundStart, adapter
from player.questions.answer import LETTERS, Answer, Answers, letter_row
from player.questions.places import by_sentence
from player.questions.question import Question

N_SHOWN = 8
"""Opening sentences whose belief is shown."""
_STORED = """
SELECT game, game_id, server, player, began, ending, start, coalesce(questions, '[]'), answers, guess
FROM games WHERE start IS NOT NULL ORDER BY game DESC LIMIT 500
"""


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game of the journal, running or over."""

    key: int
    game_id: str
    server: str
    player: str
    began: datetime
    ending: str
    start: Json[RoundStart]
    questions: Json[tuple[Question, ...]]
    answers: Json[tuple[Answer, ...]] | None
    guess: Json[Guess] | None


@dataclass(frozen=True, slots=True)
class Candidate:
    """An opening sentence with its belief before the questions and after each answer, 0..1."""

    sentence: str
    where: str
    beliefs: tuple[float, ...]

    @property
    def line(self) -> str:
        """The points of a line through the beliefs, in a box of 100 by 24."""
        n = max(len(self.beliefs) - 1, 1)
        return " ".join(
            f"{100 * place / n:.1f},{24 - 22 * belief:.1f}"
            for place, belief in enumerate(self.beliefs)
        )


@dataclass(frozen=True, slots=True)
class Step:
    """A question with its answer.

    Attributes:
        option: text of the option that was answered, "" without a letter.
        fits: the letter that a careful reader gives if the secret is as guessed, "" if unknown.
        support: bits that the answer gives to the guess; negative if it speaks against it.
    """

    number: int
    question: Question
    answer: str
    option: str
    fits: str
    support: float

    @property
    def verdict(self) -> str:
        """Whether the answer agrees with the guess, in one word."""
        if not self.option:
            return "no answer"
        return "agrees" if self.answer == self.fits else "disagrees"


@dataclass(frozen=True, slots=True)
class GameView:
    """A game with the belief after each of its answers."""

    start: RoundStart
    candidates: tuple[Candidate, ...]
    steps: tuple[Step, ...]
    guess: Guess
    referees: tuple[tuple[str, float], ...]


def stored_games(journal: Journal) -> list[StoredGame]:
    """Return the latest games of a journal, the newest first; unreadable ones are left out."""
    names = [column.name for column in fields(StoredGame)]
    games = []
    for row in journal.rows(_STORED):
        with contextlib.suppress(ValidationError):
            stored = dict(zip(names, row, strict=True))
            games.append(adapter(StoredGame).validate_python(stored))
    return games


def view_of(player: Player, plan: Plan, answers: Answers) -> GameView:
    """Return a game with the belief after each answer."""
    beliefs = []
    for n_answers in range(len(answers) + 1):
        hidden = [None] * (len(answers) - n_answers)
        posterior = player.posterior(plan, [*answers[:n_answers], *hidden])
        beliefs.append(posterior.belief)
    last = player.decide(plan, answers)
    referees = sorted(last.referees.items(), key=lambda item: -item[1])
    return GameView(
        plan.start,
        _candidates(plan, beliefs),
        tuple(_steps(plan, answers, last)),
        last.guess,
        tuple(referees[:4]),
    )


def _candidates(plan: Plan, beliefs: Sequence[Float64Array]) -> tuple[Candidate, ...]:
    """Return the opening sentences that were likely at some time, the likeliest at the end first."""
    keys = plan.keys
    sums = np.array([by_sentence(belief, keys) for belief in beliefs])
    first_of_key = np.unique(keys, return_index=True)[1]
    order = np.argsort(-sums[:, first_of_key], axis=1, kind="stable")
    likeliest = [*order[-1, :N_SHOWN], *order[0, :2]]
    shown = dict.fromkeys(first_of_key[likeliest].tolist())

    candidates = []
    for row in shown:
        paragraph = plan.paragraph(row)
        course = tuple(sums[:, row].tolist())
        where = f"{paragraph.doc_id}, page {paragraph.page}"
        candidates.append(Candidate(paragraph.opening_sentence, where, course))
    return tuple(candidates)


def _steps(plan: Plan, answers: Answers, decision: Decision) -> list[Step]:
    support = {item.number: item.weight for item in decision.evidence}
    steps = []
    for row, (question, answer) in enumerate(zip(plan.questions, answers, strict=True)):
        letter = letter_row(answer)
        option = "" if letter is None else question.options[letter]
        fits = LETTERS[int(plan.fits[0, row, decision.best].argmax())]
        shown = str(answer) if option else "not relevant"
        weight = support.get(row + 1, 0.0)
        steps.append(Step(row + 1, question, shown, option, fits, weight))
    return steps
